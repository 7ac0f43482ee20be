// Every statement of a migration, named, with its reason: a closed list, so that no table or column
// name ever comes from data.
//
// Promise: legacy tables are only read, but for the integer columns that version 3 adds to them. In
// the reading statements the key comes first, and each column is called as in its table, since a
// refusal names it so.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace leaseproof::engine::store {

enum class Legacy : std::size_t {
  missing_column,
  has_column,
  add_workflow_created,
  add_workflow_updated,
  add_op_next_attempt,
  add_op_created,
  add_op_updated,
  add_lease_acquired,
  add_lease_expires,
  add_last_refill,
  add_result_completed,
  add_artifact_created,
  workflow_times,
  op_times,
  lease_times,
  refill_times,
  result_times,
  artifact_times,
  fill_workflow,
  fill_op,
  fill_lease,
  fill_refill,
  fill_result,
  fill_artifact,
  taken_name,
  begin_rehearsal,
  undo_rehearsal,
  end_rehearsal,
  workflows,
  carry_workflow,
  ops,
  carry_op,
  leases,
  carry_lease,
  dependencies,
  carry_need,
  needs,
  op_id,
  results,
  carry_result,
  artifacts,
  artifact_body,
  artifact_name_taken,
  carry_artifact,
  untold_workflows,
  tell,
  stamp,
};

struct LegacyStatement {
  Legacy id;
  std::string_view text;
  std::string_view reason;
};

inline constexpr std::size_t legacy_statement_count = static_cast<std::size_t>(Legacy::stamp) + 1;
extern const std::array<LegacyStatement, legacy_statement_count> legacy_catalog;

}  // namespace leaseproof::engine::store
