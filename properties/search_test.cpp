// Checks the search as a whole: that it finds nothing in a sound engine and reaches every goal and
// every fault point, that it is deterministic whatever the number of jobs, and that what it finds
// in an engine with a planted bug is small. The engine is the model.
#include "properties/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "properties/cuts.hpp"
#include "properties/generators.hpp"
#include "properties/goals.hpp"
#include "properties/model_sut.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using model::Action;
using model::Given;
using model::OpStatus;
using model::Outcome;
using model::State;
using model::Word;

MakeRig rigs(const Bug& bug = {}) {
  return [bug] {
    Rig rig;
    rig.clock = std::make_unique<SimClock>();
    rig.sut = std::make_unique<ModelSut>(*rig.clock, bug);
    return rig;
  };
}

bool same(const Step& a, const Step& b) {
  if (!(a.action == b.action) || a.skew_us != b.skew_us || a.lock_wait_us != b.lock_wait_us ||
      a.fault.has_value() != b.fault.has_value()) {
    return false;
  }
  if (!a.fault) return true;
  return a.fault->plan.point == b.fault->plan.point && a.fault->plan.kind == b.fault->plan.kind &&
         a.fault->plan.times == b.fault->plan.times &&
         std::equal(a.fault->steps.begin(), a.fault->steps.end(), b.fault->steps.begin(),
                    b.fault->steps.end(), same);
}
bool same(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Step& x, const Step& y) { return same(x, y); });
}
bool same(const Tally& a, const Tally& b) {
  return a.runs == b.runs && a.steps == b.steps && a.not_fired == b.not_fired &&
         a.goals == b.goals && a.judged == b.judged && a.violated == b.violated &&
         a.fired == b.fired;
}

Bug any_token() {
  Bug bug;
  bug.mishear = [](const State& state, Action& action, Given& given) {
    const auto* complete = std::get_if<model::Complete>(&action);
    if (complete != nullptr) {
      given.lease_generation = state.ops.at(complete->by.op).view.generation;
    }
  };
  return bug;
}

TEST(Search, finds_nothing_in_a_sound_engine_and_reaches_every_goal) {
  SearchOptions options;
  options.runs = 8000;
  const SearchResult result = search(rigs(), options);
  if (result.counterexample) {
    ADD_FAILURE() << result.counterexample->violation.invariant << ": "
                  << result.counterexample->violation.why;
  }
  EXPECT_EQ(result.runs_done, options.runs);
  for (const std::string& goal : unreached(result.tally))
    ADD_FAILURE() << "never reached: " << goal;
}

TEST(Search, any_journal_replays_to_the_tables) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimClock clock;
    ModelSut sut(clock);
    RunnerOptions options;
    options.decode = sut.decoder();
    Runner runner(sut, clock, options);
    const Case drawn = draw_case(seed, {});
    const auto found = runner.run(drawn.config, drawn.steps);
    ASSERT_FALSE(found) << seed << ": " << found->invariant << ": " << found->why;
  }
}

TEST(Search, without_faults_draws_none) {
  SearchOptions options;
  options.runs = 300;
  options.faults = false;
  const SearchResult result = search(rigs(), options);
  EXPECT_FALSE(result.counterexample);
  EXPECT_EQ(result.tally.fired, Tally{}.fired);
  EXPECT_EQ(result.tally.not_fired, 0);
}

TEST(Search, gives_the_same_tally_with_two_jobs_as_with_one) {
  SearchOptions options;
  options.runs = 500;
  options.seed = 7;
  const SearchResult one = search(rigs(), options);
  options.jobs = 2;
  const SearchResult two = search(rigs(), options);
  EXPECT_TRUE(same(one.tally, two.tally));
  options.seed = 8;
  EXPECT_FALSE(same(one.tally, search(rigs(), options).tally));
}

TEST(Search, reports_the_lowest_failing_run_with_the_same_steps_whatever_the_jobs) {
  SearchOptions options;
  options.runs = 2000;
  const SearchResult one = search(rigs(any_token()), options);
  options.jobs = 2;
  const SearchResult two = search(rigs(any_token()), options);
  ASSERT_TRUE(one.counterexample && two.counterexample);
  EXPECT_EQ(one.counterexample->run, two.counterexample->run);
  EXPECT_EQ(one.counterexample->executions, two.counterexample->executions);
  EXPECT_EQ(one.counterexample->violation.why, two.counterexample->violation.why);
  EXPECT_TRUE(same(one.counterexample->steps, two.counterexample->steps));
  EXPECT_TRUE(same(one.tally, two.tally));
}

TEST(Search, stops_when_it_is_asked_to) {
  SearchOptions options;
  options.runs = 1000;
  std::int64_t asked = 0;
  options.stop = [&] { return ++asked > 5; };
  const SearchResult result = search(rigs(), options);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_EQ(result.runs_done, 5);
}

TEST(Search, says_so_when_a_violation_does_not_come_back) {
  std::int64_t hits = 0;
  Bug moody;
  moody.spoil = [&](State&, const State&, const Action& action, const Given&, Outcome& outcome) {
    if (std::holds_alternative<model::Cancel>(action) && ++hits == 1) outcome = Word::not_found;
  };
  SearchOptions options;
  options.runs = 2000;
  const SearchResult result = search(rigs(moody), options);
  ASSERT_TRUE(result.counterexample);
  EXPECT_FALSE(result.counterexample->reproducible);
  EXPECT_EQ(result.counterexample->violation.why.rfind("NOT DETERMINISTIC", 0), 0U);
}

struct Small {
  const char* name;
  Bug bug;
  std::size_t at_most;  // steps
};

// Each bug with the number of steps below which it cannot be shown, give or take one.
std::vector<Small> bugs() {
  std::vector<Small> all;
  all.push_back({"any token completes", any_token(), 8});
  Bug old_expiry;
  old_expiry.spoil = [](State& after, const State& before, const Action& action, const Given&,
                        Outcome& outcome) {
    const auto* beat = std::get_if<model::Heartbeat>(&action);
    if (beat == nullptr || outcome.word != Word::extended) return;
    auto& lease = *after.ops.edit(beat->by.op).view.lease;
    lease.expires_us = before.ops.at(beat->by.op).view.lease->expires_us + beat->lease_us;
    std::get<model::Extended>(outcome.detail).expires_us = lease.expires_us;
  };
  all.push_back({"a heartbeat counts from the old expiry", old_expiry, 4});
  Bug early;
  early.early_clock = true;
  all.push_back({"the clock is read before the lock", early, 2});
  Bug forgets;
  forgets.forgets_commit = true;
  // Two, because the first loss that is found is that of a context, which only a later call misses.
  all.push_back({"a crash after COMMIT loses it", forgets, 2});
  Bug canceled;
  canceled.spoil = [](State& after, const State&, const Action& action, const Given&, Outcome&) {
    if (!std::holds_alternative<model::Refresh>(action)) return;
    for (const model::OpRef op : after.ops.refs()) {
      model::Op& changed = op.edit();
      if (changed.view.status != OpStatus::blocked) continue;
      auto& counts = after.workflows.edit(changed.view.workflow).counts;
      --counts[static_cast<std::size_t>(OpStatus::blocked)];
      ++counts[static_cast<std::size_t>(OpStatus::canceled)];
      changed.view.status = OpStatus::canceled;
    }
  };
  all.push_back({"dependents are canceled", canceled, 5});
  Bug one_level;
  one_level.spoil = [](State& after, const State& before, const Action& action, const Given&,
                       Outcome&) {
    const auto* retry = std::get_if<model::Retry>(&action);
    if (retry == nullptr) return;
    for (const model::OpRef op : after.ops.refs()) {
      model::Op& changed = op.edit();
      const bool reopened = changed.view.status == OpStatus::pending &&
                            before.ops.at(op.key()).view.status == OpStatus::blocked;
      const auto& needs = changed.spec->needs;
      const bool direct = std::any_of(needs.begin(), needs.end(), [&](const model::Need& need) {
        return need.op == retry->op;
      });
      if (!reopened || direct) continue;
      auto& counts = after.workflows.edit(changed.view.workflow).counts;
      --counts[static_cast<std::size_t>(OpStatus::pending)];
      ++counts[static_cast<std::size_t>(OpStatus::blocked)];
      changed.view.status = OpStatus::blocked;
    }
  };
  all.push_back({"a retry reopens one level", one_level, 6});
  Bug any_payload;
  any_payload.mishear = [](const State& state, Action& action, Given&) {
    auto* dispatch = std::get_if<model::Dispatch>(&action);
    if (dispatch == nullptr) return;
    const auto& effect = state.ops.at(dispatch->by.op).spec->effect;
    if (effect && effect->approval) dispatch->payload = "\"p\"";
  };
  all.push_back({"any payload passes for the approved one", any_payload, 7});
  Bug resent;
  resent.mishear = [](const State& state, Action& action, Given&) {
    auto* fail = std::get_if<model::Fail>(&action);
    if (fail == nullptr) return;
    const auto& effect = state.ops.at(fail->by.op).spec->effect;
    if (effect && effect->contract == model::Contract::opaque) {
      fail->kind = model::FailKind::retryable;
    }
  };
  all.push_back({"an opaque effect of unknown outcome is tried again", resent, 5});
  return all;
}

TEST(Shrinking, reaches_a_story_that_a_reader_takes_in_at_a_glance) {
  for (const Small& small : bugs()) {
    SearchOptions options;
    options.runs = 5000;
    const SearchResult result = search(rigs(small.bug), options);
    ASSERT_TRUE(result.counterexample) << small.name;
    const Counterexample& found = *result.counterexample;
    EXPECT_TRUE(found.reproducible) << small.name;
    EXPECT_LE(found.steps.size(), small.at_most) << small.name << ": " << found.violation.why;

    Rig rig = rigs(small.bug)();
    Runner runner(*rig.sut, *rig.clock);
    const auto again = runner.run(found.config, found.steps);
    ASSERT_TRUE(again) << small.name;
    EXPECT_EQ(again->invariant, found.violation.invariant) << small.name;
    EXPECT_EQ(again->why, found.violation.why) << small.name;
  }
}

TEST(Generators, draw_the_same_case_from_the_same_seed) {
  const DrawOptions options;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(same(draw_case(seed, options).steps, draw_case(seed, options).steps));
  }
  EXPECT_FALSE(same(draw_case(1, options).steps, draw_case(2, options).steps));
}

TEST(Generators, draw_only_what_the_engine_speaks) {
  DrawOptions options;
  options.speaks = [](const Action& action) {
    return !std::holds_alternative<model::Cancel>(action);
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Step& step : draw_case(seed, options).steps) {
      EXPECT_FALSE(std::holds_alternative<model::Cancel>(step.action));
    }
  }
}

TEST(Generators, draw_only_faults_that_can_hit_the_engine) {
  DrawOptions options;
  options.can_be_hit = [](faults::Point, faults::Kind kind) { return kind == faults::Kind::crash; };
  std::int64_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Step& step : draw_case(seed, options).steps) {
      if (!step.fault) continue;
      ++drawn;
      EXPECT_EQ(step.fault->plan.kind, faults::Kind::crash);
    }
  }
  EXPECT_GT(drawn, 0);
}

// How often the hunted fault stands in a step or in what is interleaved into it, and how deep at
// most.
struct Hunted {
  std::int64_t count = 0;
  std::int64_t deepest = 0;
};
void look_for(const Hunt& hunt, const std::vector<Step>& steps, std::int64_t depth, Hunted& found) {
  for (const Step& step : steps) {
    if (!step.fault) continue;
    if (step.fault->plan.point == hunt.point && step.fault->plan.kind == hunt.kind) {
      ++found.count;
      found.deepest = std::max(found.deepest, depth);
    }
    look_for(hunt, step.fault->steps, depth + 1, found);
  }
}

TEST(Generators, hunt_any_fault_more_often_than_chance_brings_it_and_interleave_twice_at_most) {
  const auto drawn = [](const Hunt& looked_for, bool hunts) {
    DrawOptions options;
    options.disk = faults::needs_disk(looked_for.point, looked_for.kind);
    if (hunts) options.hunt = looked_for;
    Hunted found;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      look_for(looked_for, draw_case(seed, options).steps, 0, found);
    }
    return found;
  };
  using faults::Kind;
  for (std::size_t point = 0; point < faults::point_count; ++point) {
    for (const Kind kind : {Kind::crash, Kind::throw_, Kind::interleave, Kind::power_loss}) {
      const Hunt hunt{static_cast<faults::Point>(point), kind};
      if (!faults::allows(hunt.point, kind)) continue;
      const Hunted hunted = drawn(hunt, true);
      EXPECT_GT(hunted.count, 2 * drawn(hunt, false).count)
          << faults::point_names[point] << " " << faults::word(kind);
      if (kind == Kind::interleave) {
        EXPECT_LT(hunted.deepest, 2) << faults::point_names[point];
      }
    }
  }
}

TEST(Generators, draw_two_workers_of_one_name_in_some_cases_and_up_to_four_workers) {
  std::set<std::string> workers;
  bool shared = false;
  DrawOptions options;
  options.workers = 4;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Step& step : draw_case(seed, options).steps) {
      if (const auto* lease = std::get_if<model::Lease>(&step.action)) {
        workers.insert(lease->worker);
        shared = shared || lease->owner;
      }
    }
  }
  EXPECT_EQ(workers.size(), 4U);
  EXPECT_TRUE(shared);
}

TEST(Cuts, always_end_because_each_leaves_less) {
  Case whole = draw_case(3, {});
  std::int64_t cuts = 0;
  for (bool cut_one = true; cut_one && cuts < 100'000;) {
    cut_one = false;
    for (const Cut& cut : cuts_of(whole)) {
      if (cut.kind == CutKind::steps) continue;
      if (auto smaller = apply_cut(whole, cut)) {
        whole = std::move(*smaller);
        ++cuts;
        cut_one = true;
        break;
      }
    }
  }
  EXPECT_LT(cuts, 100'000);
}

TEST(Cuts, drop_an_op_together_with_every_need_of_it) {
  Case whole;
  whole.steps = {ensure("w", {op("a"), op("b", {"a"})})};
  const auto smaller = apply_cut(whole, {CutKind::op, 0, 0});
  ASSERT_TRUE(smaller);
  EXPECT_TRUE(same(smaller->steps, {ensure("w", {op("b")})}));
}

TEST(Cuts, run_interleaved_steps_first_when_they_are_unnested) {
  Case whole;
  whole.steps = {interleaved(refresh(), faults::Call::refresh, faults::Place::begin, {advance(1)})};
  const auto smaller = apply_cut(whole, {CutKind::unnest, 0, 0});
  ASSERT_TRUE(smaller);
  EXPECT_TRUE(same(smaller->steps, {advance(1), refresh()}));
}

}  // namespace
}  // namespace leaseproof::properties
