// Checks what a leased op tells of its loss. How a scheduler handles one is host_test.cpp's
// subject.
#include "engine/leased_attempt.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/fixture_test.hpp"

namespace leaseproof::engine {
namespace {

class ALeasedAttempt : public EngineTest {
 protected:
  // Of an op whose lease another has by then.
  std::unique_ptr<LeasedAttempt> overtaken() {
    start("w", {op("a")});
    engine().refresh();
    engine().add_observer([this](const Notice& notice) {
      if (notice.verb == op_lease_lost) ++told_;
    });
    model::Lease action;
    action.worker = "A";
    Granted granted = engine().lease(action);
    auto attempt = std::make_unique<LeasedAttempt>(
        engine(), clock_, std::make_shared<Runners>(), LeaseTerms{},
        std::get<model::Leased>(granted.outcome.detail), std::move(granted.token));
    clock_.time_us += model::default_lease_us;
    engine().refresh();
    lease("B");
    return attempt;
  }

  int told_ = 0;
};

TEST_F(ALeasedAttempt, tells_once_that_its_lease_is_lost) {
  const auto attempt = overtaken();
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(1, told_);
  EXPECT_TRUE(attempt->stop_token().stop_requested());
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(1, told_);
}

// It was left behind: whoever did that knows.
TEST_F(ALeasedAttempt, that_is_closed_tells_nobody) {
  const auto attempt = overtaken();
  attempt->close();
  EXPECT_EQ(Beat::over, attempt->extend());
  EXPECT_EQ(0, told_);
}

}  // namespace
}  // namespace leaseproof::engine
