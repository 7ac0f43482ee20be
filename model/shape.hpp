// What makes a call `invalid` before anything is looked up: shape and least values (SEMANTICS,
// order of refusals).
//
// Promise: each function answers one human sentence that names the op or the field, or the empty
// string when the call is well formed; none looks at a state.
#pragma once

#include <cstdint>
#include <string>

#include "model/action.hpp"

namespace leaseproof::model {

std::string shape_fault(const Start& call, const Given& given);
std::string shape_fault(const Ensure& call, const Given& given);
std::string shape_fault(const Queue& call, const Given& given);
std::string shape_fault(const ContextPut& call, const Given& given);
std::string shape_fault(const ContextRevoke& call, const Given& given);
std::string shape_fault(const Lease& call, const Given& given);
std::string shape_fault(const Heartbeat& call, const Given& given);
std::string shape_fault(const Checkpoint& call, const Given& given);
std::string shape_fault(const RequestApproval& call, const Given& given);
std::string shape_fault(const Decide& call, const Given& given);
std::string shape_fault(const Dispatch& call, const Given& given);
std::string shape_fault(const Complete& call, const Given& given);
std::string shape_fault(const Fail& call, const Given& given);
std::string shape_fault(const Retry& call, const Given& given);
std::string shape_fault(const Cancel& call, const Given& given);
std::string shape_fault(const Reconcile& call, const Given& given);
std::string shape_fault(const Close& call, const Given& given);
std::string shape_fault(const Snapshot& call, const Given& given);
std::string shape_fault(const SnapshotsSince& call, const Given& given);

// The values of one op, without its place in a graph.
std::string shape_fault(const OpSpec& op);

}  // namespace leaseproof::model
