// Checks that the engine tells the truth when its storage fails in the middle of a call: what it
// answered is what stands, what it calls an error has changed nothing, and only `commit_unknown`
// leaves both open. Does not check the loss of power (power_loss_test.cpp) nor opening a database.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"
#include "properties/judgement.hpp"
#include "properties/sweep.hpp"

namespace leaseproof::properties {
namespace {

using model::Word;

// What the sweep plays, with a checkpoint over several pages, so that the call writes more than it
// reads.
std::vector<model::Action> small_workflow() {
  std::vector<model::Action> actions;
  for (Step& step : small_case().steps) {
    if (auto* checkpoint = std::get_if<model::Checkpoint>(&step.action)) {
      checkpoint->payload = '"' + std::string(9000, 'x') + '"';
    }
    if (!is_harness(step.action)) actions.push_back(std::move(step.action));
  }
  return actions;
}

struct Told {
  int stands = 0;   // the call answered as if nothing had gone wrong
  int refused = 0;  // it answered an error or busy
  int unknown = 0;  // where the disk goes on failing
  int unknown_after_one = 0;
};

class FailingMachine {
 public:
  // Every kind at every operation that a call asks for, at each of its hits; what lasts, at the
  // first three.
  Told try_all() {
    Config config;
    config.busy_tries = 1;
    sut_.reset(config);
    tried_.reset(config);
    Told told;
    const model::Given given;
    for (const model::Action& action : small_workflow()) {
      CallFrame frame;
      frame.action = &action;
      frame.handle = handle_;
      frame.given = &given;
      const faults::Disk disk = vfs_->snapshot();
      const model::Observation before = sut_.observe_in_full();
      const Reply reply = sut_.apply(frame);
      const model::Observation after = sut_.observe_in_full();
      for (faults::IoPlan plan : faults::allowed_plans()) {
        if (plan.kind == faults::IoKind::power_loss) continue;
        // A disk that reads short lies to SQLite itself (faults/io_plan_test.cpp).
        if (plan.kind == faults::IoKind::short_read) continue;
        while (try_one(plan, disk, frame, reply.outcome.word, before, after, told)) ++plan.hit;
        plan.sticky = true;
        for (plan.hit = 1; plan.hit <= 3; ++plan.hit) {
          if (!try_one(plan, disk, frame, reply.outcome.word, before, after, told)) break;
        }
      }
      if (!reply.handle.empty()) handle_ = reply.handle;
    }
    return told;
  }

 private:
  // False: the call never came to this hit.
  bool try_one(const faults::IoPlan& plan, const faults::Disk& disk, const CallFrame& frame,
               Word expected, const model::Observation& before, const model::Observation& after,
               Told& told) {
    failing_->restore(disk);
    const bool awake = tried_.wake_up();
    EXPECT_TRUE(awake);
    if (!awake) return false;
    failing_->arm(plan);
    const Word word = tried_.apply(frame).outcome.word;
    const bool fired = failing_->fired() > 0;
    failing_->disarm();
    if (!fired) return false;
    const bool awake_again = tried_.wake_up();
    EXPECT_TRUE(awake_again) << faults::sentence(plan);
    if (!awake_again) return false;
    const model::Observation& found = tried_.observe_in_full();
    bool honest = false;
    if (word == Word::commit_unknown) {
      ++(plan.sticky ? told.unknown : told.unknown_after_one);
      honest = found == before || found == after;
    } else if (word == Word::storage_error || word == Word::busy) {
      ++told.refused;
      honest = found == before;
    } else {
      ++told.stands;
      honest = word == expected && found == after;
    }
    EXPECT_TRUE(honest) << model::do_word(*frame.action) << " answered " << static_cast<int>(word)
                        << " at " << faults::sentence(plan);
    return true;
  }

  SimClock clock_;
  std::string handle_;
  std::shared_ptr<faults::Vfs> vfs_ = std::make_shared<faults::Vfs>("lp-sound");
  std::shared_ptr<faults::Vfs> failing_ = std::make_shared<faults::Vfs>("lp-failing");
  EngineSut sut_{clock_, {"/engine", "sound", {}, vfs_}};
  EngineSut tried_{clock_, {"/engine", "failing", {}, failing_}};
};

TEST(TheEngineOnAFailingDisk, answers_what_stands) {
  const Told told = FailingMachine().try_all();
  EXPECT_GT(told.refused, 50);
  EXPECT_GT(told.stands, 5);
  // One fault leaves the database usable again, so the engine can always find out what stands, and
  // write over what does not.
  EXPECT_EQ(0, told.unknown_after_one);
  EXPECT_GT(told.unknown, 5);
}

}  // namespace
}  // namespace leaseproof::properties
