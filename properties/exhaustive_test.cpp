// Checks that every interleaving of the small worlds holds on the real engine, and pins how many
// there are; that what is told apart by its key alone is what an unreduced search finds; and that a
// planted bug, whichever it is, is found with the fewest moves. Does not check large worlds.
#include "properties/exhaustive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "engine/store/catalog.hpp"
#include "model/node_key.hpp"
#include "properties/engine_sut.hpp"
#include "properties/exhaustive_path.hpp"
#include "properties/mutants.hpp"
#include "properties/runner.hpp"
#include "properties/storage_bugs.hpp"
#include "properties/worlds.hpp"

namespace leaseproof::properties {
namespace {

ExhaustiveOptions options_of(const NamedWorld& named) {
  ExhaustiveOptions options;
  options.world = named.world;
  options.faults = named.faults;
  return options;
}

ExhaustiveOptions options_of(std::string_view name) { return options_of(*find_world(name)); }

struct Counts {
  std::string_view world;
  std::size_t states;
  std::size_t transitions;
  std::size_t crashes;
  std::size_t depth;
};

constexpr std::array pinned_counts{
    Counts{"identity", 80, 901, 111, 7},         Counts{"last_error", 31, 201, 0, 10},
    Counts{"failing_disk", 492, 3940, 348, 14},  Counts{"queue", 155, 1638, 0, 12},
    Counts{"context", 344, 3715, 0, 9},          Counts{"clock_back", 358, 3358, 0, 22},
    Counts{"emitting", 409, 4044, 444, 13},      Counts{"two_sites", 6267, 92135, 0, 19},
    Counts{"chain", 723, 11550, 0, 28},          Counts{"late_effect", 2978, 37564, 0, 13},
    Counts{"two_buckets", 510, 3150, 0, 13},     Counts{"two_effects", 242, 2592, 0, 11},
    Counts{"resent", 2816, 42571, 0, 19},        Counts{"approval", 1033, 25320, 0, 17},
    Counts{"deadline", 1064, 16489, 0, 16},      Counts{"two_workflows", 1141, 15457, 0, 12},
    Counts{"opaque", 1560, 17979, 1431, 13},     Counts{"forgetful", 1583, 20755, 0, 13},
    Counts{"settings", 1879, 15846, 0, 16},      Counts{"optional_branch", 3614, 58791, 0, 27},
    Counts{"idempotent", 3814, 42282, 3666, 14}, Counts{"one_op", 4656, 146482, 4830, 12},
    Counts{"queryable", 5728, 81501, 4869, 16},  Counts{"bucket", 8614, 98227, 0, 15}};

const Counts& counts_of(std::string_view world) {
  return *std::ranges::find(pinned_counts, world, &Counts::world);
}

void expect_counts(const Counts& pinned, const ExhaustiveResult& found) {
  EXPECT_FALSE(found.counterexample)
      << (found.counterexample ? found.counterexample->violation.why : "");
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(pinned.states, found.states);
  EXPECT_EQ(pinned.transitions, found.transitions);
  EXPECT_EQ(pinned.crashes, found.crashes);
  EXPECT_EQ(pinned.depth, found.depth);
  EXPECT_GT(found.calls, found.states);
}

class EveryInterleaving : public testing::TestWithParam<Counts> {};

TEST_P(EveryInterleaving, holds_on_the_engine) {
  expect_counts(GetParam(),
                search_exhaustively(engine_for_branching(), options_of(GetParam().world)));
}

std::string name_of(const testing::TestParamInfo<Counts>& info) {
  return std::string(info.param.world);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryInterleaving, testing::ValuesIn(pinned_counts), name_of);

TEST(TheExhaustiveSearch, finds_the_same_with_two_jobs_as_with_one) {
  ExhaustiveOptions options = options_of("optional_branch");
  const ExhaustiveResult one = search_exhaustively(engine_for_branching(), options);
  options.jobs = 2;
  const ExhaustiveResult two = search_exhaustively(engine_for_branching(), options);
  EXPECT_TRUE(two.complete());
  EXPECT_EQ(one.states, two.states);
  EXPECT_EQ(one.transitions, two.transitions);
  EXPECT_EQ(one.calls, two.calls);
  EXPECT_EQ(one.depth, two.depth);
}

TEST(TheExhaustiveSearch, goes_on_where_it_was_ended) {
  for (const int jobs : {1, 2}) {
    ExhaustiveOptions options = options_of("idempotent");
    options.jobs = jobs;
    options.most_states = 700;
    const ExhaustiveResult begun = search_exhaustively(engine_for_branching(), options);
    ASSERT_TRUE(begun.left);
    EXPECT_EQ(begun.left->waiting.size(), begun.waiting);
    options.most_states = ExhaustiveOptions().most_states;
    options.from = &*begun.left;
    const ExhaustiveResult rest = search_exhaustively(engine_for_branching(), options);
    expect_counts(counts_of("idempotent"), rest);
  }
}

// Interrupted in the middle of a depth, it goes on from that depth's beginning.
TEST(TheExhaustiveSearch, that_is_interrupted_counts_nothing_twice) {
  ExhaustiveOptions options = options_of("chain");
  int asked = 0;
  options.stop = [&] { return ++asked > 300; };
  const ExhaustiveResult begun = search_exhaustively(engine_for_branching(), options);
  EXPECT_TRUE(begun.stopped);
  ASSERT_TRUE(begun.left);
  options.stop = {};
  options.from = &*begun.left;
  const ExhaustiveResult rest = search_exhaustively(engine_for_branching(), options);
  expect_counts(counts_of("chain"), rest);
}

TEST(TheExhaustiveSearch, does_not_go_on_from_what_leads_elsewhere) {
  ExhaustiveOptions options = options_of("idempotent");
  options.most_states = 100;
  const ExhaustiveResult begun = search_exhaustively(engine_for_branching(), options);
  ASSERT_TRUE(begun.left);
  const auto leads_elsewhere = [&](const MakeRig& make, std::string_view world,
                                   const ExhaustiveProgress& from) {
    ExhaustiveOptions rest = options_of(world);
    rest.from = &from;
    const ExhaustiveResult found = search_exhaustively(make, rest);
    EXPECT_FALSE(found.leads_elsewhere && found.complete());
    return found.leads_elsewhere;
  };
  const MakeRig engine = engine_for_branching();
  EXPECT_FALSE(leads_elsewhere(engine, "idempotent", *begun.left));
  EXPECT_TRUE(leads_elsewhere(engine, "queryable", *begun.left));
  EXPECT_TRUE(leads_elsewhere(engine_for_branching(mutated(*find_mutant("crash_costs_no_attempt"))),
                              "idempotent", *begun.left));
  ExhaustiveProgress changed = *begun.left;
  changed.visits.back().move = 999;
  EXPECT_TRUE(leads_elsewhere(engine, "idempotent", changed));
  changed = *begun.left;
  ++changed.keys.back().low;
  EXPECT_TRUE(leads_elsewhere(engine, "idempotent", changed));
  changed = *begun.left;
  changed.waiting.back() = 5000;
  EXPECT_TRUE(leads_elsewhere(engine, "idempotent", changed));
}

// The engine that goes on sees nothing of this: only one that starts after the crash reads so.
TEST(TheExhaustiveSearch, opens_an_engine_after_each_crash) {
  auto texts = std::make_shared<engine::sqlite::StatementTexts>(engine::store::catalog_texts());
  auto& version = (*texts)[static_cast<std::size_t>(engine::store::Sql::known_version)];
  version = "SELECT 1000 * (SELECT count(*) FROM op WHERE status = 'ready') + (" + version + ")";
  ExhaustiveOptions options = options_of("one_op");
  const ExhaustiveResult found = search_exhaustively(engine_for_branching(texts), options);
  ASSERT_TRUE(found.counterexample);
  ASSERT_EQ(2U, found.counterexample->steps.size());
  EXPECT_EQ("engine/refresh/committed",
            faults::point_names[found.counterexample->steps.back().fault->plan.point]);
  options.faults.crashes = 0;
  EXPECT_TRUE(search_exhaustively(engine_for_branching(texts), options).complete());
}

// Who has lost the whole database in one state is brought back to the others all the same.
TEST(TheExhaustiveSearch, goes_on_beside_a_breach_that_is_not_wanted) {
  for (const StorageBug bug : {StorageBug::sync_skipped, StorageBug::synchronous_off}) {
    ExhaustiveOptions options = options_of("failing_disk");
    options.wanted = "queue_caps";
    const ExhaustiveResult found = search_exhaustively(engine_for_branching(bug), options);
    EXPECT_FALSE(found.counterexample);
    EXPECT_TRUE(found.complete());
    EXPECT_GT(found.states, 10U);
  }
}

TEST(TheExhaustiveSearch, says_what_it_has_not_expanded) {
  ExhaustiveOptions options = options_of("chain");
  options.most_depth = 5;
  const ExhaustiveResult found = search_exhaustively({}, options);
  EXPECT_FALSE(found.complete());
  EXPECT_EQ(5U, found.depth);
  EXPECT_GT(found.waiting, 0U);
}

// Every node by itself, told apart by all that is in it.
std::unordered_set<model::NodeKey> keys_without_reduction(const model::World& world,
                                                          std::size_t& nodes) {
  std::deque<model::Node> all{model::begin(world)};
  std::unordered_multimap<std::size_t, std::size_t> seen{{model::hash_value(all.front()), 0}};
  std::unordered_set<model::NodeKey> keys;
  model::MoveList moves(world, model::Waits::to_any, model::Receipts::its_own);
  for (std::size_t at = 0; at < all.size(); ++at) {
    keys.insert(model::key_of(world, all[at]));
    for (const model::Move& move : moves.of(all[at])) {
      model::Node next = all[at];
      model::play(next, all[at], move);
      const std::size_t hash = model::hash_value(next);
      const auto [first, last] = seen.equal_range(hash);
      bool known = false;
      for (auto i = first; i != last; ++i) known = known || all[i->second] == next;
      if (known) continue;
      seen.emplace(hash, all.size());
      all.push_back(std::move(next));
    }
  }
  nodes = all.size();
  return keys;
}

class Reduction : public testing::TestWithParam<std::string_view> {};

// What differs only in what the key leaves out has the same moves to the same states: else one of
// them, left out, would have led to a key that is missed.
TEST_P(Reduction, reaches_what_the_unreduced_search_reaches) {
  ExhaustiveOptions options = options_of(GetParam());
  options.faults = {};
  std::size_t nodes = 0;
  const auto keys = keys_without_reduction(options.world, nodes);
  const ExhaustiveResult reduced = search_exhaustively({}, options);
  EXPECT_TRUE(reduced.complete());
  EXPECT_EQ(keys.size(), reduced.states);
  EXPECT_GT(nodes, keys.size());
}

INSTANTIATE_TEST_SUITE_P(Of, Reduction,
                         testing::Values("fan_in", "chain", "deadline", "queue", "two_workflows",
                                         "context", "approval", "idempotent", "opaque"),
                         [](const auto& row) { return std::string(row.param); });

struct Shortest {
  std::string_view bug;
  std::string_view world;
  std::size_t steps;
  std::string_view invariant;
};

MakeRig engine_with(std::string_view bug) {
  if (const StorageBugRow* row = find_storage_bug(bug)) return engine_for_branching(row->bug);
  return engine_for_branching(mutated(*find_mutant(bug)));
}

class PlantedBug : public testing::TestWithParam<Shortest> {};

TEST_P(PlantedBug, is_found_with_the_fewest_steps_and_by_nothing_shorter) {
  const Shortest& pinned = GetParam();
  const MakeRig make = engine_with(pinned.bug);
  ExhaustiveOptions options = options_of(pinned.world);
  const ExhaustiveResult found = search_exhaustively(make, options);
  ASSERT_TRUE(found.counterexample);
  EXPECT_TRUE(found.counterexample->reproducible);
  EXPECT_EQ(pinned.invariant, found.counterexample->violation.invariant);
  EXPECT_EQ(pinned.steps, found.counterexample->steps.size());
  // A bug of the beginning needs no move at all, and to read is none.
  const bool is_read =
      std::holds_alternative<model::SnapshotsSince>(found.counterexample->steps.back().action);
  const std::size_t no_moves = options.world.setup.size() + (is_read ? 1 : 0);
  if (pinned.steps > no_moves) {
    options.most_depth = pinned.steps - no_moves - 1;
    EXPECT_FALSE(search_exhaustively(make, options).counterexample);
  }
  // On the engine as it is, the same steps hold.
  const Rig rig = engine_for_branching()();
  Runner runner(*rig.sut, *rig.clock);
  EXPECT_FALSE(runner.run(found.counterexample->config, found.counterexample->steps));
}

// One row for each planted bug, in the first world that shows it; those of the storage in the one
// whose disk fails.
constexpr std::array shortest{
    Shortest{"completion_without_ownership", "identity", 5, "no_stale_commit"},
    Shortest{"heartbeat_from_old_expiry", "clock_back", 4, "conforms_to_model"},
    Shortest{"dependents_canceled_not_blocked", "chain", 5, "conforms_to_model"},
    Shortest{"text_ordered_times", "two_workflows", 8, "time_is_numeric"},
    Shortest{"commit_at_expiry_accepted", "identity", 5, "no_stale_commit"},
    Shortest{"heartbeat_revives_expired_lease", "context", 7, "no_stale_commit"},
    Shortest{"checkpoint_by_any_token", "context", 9, "no_stale_commit"},
    Shortest{"failure_by_any_token", "identity", 7, "no_stale_commit"},
    Shortest{"failure_after_expiry", "identity", 5, "no_stale_commit"},
    Shortest{"takeover_keeps_generation", "identity", 3, "lease_iff_running"},
    Shortest{"crash_costs_no_attempt", "identity", 3, "budgets"},
    Shortest{"last_attempt_is_not_recovered", "identity", 8, "time_is_numeric"},
    Shortest{"optional_need_blocks", "optional_branch", 6, "journal_is_truth"},
    Shortest{"running_need_counts_as_done", "chain", 7, "ready_means_needs_done"},
    Shortest{"optional_need_not_waited_for", "optional_branch", 5, "conforms_to_model"},
    Shortest{"done_op_is_not_noticed", "chain", 5, "conforms_to_model"},
    Shortest{"blocking_stops_at_one_level", "chain", 5, "no_blocked_left"},
    Shortest{"retry_reopens_nothing", "chain", 6, "conforms_to_model"},
    Shortest{"retry_keeps_attempts", "chain", 5, "budgets"},
    Shortest{"retry_in_canceled_workflow", "chain", 6, "conforms_to_model"},
    Shortest{"cancel_leaves_blocked", "chain", 6, "conforms_to_model"},
    Shortest{"cancel_leaves_running_lease", "identity", 4, "lease_iff_running"},
    Shortest{"cancel_rewrites_history", "identity", 5, "conforms_to_model"},
    Shortest{"queue_cap_off_by_one", "queue", 1, "queue_caps"},
    Shortest{"queue_cap_counts_all_sites", "two_sites", 5, "queue_caps"},
    Shortest{"token_is_not_spent", "settings", 4, "conforms_to_model"},
    Shortest{"backoff_is_ignored", "identity", 5, "time_is_numeric"},
    Shortest{"due_one_microsecond_late", "identity", 6, "conforms_to_model"},
    Shortest{"newest_first", "queue", 4, "conforms_to_model"},
    Shortest{"lost_reply_is_lease_lost", "identity", 5, "conforms_to_model"},
    Shortest{"checkpoint_is_overwritten", "context", 7, "conforms_to_model"},
    Shortest{"failure_keeps_the_lease", "identity", 4, "lease_iff_running"},
    Shortest{"same_microsecond_is_not_told", "identity", 3, "snapshots_true"},
    Shortest{"recovery_forgets_the_error", "last_error", 8, "conforms_to_model"},
    Shortest{"event_without_its_time", "identity", 5, "journal_is_truth"},
    Shortest{"lease_ignores_the_deadline", "deadline", 4, "budgets"},
    Shortest{"recovery_ignores_the_deadline", "deadline", 5, "conforms_to_model"},
    Shortest{"recovery_ignores_the_budget", "identity", 8, "conforms_to_model"},
    Shortest{"checkpoint_after_the_deadline", "deadline", 6, "budgets"},
    Shortest{"completion_after_the_deadline", "deadline", 6, "budgets"},
    Shortest{"retry_scheduled_past_the_deadline", "deadline", 5, "budgets"},
    Shortest{"failure_ignores_the_budget", "identity", 7, "budgets"},
    Shortest{"retry_of_what_did_not_fail", "chain", 2, "conforms_to_model"},
    Shortest{"retry_ignores_the_deadline", "deadline", 5, "budgets"},
    Shortest{"retry_keeps_the_error", "chain", 5, "conforms_to_model"},
    Shortest{"cancel_keeps_the_generation", "identity", 2, "journal_is_truth"},
    Shortest{"another_identity_attaches", "identity", 2, "one_identity"},
    Shortest{"another_package_attaches", "identity", 2, "one_identity"},
    Shortest{"required_need_is_stored_as_optional", "chain", 5, "ready_means_needs_done"},
    Shortest{"refill_is_counted_twice", "settings", 7, "conforms_to_model"},
    Shortest{"settings_fill_the_bucket", "settings", 3, "conforms_to_model"},
    Shortest{"artifacts_are_not_kept", "one_op", 4, "all_or_nothing"},
    Shortest{"run_without_identity", "identity", 2, "one_identity"},
    Shortest{"key_with_generation", "approval", 7, "conforms_to_model"},
    Shortest{"approved_without_binding", "approval", 7, "approval_binds"},
    Shortest{"approval_outlives_its_time", "approval", 8, "approval_binds"},
    Shortest{"approval_at_its_last_microsecond", "approval", 8, "approval_binds"},
    Shortest{"spent_approval_is_used_again", "approval", 7, "conforms_to_model"},
    Shortest{"requester_approves_alone", "approval", 5, "approval_binds"},
    Shortest{"expired_request_is_granted", "approval", 6, "approval_binds"},
    Shortest{"request_ends_one_microsecond_late", "approval", 6, "conforms_to_model"},
    Shortest{"retry_keeps_the_approval", "approval", 7, "conforms_to_model"},
    Shortest{"cancel_leaves_the_approval", "approval", 5, "conforms_to_model"},
    Shortest{"canceled_although_dispatched", "approval", 8, "unknown_never_resent"},
    Shortest{"failed_although_dispatched", "opaque", 5, "unknown_never_resent"},
    Shortest{"recovery_forgets_the_dispatch", "approval", 9, "conforms_to_model"},
    Shortest{"any_contract_is_resendable", "opaque", 6, "conforms_to_model"},
    Shortest{"resent_under_an_old_approval", "approval", 9, "conforms_to_model"},
    Shortest{"retention_is_ignored", "forgetful", 6, "conforms_to_model"},
    Shortest{"silence_is_taken_for_an_answer", "forgetful", 8, "unknown_never_resent"},
    Shortest{"second_dispatch_is_sure", "forgetful", 6, "conforms_to_model"},
    Shortest{"not_found_is_proof", "approval", 9, "unknown_never_resent"},
    Shortest{"expiry_hides_a_past_write", "approval", 9, "unknown_never_resent"},
    Shortest{"closed_under_an_open_permit", "approval", 9, "conforms_to_model"},
    Shortest{"close_forgets_the_cancellation", "approval", 10, "conforms_to_model"},
    Shortest{"receipt_is_lost", "approval", 9, "conforms_to_model"},
    Shortest{"completed_without_a_write", "approval", 4, "conforms_to_model"},
    Shortest{"context_never_expires", "context", 7, "conforms_to_model"},
    Shortest{"revocation_is_ignored", "context", 7, "conforms_to_model"},
    Shortest{"oldest_context_is_pinned", "context", 7, "conforms_to_model"},
    Shortest{"sync_skipped", "failing_disk", 2, "no_stale_commit"},
    Shortest{"synchronous_off", "failing_disk", 2, "no_stale_commit"},
    Shortest{"commit_error_ignored", "failing_disk", 2, "conforms_to_model"},
    Shortest{"busy_retried_as_statement", "failing_disk", 1, "conforms_to_model"},
    Shortest{"deferred_transaction", "failing_disk", 1, "conforms_to_model"},
    Shortest{"unlocked_checkpoint", "failing_disk", 1, "conforms_to_model"}};

TEST(PlantedBugs, have_a_shortest_counterexample_each) {
  std::set<std::string_view> seen;
  for (const Shortest& row : shortest) seen.insert(row.bug);
  for (const Mutant& mutant : mutants()) EXPECT_TRUE(seen.contains(mutant.name)) << mutant.name;
  for (const StorageBugRow& row : storage_bugs()) EXPECT_TRUE(seen.contains(row.name)) << row.name;
}

INSTANTIATE_TEST_SUITE_P(Of, PlantedBug, testing::ValuesIn(shortest),
                         [](const auto& row) { return std::string(row.param.bug); });

}  // namespace
}  // namespace leaseproof::properties
