#include "engine/store/migration_times.hpp"

#include <array>

namespace leaseproof::engine::store {
namespace {

struct AddedColumn {
  const char* table;
  const char* column;
  Legacy add;
};

constexpr std::array<AddedColumn, 10> added_columns{{
    {"workflows", "created_at_us", Legacy::add_workflow_created},
    {"workflows", "updated_at_us", Legacy::add_workflow_updated},
    {"ops", "next_attempt_at_us", Legacy::add_op_next_attempt},
    {"ops", "created_at_us", Legacy::add_op_created},
    {"ops", "updated_at_us", Legacy::add_op_updated},
    {"leases", "acquired_at_us", Legacy::add_lease_acquired},
    {"leases", "expires_at_us", Legacy::add_lease_expires},
    {"queue_limit_state", "last_refill_at_us", Legacy::add_last_refill},
    {"results", "completed_at_us", Legacy::add_result_completed},
    {"artifacts", "created_at_us", Legacy::add_artifact_created},
}};

}  // namespace

void add_integer_times(MigrationRun& run) {
  for (const auto& [table, column, add] : added_columns) {
    if (run.number(Legacy::has_column, {table, column}) == 0) run.execute(add);
  }
}

void fill_integer_times(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::workflow_times, "workflows"); rows.next();) {
    run.execute(Legacy::fill_workflow, {rows.key(), rows.time_us(1), rows.time_us(2)});
  }
  for (LegacyRows rows(run, Legacy::op_times, "ops"); rows.next();) {
    run.execute(Legacy::fill_op,
                {rows.key(), rows.maybe_time_us(1), rows.time_us(2), rows.time_us(3)});
  }
  for (LegacyRows rows(run, Legacy::lease_times, "leases"); rows.next();) {
    run.execute(Legacy::fill_lease, {rows.key(), rows.time_us(1), rows.time_us(2)});
  }
  for (LegacyRows rows(run, Legacy::refill_times, "queue_limit_state", 2); rows.next();) {
    run.execute(Legacy::fill_refill, {rows.key(0), rows.key(1), rows.time_us(2)});
  }
  for (LegacyRows rows(run, Legacy::result_times, "results"); rows.next();) {
    run.execute(Legacy::fill_result, {rows.key(), rows.time_us(1)});
  }
  for (LegacyRows rows(run, Legacy::artifact_times, "artifacts"); rows.next();) {
    run.execute(Legacy::fill_artifact, {rows.key(), rows.time_us(1)});
  }
}

}  // namespace leaseproof::engine::store
