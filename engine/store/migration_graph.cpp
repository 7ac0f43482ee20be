#include "engine/store/migration_graph.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/store/legacy_retry.hpp"
#include "engine/store/retry_columns.hpp"
#include "engine/values/canonical_json.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine::store {
namespace {

// Version 2 had no `blocked`; a later program of the older system writes it, and refresh reopens
// it.
constexpr std::array<std::string_view, 7> statuses{"pending",   "ready",  "running", "blocked",
                                                   "succeeded", "failed", "canceled"};

// The older system counted failures: it added one to Attempt when it reported a failure, never when
// it leased, completed or canceled. So the run that is under way, or that succeeded, comes on top;
// a failed op's number counts its last run already. Whether a canceled op was running only a lease
// row left behind still tells.
std::int64_t attempts_of(std::string_view status, std::int64_t failures, bool has_lease) {
  if (status == "running" || status == "succeeded") return failures + 1;
  if (status == "failed") return std::max<std::int64_t>(1, failures);
  if (status == "canceled" && has_lease) return failures + 1;
  return failures;
}

std::string status_to_keep(std::string_view status, bool has_lease, bool lacks_a_need) {
  if (status == "running" && has_lease) return "running";
  if (status != "running" && status != "ready") return std::string(status);
  return lacks_a_need ? "pending" : "ready";
}

void note_change(ChangedOps& changed, std::int64_t workflow, std::string_view op,
                 std::string_view from, std::string_view to) {
  std::string& list = changed[workflow];
  if (!list.empty()) list.push_back(',');
  list += R"({"from":")" + std::string(from) + R"(","op":)";
  append_json_string(list, op);
  list += R"(,"to":")" + std::string(to) + R"("})";
}

void carry_op(MigrationRun& run, LegacyRows& rows, ChangedOps& changed) {
  const std::string id = rows.text(0);
  const std::string site = rows.text(2, "default");
  const std::string kind = rows.text(3, "task");
  const std::string queue = rows.text(4, "default");
  const std::string input = rows.json(5);
  const auto retry = legacy_retry(rows.text(6, ""));
  if (!retry) rows.refuse_for(6, retry.error());
  const auto state = legacy_retry_state(rows.text(7, ""));
  if (!state) rows.refuse_for(7, state.error());
  const std::string old_status = rows.text(8);
  if (std::find(statuses.begin(), statuses.end(), old_status) == statuses.end()) {
    rows.refuse(8, "is no status of an op");
  }
  const auto workflow = rows.maybe_integer(11);
  if (!workflow) rows.refuse(1, "is no workflow");
  if (run.stopped()) return;

  const bool has_lease = rows.integer(12) == 1;
  const std::string status = status_to_keep(old_status, has_lease, rows.integer(13) == 1);
  if (status != old_status) note_change(changed, *workflow, id, old_status, status);
  // The older system left a due time behind when it leased the op; only a ready op waits for one.
  std::optional<std::int64_t> next_attempt_us;
  if (status == "ready" && old_status == "ready") next_attempt_us = rows.maybe_integer(9);
  std::optional<std::string> error;
  if (status != "succeeded" && !state->last_error.empty()) error = state->last_error;
  const model::RetryPolicy& policy = retry->policy;
  run.execute(Legacy::carry_op, {id, workflow, kind, site, queue, input, retry->max_attempts,
                                 model::word(policy.policy), delays_text(policy.delays_us),
                                 policy.base_us, policy.multiplier, policy.cap_us, status,
                                 attempts_of(old_status, state->attempt, has_lease),
                                 next_attempt_us, error, rows.integer(10)});
}

// Takes away ops whose needs are all taken away; whoever is left over waits for an op of a cycle.
class Cycles {
 public:
  void add(std::int64_t op, std::int64_t need) {
    needs_[op].push_back(need);
    dependents_[need].push_back(op);
    needs_.try_emplace(need);
  }
  // An op of a cycle and its need in it.
  std::optional<std::pair<std::int64_t, std::int64_t>> find() {
    std::unordered_map<std::int64_t, std::size_t> open;
    std::vector<std::int64_t> free;
    for (const auto& [op, needs] : needs_) {
      open[op] = needs.size();
      if (needs.empty()) free.push_back(op);
    }
    while (!free.empty()) {
      const std::int64_t op = free.back();
      free.pop_back();
      open.erase(op);
      for (const auto dependent : dependents_[op]) {
        if (--open[dependent] == 0) free.push_back(dependent);
      }
    }
    if (open.empty()) return std::nullopt;
    return follow(open);
  }

 private:
  // From need to need among those left over; more steps than ops end inside a cycle.
  std::optional<std::pair<std::int64_t, std::int64_t>> follow(
      const std::unordered_map<std::int64_t, std::size_t>& open) {
    std::int64_t op = 0;
    // The smallest row, so that the same file is always refused in the same words.
    for (const auto& [row, count] : open) op = op == 0 ? row : std::min(op, row);
    std::int64_t need = op;
    for (std::size_t step = 0; step <= open.size(); ++step) {
      op = need;
      for (const auto next : needs_[op]) {
        if (open.contains(next)) need = next;
      }
    }
    return std::pair{op, need};
  }

  std::unordered_map<std::int64_t, std::vector<std::int64_t>> needs_;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> dependents_;
};

std::string quoted_id(MigrationRun& run, std::int64_t row) {
  auto rows = run.query(Legacy::op_id, {row});
  std::string out;
  if (rows.next()) append_json_string(out, rows.text(0));
  return out;
}

void refuse_cycles(MigrationRun& run) {
  Cycles cycles;
  for (auto rows = run.query(Legacy::needs); rows.next();) {
    cycles.add(rows.integer(0), rows.integer(1));
  }
  const auto found = cycles.find();
  if (!found) return;
  const std::string op = quoted_id(run, found->first);
  const std::string need = quoted_id(run, found->second);
  run.refuse("table op_dependencies, row " + op + " and " + need +
             ", column depends_on_op_id: the two ops are part of a cycle and wait for each other; "
             "delete one of its rows and open the database again");
}

}  // namespace

void carry_workflows(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::workflows, "workflows"); rows.next();) {
    // The older system named a run's package by its site.
    const bool canceled = rows.text(2, "") == "canceled";
    run.execute(Legacy::carry_workflow,
                {rows.text(0), rows.text(1, "default"), rows.json(3),
                 static_cast<std::int64_t>(canceled), rows.integer(4), rows.integer(5)});
  }
}

ChangedOps carry_ops(MigrationRun& run) {
  ChangedOps changed;
  for (LegacyRows rows(run, Legacy::ops, "ops"); rows.next();) carry_op(run, rows, changed);
  return changed;
}

void carry_leases(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::leases, "leases"); rows.next();) {
    run.execute(Legacy::carry_lease, {rows.integer(5), sha256_hex(rows.text(2)), rows.text(1),
                                      rows.integer(6), rows.integer(3), rows.integer(4)});
  }
}

void carry_needs(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::dependencies, "op_dependencies", 2); rows.next();) {
    const auto need = rows.maybe_integer(3);
    if (!need) rows.refuse(1, "is no op");
    if (need == rows.integer(4)) rows.refuse_for(1, "an op cannot need itself");
    run.execute(Legacy::carry_need,
                {rows.integer(4), need, static_cast<std::int64_t>(rows.flag(2))});
  }
  if (!run.stopped()) refuse_cycles(run);
}

}  // namespace leaseproof::engine::store
