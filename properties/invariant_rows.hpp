// The predicates behind the rows of invariants.hpp, by subject: leases, graph, outside, journal.
#pragma once

#include <string>

#include "properties/judgement.hpp"

namespace leaseproof::properties {

// invariants_lease.cpp: who may change what, and when.
std::string judge_no_stale_commit(const Judgement& judgement);
std::string judge_lease_iff_running(const Judgement& judgement);
std::string judge_queue_caps(const Judgement& judgement);
std::string judge_budgets(const Judgement& judgement);
// Of a single step only what is visible in it: see the sentence of the row. That the columns are
// integers, and that an old database orders by instant, is tested where databases are opened.
std::string judge_time_is_numeric(const Judgement& judgement);

// invariants_graph.cpp: what stands in which order, and what is final.
std::string judge_no_blocked_left(const Judgement& judgement);
std::string judge_ready_means_needs_done(const Judgement& judgement);
std::string judge_terminal_is_final(const Judgement& judgement);
std::string judge_all_or_nothing(const Judgement& judgement);
std::string judge_one_identity(const Judgement& judgement);

// invariants_outside.cpp: what is written to the outside world, by whose leave, and what is
// unknown. Judged by the harness's own service and history, not by what the engine stores.
std::string judge_no_duplicate_effect(const Judgement& judgement);
std::string judge_approval_binds(const Judgement& judgement);
std::string judge_unknown_never_resent(const Judgement& judgement);

// invariants_journal.cpp: what is told about it.
// Per step: sequence, grouping and coverage of the events. The replay is in journal_replay.hpp.
std::string judge_journal_is_truth(const Judgement& judgement);
std::string judge_snapshots_true(const Judgement& judgement);

}  // namespace leaseproof::properties
