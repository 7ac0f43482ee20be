#include "engine/store/migration_products.hpp"

#include <string>

#include "engine/values/digest.hpp"

namespace leaseproof::engine::store {
namespace {

std::string body_hash(MigrationRun& run, const std::string& id) {
  LegacyRows rows(run, Legacy::artifact_body, "artifacts", 1, {id});
  return rows.next() ? sha256_hex(rows.bytes(1)) : std::string();
}

}  // namespace

void carry_results(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::results, "results"); rows.next();) {
    run.execute(Legacy::carry_result, {rows.integer(3), rows.json(1), rows.integer(2)});
  }
}

void carry_artifacts(MigrationRun& run) {
  for (LegacyRows rows(run, Legacy::artifacts, "artifacts"); rows.next();) {
    const std::string id = rows.text(0);
    std::string name = rows.text(1, "");
    const std::int64_t op = rows.integer(2);
    const std::string hash = body_hash(run, id);
    const bool first = rows.integer(3) == 1 && !name.empty();
    if (!first) name += id;
    while (!run.stopped() && run.number(Legacy::artifact_name_taken, {op, name}) == 1) name += id;
    run.execute(Legacy::carry_artifact, {op, name, hash, id});
  }
}

}  // namespace leaseproof::engine::store
