#include "properties/model_sut.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "faults/point.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

using model::Outcome;
using model::Word;

namespace {
struct Busy {};
struct Storage {};

// Calls that have no fault points yet come by none.
void hit(std::optional<faults::Call> call, faults::Place place) {
  if (!call) return;
  switch (faults::hit(faults::point_of(*call, place))) {
    case faults::Injected::none:
    case faults::Injected::observer_throw:
      return;
    case faults::Injected::busy:
      // After COMMIT there is nothing left to try again.
      if (place == faults::Place::committed) return;
      throw Busy{};
    case faults::Injected::io_error:
    case faults::Injected::disk_full:
      throw Storage{};
  }
}

class Lock {
 public:
  explicit Lock(bool& held) : held_(held) { held_ = true; }
  ~Lock() { held_ = false; }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  bool& held_;
};
}  // namespace

void ModelSut::reset(const Config& config) {
  durable_ = model::State{};
  durable_.settings.clock_slack_us = config.clock_slack_us;
  busy_tries_ = config.busy_tries;
  locked_ = false;
  calls_ = 0;
  journal_.clear();
  recorded_.clear();
  stale_ = true;
}

bool ModelSut::speaks(const model::Action& /*action*/) const { return true; }

Outcome ModelSut::run(model::State& state, const CallFrame& frame, model::Given& given) {
  if (!bug_.mishear && !bug_.instead && !bug_.spoil) {
    return model::apply(state, *frame.action, given);
  }
  model::Action action = *frame.action;
  if (bug_.mishear) bug_.mishear(state, action, given);
  if (bug_.instead) {
    if (std::optional<Outcome> outcome = bug_.instead(state, action, given)) return *outcome;
  }
  const model::State before = state;
  Outcome outcome = model::apply(state, action, given);
  if (bug_.spoil) bug_.spoil(state, before, action, given, outcome);
  return outcome;
}

Reply ModelSut::apply(const CallFrame& frame) {
  Reply reply;
  if (is_read(*frame.action)) {
    model::Given given = *frame.given;
    given.now_us = clock_.now_us();
    model::State seen = durable_;
    reply.outcome = run(seen, frame, given);
    if (const auto* page = std::get_if<model::Page>(&reply.outcome.detail)) {
      reply.cursor = model::page_cursor(durable_, *page, given.cursor);
    }
    return reply;
  }
  const std::optional<faults::Call> call = fault_call(*frame.action);
  if (!call) {
    clock_.time_us = saturating_add(clock_.time_us, frame.lock_wait_us);
    reply.outcome = transaction(frame, call, reply);
    return reply;
  }
  std::optional<faults::Armed> armed;
  if (frame.fault != nullptr) {
    armed.emplace(frame.fault->plan, frame.interleave);
  } else if (frame.lock_wait_us != 0) {
    armed.emplace();
  }
  bool waited = false;
  if (armed) {
    armed->watch(faults::point_of(*call, faults::Place::begin), [&] {
      if (!std::exchange(waited, true))
        clock_.time_us = saturating_add(clock_.time_us, frame.lock_wait_us);
    });
  }
  reply.outcome = transaction(frame, call, reply);
  if (armed) reply.fired = armed->fired();
  return reply;
}

Outcome ModelSut::transaction(const CallFrame& frame, std::optional<faults::Call> call,
                              Reply& reply) {
  std::int64_t early_us = clock_.now_us();
  for (std::int64_t attempt = 0; attempt < busy_tries_; ++attempt) {
    bool committed = false;
    const model::State before = durable_;
    const std::size_t journal_before = journal_.size();
    try {
      hit(call, faults::Place::begin);
      if (locked_) throw Busy{};
      Outcome outcome;
      {
        const Lock lock(locked_);
        model::Given given = *frame.given;
        given.now_us = bug_.early_clock ? early_us : clock_.now_us();
        given.lease_generation = 0;
        std::from_chars(frame.handle.data(), frame.handle.data() + frame.handle.size(),
                        given.lease_generation);
        reply.now_us = given.now_us;
        reply.read_clock = true;
        model::State after = durable_;
        const model::Trail trail;
        outcome = run(after, frame, given);
        const bool changed = !(after == durable_);
        if (changed) hit(call, faults::Place::write);
        hit(call, faults::Place::commit);
        if (changed) {
          record(durable_, after, *frame.action, given, outcome, trail);
          durable_ = std::move(after);
          stale_ = true;
        }
        committed = true;
      }
      hit(call, faults::Place::committed);
      if (call) faults::hit(faults::observer_notify);
      if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
        reply.handle = std::to_string(leased->generation);
      }
      return outcome;
    } catch (const Busy&) {
      early_us = clock_.now_us();
    } catch (const Storage&) {
      return Word::storage_error;
    } catch (const faults::Crash&) {
      if (committed && bug_.forgets_commit) {
        durable_ = before;
        journal_.resize(journal_before);
        stale_ = true;
      }
      return Word::crashed;
    }
  }
  return Word::busy;
}

// As SEMANTICS 1 says: one event for each op that changed, one for a workflow that was made or
// asked to cancel; the first tells the call.
void ModelSut::record(const model::State& before, const model::State& after,
                      const model::Action& action, const model::Given& given,
                      const Outcome& outcome, const model::Trail& trail) {
  std::vector<JournalEvent> events;
  const auto add = [&](const std::string& workflow, const std::string& op,
                       std::int64_t generation) {
    JournalEvent event;
    event.at_us = given.now_us;
    event.generation = generation;
    event.workflow = workflow;
    event.op = op;
    event.kind = model::do_word(action);
    events.push_back(std::move(event));
  };
  for (const auto& [id, workflow] : after.workflows) {
    const auto* old = model::find_workflow(before, id);
    if (old == nullptr || old->cancel_requested != workflow.cancel_requested) add(id, {}, 0);
  }
  for (const auto& [id, op] : after.ops) {
    const auto* old = model::find_op(before, id);
    // These are events even where nothing can be seen of them.
    const bool unseen = outcome.word == Word::extended || outcome.word == Word::dispatching;
    const bool told = unseen && *op_of(action) == id;
    if (old == nullptr || told || !(old->view == op.view)) {
      add(op.view.workflow, id, op.view.generation);
    }
  }
  if (events.empty()) add({}, {}, 0);
  // What changed is seen from the states, since a bug may have changed more; its order is the
  // model's.
  const auto place = [&](const JournalEvent& event) {
    return std::find(trail.recorded.begin(), trail.recorded.end(),
                     model::Recorded{event.workflow, event.op});
  };
  std::stable_sort(events.begin(), events.end(), [&](const JournalEvent& a, const JournalEvent& b) {
    return place(a) < place(b);
  });

  ++calls_;
  events.front().detail = std::to_string(recorded_.size());
  DecodedCall decoded{action, given, outcome, {}};
  if (const model::WorkerHandle* by = handle_of(action)) {
    decoded.token = "token " + by->op + " " + std::to_string(given.lease_generation);
  } else if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
    decoded.token = "token " + leased->op + " " + std::to_string(leased->generation);
  }
  decoded.given.lease_generation = 0;
  recorded_.push_back(std::move(decoded));
  if (bug_.misrecord) bug_.misrecord(events);
  std::int64_t seq = journal_.empty() ? 0 : journal_.back().seq;
  for (JournalEvent& event : events) {
    event.seq += ++seq;
    event.call += calls_;
    journal_.push_back(std::move(event));
  }
}

const model::Observation& ModelSut::observe() {
  if (std::exchange(stale_, false)) {
    observed_ = model::observe(durable_);
    observed_.events = static_cast<std::int64_t>(journal_.size());
    observed_.last_seq = journal_.empty() ? 0 : journal_.back().seq;
    if (bug_.misreport) bug_.misreport(observed_);
  }
  return observed_;
}

void ModelSut::journal(std::int64_t after, std::vector<JournalEvent>& out) {
  for (std::size_t i = static_cast<std::size_t>(after < 0 ? 0 : after); i < journal_.size(); ++i) {
    out.push_back(journal_[i]);
  }
}

JournalDecoder ModelSut::decoder() {
  return [this](const JournalEvent& event) -> std::optional<DecodedEvent> {
    DecodedEvent decoded;
    if (event.detail.empty()) return decoded;
    std::size_t index = 0;
    const char* end = event.detail.data() + event.detail.size();
    if (std::from_chars(event.detail.data(), end, index).ptr != end) return std::nullopt;
    decoded.call = recorded_.at(index);
    return decoded;
  };
}

}  // namespace leaseproof::properties
