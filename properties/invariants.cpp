#include "properties/invariants.hpp"

#include "properties/invariant_rows.hpp"

namespace leaseproof::properties {

namespace {
std::string judge_conformity(const Judgement& judgement) {
  return judgement.model_difference == nullptr ? std::string() : *judgement.model_difference;
}
}  // namespace

const std::array<Invariant, invariant_count> invariants{{
    {"I1", "no_stale_commit",
     "Every worker call that changed anything was made under the op's current token and "
     "generation, "
     "unexpired at the moment of its transaction.",
     judge_no_stale_commit},
    {"I2", "no_duplicate_effect",
     "The outside service holds at most one write for each operation key, and each op has one key "
     "of its own.",
     judge_no_duplicate_effect},
    {"I3", "no_blocked_left",
     "After refresh a pending or blocked op is blocked exactly if a required need is stopping; and "
     "once faults stop and everybody acts fairly, every op settles.",
     judge_no_blocked_left},
    {"I4", "lease_iff_running",
     "There is one lease for each running op and none otherwise, and its generation is the op's.",
     judge_lease_iff_running},
    {"I5", "ready_means_needs_done", "A ready or running op has every required need done.",
     judge_ready_means_needs_done},
    {"I6", "terminal_is_final",
     "A terminal op never changes its status, result or artifacts, and nothing that exists is "
     "lost.",
     judge_terminal_is_final},
    {"I7", "queue_caps",
     "No queue runs more ops than its cap, and none grants more leases than burst + rate x the "
     "time between its grants.",
     judge_queue_caps},
    {"I8", "budgets",
     "No op is claimed more often than max_attempts between operator retries, and nothing new "
     "starts at or after its deadline.",
     judge_budgets},
    {"I9", "approval_binds",
     "Each dispatch of an op that needs approval is covered by one approval: of that payload, by "
     "an actor who may give it, unexpired at the dispatch, used once.",
     judge_approval_binds},
    {"I10", "unknown_never_resent",
     "While it is unknown whether an op was written, nothing new is sent for it unless the service "
     "takes it for the same, it does not settle, and reconciling ends only by a receipt or by "
     "evidence.",
     judge_unknown_never_resent},
    {"I11", "journal_is_truth",
     "The journal has no gap, every change stands in exactly one event of its call, and replaying "
     "its calls through the model gives the tables.",
     judge_journal_is_truth},
    {"I12", "all_or_nothing",
     "A result exists exactly if its op is done; emitted ops and artifacts exist exactly if their "
     "parent's completion committed.",
     judge_all_or_nothing},
    {"I13", "one_identity", "A workflow id stands for one identity, and is created once.",
     judge_one_identity},
    {"I14", "snapshots_true",
     "The counts of a snapshot add up to the ops, and a reader that pages is told every workflow "
     "after its last change.",
     judge_snapshots_true},
    {"I15", "time_is_numeric",
     "Times compare as numbers: refresh recovers exactly the leases that expired at or before its "
     "now, and a leased op was due.",
     judge_time_is_numeric},
    {"", "conforms_to_model", "Every answer and every observed field is what the model says.",
     judge_conformity},
}};

std::optional<std::size_t> find_invariant(std::string_view name) {
  for (std::size_t i = 0; i < invariants.size(); ++i) {
    if (invariants[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace leaseproof::properties
