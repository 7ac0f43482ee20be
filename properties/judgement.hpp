// What an invariant and a goal may look at: the calls of one top-level step, what they changed,
// what the journal says about them, and what the harness saw before.
//
// Promise: everything here was seen from outside: sent, answered, observed or computed by the
// harness. Nothing comes from the model except `model_difference`, which is what one row is about.
// All references die with the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/plan.hpp"
#include "faults/point.hpp"
#include "model/vocabulary.hpp"
#include "properties/step.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

class History;
class Outside;
struct OpFacts;

// What the harness saw of an op's newest request for approval.
struct RequestFacts {
  std::string payload;
  std::int64_t expires_us = 0;
  bool approved = false;
  bool by_allowed = false;  // who approved it may
  bool in_time = false;     // and did before it expired
  bool over = false;        // spent, rejected, void, canceled, or found expired
  bool unclear = false;     // too much went unheard at once to tell
};

// What the harness saw of an op's newest dispatch from `none` or `refused`, and of those under it.
struct DispatchFacts {
  std::string payload;
  std::int64_t at_us = 0;
  std::int64_t permit_ends_us = 0;  // of the last permit, at the latest
  bool open = false;                // neither refused, nor confirmed, nor closed
  bool unsure = false;              // some dispatch ended without an answer
  bool unclear = false;             // too much went unheard at once to tell the rest
};

// How a call ended, as far as the harness can know it without asking the engine.
enum class Ended : std::uint8_t {
  answered,  // the caller heard the outcome
  unheard,   // the process died after COMMIT: the change stands, nobody heard it
  undone     // died before COMMIT, or all tries used: nothing stands
};

// What the history knew of the call's op or workflow in the instant before the call.
struct Standing {
  bool op_known = false;
  bool held = false;  // a lease was granted and neither recovered, ended nor canceled since
  std::int64_t generation = 0;
  std::int64_t expires_us = 0;
  std::optional<std::int64_t> deadline_us;
  std::int64_t claims = 0;  // since the op was made or an operator retried it
  std::int64_t max_attempts = 0;
  bool owner_shared = false;  // another lease of this op was granted under the same owner name
  bool recovered = false;     // the last lease of this op was taken by refresh
  bool workflow_known = false;
  bool same_package = false;
  bool same_identity = false;
  std::int64_t expired_leases = 0;  // `refresh`: held leases with expiry at or before now
  const model::EffectSpec* effect = nullptr;
  std::optional<std::int64_t> context_expires_us;  // of the context that the op was made under
  std::optional<RequestFacts> request;
  std::optional<DispatchFacts> dispatch;
};

// One call that reached the engine, or one move of the harness itself.
struct CallFact {
  const Step* step = nullptr;
  model::Given given;  // as the harness worked it out; `now_us` is the moment under the lock
  model::Outcome outcome;
  Ended ended = Ended::answered;
  bool to_engine = false;
  bool locked_out = false;  // another call held the write lock meanwhile
  std::int64_t fired = 0;   // how often the fault of this call fired
  std::int64_t depth = 0;   // 0 top-level, 1 interleaved into it, …
  Standing standing;

  [[nodiscard]] const model::Action& action() const { return step->action; }
  [[nodiscard]] model::Word word() const { return outcome.word; }
  // Answered, and with this word.
  [[nodiscard]] bool told(model::Word w) const {
    return ended == Ended::answered && outcome.word == w;
  }
};

struct OpChange {
  const std::string* id = nullptr;
  const model::OpView* before = nullptr;  // null: the op is new
  const model::OpView* after = nullptr;   // null: the op is gone
  const OpFacts* facts = nullptr;         // null: no call that the harness saw made this op
};

struct WorkflowChange {
  const std::string* id = nullptr;
  const model::WorkflowView* before = nullptr;
  const model::WorkflowView* after = nullptr;
};

struct Judgement {
  const model::Observation* before = nullptr;
  const model::Observation* after = nullptr;
  // In the order in which they took effect; one of them unless steps were interleaved.
  const std::vector<CallFact>* calls = nullptr;
  const std::vector<OpChange>* ops = nullptr;  // in the order of ids
  const std::vector<WorkflowChange>* workflows = nullptr;
  const std::vector<JournalEvent>* events = nullptr;  // written during this step
  const History* history = nullptr;                   // with this step taken in
  const Outside* outside = nullptr;                   // after this step
  std::int64_t last_seq = 0;                          // of the journal before this step
  std::int64_t last_call = 0;
  bool has_journal = true;  // without, nothing is known of the order of changes
  // A call went unheard while others acted too: what belongs to which call cannot be told apart,
  // so rows that attribute a change to a call leave the step alone.
  bool hazy = false;
  const std::string* model_difference = nullptr;

  // The only call of the step that reached the engine, or null.
  [[nodiscard]] const CallFact* only_call() const {
    const CallFact* only = nullptr;
    for (const CallFact& call : *calls) {
      if (!call.to_engine) continue;
      if (only != nullptr) return nullptr;
      only = &call;
    }
    return only;
  }
  [[nodiscard]] const OpChange* change_of(std::string_view op) const {
    for (const OpChange& change : *ops) {
      if (*change.id == op) return &change;
    }
    return nullptr;
  }
};

// The handle of a worker call, or null for every other action (a lease is none: it has no handle).
const model::WorkerHandle* handle_of(const model::Action& action);
// The op that the action names, or null where it names none.
const std::string* op_of(const model::Action& action);
// The worker whose process makes the call, or null for operators, `refresh` and the like.
const std::string* worker_of(const model::Action& action);
// Whether the action is a read transaction, which takes no write lock and has no fault points.
bool is_read(const model::Action& action);
// Whether the harness itself carries it out: `call`, `deliver`, `advance`, `restart`, `forget`.
bool is_harness(const model::Action& action);
// Whether the engine takes part in such a step. What the harness plays is always there, apart from
// the outside service, which an engine that does not dispatch has no part in.
bool takes_part(const Sut& sut, const model::Action& action);
// Whether effects, and so approvals, contexts and the outside service, are there at all.
bool dispatches(const Sut& sut);
// The call of the fault registry that this action's points are named after, or nothing.
std::optional<faults::Call> fault_call(const model::Action& action);

// A worker call that was answered with a word under which SEMANTICS 3 changes the op, or that went
// unheard and left its op changed.
bool acted(const CallFact& call, const Judgement& judgement);

}  // namespace leaseproof::properties
