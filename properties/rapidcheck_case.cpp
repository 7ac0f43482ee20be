#include "properties/rapidcheck_case.hpp"

#include <rapidcheck/Maybe.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/shrinkable/Create.h>

#include <memory>
#include <utility>
#include <vector>

#include "properties/cuts.hpp"

namespace leaseproof::properties {

namespace {
// Lazy: a cut is made when it is asked for, and most never are.
class Smaller {
 public:
  explicit Smaller(const Case& whole)
      : whole_(std::make_shared<const Case>(whole)),
        cuts_(std::make_shared<const std::vector<Cut>>(cuts_of(whole))) {}

  rc::Maybe<Case> operator()() {
    while (next_ < cuts_->size()) {
      std::optional<Case> smaller = apply_cut(*whole_, (*cuts_)[next_++]);
      if (smaller) return rc::Maybe<Case>(std::move(*smaller));
    }
    return rc::Nothing;
  }

 private:
  std::shared_ptr<const Case> whole_;
  std::shared_ptr<const std::vector<Cut>> cuts_;
  std::size_t next_ = 0;
};
}  // namespace

rc::Seq<Case> smaller_cases(const Case& whole) { return rc::makeSeq<Smaller>(whole); }

rc::Gen<Case> arbitrary_case(DrawOptions options) {
  return rc::Gen<Case>([options = std::move(options)](const rc::Random& random, int /*size*/) {
    rc::Random source = random;
    return rc::shrinkable::shrinkRecur(draw_case(source.next(), options),
                                       [](const Case& larger) { return smaller_cases(larger); });
  });
}

}  // namespace leaseproof::properties
