// Checks that kills are real, that what they leave is judged, and that an engine which only a dead
// process can bring down is caught. Does not check how often each point is met: `leaseproof crash`
// counts that.
#include "properties/killed_sut.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"
#include "faults/process.hpp"
#include "properties/kill_rounds.hpp"
#include "properties/runner.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;

using faults::Call;
using faults::Death;
using faults::Kind;
using faults::Place;

class Killed : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("killed-") + test->name() + "-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<KilledSut> engine(
      std::shared_ptr<const engine::sqlite::StatementTexts> statements = {}) {
    return std::make_unique<KilledSut>(
        clock_, KilledSutOptions{folder_.string(), std::move(statements), {}});
  }
  KillRound round(std::int64_t turn) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    // The journal's text is the codec's to read; `leaseproof crash` has it replayed.
    return {folder_, 7, turn, {}};
  }

  std::filesystem::path folder_;
  SimClock clock_;
};

TEST(Child, dies_as_it_was_told_and_is_seen_to) {
  for (const Death death : {Death::signal, Death::exit}) {
    faults::Child child([&](const faults::Child::Line& line) {
      line.tell('a');
      faults::die(death);
    });
    EXPECT_EQ(child.hear(), 'a');
    EXPECT_EQ(child.hear(), std::nullopt);
    const faults::End end = child.wait();
    EXPECT_TRUE(end.is(death));
    EXPECT_FALSE(end.is(death == Death::signal ? Death::exit : Death::signal));
  }
}

TEST(Child, that_ends_by_itself_did_not_die) {
  faults::Child returns([](const faults::Child::Line&) {});
  faults::Child throws([](const faults::Child::Line&) { throw 1; });
  for (faults::Child* child : {&returns, &throws}) {
    const faults::End end = child->wait();
    EXPECT_FALSE(end.is(Death::signal));
    EXPECT_FALSE(end.is(Death::exit));
  }
}

TEST(Child, hears_its_parent_until_it_is_killed) {
  faults::Child child([](const faults::Child::Line& line) {
    for (;;) line.tell(static_cast<char>(line.hear() + 1));
  });
  child.tell('x');
  EXPECT_EQ(child.hear(), 'y');
  EXPECT_FALSE(child.has_word(1));
  EXPECT_TRUE(child.kill().is(Death::signal));
}

TEST_F(Killed, calls_leave_nothing_before_their_commit_and_all_after_it) {
  const auto sut = engine();
  Runner runner(*sut, clock_);
  const auto found = runner.run(
      {}, {with_fault(ensure("w", {op("a")}), Call::ensure, Place::write, Kind::crash),
           with_fault(ensure("w", {op("a")}), Call::ensure, Place::commit, Kind::crash),
           ensure("w", {op("a")}), with_fault(refresh(), Call::refresh, Place::commit, Kind::crash),
           with_fault(refresh(), Call::refresh, Place::committed, Kind::crash),
           with_fault(lease("A"), Call::lease, Place::committed, Kind::crash),
           advance(model::default_lease_us), refresh(), lease("B"), complete("B", "a")});
  EXPECT_FALSE(found) << found->why;
  EXPECT_EQ(sut->kills().all(), 5);
  EXPECT_GT(sut->kills().by_signal, 0);
  EXPECT_GT(sut->kills().by_exit, 0);
  EXPECT_EQ(sut->kills().missed, 0);
}

TEST_F(Killed, a_call_whose_point_is_not_reached_is_made_once) {
  const auto sut = engine();
  Runner runner(*sut, clock_);
  Step step = ensure("w", {op("a")});
  step.fault.emplace().plan.point = faults::point_of(faults::Operation::write);
  step.fault->plan.file = faults::Role::wal;
  step.fault->plan.hit = 1'000;
  const auto found = runner.run({}, {step, refresh(), lease("A"), complete("A", "a")});
  EXPECT_FALSE(found) << found->why;
  EXPECT_EQ(sut->kills().all(), 0);
  EXPECT_EQ(sut->kills().missed, 1);
}

// Between its calls nothing differs: its own connection sees all that it answered.
std::shared_ptr<const engine::sqlite::StatementTexts> answers_before_its_commit() {
  auto texts = engine::store::catalog_texts();
  const auto replace = [&](engine::store::Sql statement, const char* text) {
    texts[static_cast<std::size_t>(statement)] = text;
  };
  replace(engine::store::Sql::begin_write, "SAVEPOINT call");
  replace(engine::store::Sql::commit, "SAVEPOINT answered");
  replace(engine::store::Sql::rollback, "ROLLBACK TO call");
  return std::make_shared<const engine::sqlite::StatementTexts>(std::move(texts));
}

TEST_F(Killed, an_engine_that_answers_before_its_commit_is_caught) {
  const auto sut = engine(answers_before_its_commit());
  Runner runner(*sut, clock_);
  constexpr bool liveness = false;
  EXPECT_FALSE(runner.run({}, {ensure("w", {op("a")}), refresh(), lease("A")}, liveness));
  // Three times: each way to die.
  for (int i = 0; i < 3; ++i) {
    const auto found = runner.run(
        {}, {with_fault(ensure("w", {op("a")}), Call::ensure, Place::committed, Kind::crash)});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, 0U);
  }
  EXPECT_EQ(sut->kills().after_answer, 1);
  EXPECT_EQ(sut->kills().all(), 3);
}

// The last close writes the WAL back into the database; dead between two of its writes, the process
// leaves a database of which only a part is new.
TEST_F(Killed, checkpoints_that_are_cut_short_are_made_good) {
  const auto sut = engine();
  Runner runner(*sut, clock_);
  constexpr std::int64_t writes = 5;
  for (std::int64_t hit = 1; hit <= writes; ++hit) {
    Step closing = restart();
    closing.fault.emplace().plan.point = faults::point_of(faults::Operation::write);
    closing.fault->plan.file = faults::Role::database;
    closing.fault->plan.hit = hit;
    constexpr bool liveness = false;
    const auto found = runner.run({},
                                  {ensure("w", {op("a"), op("b")}), refresh(), lease("A"), closing,
                                   complete("A", "a"), closing, observe()},
                                  liveness);
    EXPECT_FALSE(found) << found->why;
  }
  EXPECT_EQ(sut->kills().all(), 2 * writes);
}

TEST_F(Killed, workers_on_either_side_of_their_request_leave_what_the_ledger_says) {
  for (std::int64_t turn = 0; turn < 6; ++turn) {
    for (const auto point : {faults::effect_before_call, faults::effect_after_call}) {
      const KillRoundEnd end = kill_at_service(point, round(turn));
      EXPECT_EQ(end.why, "") << faults::point_names[point] << ", turn " << turn;
      EXPECT_EQ(end.kills.all(), 1);
    }
  }
}

TEST_F(Killed, holders_of_the_lock_set_it_free) {
  for (std::int64_t turn = 0; turn < 3; ++turn) {
    for (const Place place : {Place::write, Place::commit}) {
      const KillRoundEnd end = kill_lock_holder(place, round(turn));
      EXPECT_EQ(end.why, "") << "turn " << turn;
      EXPECT_EQ(end.kills.by_signal, 1);
    }
  }
}

TEST_F(Killed, workers_that_share_a_database_end_its_work) {
  const KillRoundEnd end = kill_workers(round(0));
  EXPECT_EQ(end.why, "");
  EXPECT_GT(end.kills.by_signal, 5);
}

}  // namespace
}  // namespace leaseproof::properties
