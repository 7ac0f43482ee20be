#include "properties/handles.hpp"

#include <utility>

namespace leaseproof::properties {

void Handles::add(const std::string& worker, const std::string& op, Handle handle) {
  by_worker_[worker][op].push_back(std::move(handle));
}

const Handle* Handles::find(const model::WorkerHandle& by) const {
  const auto worker = by_worker_.find(by.worker);
  if (worker == by_worker_.end()) return nullptr;
  const auto op = worker->second.find(by.op);
  if (op == worker->second.end()) return nullptr;
  const auto count = static_cast<std::int64_t>(op->second.size());
  if (by.handle < 0 || by.handle >= count) return nullptr;
  return &op->second[static_cast<std::size_t>(count - 1 - by.handle)];
}

std::int64_t Handles::count(const std::string& worker, const std::string& op) const {
  const auto held = by_worker_.find(worker);
  if (held == by_worker_.end()) return 0;
  const auto at = held->second.find(op);
  return at == held->second.end() ? 0 : static_cast<std::int64_t>(at->second.size());
}

const std::string* Handles::holder(const std::string& op, std::int64_t generation) const {
  const std::string* found = nullptr;
  for (const auto& [worker, ops] : by_worker_) {
    const auto at = ops.find(op);
    if (at == ops.end() || at->second.empty()) continue;
    if (at->second.back().generation != generation) continue;
    if (found == nullptr || worker < *found) found = &worker;
  }
  return found;
}

}  // namespace leaseproof::properties
