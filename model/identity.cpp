// start and ensure (SEMANTICS 2).
#include "model/canonical.hpp"
#include "model/change.hpp"
#include "model/creation.hpp"
#include "model/judge.hpp"
#include "model/promise.hpp"
#include "model/sha256.hpp"

namespace leaseproof::model {
namespace {

Outcome create(State& state, const std::string& id, const std::string& package, std::string digest,
               const std::vector<OpSpec>& ops, const Given& given) {
  if (std::string fault = creation_fault(state, ops); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  WorkflowState workflow;
  workflow.identity = Immutable<WorkflowIdentity>({package, std::move(digest)});
  record(state, state.workflows.emplace(id, std::move(workflow)).first, id);
  create_ops(state, id, ops, given.now_us);
  return {Word::created, Identified{id}};
}

}  // namespace

Outcome judge(State& state, const Start& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  promise(call.workflow || !given.fresh_id.empty(), "start without an id is given a fresh one");
  const std::string& id = call.workflow ? *call.workflow : given.fresh_id;
  if (find_workflow(state, id)) return Word::exists;
  return create(state, id, call.package, {}, call.ops, given);
}

Outcome judge(State& state, const Ensure& call, const Given& given) {
  if (std::string fault = shape_fault(call, given); !fault.empty()) {
    return Outcome::invalid(std::move(fault));
  }
  std::string digest = digest_of(call.identity);
  const std::string id = call.workflow ? *call.workflow : call.package + "-" + digest;
  if (const WorkflowRef workflow = find_workflow(state, id)) {
    const bool same = *workflow->identity == WorkflowIdentity{call.package, digest};
    if (!same) return Word::identity_conflict;
    return {Word::attached, Identified{id}};
  }
  return create(state, id, call.package, std::move(digest), call.ops, given);
}

}  // namespace leaseproof::model
