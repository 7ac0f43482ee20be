// Checks that a roster changes no answer: drawn calls on a state that keeps one and on a state that
// keeps none come to the same, and after each the roster is what the ops say. Does not check what
// it costs, nor whether the answers are right.
#include "model/roster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/needs.hpp"
#include "model/story.hpp"
#include "model/trail.hpp"

namespace leaseproof::model {
namespace {

using Draws = std::vector<unsigned>;

// The calls of one case, each drawn when its turn comes.
class Walk {
  static constexpr std::array<const char*, 2> queues{"default", "narrow"};
  static constexpr std::array kinds{FailKind::retryable, FailKind::permanent, FailKind::unknown};

  unsigned below(std::size_t bound) { return draws_[at_++] % static_cast<unsigned>(bound); }
  template <class Row>
  auto any(const Row& row) {
    return row[below(row.size())];
  }

 public:
  explicit Walk(Draws draws) : draws_(std::move(draws)) {}

  [[nodiscard]] bool is_over() const { return at_ + 16 > draws_.size(); }

  Action next(const State& state) {
    now_us += below(4);
    switch (below(16)) {
      case 0:
      case 1:
        return start();
      case 2:
      case 3:
      case 4:
        return Refresh{};
      case 5:
      case 6:
      case 7:
        return lease();
      case 8:
      case 9:
        return complete(state);
      case 10:
        return Fail{handle(state), any(kinds), {}};
      case 11:
        return Retry{op_in(state, OpStatus::failed), {}};
      case 12:
        return approval(state);
      case 13:
        return Dispatch{writer(state), "1"};
      case 14:
        return below(4) == 0 ? Action(Cancel{"w" + std::to_string(below(made_ + 1))})
                             : Action(Close{op_in(state, OpStatus::reconciling), below(2) == 0,
                                            "seen", operator_});
      default:
        return Queue{any(queues), "default", std::int64_t{below(3)}, 0, 0};
    }
  }
  // The proof of the newest lease, and a receipt.
  Given given(const State& state, const Action& action) const {
    Given given;
    given.now_us = now_us;
    given.fresh_id = "w" + std::to_string(made_);
    given.receipt = "r";
    std::visit(
        [&](const auto& call) {
          if constexpr (requires { call.by; }) {
            const Op* op = find_op(state, call.by.op);
            if (op != nullptr) given.lease_generation = op->view.generation;
          }
        },
        action);
    return given;
  }

 private:
  // One that the call is for, if there is any.
  template <class Suits>
  std::string op_that(const State& state, Suits suits) {
    std::vector<std::string> found;
    for (const auto& [id, op] : state.ops) {
      if (suits(op)) found.push_back(id);
    }
    if (!found.empty()) return any(found);
    return state.ops.empty() ? "none" : state.ops.entry(below(state.ops.size())).first;
  }
  std::string op_in(const State& state, OpStatus status) {
    return op_that(state, [&](const Op& op) { return op.view.status == status; });
  }
  WorkerHandle handle(const State& state) { return {"A", op_in(state, OpStatus::running), 0}; }
  // Of an op that writes outside.
  WorkerHandle writer(const State& state) {
    const auto writes = [](const Op& op) {
      return op.view.status == OpStatus::running && op.view.effect;
    };
    return {"A", op_that(state, writes), 0};
  }
  OpSpec spec(std::string id) {
    const unsigned kind = below(5);
    OpSpec spec = kind == 0   ? approval_spec(std::move(id))
                  : kind == 1 ? effect_spec(std::move(id), Contract::queryable)
                              : op_spec(std::move(id));
    spec.queue = any(queues);
    spec.max_attempts = 3;
    spec.retry.delays_us = {3};
    return spec;
  }
  // Ids run against the order of creation.
  Action start() {
    Start call;
    const std::string prefix(1, static_cast<char>('z' - made_ % 26));
    call.workflow = "w" + std::to_string(++made_);
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      OpSpec& op = call.ops.emplace_back(spec(prefix + std::to_string(made_) + std::to_string(i)));
      if (i > 0 && below(3) > 0) op.needs.push_back({call.ops[0].id, below(3) > 0});
      if (i > 1 && below(2) > 0) op.needs.push_back({call.ops[i - 1].id, below(3) > 0});
    }
    return call;
  }
  Action lease() {
    Lease call;
    call.worker = "A";
    call.lease_us = 6;
    if (below(3) == 0) call.queue = any(queues);
    if (below(8) == 0) call.site = "elsewhere";
    return call;
  }
  Action complete(const State& state) {
    Complete call;
    call.by = handle(state);
    if (below(6) == 0) call.emit = {spec("e" + std::to_string(++emitted_))};
    return call;
  }
  Action approval(const State& state) {
    if (below(2) == 0) return RequestApproval{writer(state), "1", 20};
    Decide call;
    call.op = op_in(state, OpStatus::waiting_approval);
    call.approve = below(4) > 0;
    call.actor = {"rita", {"reviewer"}, {"team"}};
    return call;
  }

  Draws draws_;
  std::size_t at_ = 0;
  std::size_t made_ = 0;
  int emitted_ = 0;
  std::int64_t now_us = 0;
  Actor operator_{"otto", {"operator"}, {"team"}};
};

bool needs_are_met(const State& state, const Op& op) {
  for (const Need& need : op.spec->needs) {
    const OpStatus status = find_op(state, need.op)->view.status;
    if (need.required ? !is_done(status) : !is_settled(status)) return false;
  }
  return true;
}

// What the roster should hold, from the ops alone.
void expect_true(const State& state) {
  const Roster& roster = *state.roster;
  std::map<SiteQueue, Roster::Entries> ready;
  Roster::Entries running;
  Roster::Entries waiting;
  for (const auto& [id, op] : state.ops) {
    const Roster::Entry entry{op.created_us, id};
    const OpStatus status = op.view.status;
    if (status == OpStatus::ready) ready[{op.spec->site, op.spec->queue}].insert(entry);
    if (status == OpStatus::running) running.insert(entry);
    if (op.view.approval && op.view.approval->status == ApprovalStatus::pending) {
      waiting.insert(entry);
    }
    if (roster.unsure.contains(entry)) continue;
    if (status == OpStatus::pending) {
      RC_ASSERT(!needs_are_met(state, op));
      RC_ASSERT(!has_stopping_need(state, op));
    }
    if (status == OpStatus::blocked) RC_ASSERT(has_stopping_need(state, op));
  }
  RC_ASSERT(roster.ready == ready);
  RC_ASSERT(roster.running == running);
  RC_ASSERT(roster.waiting_approval == waiting);
}

TEST(Roster, changes_no_answer_and_is_what_the_ops_say) {
  constexpr std::size_t draws = 1000;
  std::set<std::string> seen;
  const auto note = [&](const Action& action, const Outcome& outcome) {
    seen.insert(std::string(do_word(action)) + " " + std::string(word(outcome.word)));
    const auto* reopened = std::get_if<Reopened>(&outcome.detail);
    if (reopened != nullptr && reopened->reopened > 0) seen.insert("reopened");
    const auto* counts = std::get_if<Refreshed>(&outcome.detail);
    if (counts == nullptr) return;
    if (counts->recovered > 0) seen.insert("recovered");
    if (counts->expired > 0) seen.insert("expired");
    if (counts->blocked > 0) seen.insert("blocked");
    if (counts->readied > 0) seen.insert("readied");
  };
  EXPECT_TRUE(rc::check([&] {
    Walk walk(*rc::gen::container<Draws>(draws, rc::gen::arbitrary<unsigned>()));
    State plain;
    State kept;
    kept.roster.keep();
    while (!walk.is_over()) {
      const Action action = walk.next(plain);
      const Given given = walk.given(plain, action);
      Trail of_plain;
      const Outcome outcome = apply(plain, action, given);
      Trail of_kept;
      RC_ASSERT(apply(kept, action, given) == outcome);
      RC_ASSERT(of_kept.recorded == of_plain.recorded);
      RC_ASSERT(kept == plain);
      expect_true(kept);
      note(action, outcome);
    }
  }));
  for (const char* wanted :
       {"lease leased", "lease none", "complete ok", "fail failed", "fail retry_scheduled",
        "retry ok", "reopened", "cancel ok", "request_approval waiting", "approve ok",
        "dispatch dispatching", "close ok", "recovered", "expired", "blocked", "readied"}) {
    EXPECT_TRUE(seen.contains(wanted)) << wanted;
  }
}

TEST(Roster, is_kept_by_no_copy) {
  Story story;
  story.state.roster.keep();
  story.ensure({op_spec("a")});
  story.refresh();
  State copy = story.state;
  EXPECT_FALSE(copy.roster);
  EXPECT_EQ(copy, story.state);
  story.lease();
  EXPECT_TRUE(story.state.roster->ready.empty());
  copy = story.state;
  EXPECT_FALSE(copy.roster);
  story.state = std::move(copy);
  EXPECT_FALSE(story.state.roster);
}

// An op of each status it can hold is let go with its state's roster.
TEST(Roster, forgets_an_op_and_what_needs_it) {
  Story story;
  story.state.roster.keep();
  story.ensure({op_spec("a"), op_spec("b", {requires_op("a")})});
  EXPECT_EQ(2U, story.state.roster->unsure.size());
  story.refresh();
  EXPECT_TRUE(story.state.roster->unsure.empty());
  story.lease();
  story.complete("a");
  EXPECT_EQ(1U, story.state.roster->unsure.size());
  for (const char* id : {"a", "b"}) story.state.roster->forget(*find_op(story.state, id));
  EXPECT_TRUE(story.state.roster->unsure.empty());
}

}  // namespace
}  // namespace leaseproof::model
