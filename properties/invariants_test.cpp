// Checks that each row of the invariants is able to fail: for each, an engine with one planted bug
// and a story in which exactly that row has to speak, with the model's comparison off. Does not
// check that a sound engine satisfies them: search_test.cpp does, over many stories.
#include "properties/invariants.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "properties/planted.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using model::Action;
using model::Given;
using model::OpStatus;
using model::Outcome;
using model::State;
using model::Word;

std::vector<Step> after_takeover(Step last) {
  return {ensure("w", {op("a")}), refresh(), lease("A"), advance(lease_us), refresh(), lease("B"),
          std::move(last)};
}

const model::SiteQueue the_queue{"default", "default"};

std::vector<Planted> planted() {
  std::vector<Planted> all;
  const auto plant = [&](const char* invariant, const char* name, Bug bug,
                         std::vector<Step> steps) {
    all.push_back({invariant, name, std::move(bug), std::move(steps)});
  };

  Bug any_token;
  any_token.mishear = [](const State& state, Action& action, Given& given) {
    if (const model::WorkerHandle* by = handle_of(action)) {
      given.lease_generation = state.ops.at(by->op).view.generation;
    }
  };
  plant("no_stale_commit", "any token completes", any_token, after_takeover(complete("A", "a")));
  plant("no_stale_commit", "any token fails", any_token, after_takeover(fail("A", "a")));
  plant("no_stale_commit", "any token beats", any_token, after_takeover(heartbeat("A", "a")));
  Bug late;
  late.mishear = [](const State&, Action& action, Given& given) {
    if (std::holds_alternative<model::Complete>(action)) given.now_us -= 1;
  };
  plant("no_stale_commit", "the instant of expiry is accepted", late,
        {ensure("w", {op("a")}), refresh(), lease("A"), advance(lease_us), complete("A", "a")});
  plant("no_stale_commit", "a refused heartbeat prolongs",
        spoiling<model::Heartbeat>([](State& after, const State&, Outcome&) {
          after.ops.edit("a").view.lease->expires_us += 1;
          ++after.last_seq;
        }),
        after_takeover(heartbeat("A", "a")));

  plant("no_blocked_left", "refresh blocks nothing",
        spoiling<model::Refresh>([](State& after, const State&, Outcome&) {
          if (after.ops.edit("b").view.status == OpStatus::blocked) {
            set_status(after, "b", OpStatus::pending);
          }
        }),
        {ensure("w", {op("a"), op("b", {"a"})}), refresh(), lease("A"), fail("A", "a"), refresh()});

  plant("lease_iff_running", "a completion keeps its lease",
        spoiling<model::Complete>([](State& after, const State& before, Outcome&) {
          after.ops.edit("a").view.lease = before.ops.at("a").view.lease;
        }),
        {ensure("w", {op("a")}), refresh(), lease("A"), complete("A", "a")});
  plant("lease_iff_running", "a lease is of another generation",
        spoiling<model::Lease>([](State& after, const State&, Outcome&) {
          after.ops.edit("a").view.lease->generation += 1;
        }),
        {ensure("w", {op("a")}), refresh(), lease("A")});

  plant("ready_means_needs_done", "refresh readies everything",
        spoiling<model::Refresh>(
            [](State& after, const State&, Outcome&) { set_status(after, "b", OpStatus::ready); }),
        {ensure("w", {op("a"), op("b", {"a"})}), refresh()});

  plant("terminal_is_final", "refresh revives canceled work",
        spoiling<model::Refresh>(
            [](State& after, const State&, Outcome&) { set_status(after, "a", OpStatus::ready); }),
        {ensure("w", {op("a")}), cancel("w"), refresh()});
  plant("terminal_is_final", "a result is overwritten",
        spoiling<model::Refresh>([](State& after, const State&, Outcome&) {
          if (!after.ops.edit("a").view.result) return;
          after.ops.edit("a").view.result = "2";
          ++after.last_seq;
        }),
        {ensure("w", {op("a")}), refresh(), lease("A"), complete("A", "a"), refresh()});

  plant("queue_caps", "the cap is not looked at",
        bending<model::Lease>([](State& state) { state.queues.edit(the_queue).max_in_flight = 0; },
                              [](State& state, const State& before) {
                                state.queues.edit(the_queue).max_in_flight =
                                    before.queues.at(the_queue).max_in_flight;
                              }),
        {queue(1), ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B")});
  plant("queue_caps", "no token is spent",
        bending<model::Lease>([](State& state) { state.queues.edit(the_queue).tokens = 1'000'000; },
                              [](State&, const State&) {}),
        {queue(0, 1, 1), ensure("w", {op("a"), op("b")}), refresh(), lease("A"), lease("B")});

  plant("budgets", "recovery gives the attempt back",
        bending<model::Refresh>([](State& state) { state.ops.edit("a").view.attempts = 0; },
                                [](State&, const State&) {}),
        {ensure("w", {op("a")}), refresh(), lease("A"), advance(lease_us), refresh()});
  {
    model::OpSpec urgent = op("a");
    urgent.deadline_us = 5;
    plant("budgets", "a lease does not look at the deadline",
          bending<model::Lease>([](State& state) { state.ops.edit("a").deadline_us.reset(); },
                                [](State&, const State&) {}),
          {ensure("w", {urgent}), refresh(), advance(5), lease("A")});
  }

  {
    Bug silent;
    silent.misrecord = [](std::vector<JournalEvent>& events) {
      if (events.size() > 1) events.pop_back();
    };
    plant("journal_is_truth", "only the first change is recorded", silent,
          {ensure("w", {op("a"), op("b")}), refresh()});
    Bug gap;
    gap.misrecord = [](std::vector<JournalEvent>& events) { events.back().seq += 1; };
    plant("journal_is_truth", "a seq is left out", gap, {ensure("w", {op("a")}), refresh()});
    Bug twice;
    twice.misrecord = [](std::vector<JournalEvent>& events) { events.push_back(events.back()); };
    plant("journal_is_truth", "a change is recorded twice", twice, {ensure("w", {op("a")})});
    Bug old;
    old.misrecord = [](std::vector<JournalEvent>& events) { events.back().generation -= 1; };
    plant("journal_is_truth", "an event is of an old generation", old,
          {ensure("w", {op("a")}), refresh(), lease("A")});
    Bug torn;
    torn.misrecord = [](std::vector<JournalEvent>& events) { events.back().call += 1; };
    plant("journal_is_truth", "a call has two numbers", torn, {ensure("w", {op("a")})});
    Bug mute;
    mute.misrecord = [](std::vector<JournalEvent>& events) { events.front().detail.clear(); };
    plant("journal_is_truth", "a call cannot be replayed", mute, {ensure("w", {op("a")})});
    plant("journal_is_truth", "a change comes from nowhere",
          spoiling<model::Refresh>(
              [](State& after, const State&, Outcome&) { after.ops.edit("a").view.error = "odd"; }),
          {ensure("w", {op("a")}), refresh()});
  }

  plant("all_or_nothing", "a completion loses its result",
        spoiling<model::Complete>(
            [](State& after, const State&, Outcome&) { after.ops.edit("a").view.result.reset(); }),
        {ensure("w", {op("a")}), refresh(), lease("A"), complete("A", "a")});
  {
    Step emitting = complete("A", "a");
    std::get<model::Complete>(emitting.action).emit.push_back(op("e"));
    Bug refused = spoiling<model::Complete>(
        [](State&, const State&, Outcome& outcome) { outcome = Word::lease_lost; });
    plant("no_stale_commit", "a refused completion writes", refused,
          {ensure("w", {op("a")}), refresh(), lease("A"), emitting});
    plant("all_or_nothing", "a completion loses what it emitted",
          spoiling<model::Complete>([](State& after, const State&, Outcome&) {
            after.ops.erase("e");
            --after.workflows.edit("w").counts[static_cast<std::size_t>(OpStatus::pending)];
          }),
          {ensure("w", {op("a")}), refresh(), lease("A"), emitting});
  }

  {
    Bug attaches;
    attaches.instead = [](State& state, const Action& action,
                          const Given&) -> std::optional<Outcome> {
      const auto* ensure = std::get_if<model::Ensure>(&action);
      if (ensure == nullptr || !state.workflows.contains(*ensure->workflow)) return std::nullopt;
      return Outcome(Word::attached, model::Identified{*ensure->workflow});
    };
    plant("one_identity", "another identity attaches", attaches,
          {ensure("w", {op("a")}), ensure("w", {op("a")}, "\"two\"")});
    Bug creates;
    creates.instead = [](State& state, const Action& action,
                         const Given&) -> std::optional<Outcome> {
      const auto* ensure = std::get_if<model::Ensure>(&action);
      if (ensure == nullptr || !state.workflows.contains(*ensure->workflow)) return std::nullopt;
      return Outcome(Word::created, model::Identified{*ensure->workflow});
    };
    plant("one_identity", "a second creator is told created", creates,
          {ensure("w", {op("a")}), ensure("w", {op("a")})});
  }

  plant("snapshots_true", "a snapshot counts one too many",
        spoiling<model::Snapshot>([](State&, const State&, Outcome& outcome) {
          ++std::get<model::StatusCounts>(outcome.detail).counts[0];
        }),
        {ensure("w", {op("a")}), snapshot("w")});
  {
    Bug miscounts;
    miscounts.misreport = [](model::Observation& seen) {
      for (auto& [id, workflow] : seen.workflows) ++workflow.counts[1];
    };
    plant("snapshots_true", "the counts are off", miscounts, {ensure("w", {op("a")})});
  }
  plant("snapshots_true", "a page leaves a workflow out",
        spoiling<model::SnapshotsSince>([](State&, const State&, Outcome& outcome) {
          auto& page = std::get<model::Page>(outcome.detail);
          if (!page.workflows.empty()) page.workflows.erase(page.workflows.begin());
        }),
        {ensure("v", {op("a")}), ensure("w", {op("b")}), page("r", 5)});

  plant("time_is_numeric", "an expired lease is not seen",
        bending<model::Refresh>(
            [](State& state) {
              if (auto& held = state.ops.edit("a").view.lease) {
                held->expires_us = std::numeric_limits<std::int64_t>::max();
              }
            },
            [](State& state, const State& before) {
              state.ops.edit("a").view.lease = before.ops.at("a").view.lease;
            }),
        {ensure("w", {op("a")}), refresh(), lease("A"), advance(lease_us), refresh()});
  plant(
      "time_is_numeric", "an op is leased before it is due",
      bending<model::Lease>([](State& state) { state.ops.edit("a").view.next_attempt_us.reset(); },
                            [](State&, const State&) {}),
      {ensure("w", {op("a")}), refresh(), lease("A"), fail("A", "a", model::FailKind::retryable),
       lease("A")});

  all.push_back({"conforms_to_model",
                 "an error has another text",
                 spoiling<model::Fail>([](State& after, const State&, Outcome&) {
                   after.ops.edit("a").view.error = "something else";
                 }),
                 {ensure("w", {op("a")}), refresh(), lease("A"), fail("A", "a")},
                 true});
  all.push_back({"conforms_to_model",
                 "a committed call is lost in a crash",
                 [] {
                   Bug bug;
                   bug.forgets_commit = true;
                   return bug;
                 }(),
                 {with_fault(ensure("w", {op("a")}), faults::Call::ensure, faults::Place::committed,
                             faults::Kind::crash)},
                 true});
  return all;
}

TEST(Invariants, each_row_finds_the_bug_that_is_planted_for_it) {
  for (const Planted& plant : planted()) {
    const Found found = run_planted(plant, true);
    ASSERT_TRUE(found.violation) << plant.bug_name << " was not found";
    EXPECT_EQ(found.violation->invariant, plant.invariant)
        << plant.bug_name << ": " << found.violation->why;
    EXPECT_EQ(found.times, 1) << plant.bug_name;
  }
}

TEST(Invariants, no_row_is_without_a_planted_bug) {
  std::set<std::string_view> planted_for;
  for (const Planted& plant : planted_outside()) planted_for.insert(plant.invariant);
  for (const Planted& plant : planted()) planted_for.insert(plant.invariant);
  for (const Invariant& row : invariants) EXPECT_TRUE(planted_for.contains(row.name)) << row.name;
}

TEST(Invariants, the_same_stories_are_clean_without_the_bugs) {
  for (const Planted& plant : planted()) {
    const auto found = run_planted(plant, false).violation;
    EXPECT_FALSE(found) << plant.bug_name << ": " << found->invariant << ": " << found->why;
  }
}

}  // namespace
}  // namespace leaseproof::properties
