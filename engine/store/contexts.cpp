#include "engine/store/contexts.hpp"

#include <optional>

#include "engine/values/canonical_json.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Outcome;
using model::Word;

std::optional<std::int64_t> newest(Write& write, std::string_view scope) {
  auto rows = write.query(Sql::newest_context, scope);
  if (!rows.next()) return std::nullopt;
  return rows.integer(0);
}

}  // namespace

Outcome put_context(Write& write, const model::ContextPut& action) {
  const std::int64_t revision = newest(write, action.scope).value_or(0) + 1;
  write.execute(Sql::put_context, action.scope, revision, action.payload, write.now_us(),
                write.now_us() + action.ttl_us);
  write.journal().other("context_put");
  return Word::ok;
}

Outcome revoke_context(Write& write, std::string_view scope) {
  if (!newest(write, scope)) return Word::not_found;
  if (write.execute(Sql::revoke_context, scope) > 0) write.journal().other("context_revoked");
  return Word::ok;
}

Complaint check_contexts(Write& write, const std::vector<model::OpSpec>& ops) {
  for (const auto& op : ops) {
    if (!op.context || newest(write, *op.context)) continue;
    std::string why = "op ";
    append_json_string(why, op.id);
    why += " names the context ";
    append_json_string(why, *op.context);
    return why + ", which was never put; put it first";
  }
  return std::nullopt;
}

void pin_context(Write& write, std::int64_t op_row, const std::string& scope) {
  if (const auto revision = newest(write, scope)) {
    write.execute(Sql::insert_pin, op_row, scope, *revision);
  }
}

}  // namespace leaseproof::engine::store
