// Checks what the runner itself is responsible for: handles, cursors, the clock, the meaning of
// faults (TRACE 3) and the fair schedule. Does not check invariants one by one
// (invariants_test.cpp) nor any real engine: the engine here is the model.
#include "properties/runner.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "properties/invariants.hpp"
#include "properties/model_sut.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using faults::Call;
using faults::Kind;
using faults::Place;
using model::OpStatus;
using model::Word;

// Runs a story and keeps what each top-level step answered.
struct Told {
  explicit Told(Bug bug = {}, bool compare = true) : sut(clock, std::move(bug)) {
    RunnerOptions options;
    options.compare_with_model = compare;
    options.decode = sut.decoder();
    options.on_step = [this](std::size_t, const Step&, const model::Outcome& outcome,
                             const model::Observation&) { words.push_back(outcome.word); };
    runner = std::make_unique<Runner>(sut, clock, std::move(options));
  }
  std::optional<Violation> run(const std::vector<Step>& steps, const Config& config = {}) {
    return runner->run(config, steps);
  }
  // Without the fair schedule, so that the state is the one after the last step.
  void play(const std::vector<Step>& steps, const Config& config = {}) {
    const std::optional<Violation> found = runner->run(config, steps, false);
    if (found)
      ADD_FAILURE() << found->invariant << " at step " << found->step << ": " << found->why;
  }
  [[nodiscard]] const model::OpView& op(const std::string& id) const {
    return runner->observed().ops.at(id);
  }

  SimClock clock;
  ModelSut sut;
  std::unique_ptr<Runner> runner;
  std::vector<Word> words;
};

TEST(Handles, older_ones_are_counted_back_from_the_newest) {
  Told told;
  told.play({ensure("w", {op("a")}), refresh(), lease("A"), advance(lease_us), refresh(),
             lease("A"), complete("A", "a", 1), complete("A", "a", 2), complete("A", "a", -1),
             complete("A", "a", 0)});
  const std::vector<Word> tail(told.words.end() - 4, told.words.end());
  EXPECT_EQ(tail, (std::vector<Word>{Word::lease_lost, Word::invalid, Word::invalid, Word::ok}));
}

TEST(Handles, outlive_a_restart_and_die_with_forget) {
  Told told;
  told.play({ensure("w", {op("a")}), refresh(), lease("A"), restart(), heartbeat("A", "a"),
             forget("A"), heartbeat("A", "a")});
  EXPECT_EQ(told.words[4], Word::extended);
  EXPECT_EQ(told.words[6], Word::invalid);
  EXPECT_EQ(told.sut.restarts(), 1);
}

TEST(Handles, a_call_without_one_never_reaches_the_engine) {
  Told told;
  told.play({ensure("w", {op("a")}),
             with_fault(complete("A", "a"), Call::complete, Place::begin, Kind::crash)});
  EXPECT_EQ(told.words.back(), Word::invalid);
  EXPECT_EQ(told.sut.restarts(), 0);
  EXPECT_EQ(told.runner->tally().not_fired, 1);
}

TEST(Clock, an_advance_out_of_64_bits_is_invalid_and_moves_nothing) {
  Told told;
  told.play({advance(1), advance(std::numeric_limits<std::int64_t>::max())});
  EXPECT_EQ(told.words.back(), Word::invalid);
  EXPECT_EQ(told.clock.time_us, 1);
}

TEST(Clock, skew_is_that_callers_alone) {
  Told told;
  Step skewed = lease("A");
  skewed.skew_us = 5;
  told.play({ensure("w", {op("a"), op("b")}), refresh(), skewed, lease("B")});
  EXPECT_EQ(told.op("a").lease->expires_us, lease_us + 5);
  EXPECT_EQ(told.op("b").lease->expires_us, lease_us);
}

TEST(Clock, a_wait_for_the_lock_can_outlast_a_lease) {
  Told told;
  Step late = complete("A", "a");
  late.lock_wait_us = lease_us;
  told.play({ensure("w", {op("a")}), refresh(), lease("A"), late});
  EXPECT_EQ(told.words.back(), Word::lease_lost);
  EXPECT_EQ(told.clock.time_us, lease_us);
}

TEST(Clock, an_engine_that_reads_it_before_the_lock_is_found) {
  Bug bug;
  bug.early_clock = true;
  Told told(bug);
  Step late = heartbeat("A", "a");
  late.lock_wait_us = 7;
  const auto found = told.run({ensure("w", {op("a")}), refresh(), lease("A"), late});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 3U);
  EXPECT_EQ(told.runner->tally().violated[*find_invariant(conforms_to_model)], 1);
}

class CrashAt : public testing::TestWithParam<Place> {};

TEST_P(CrashAt, leaves_no_trace_before_committed_and_stands_after) {
  Told told;
  told.play({ensure("w", {op("a")}), refresh(), lease("A"),
             with_fault(complete("A", "a"), Call::complete, GetParam(), Kind::crash)});
  EXPECT_EQ(told.words.back(), Word::crashed);
  EXPECT_EQ(told.sut.restarts(), 1);
  const bool stands = GetParam() == Place::committed;
  EXPECT_EQ(told.op("a").status, stands ? OpStatus::succeeded : OpStatus::running);
}

INSTANTIATE_TEST_SUITE_P(Places, CrashAt,
                         testing::Values(Place::begin, Place::write, Place::commit,
                                         Place::committed));

TEST(Crash, takes_that_workers_handles_and_no_others) {
  Told told;
  told.play({ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B"),
             with_fault(heartbeat("A", "a"), Call::heartbeat, Place::begin, Kind::crash),
             heartbeat("A", "a"), heartbeat("B", "b")});
  EXPECT_EQ(told.words[5], Word::invalid);
  EXPECT_EQ(told.words[6], Word::extended);
}

TEST(Crash, of_a_lease_after_commit_leaves_a_token_that_nobody_knows) {
  Told told;
  told.play({ensure("w", {op("a")}), refresh(),
             with_fault(lease("A"), Call::lease, Place::committed, Kind::crash),
             complete("A", "a")});
  EXPECT_EQ(told.words.back(), Word::invalid);
  EXPECT_EQ(told.op("a").status, OpStatus::running);
  EXPECT_EQ(told.op("a").attempts, 1);
}

TEST(Busy, is_survived_below_the_tries_and_given_up_at_them) {
  Told told;
  told.play({ensure("w", {op("a")}),
             with_fault(refresh(), Call::refresh, Place::begin, Kind::busy, 2),
             with_fault(lease("A"), Call::lease, Place::commit, Kind::busy, 3)});
  EXPECT_EQ(told.words[1], Word::ok);
  EXPECT_EQ(told.words[2], Word::busy);
  EXPECT_EQ(told.op("a").status, OpStatus::ready);
}

TEST(Busy, after_commit_changes_nothing) {
  Told told;
  told.play({ensure("w", {op("a")}),
             with_fault(refresh(), Call::refresh, Place::committed, Kind::busy, 5)});
  EXPECT_EQ(told.words.back(), Word::ok);
  EXPECT_EQ(told.op("a").status, OpStatus::ready);
}

TEST(Storage, an_io_error_changes_nothing_and_says_so) {
  Told told;
  told.play({with_fault(ensure("w", {op("a")}), Call::ensure, Place::write, Kind::io_error)});
  EXPECT_EQ(told.words.back(), Word::storage_error);
  EXPECT_TRUE(told.runner->observed().ops.empty());
}

TEST(Interleaving, at_begin_goes_before_the_call) {
  Told told;
  told.play({ensure("w", {op("a")}), refresh(), lease("A"),
             interleaved(complete("A", "a"), Call::complete, Place::begin,
                         {advance(lease_us), refresh(), lease("B")})});
  EXPECT_EQ(told.words.back(), Word::lease_lost);
  EXPECT_EQ(told.op("a").generation, 2);
}

TEST(Interleaving, under_the_lock_refuses_writers_and_shows_readers_the_state_before) {
  Told told;
  Step read = snapshot("w");
  std::vector<model::Outcome> inner;
  RunnerOptions options;
  options.check_expectation = [&](const Step&, const model::Outcome& outcome) {
    inner.push_back(outcome);
    return std::string();
  };
  read.expect = "seen";
  Step write = refresh();
  write.expect = "seen";
  Step again = restart();
  again.expect = "seen";
  Runner runner(told.sut, told.clock, options);
  const auto found = runner.run(
      {},
      {ensure("w", {op("a")}),
       interleaved(refresh(), Call::refresh, Place::commit, {read, write, again, advance(3)})},
      false);
  EXPECT_FALSE(found) << found->why;
  ASSERT_EQ(inner.size(), 3U);
  EXPECT_EQ(std::get<model::StatusCounts>(inner[0].detail).counts[0], 1);
  EXPECT_EQ(inner[1].word, Word::busy);
  EXPECT_EQ(inner[2].word, Word::invalid);
  EXPECT_EQ(told.clock.time_us, 3);
}

TEST(Interleaving, at_committed_sees_the_change_before_its_caller_hears) {
  Told told;
  told.play({ensure("w", {op("a")}),
             interleaved(refresh(), Call::refresh, Place::committed, {lease("B")})});
  EXPECT_EQ(told.op("a").status, OpStatus::running);
}

TEST(Interleaving, nests_to_any_depth) {
  Told told;
  const Step deepest = interleaved(lease("C"), Call::lease, Place::begin, {advance(1)});
  const Step middle = interleaved(lease("B"), Call::lease, Place::committed, {deepest});
  told.play({ensure("w", {op("a"), op("b"), op("c")}), refresh(),
             interleaved(lease("A"), Call::lease, Place::begin, {middle})});
  EXPECT_EQ(told.op("a").lease->owner, "B");
  EXPECT_EQ(told.op("b").lease->owner, "C");
  EXPECT_EQ(told.op("c").lease->owner, "A");
  EXPECT_EQ(told.op("c").lease->expires_us, lease_us + 1);
}

TEST(Interleaving, a_crash_inside_one_takes_only_the_inner_worker) {
  Told told;
  told.play(
      {ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B"),
       interleaved(complete("A", "a"), Call::complete, Place::begin,
                   {with_fault(complete("B", "b"), Call::complete, Place::committed, Kind::crash)}),
       heartbeat("B", "b")});
  EXPECT_EQ(told.words[4], Word::ok);
  EXPECT_EQ(told.words[5], Word::invalid);
  EXPECT_EQ(told.op("b").status, OpStatus::succeeded);
}

TEST(Interleaving, under_the_lock_a_crash_at_begin_still_crashes) {
  Told told;
  told.play({ensure("w", {op("a"), op("b")}), refresh(), lease("B"),
             interleaved(lease("A"), Call::lease, Place::write,
                         {with_fault(complete("B", "a"), Call::complete, Place::begin, Kind::crash),
                          with_fault(refresh(), Call::refresh, Place::write, Kind::crash)}),
             heartbeat("B", "a")});
  EXPECT_EQ(told.words[3], Word::leased);
  EXPECT_EQ(told.words[4], Word::invalid);
  EXPECT_EQ(told.runner->tally().not_fired, 1);
}

TEST(Fault, whose_point_is_not_reached_is_counted_and_changes_nothing) {
  Told told;
  told.play({with_fault(refresh(), Call::refresh, Place::write, Kind::crash)});
  EXPECT_EQ(told.words.back(), Word::ok);
  EXPECT_EQ(told.runner->tally().not_fired, 1);
}

TEST(Readers, keep_their_own_place) {
  Told told;
  told.play({ensure("v", {op("a")}), ensure("w", {op("b")}), page("r", 1), page("r", 1),
             page("r", 1), page("s", 5)});
  EXPECT_FALSE(told.runner->tally().violated[*find_invariant("snapshots_true")]);
}

TEST(Expectation, of_another_op_is_a_violation_of_its_own) {
  Told told;
  Step expecting = lease("A");
  std::get<model::Lease>(expecting.action).expected_op = "b";
  const auto found = told.run({ensure("w", {op("a"), op("b")}), refresh(), expecting});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->invariant, as_expected);
  EXPECT_EQ(found->step, 2U);
}

TEST(Config, a_refused_queue_is_a_violation_of_the_first_step) {
  Config config;
  config.queues.push_back({"default", "default", -1, 0, 0});
  Told told;
  const auto found = told.run({refresh()}, config);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 0U);
}

TEST(Unspoken, is_found_inside_interleavings_too) {
  struct Plain : ModelSut {
    using ModelSut::ModelSut;
    [[nodiscard]] bool speaks(const model::Action& action) const override {
      return !std::holds_alternative<model::Reconcile>(action);
    }
  };
  SimClock clock;
  const Plain sut(clock);
  const Step unspoken = step(model::Reconcile{"a"});
  EXPECT_EQ(Runner::first_unspoken(sut, {refresh(), unspoken}), 1U);
  EXPECT_EQ(Runner::first_unspoken(
                sut, {interleaved(refresh(), Call::refresh, Place::begin, {unspoken})}),
            0U);
  EXPECT_FALSE(Runner::first_unspoken(sut, {refresh(), advance(1)}));
}

TEST(FairSchedule, settles_orphans_due_times_caps_and_empty_buckets) {
  Config config;
  config.queues.push_back({"default", "default", 1, 1, 1});
  Told told;
  const auto found = told.run(
      {ensure("w", {op("a"), op("b"), op("c", {"a"}), op("d", {"b", "c"})}), refresh(), lease("A"),
       fail("A", "a", model::FailKind::retryable), advance(2'000'000), lease("B"), forget("B")},
      config);
  EXPECT_FALSE(found) << found->why;
  for (const auto& [id, view] : told.runner->observed().ops) {
    EXPECT_EQ(view.status, OpStatus::succeeded) << id;
  }
}

TEST(FairSchedule, finds_an_engine_that_never_leases_again) {
  Bug bug;
  bug.instead = [](model::State&, const model::Action& action,
                   const model::Given&) -> std::optional<model::Outcome> {
    if (std::holds_alternative<model::Lease>(action)) return Word::none;
    return std::nullopt;
  };
  Told told(bug, false);
  const auto found = told.run({ensure("w", {op("a")})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->invariant, settles_fairly);
  EXPECT_EQ(found->step, 1U);
}

}  // namespace
}  // namespace leaseproof::properties
