#include "model/graph.hpp"

#include <algorithm>
#include <cstddef>

namespace leaseproof::model {
namespace {

// The ops in id order, so that a need is found by bisection.
class Index {
 public:
  explicit Index(const std::vector<OpSpec>& ops) {
    sorted_.reserve(ops.size());
    for (const OpSpec& op : ops) sorted_.push_back(&op);
    std::sort(sorted_.begin(), sorted_.end(),
              [](const OpSpec* a, const OpSpec* b) { return a->id < b->id; });
  }
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t find(std::string_view id) const {
    const auto at = std::lower_bound(
        sorted_.begin(), sorted_.end(), id,
        [](const OpSpec* op, std::string_view want) { return std::string_view(op->id) < want; });
    if (at == sorted_.end() || (*at)->id != id) return none;
    return static_cast<std::size_t>(at - sorted_.begin());
  }
  const std::vector<const OpSpec*>& sorted() const { return sorted_; }

 private:
  std::vector<const OpSpec*> sorted_;
};

std::string quoted(std::string_view id) { return "op \"" + std::string(id) + "\""; }

// Takes away ops that wait for nothing until none is left; what stays waits for itself.
std::string cycle(const Index& index) {
  const auto& ops = index.sorted();
  std::vector<std::size_t> waits(ops.size(), 0);
  std::vector<std::vector<std::size_t>> dependents(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const Need& need : ops[i]->needs) {
      const std::size_t on = index.find(need.op);
      if (on == Index::none) continue;
      ++waits[i];
      dependents[on].push_back(i);
    }
  }
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (waits[i] == 0) free.push_back(i);
  }
  for (std::size_t at = 0; at < free.size(); ++at) {
    for (const std::size_t dependent : dependents[free[at]]) {
      if (--waits[dependent] == 0) free.push_back(dependent);
    }
  }
  if (free.size() == ops.size()) return {};
  // One that only waits behind a cycle would be the wrong one to blame; walking back along what is
  // left always ends inside it.
  std::size_t at = 0;
  while (waits[at] == 0) ++at;
  for (std::size_t walked = 0; walked < ops.size(); ++walked) {
    for (const Need& need : ops[at]->needs) {
      const std::size_t on = index.find(need.op);
      if (on != Index::none && waits[on] > 0) {
        at = on;
        break;
      }
    }
  }
  return quoted(ops[at]->id) + " is part of a cycle of needs";
}

}  // namespace

std::string graph_fault(const std::vector<OpSpec>& ops,
                        const std::function<bool(std::string_view)>& exists) {
  if (ops.empty()) return {};
  const Index index(ops);
  const auto& sorted = index.sorted();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->id == sorted[i]->id) return quoted(sorted[i]->id) + " is given twice";
  }
  bool any_need = false;
  for (const OpSpec& op : ops) {
    for (const Need& need : op.needs) {
      any_need = true;
      if (index.find(need.op) == Index::none && !exists(need.op)) {
        return quoted(op.id) + " needs \"" + need.op + "\", which does not exist";
      }
    }
  }
  return any_need ? cycle(index) : std::string();
}

}  // namespace leaseproof::model
