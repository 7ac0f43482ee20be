// Shape and least values of what callers hand in: the first of the refusals (SEMANTICS, order of
// refusals). Nothing here looks at a database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary.hpp"

namespace leaseproof::engine {

// One sentence that names the place and the mend, or nothing when the shape is good.
using Complaint = std::optional<std::string>;

// A name is non-empty valid UTF-8. `what` says which one it is ("op id").
Complaint check_name(std::string_view what, std::string_view name);
Complaint check_utf8(std::string_view what, std::string_view text);
// At least `least`.
Complaint check_least(std::string_view what, std::int64_t value, std::int64_t least);
// Replaces a JSON text by its canonical form.
Complaint make_canonical(std::string_view what, std::string& text);

// Values of each op, and canonical inputs; not the graph.
Complaint check_ops(std::vector<model::OpSpec>& ops);
// The graph of a list of ops: no id twice, no need outside the list and `known`, no cycle. `known`
// answers whether an op outside the list may be needed.
template <class Known>
Complaint check_graph(const std::vector<model::OpSpec>& ops, Known known);

Complaint check_queue(const model::Queue& queue);
Complaint check_artifacts(const std::vector<model::Artifact>& artifacts);

// a + b for a, b ≥ 0 microseconds, or nothing past 64 bits.
std::optional<std::int64_t> sum_us(std::int64_t a, std::int64_t b);

namespace shape_detail {
Complaint check_acyclic(const std::vector<model::OpSpec>& ops);
Complaint check_unique(const std::vector<model::OpSpec>& ops);
bool listed(const std::vector<model::OpSpec>& ops, std::string_view id);
std::string unknown_need(std::string_view op, std::string_view need);
}  // namespace shape_detail

template <class Known>
Complaint check_graph(const std::vector<model::OpSpec>& ops, Known known) {
  if (auto why = shape_detail::check_unique(ops)) return why;
  for (const auto& op : ops) {
    for (const auto& need : op.needs) {
      if (!shape_detail::listed(ops, need.op) && !known(need.op)) {
        return shape_detail::unknown_need(op.id, need.op);
      }
    }
  }
  return shape_detail::check_acyclic(ops);
}

}  // namespace leaseproof::engine
