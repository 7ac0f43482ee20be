#include "engine/store/creation.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/store/contexts.hpp"
#include "engine/store/retry_columns.hpp"
#include "engine/values/canonical_json.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/id_source.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Outcome;
using model::Word;

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// An id that another op has already.
Complaint check_fresh(Write& write, const std::vector<model::OpSpec>& ops) {
  for (const auto& op : ops) {
    auto rows = write.query(Sql::op_row, op.id);
    if (rows.next()) return "op " + quoted(op.id) + " exists already; op ids are unique";
  }
  return std::nullopt;
}

void insert_effect(Write& write, std::int64_t op_row, const model::EffectSpec& effect) {
  write.execute(Sql::insert_effect, op_row, model::word(effect.contract),
                static_cast<std::int64_t>(effect.approval), effect.retention_us, effect.target,
                effect.scope, effect.requester);
}

struct NewWorkflow {
  const std::string& id;
  const std::string& package;
  std::optional<std::string> digest;
  const std::string& input;
};

Outcome create(Write& write, const NewWorkflow& fresh, const std::vector<model::OpSpec>& ops) {
  if (auto why = check_fresh(write, ops)) return Outcome::invalid(std::move(*why));
  if (auto why = check_contexts(write, ops)) return Outcome::invalid(std::move(*why));
  std::int64_t row = 0;
  {
    auto rows = write.query(Sql::insert_workflow, fresh.id, fresh.package, fresh.digest,
                            fresh.input, write.now_us());
    if (!rows.next()) return Word::storage_error;
    row = rows.integer(0);
  }
  write.first_change();
  write.journal().workflow(row, "workflow_created");
  create_ops(write, ops, row);
  return {Word::created, model::Identified{fresh.id}};
}

}  // namespace

std::string identity_digest(const std::string& canonical_identity) {
  return sha256_hex(canonical_identity);
}

void create_ops(Write& write, const std::vector<model::OpSpec>& ops, std::int64_t workflow) {
  std::vector<std::pair<std::string_view, std::int64_t>> created;
  created.reserve(ops.size());
  for (const auto& op : ops) {
    const std::string delays = delays_text(op.retry.delays_us);
    auto rows = write.query(Sql::insert_op, op.id, workflow, op.kind, op.site, op.queue, op.input,
                            op.max_attempts, op.deadline_us, model::word(op.retry.policy), delays,
                            op.retry.base_us, op.retry.multiplier, op.retry.cap_us, write.now_us());
    if (!rows.next()) return;
    created.emplace_back(op.id, rows.integer(0));
    write.first_change();
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const auto& need : ops[i].needs) {
      write.execute(Sql::insert_need, created[i].second, need.op,
                    static_cast<std::int64_t>(need.required));
    }
    if (ops[i].effect) insert_effect(write, created[i].second, *ops[i].effect);
    if (ops[i].context) pin_context(write, created[i].second, *ops[i].context);
  }
  std::sort(created.begin(), created.end());
  for (const auto& [id, row] : created) {
    write.journal().op(row, workflow, 0, "op_created", "", "pending");
  }
}

Complaint check_emitted(Write& write, const std::vector<model::OpSpec>& ops,
                        std::int64_t parent_workflow) {
  if (auto why = check_fresh(write, ops)) return why;
  if (auto why = check_contexts(write, ops)) return why;
  return check_graph(ops, [&](const std::string& id) {
    auto rows = write.query(Sql::op_row, id);
    return rows.next() && rows.integer(1) == parent_workflow;
  });
}

Outcome start(Write& write, const model::Start& action) {
  const std::string id = action.workflow ? *action.workflow : new_uuid(write.ids());
  {
    auto rows = write.query(Sql::workflow_by_id, id);
    if (rows.next()) return Word::exists;
  }
  return create(write, {id, action.package, std::nullopt, action.input}, action.ops);
}

Outcome ensure(Write& write, const model::Ensure& action) {
  std::string digest = identity_digest(action.identity);
  const std::string id = action.workflow ? *action.workflow : action.package + "-" + digest;
  {
    auto rows = write.query(Sql::same_identity, id, action.package, digest);
    if (rows.next()) {
      if (rows.integer(0) == 0) return Word::identity_conflict;
      return {Word::attached, model::Identified{id}};
    }
  }
  return create(write, {id, action.package, std::move(digest), action.input}, action.ops);
}

}  // namespace leaseproof::engine::store
