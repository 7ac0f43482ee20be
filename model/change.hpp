// The only ways in which a rule changes a state: each keeps what is derived (counts, running ops of
// a queue, who is needed, seqs) and checks the lifecycle tables.
//
// For the rooms of `apply` only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/lifecycle.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// Changes the status; a lease ends with `running`, a due time and, in a done status, an error end
// with any change (SEMANTICS 3). `to` must differ from the status.
void move(State& state, OpRef op, OpRule via, OpStatus to);
void move_approval(OpRef op, ApprovalRule via, ApprovalStatus to);
void move_effect(OpRef op, EffectRule via, EffectStatus to);

// Ends the op as `end` (failed or canceled), or as `reconciling` while its effect is dispatching:
// unknown is never hidden. Answers what it became.
OpStatus end_or_reconcile(State& state, OpRef op, OpRule via, OpStatus end);

// The same to `failed`, keeping the reason; records the event.
OpStatus fail_for(State& state, OpRef op, OpRule via, std::string_view reason);

bool is_dispatching(const Op& op);

// SEMANTICS 3: a request approval that can still become, or be, permission to write.
bool is_live(const Op& op, std::int64_t now_us);

// SEMANTICS 1, effect contract. `t_us` is `now` in refresh and fail, the lease's expiry in
// dispatch.
bool is_resendable(const State& state, const Op& op, std::int64_t t_us);

bool out_of_attempts(const Op& op);
bool past_deadline(const Op& op, std::int64_t now_us);

// Adds a pending op of that workflow, pinned to its context as it stands; an event is recorded by
// the caller. Id, needs and scope have been judged. Call `mark_needs` once all ops of a call stand.
OpRef add_op(State& state, std::string_view workflow, const OpSpec& spec, std::int64_t now_us);
void mark_needs(State& state, const Op& op);

// One event that belongs to the workflow, to the op's workflow, or to none.
void record(State& state, WorkflowRef workflow, std::string_view id);
void record(State& state, const Op& op);
void record_unowned(State& state);

}  // namespace leaseproof::model
