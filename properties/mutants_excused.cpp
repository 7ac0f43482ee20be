#include "properties/mutants_excused.hpp"

#include <algorithm>

namespace leaseproof::properties {

namespace {

struct Group {
  Excuse excuse;
  std::vector<std::string_view> mutants;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {{Leaves::the_same,
        "judged twice: the row was read and judged under the same write lock, or the next "
        "statement judges it again"},
       {"ask_to_cancel/drop/2",
        "begin_dispatch/drop/2",
        "block_op/drop/2",
        "blocked_dependents/drop/3",
        "blocked_to_reopen/drop/1",
        "cancel_op/drop/4",
        "close_without_effect/drop/2",
        "confirm_effect/drop/2",
        "confirm_found/drop/2",
        "confirm_op/drop/2",
        "decide_request/drop/3",
        "decide_request/shift/1",
        "dispatch_again/drop/2",
        "drop_expired_lease/drop/2",
        "drop_lease/drop/1",
        "drop_lease/drop/2",
        "expired_leases/drop/4",
        "expired_leases/drop/6",
        "expired_leases/drop/7",
        "extend_lease/drop/1",
        "extend_lease/drop/2",
        "extend_lease/drop/3",
        "extend_lease/shift/1",
        "fail_ready/drop/4",
        "fail_running/drop/4",
        "fail_waiting/drop/2",
        "finish_op/drop/3",
        "mark_unsure/drop/2",
        "next_ready_queue/drop/1",
        "next_ready_queue/drop/4",
        "oldest_due_retry/drop/1",
        "own/drop/2",
        "own/drop/3",
        "own_to_complete/drop/2",
        "own_to_complete/drop/3",
        "own_to_fail/drop/2",
        "own_to_fail/drop/3",
        "pending_to_block/drop/1",
        "pending_to_ready/drop/1",
        "ready_approved/drop/2",
        "ready_op/drop/2",
        "reconcile_running/drop/2",
        "recover_op/drop/2",
        "refuse_effect/drop/2",
        "reopen_op/drop/2",
        "retry_op/drop/2",
        "schedule_retry/drop/2",
        "take_op/drop/2",
        "wait_for_approval/drop/2"}},
      {{Leaves::the_same, "it is NULL there already: only ready ops have a due time"},
       {"fail_running/keep/3", "fail_waiting/keep/3", "finish_op/keep/3", "first_retry/drop/1",
        "queue_due/drop/4", "queue_due/drop/5", "ready_approved/keep/2", "ready_op/keep/2",
        "reconcile_running/keep/2", "recover_op/keep/2", "retry_op/keep/2",
        "wait_for_approval/keep/2"}},
      {{Leaves::other_marks,
        "the marks of what has changed spare work and decide nothing: without them more rows are "
        "looked at"},
       {"anything_marked/drop/1", "finish_op/drop/1", "pending_to_block/drop/2",
        "pending_to_block/drop/3", "pending_to_block/drop/4", "pending_to_block/drop/5",
        "pending_to_block/turn/2", "pending_to_ready/drop/2", "pending_to_ready/drop/3",
        "pending_to_ready/drop/4", "pending_to_ready/drop/5", "unmark/drop/1", "unmark/keep/1",
        "unmark/skip/1", "unmark/turn/1"}},
      {{Leaves::the_same,
        "a failure reads the state of the context with the ownership and has no use for it"},
       {"own_to_fail/drop/7", "own_to_fail/drop/8", "own_to_fail/drop/9", "own_to_fail/shift/2",
        "own_to_fail/turn/10", "own_to_fail/turn/11", "own_to_fail/turn/5", "own_to_fail/turn/6",
        "own_to_fail/turn/9"}},
      {{Leaves::the_same, "the least of values is none of those that are absent"},
       {"first_retry/drop/2"}},
      {{Leaves::the_same, "a moment that is too early lets ops that are due be looked for sooner"},
       {"first_retry/drop/3", "first_retry/drop/4"}},
      {{Leaves::the_same, "a seq is the last of one workflow at most"}, {"changed_since/drop/1"}},
      {{Leaves::the_same,
        "the list is that of the index, and has the one status that is asked for"},
       {"unknown_effects/drop/2", "unknown_effects/status/1"}},
      {{Leaves::the_same, "a required need is done by then, and what is done is settled"},
       {"pending_to_ready/drop/14"}},
      {{Leaves::other_marks,
        "it finds something only in a database of an older version, which comes with all ops "
        "marked"},
       {"blocked_to_reopen/drop/2", "blocked_to_reopen/drop/3", "blocked_to_reopen/drop/4",
        "blocked_to_reopen/drop/5", "blocked_to_reopen/turn/2", "blocked_to_reopen/turn/3",
        "blocked_to_reopen/turn/4"}},
      {{Leaves::other_marks,
        "what lets it go on is a change of one of its needs, and that one is marked then"},
       {"cancel_op/keep/4", "reopen_op/keep/2", "retry_op/keep/6"}},
  };
  return all;
}

}  // namespace

const Excuse* find_excuse(std::string_view mutant) {
  for (const Group& group : groups()) {
    if (std::find(group.mutants.begin(), group.mutants.end(), mutant) != group.mutants.end()) {
      return &group.excuse;
    }
  }
  return nullptr;
}

std::vector<std::string_view> excused_mutants() {
  std::vector<std::string_view> all;
  for (const Group& group : groups()) {
    all.insert(all.end(), group.mutants.begin(), group.mutants.end());
  }
  return all;
}

}  // namespace leaseproof::properties
