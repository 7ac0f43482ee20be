// Checks that the engine tells the truth when its storage fails in the middle of a call: what it
// answered is what stands, what it calls an error has changed nothing, and only `commit_unknown`
// leaves both open. Does not check the loss of power (power_loss_test.cpp) nor opening a database.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"

namespace leaseproof::properties {
namespace {

using model::Word;

// A small workflow: two operations, of which the first is done at once and the second fails, is
// tried again and canceled.
std::vector<model::Action> small_workflow() {
  model::OpSpec first;
  first.id = "first";
  model::OpSpec second;
  second.id = "second";
  second.needs.push_back({"first"});
  model::Start start;
  start.workflow = "w";
  start.ops = {first, second};
  model::Lease lease;
  lease.worker = "worker";
  const model::WorkerHandle of_first{"worker", "first", 1};
  const model::WorkerHandle of_second{"worker", "second", 2};
  model::Checkpoint checkpoint;
  checkpoint.by = of_first;
  checkpoint.step = "half";
  // Over several pages, so that the call writes more than it reads.
  checkpoint.payload = '"' + std::string(9000, 'x') + '"';
  model::Complete complete;
  complete.by = of_first;
  model::Fail fail;
  fail.by = of_second;
  fail.kind = model::FailKind::permanent;
  model::Retry retry;
  retry.op = "second";
  model::Cancel cancel;
  cancel.workflow = "w";
  return {start,
          model::Refresh{},
          lease,
          model::Heartbeat{of_first},
          checkpoint,
          complete,
          model::Refresh{},
          lease,
          fail,
          retry,
          cancel};
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
