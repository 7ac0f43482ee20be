// Checks calls that share a commit on a disk that fails, loses its power, or outlives the process,
// at each operation and each point of the engine: what was answered stands, what was called an
// error has changed nothing, and nobody is answered before the commit is durable. The oracle is an
// engine that makes one call a commit, given those calls alone that were answered. Does not check
// which calls come together (engine/group_commit_test.cpp).
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "engine/engine.hpp"
#include "faults/crash_states.hpp"
#include "faults/plan.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::properties {
namespace {

using model::Outcome;
using model::Word;

class HeldClock final : public engine::Clock {
 public:
  std::int64_t now_us() override { return 1'000; }
  void wait_us(std::int64_t) override {
    if (while_waiting) while_waiting();
  }
  std::function<void()> while_waiting;
};

class CountedIds final : public engine::IdSource {
 public:
  std::array<std::uint8_t, 32> bytes() override {
    std::array<std::uint8_t, 32> bytes{};
    bytes[0] = ++drawn_;
    return bytes;
  }

 private:
  std::uint8_t drawn_ = 0;
};

struct Answer {
  Outcome outcome = Word::busy;
  bool ended = false;  // with its process
  // Trouble is neither: nothing is known of an unknown commit.
  [[nodiscard]] bool stands() const { return !ended && !is_refusal() && !is_unknown(); }
  [[nodiscard]] bool is_refusal() const {
    return !ended && (outcome.word == Word::storage_error || outcome.word == Word::busy);
  }
  [[nodiscard]] bool is_unknown() const { return outcome.word == Word::commit_unknown; }
};

// A machine with an engine on its disk.
class Site {
 public:
  Site(const faults::Disk& disk, std::int64_t calls_per_commit) {
    static int made = 0;
    vfs_ = std::make_unique<faults::Vfs>("lp-group-" + std::to_string(++made));
    vfs_->restore(disk);
    options_.path = "/group/engine.sqlite";
    options_.vfs = vfs_->name();
    options_.clock = &clock_;
    options_.ids = &ids_;
    options_.busy = {2, 0, 0};
    options_.calls_per_commit = calls_per_commit;
    open();
  }
  bool open() {
    engine_.reset();
    auto opened = engine::Engine::open(options_);
    if (opened) engine_ = std::move(*opened);
    return opened.has_value();
  }
  engine::Engine& engine() { return *engine_; }
  HeldClock& clock() { return clock_; }
  faults::Vfs& vfs() { return *vfs_; }
  model::Observation observed() {
    const Outcome outcome = engine_->observe();
    EXPECT_EQ(Word::ok, outcome.word);
    return std::get<model::Observation>(outcome.detail);
  }

 private:
  std::unique_ptr<faults::Vfs> vfs_;
  HeldClock clock_;
  CountedIds ids_;
  engine::Options options_;
  std::unique_ptr<engine::Engine> engine_;
};

using Ask = std::function<Outcome(engine::Engine&)>;

class Group {
 public:
  // `refusing`: one of the calls is refused.
  explicit Group(bool refusing) {
    Site site(faults::Disk(), 1);
    model::Start start;
    start.workflow = "w";
    for (const char* id : {"a", "b", "c", "d", "e"}) start.ops.emplace_back().id = id;
    site.engine().start(std::move(start));
    site.engine().refresh();
    for (std::string& token : tokens_) token = site.engine().lease(lease("A")).token;
    disk_ = site.vfs().snapshot();

    asks_.emplace_back([this](engine::Engine& engine) {
      model::Complete action;
      action.by.op = "a";
      action.result = "{\"n\":1}";
      action.emit.emplace_back().id = "f";
      return engine.complete(tokens_[0], std::move(action));
    });
    asks_.emplace_back([this](engine::Engine& engine) {
      model::Heartbeat action;
      action.by.op = "b";
      action.lease_us = 90'000'000;
      return engine.heartbeat(tokens_[1], action);
    });
    asks_.emplace_back([](engine::Engine& engine) { return engine.lease(lease("D")).outcome; });
    asks_.emplace_back([this, refusing](engine::Engine& engine) {
      model::Complete action;
      action.by.op = "c";
      action.artifacts.push_back({"page", std::string(5'000, 'x')});
      if (refusing) action.emit.emplace_back().id = "a";
      return engine.complete(tokens_[2], std::move(action));
    });
    asks_.emplace_back([](engine::Engine& engine) { return engine.lease(lease("E")).outcome; });
    asks_.emplace_back([this](engine::Engine& engine) {
      model::Checkpoint action;
      action.by.op = "b";
      action.step = "half";
      action.payload = "1";
      return engine.checkpoint(tokens_[1], std::move(action));
    });
  }
  [[nodiscard]] const faults::Disk& disk() const { return disk_; }
  [[nodiscard]] std::size_t size() const { return asks_.size(); }

  // All of them while a rival holds the lock, each on a thread of its own; the first, on this
  // thread, leads. `arm` is called when all have come.
  std::vector<Answer> together(Site& site, const std::function<void()>& arm = {}) const {
    std::vector<Answer> answers(asks_.size());
    std::vector<std::thread> threads;
    sqlite3* rival = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_open_v2("/group/engine.sqlite", &rival, SQLITE_OPEN_READWRITE,
                                         site.vfs().name().c_str()));
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(rival, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
    site.clock().while_waiting = [&] {
      if (!threads.empty()) return;
      for (std::size_t i = 1; i < asks_.size(); ++i) {
        threads.emplace_back([&, i] { ask(site, i, answers[i]); });
        while (site.engine().waiting_calls() < static_cast<std::int64_t>(i)) {
          std::this_thread::yield();
        }
      }
      sqlite3_exec(rival, "ROLLBACK", nullptr, nullptr, nullptr);
      sqlite3_close(rival);
      if (arm) arm();
    };
    ask(site, 0, answers[0]);
    for (auto& thread : threads) thread.join();
    site.clock().while_waiting = {};
    return answers;
  }

  // What stands where just those calls were made that `made` names, one a commit, and what they
  // answered.
  std::pair<model::Observation, std::vector<Answer>> alone(const std::vector<bool>& made) const {
    Site site(disk_, 1);
    std::vector<Answer> answers(asks_.size());
    for (std::size_t i = 0; i < asks_.size(); ++i) {
      if (made[i]) ask(site, i, answers[i]);
    }
    return {site.observed(), answers};
  }

 private:
  static model::Lease lease(const std::string& worker) {
    model::Lease action;
    action.worker = worker;
    return action;
  }
  void ask(Site& site, std::size_t call, Answer& answer) const {
    try {
      answer.outcome = asks_[call](site.engine());
    } catch (const faults::Crash&) {
      answer.ended = true;
    }
  }

  std::array<std::string, 3> tokens_;
  std::vector<Ask> asks_;
  faults::Disk disk_;
};

struct Told {
  int stands = 0;
  int refused = 0;
  int unknown = 0;
  int mixed = 0;  // groups of which some calls stand and some do not
};

// What was answered is what is there, on the disk as it is now.
void judge(const Group& group, Site& site, const std::vector<Answer>& answers,
           const std::string& where, Told& told) {
  ASSERT_TRUE(site.open()) << where;
  const model::Observation found = site.observed();
  bool unknown = false;
  std::vector<bool> made(group.size());
  int stands = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    made[i] = answers[i].stands();
    stands += made[i] ? 1 : 0;
    unknown = unknown || answers[i].ended || answers[i].is_unknown();
  }
  told.stands += stands;
  told.refused += static_cast<int>(group.size()) - stands;
  told.unknown += unknown ? 1 : 0;
  told.mixed += stands > 0 && stands < static_cast<int>(group.size()) ? 1 : 0;
  const auto [expected, alone] = group.alone(made);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (made[i]) {
      EXPECT_EQ(alone[i].outcome, answers[i].outcome) << where << ", call " << i;
    }
  }
  if (found == expected) return;
  // A commit of which nobody was told: all of the calls that it would have been for, or none.
  for (std::size_t i = 0; i < answers.size(); ++i) {
    made[i] = made[i] || answers[i].ended || answers[i].is_unknown();
  }
  EXPECT_TRUE(unknown && found == group.alone(made).first) << where;
}

class EachGroup : public testing::TestWithParam<bool> {
 protected:
  Group group_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Calls, EachGroup, testing::Bool(), [](const auto& of) {
  return of.param ? "of_which_one_is_refused" : "that_are_well";
});

TEST_P(EachGroup, answers_as_if_each_call_were_alone) {
  Site site(group_.disk(), 32);
  Told told;
  judge(group_, site, group_.together(site), "without a fault", told);
  EXPECT_EQ(6, told.stands);
}

TEST_P(EachGroup, tells_the_truth_when_the_disk_fails) {
  Told told;
  for (faults::IoPlan plan : faults::allowed_plans()) {
    // As in io_fault_test.cpp: a short read lies to SQLite itself.
    if (plan.kind == faults::IoKind::power_loss || plan.kind == faults::IoKind::short_read)
      continue;
    for (plan.hit = 1;; ++plan.hit) {
      Site site(group_.disk(), 32);
      const auto answers = group_.together(site, [&] { site.vfs().arm(plan); });
      const bool fired = site.vfs().fired() > 0;
      site.vfs().disarm();
      judge(group_, site, answers, sentence(plan), told);
      if (!fired) break;
    }
  }
  EXPECT_GT(told.stands, 100);
  EXPECT_GT(told.refused, 10);
}

TEST_P(EachGroup, tells_the_truth_when_a_point_of_the_engine_fails) {
  Told told;
  int ended = 0;
  for (const faults::Call call : {faults::Call::complete, faults::Call::heartbeat,
                                  faults::Call::lease, faults::Call::checkpoint}) {
    for (const faults::Place place : {faults::Place::begin, faults::Place::write,
                                      faults::Place::commit, faults::Place::committed}) {
      const faults::Point point = faults::point_of(call, place);
      for (const faults::Kind kind : {faults::Kind::crash, faults::Kind::busy,
                                      faults::Kind::io_error, faults::Kind::disk_full}) {
        if (!faults::allows(point, kind)) continue;
        for (faults::Plan plan{point, kind};; ++plan.hit) {
          Site site(group_.disk(), 32);
          std::unique_ptr<faults::Armed> armed;
          const auto answers =
              group_.together(site, [&] { armed = std::make_unique<faults::Armed>(plan); });
          const bool fired = armed->fired() > 0;
          armed.reset();
          EXPECT_TRUE(fired || plan.hit > 1) << faults::point_names[point];
          for (const Answer& answer : answers) ended += answer.ended ? 1 : 0;
          judge(group_, site, answers, std::string(faults::point_names[point]), told);
          if (!fired) break;
        }
      }
    }
  }
  EXPECT_GT(ended, 10);
  EXPECT_GT(told.stands, 100);
}

TEST(AProcess, that_ends_in_one_of_several_calls_makes_no_other) {
  const Group group(false);
  Site site(group.disk(), 1);
  const model::Observation before = site.observed();
  std::vector<model::Lease> leases(2);
  for (auto& lease : leases) lease.worker = "D";
  {
    const faults::Armed armed(
        faults::Plan{faults::point_of(faults::Call::lease, faults::Place::write)});
    EXPECT_THROW(site.engine().lease(leases), faults::Crash);
    EXPECT_EQ(0, site.engine().waiting_calls());
  }
  ASSERT_TRUE(site.open());
  EXPECT_EQ(before, site.observed());
}

TEST_P(EachGroup, has_after_a_loss_of_power_what_it_answered) {
  Site site(group_.disk(), 32);
  std::vector<std::pair<faults::Disk, std::size_t>> seen;  // and how many had been answered
  const auto answers = group_.together(site, [&] {
    site.vfs().watch([&](faults::Operation operation, faults::Role, const faults::Disk& disk) {
      if (faults::changes_disk(operation)) seen.emplace_back(disk, 0);
    });
  });
  site.vfs().watch({});
  const std::vector<model::Observation> allowed{
      group_.alone(std::vector<bool>(group_.size(), false)).first,
      group_.alone(std::vector<bool>(group_.size(), true)).first};
  seen.emplace_back(site.vfs().snapshot(), answers.size());
  std::set<std::size_t> found;
  for (const auto& [disk, answered] : seen) {
    for (const auto& state : faults::crash_states(disk, {8, seen.size()})) {
      Site rebooted(state.disk, 1);
      const auto at = std::find(allowed.begin(), allowed.end(), rebooted.observed());
      ASSERT_NE(allowed.end(), at);
      if (answered > 0) {
        EXPECT_EQ(allowed.end() - 1, at);
      }
      found.insert(static_cast<std::size_t>(at - allowed.begin()));
    }
  }
  EXPECT_EQ(2U, found.size());
  EXPECT_GE(seen.size(), 3U);
}

}  // namespace
}  // namespace leaseproof::properties
