#include "scenarios/points.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace leaseproof::scenarios {

namespace {
template <class Word, class Words>
std::optional<Word> find_word(const Words& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Word>(found - words.begin());
}
}  // namespace

bool makes_sense(faults::Point point, faults::Kind kind) {
  return faults::allows(point, kind) ||
         (faults::is_at_disk(point) && kind == faults::Kind::interleave);
}

std::string beyond(const faults::Plan& plan, const properties::Sut& sut) {
  if (sut.can_be_hit(plan.point, plan.kind)) return {};
  std::string_view why;
  if (faults::allows(plan.point, plan.kind)) {
    why = faults::needs_disk(plan.point, plan.kind)
              ? ", which needs --engine simulated"
              : ", which cannot be done to a program behind a pipe";
  }
  return fmt::format("the fault {} at {}{}", faults::word(plan.kind),
                     faults::point_names[plan.point], why);
}

std::optional<faults::Kind> kind_named(std::string_view word) {
  return find_word<faults::Kind>(faults::kind_words, word);
}

std::optional<faults::Role> file_named(std::string_view word) {
  return find_word<faults::Role>(faults::role_words, word);
}

std::vector<std::string_view> all_point_names() {
  return {faults::point_names.begin(), faults::point_names.end()};
}

}  // namespace leaseproof::scenarios
