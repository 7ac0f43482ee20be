#include "scenarios/journal_course.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/rules.hpp"
#include "properties/journal_reading.hpp"
#include "properties/journal_replay.hpp"
#include "properties/outside.hpp"
#include "scenarios/guard.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios {

using engine::sqlite::Connection;
using properties::DecodedCall;
using properties::JournalEvent;

namespace {

constexpr std::size_t most_of_the_op = 20;
constexpr std::size_t most_before = 5;

// The newest calls, each once.
class Newest {
 public:
  explicit Newest(std::size_t most) : most_(most) {}
  void take(std::int64_t call) {
    if (!calls_.empty() && calls_.back() == call) return;
    calls_.push_back(call);
    if (calls_.size() > most_) calls_.pop_front();
  }
  [[nodiscard]] const std::deque<std::int64_t>& calls() const { return calls_; }

 private:
  std::size_t most_;
  std::deque<std::int64_t> calls_;
};

std::optional<JournalEvent> first_from(Connection& db, std::int64_t seq) {
  std::optional<JournalEvent> found;
  properties::each_event(db, seq - 1, [&](const JournalEvent& event) {
    found = event;
    return false;
  });
  return found;
}

std::set<std::int64_t> calls_to(Connection& db, const JournalEvent& last) {
  Newest of_the_op(most_of_the_op);
  Newest before(most_before);
  properties::each_event(db, 0, [&](const JournalEvent& event) {
    if (event.seq > last.seq) return false;
    before.take(event.call);
    if (!last.op.empty() && event.op == last.op) of_the_op.take(event.call);
    return true;
  });
  std::set<std::int64_t> calls(before.calls().begin(), before.calls().end());
  calls.insert(of_the_op.calls().begin(), of_the_op.calls().end());
  return calls;
}

// Moments as they are told: those of real clocks, counted from another one.
class Since {
 public:
  explicit Since(std::int64_t begin_us) : begin_us_(begin_us) {}

  void move(std::int64_t& us) const {
    // What is far from any clock of a machine is no moment of one.
    if (__builtin_sub_overflow(us, begin_us_, &us)) us = INT64_MAX;
  }
  void move(std::optional<std::int64_t>& us) const {
    if (us) move(*us);
  }
  void move(std::vector<model::OpSpec>& ops) const {
    for (model::OpSpec& op : ops) move(op.deadline_us);
  }
  void move(model::Action& action) const {
    std::visit(
        [&](auto& a) {
          if constexpr (requires { a.ops; }) move(a.ops);
          if constexpr (requires { a.emit; }) move(a.emit);
          if constexpr (requires { a.completed_at_us; }) move(a.completed_at_us);
          if constexpr (requires { a.deadline_us; }) move(a.deadline_us);
        },
        action);
  }
  void move(model::Outcome& outcome) const {
    std::visit(
        [&](auto& detail) {
          if constexpr (requires { detail.expires_us; }) move(detail.expires_us);
          if constexpr (requires { detail.next_attempt_us; }) move(detail.next_attempt_us);
          if constexpr (requires { detail.call_before_us; }) move(detail.call_before_us);
        },
        outcome.detail);
  }
  void move(model::Op& op) const {
    move(op.created_us);
    move(op.deadline_us);
    if (op.context) move(op.context->expires_us);
    move(op.view.next_attempt_us);
    if (op.view.lease) move(op.view.lease->expires_us);
    move(op.approval_expires_us);
    move(op.dispatched_at_us);
    move(op.call_before_us);
  }
  [[nodiscard]] model::State moved(model::State state) const {
    std::vector<std::string> ids;
    for (const auto& [id, op] : state.ops) ids.push_back(id);
    for (const std::string& id : ids) move(state.ops.edit(id));
    std::vector<model::SiteQueue> queues;
    for (const auto& [name, queue] : state.queues) queues.push_back(name);
    for (const auto& name : queues) move(state.queues.edit(name).last_refill_us);
    std::vector<std::string> scopes;
    for (const auto& [scope, context] : state.contexts) scopes.push_back(scope);
    for (const std::string& scope : scopes) move(state.contexts.edit(scope).expires_us);
    return state;
  }

 private:
  std::int64_t begin_us_;
};

class Recorder {
 public:
  explicit Recorder(std::int64_t begin_us) : since_(begin_us) {}

  // Who leased under which token, of each call.
  void know(const DecodedCall& call) {
    const auto* lease = std::get_if<model::Lease>(&call.action);
    if (lease != nullptr && std::holds_alternative<model::Leased>(call.outcome.detail)) {
      owners_[call.token] = lease->owner ? *lease->owner : lease->worker;
    }
  }

  // `allowed`: what the model answers instead, or null.
  void show(std::int64_t seq, const DecodedCall& call, const model::State& was,
            const model::State& is, const model::Outcome* allowed) {
    const model::State before = since_.moved(was);
    const model::State after = since_.moved(is);
    properties::Step step;
    step.action = call.action;
    since_.move(step.action);
    name_worker(step.action, call.token);
    properties::CallFact fact;
    fact.step = &step;
    fact.given = call.given;
    since_.move(fact.given.now_us);
    fact.outcome = call.outcome;
    since_.move(fact.outcome);
    fact.to_engine = true;
    std::optional<model::Outcome> expected;
    if (allowed != nullptr) since_.move(expected.emplace(*allowed));
    const properties::Outside outside;
    const properties::CallSeen seen{fact,  fact.given.now_us, before,
                                    after, outside,           expected ? &*expected : nullptr};

    Frame& frame = course_.frames.emplace_back();
    frame.name = std::to_string(seq);
    Happening& top = frame.top;
    top.step = step;
    top.lane = lane_of(step.action);
    top.common_us = fact.given.now_us;
    top.outcome = fact.outcome;
    top.why = guard(seen, fact.outcome);
    top.expected = expected;
    if (expected) top.expected_why = guard(seen, *expected);
    top.changed = changes(model::observe(before), model::observe(after));
    if (const auto* leased = std::get_if<model::Leased>(&fact.outcome.detail)) {
      granted_.emplace(leased->op, leased->generation);
    }
    // Leases that were granted before have no beginning that could be drawn.
    top.leases = leases_in(model::observe(after));
    std::erase_if(top.leases, [&](const auto& entry) {
      return !granted_.contains({entry.first, entry.second.generation});
    });
    frame.changed = top.changed;
  }

  Course take() {
    add_all_lanes(course_);
    return std::move(course_);
  }

 private:
  void name_worker(model::Action& action, const std::string& token) const {
    const auto owner = owners_.find(token);
    std::visit(
        [&](auto& a) {
          if constexpr (requires { a.by.worker; }) {
            a.by.worker = owner == owners_.end() ? "the caller" : owner->second;
          }
        },
        action);
  }

  Since since_;
  Course course_;
  std::map<std::string, std::string> owners_;  // by token
  std::set<std::pair<std::string, std::int64_t>> granted_;
};

}  // namespace

Course course_to(Connection& db, std::int64_t clock_slack_us, std::int64_t seq) {
  const auto last = first_from(db, seq);
  if (!last) return {};
  const auto first = first_from(db, 1);
  const std::set<std::int64_t> shown = calls_to(db, *last);
  Recorder recorder(first->at_us);
  model::Settings settings;
  settings.clock_slack_us = clock_slack_us;
  const model::Observation no_tables;
  properties::JournalReplay replay(decode_journal, settings, no_tables, true);
  std::optional<DecodedCall> made;
  replay.on_call = [&](const DecodedCall& call, const model::State&) {
    recorder.know(call);
    made = call;
  };
  std::int64_t call = 0;
  properties::each_event(db, 0, [&](const JournalEvent& event) {
    if (event.seq > seq) return false;
    const bool begins = event.call != call && shown.contains(event.call);
    call = event.call;
    made.reset();
    std::optional<model::State> before;
    if (begins) before = replay.state();
    const bool is_right = replay.take(event);
    if (begins && made) recorder.show(event.seq, *made, *before, replay.state(), nullptr);
    if (is_right) return true;
    const properties::WrongEvent& wrong = replay.wrong();
    if (wrong.call && wrong.call_seq == event.seq) {
      if (!before) before = replay.state();
      recorder.show(event.seq, *wrong.call, *before, *before, &*wrong.allowed);
    }
    return false;
  });
  return recorder.take();
}

}  // namespace leaseproof::scenarios
