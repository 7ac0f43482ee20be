// Each statement of the engine by name.
//
// Promise: a name is an index into the catalogue; where it stands there is checked at compile time.
#pragma once

#include <cstddef>
#include <string_view>

namespace leaseproof::engine::store {

enum class Sql : std::size_t {
  // catalog_database.hpp
  count_tables,
  know_wal,
  is_ours,
  known_version,
  steps_of_others,
  taken_name,
  record_version,
  begin_write,
  commit,
  rollback,
  begin_read,
  last_event,
  insert_event,
  stamp_workflow,
  event_at,
  write_over,
  written_over,
  check_integrity,
  erase_event,
  erase_approval,
  erase_effect,
  erase_pin,
  erase_context,
  erase_artifact,
  erase_checkpoint,
  erase_result,
  erase_lease,
  erase_need,
  erase_op,
  erase_workflow,
  erase_queue,
  // catalog_creation.hpp
  workflow_by_id,
  same_identity,
  insert_workflow,
  insert_op,
  insert_need,
  op_row,
  // catalog_leasing.hpp
  queue_state,
  put_queue,
  queue_running,
  spend_token,
  next_ready_queue,
  oldest_fresh,
  oldest_due_retry,
  take_op,
  insert_lease,
  fail_ready,
  // catalog_work.hpp
  own,
  own_to_complete,
  own_to_fail,
  extend_lease,
  drop_lease,
  checkpoint_payload,
  insert_checkpoint,
  finish_op,
  insert_result,
  insert_artifact,
  fail_running,
  schedule_retry,
  expired_leases,
  drop_expired_lease,
  recover_op,
  // catalog_effects.hpp
  newest_context,
  put_context,
  revoke_context,
  insert_pin,
  insert_effect,
  effect_of,
  newest_approval,
  approval_covers,
  insert_approval,
  wait_for_approval,
  expired_requests,
  end_request,
  fail_waiting,
  op_to_decide,
  decide_request,
  ready_approved,
  cancel_live_approval,
  begin_dispatch,
  dispatch_again,
  mark_unsure,
  refuse_effect,
  confirm_effect,
  confirm_found,
  reconcile_running,
  op_to_reconcile,
  confirm_op,
  close_without_effect,
  observe_approvals,
  approvals_to_review,
  unknown_effects,
  count_for_a_person,
  // catalog_graph.hpp
  anything_marked,
  pending_to_block,
  block_op,
  blocked_to_reopen,
  reopen_op,
  pending_to_ready,
  ready_op,
  unmark,
  op_to_retry,
  retry_op,
  blocked_dependents,
  has_open_op,
  ops_to_cancel,
  drop_lease_of,
  cancel_op,
  ask_to_cancel,
  // catalog_reading.hpp
  count_by_status,
  changed_workflows,
  first_seq_since,
  observe_workflows,
  observe_ops,
  observe_op,
  observe_artifacts,
  observe_checkpoints,
  observe_queues,
  count_events,
  undone_is_excused,
  events_after,
  work_of,
  unobserved_of_ops,
};

constexpr std::size_t index(Sql id) { return static_cast<std::size_t>(id); }

struct Statement {
  Sql id;
  std::string_view name;
  std::string_view text;
  std::string_view reason;
};

}  // namespace leaseproof::engine::store
