// What workers hold: the handles of their leases, which outlive a restart of the engine and die
// with the worker's process (TRACE 2).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/vocabulary.hpp"

namespace leaseproof::properties {

struct Handle {
  std::int64_t generation = 0;
  std::string text;  // opaque: what the engine gave as proof of the lease
};

class Handles {
 public:
  void clear() { by_worker_.clear(); }
  void add(const std::string& worker, const std::string& op, Handle handle);
  // The worker's process dies: everything it held is gone.
  void forget(const std::string& worker) { by_worker_.erase(worker); }
  // The `by.handle`-th handle of the worker for the op, 0 being the newest; null where there is
  // none.
  [[nodiscard]] const Handle* find(const model::WorkerHandle& by) const;
  // How many handles the worker holds for the op.
  [[nodiscard]] std::int64_t count(const std::string& worker, const std::string& op) const;
  // Who holds a handle of this generation, or null: nobody can act for that lease any more.
  [[nodiscard]] const std::string* holder(const std::string& op, std::int64_t generation) const;

 private:
  using ByOp = std::unordered_map<std::string, std::vector<Handle>>;  // oldest first
  std::unordered_map<std::string, ByOp> by_worker_;
};

}  // namespace leaseproof::properties
