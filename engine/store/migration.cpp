#include "engine/store/migration.hpp"

#include "engine/store/migration_graph.hpp"
#include "engine/store/migration_products.hpp"
#include "engine/store/migration_run.hpp"
#include "engine/store/migration_times.hpp"
#include "engine/store/schema.hpp"

namespace leaseproof::engine::store {
namespace {

void refuse_other_layouts(MigrationRun& run) {
  auto rows = run.query(Legacy::missing_column);
  if (!rows.next()) return;
  run.refuse("table " + rows.string(0) + " has no column " + rows.string(1) +
             ", so this is no version 2; restore the database from a backup");
}

void refuse_taken_names(MigrationRun& run) {
  auto rows = run.query(Legacy::taken_name);
  if (!rows.next()) return;
  run.refuse("it has a " + rows.string(0) + " " + rows.string(1) +
             " of another program, and leaseproof needs that name; rename it and open the database "
             "again");
}

// SEMANTICS 8: one event records the migration of each workflow. It is no call that can be
// replayed, so it carries no action; what it says of single ops is what they could not keep.
void tell(MigrationRun& run, std::int64_t now_us, const ChangedOps& changed) {
  std::int64_t seq = 0;
  for (auto rows = run.query(Legacy::untold_workflows); rows.next();) {
    const std::int64_t workflow = rows.integer(0);
    std::string detail = R"({"migrated":{)";
    const auto ops = changed.find(workflow);
    if (ops != changed.end()) detail += R"("changed":[)" + ops->second + "],";
    detail += R"("from_version":2}})";
    ++seq;
    run.execute(Legacy::tell, {seq, workflow, now_us, detail});
    run.execute(Legacy::stamp, {workflow, seq});
  }
}

void carry(MigrationRun& run, std::int64_t now_us) {
  run.run_script(schema_v4);
  carry_workflows(run);
  const ChangedOps changed = carry_ops(run);
  carry_leases(run);
  carry_needs(run);
  carry_results(run);
  carry_artifacts(run);
  tell(run, now_us, changed);
}

void to_integer_times(MigrationRun& run) {
  refuse_other_layouts(run);
  refuse_taken_names(run);
  add_integer_times(run);
  fill_integer_times(run);
}

}  // namespace

std::string migrate_to_3(sqlite::Connection& db, std::int64_t now_us) {
  MigrationRun run(db);
  to_integer_times(run);
  // A refusal is to leave the file as it was, not one version further. So the next step is tried
  // here and taken back.
  run.execute(Legacy::begin_rehearsal);
  carry(run, now_us);
  run.execute(Legacy::undo_rehearsal);
  run.execute(Legacy::end_rehearsal);
  return run.verdict();
}

std::string migrate_to_4(sqlite::Connection& db, std::int64_t now_us) {
  MigrationRun run(db);
  // Between the two steps the older program may have written to its own columns.
  to_integer_times(run);
  carry(run, now_us);
  return run.verdict();
}

}  // namespace leaseproof::engine::store
