#include "model/roster.hpp"

#include "model/state.hpp"

namespace leaseproof::model {
namespace {

Roster::Entry entry_of(const Op& op) { return {op.created_us, op.spec->id}; }

}  // namespace

void Roster::add(const Op& op) { unsure.insert(entry_of(op)); }

void Roster::add_need(const Op& op, const std::string& needed) {
  needed_by_[needed].push_back(entry_of(op));
}

void Roster::move(const Op& op, OpStatus from) {
  const OpStatus to = op.view.status;
  const Entry entry = entry_of(op);
  if (from == OpStatus::ready) {
    const auto queue = ready.find({op.spec->site, op.spec->queue});
    queue->second.erase(entry);
    if (queue->second.empty()) ready.erase(queue);
  }
  if (to == OpStatus::ready) ready[{op.spec->site, op.spec->queue}].insert(entry);
  if (from == OpStatus::running) running.erase(entry);
  if (to == OpStatus::running) running.insert(entry);
  if (from == OpStatus::waiting_approval) waiting_approval.erase(entry);
  if (to == OpStatus::waiting_approval) waiting_approval.insert(entry);
  if (!is_settled(from) && !is_settled(to)) return;
  if (const auto above = needed_by_.find(entry.id); above != needed_by_.end()) {
    unsure.insert(above->second.begin(), above->second.end());
  }
}

void Roster::forget(const Op& op) {
  unsure.erase(entry_of(op));
  needed_by_.erase(op.spec->id);
}

}  // namespace leaseproof::model
