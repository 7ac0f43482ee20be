#include "engine/store/migration_catalog.hpp"

namespace leaseproof::engine::store {
namespace {

constexpr std::array<LegacyStatement, legacy_statement_count> statements{{
    {Legacy::missing_column,
     "WITH expected (name, field) AS (VALUES "
     "('workflows', 'id'), ('workflows', 'site'), ('workflows', 'status'), "
     "('workflows', 'input_json'), ('workflows', 'created_at'), ('workflows', 'updated_at'), "
     "('ops', 'id'), ('ops', 'workflow_id'), ('ops', 'site'), ('ops', 'kind'), "
     "('ops', 'queue_key'), ('ops', 'input_json'), ('ops', 'retry_json'), ('ops', 'status'), "
     "('ops', 'retry_state_json'), ('ops', 'next_attempt_at'), ('ops', 'created_at'), "
     "('ops', 'updated_at'), ('op_dependencies', 'op_id'), "
     "('op_dependencies', 'depends_on_op_id'), ('op_dependencies', 'required'), "
     "('leases', 'op_id'), ('leases', 'worker_id'), ('leases', 'token'), "
     "('leases', 'acquired_at'), ('leases', 'expires_at'), ('queue_limit_state', 'site'), "
     "('queue_limit_state', 'queue_key'), ('queue_limit_state', 'last_refill_at'), "
     "('results', 'op_id'), ('results', 'data_json'), ('results', 'completed_at'), "
     "('artifacts', 'id'), ('artifacts', 'op_id'), ('artifacts', 'name'), ('artifacts', 'body'), "
     "('artifacts', 'created_at')) "
     "SELECT e.name, e.field FROM expected AS e WHERE NOT EXISTS (SELECT 1 FROM "
     "pragma_table_info(e.name) AS c WHERE lower(c.name) = e.field) LIMIT 1",
     "what is no version 2 is told before anything is changed"},
    {Legacy::has_column,
     "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE lower(name) = ?2)",
     "a column that somebody added by hand is filled, not added again"},

    {Legacy::add_workflow_created, "ALTER TABLE workflows ADD COLUMN created_at_us INTEGER",
     "times that are compared are integers (I15); the text stays beside them"},
    {Legacy::add_workflow_updated, "ALTER TABLE workflows ADD COLUMN updated_at_us INTEGER",
     "as above"},
    {Legacy::add_op_next_attempt, "ALTER TABLE ops ADD COLUMN next_attempt_at_us INTEGER",
     "as above"},
    {Legacy::add_op_created, "ALTER TABLE ops ADD COLUMN created_at_us INTEGER", "as above"},
    {Legacy::add_op_updated, "ALTER TABLE ops ADD COLUMN updated_at_us INTEGER", "as above"},
    {Legacy::add_lease_acquired, "ALTER TABLE leases ADD COLUMN acquired_at_us INTEGER",
     "as above"},
    {Legacy::add_lease_expires, "ALTER TABLE leases ADD COLUMN expires_at_us INTEGER", "as above"},
    {Legacy::add_last_refill, "ALTER TABLE queue_limit_state ADD COLUMN last_refill_at_us INTEGER",
     "as above"},
    {Legacy::add_result_completed, "ALTER TABLE results ADD COLUMN completed_at_us INTEGER",
     "as above"},
    {Legacy::add_artifact_created, "ALTER TABLE artifacts ADD COLUMN created_at_us INTEGER",
     "as above"},

    {Legacy::workflow_times, "SELECT id, created_at, updated_at FROM workflows",
     "SQLite cannot parse these texts by itself: any offset, up to nine digits"},
    {Legacy::op_times, "SELECT id, next_attempt_at, created_at, updated_at FROM ops", "as above"},
    {Legacy::lease_times, "SELECT op_id, acquired_at, expires_at FROM leases", "as above"},
    {Legacy::refill_times, "SELECT site, queue_key, last_refill_at FROM queue_limit_state",
     "as above"},
    {Legacy::result_times, "SELECT op_id, completed_at FROM results", "as above"},
    {Legacy::artifact_times, "SELECT id, created_at FROM artifacts", "as above"},

    {Legacy::fill_workflow,
     "UPDATE workflows SET created_at_us = ?2, updated_at_us = ?3 WHERE id = ?1 AND "
     "(created_at_us, updated_at_us) IS NOT (?2, ?3)",
     "a second filling writes only what the older program changed since the first"},
    {Legacy::fill_op,
     "UPDATE ops SET next_attempt_at_us = ?2, created_at_us = ?3, updated_at_us = ?4 WHERE id = "
     "?1 AND (next_attempt_at_us, created_at_us, updated_at_us) IS NOT (?2, ?3, ?4)",
     "as above"},
    {Legacy::fill_lease,
     "UPDATE leases SET acquired_at_us = ?2, expires_at_us = ?3 WHERE op_id = ?1 AND "
     "(acquired_at_us, expires_at_us) IS NOT (?2, ?3)",
     "as above"},
    {Legacy::fill_refill,
     "UPDATE queue_limit_state SET last_refill_at_us = ?3 WHERE site = ?1 AND queue_key = ?2 AND "
     "last_refill_at_us IS NOT ?3",
     "as above"},
    {Legacy::fill_result,
     "UPDATE results SET completed_at_us = ?2 WHERE op_id = ?1 AND completed_at_us IS NOT ?2",
     "as above"},
    {Legacy::fill_artifact,
     "UPDATE artifacts SET created_at_us = ?2 WHERE id = ?1 AND created_at_us IS NOT ?2",
     "as above"},

    {Legacy::taken_name,
     "SELECT type, name FROM sqlite_master WHERE lower(name) IN ('workflow', 'op', 'need', "
     "'lease', 'queue', 'result', 'artifact', 'checkpoint', 'event', 'workflow_by_last_seq', "
     "'op_by_workflow', 'op_ready', 'op_fresh', 'op_retry', 'op_running', 'op_marked', "
     "'need_by_need', 'lease_by_expiry', 'context', 'pin', 'effect', 'approval', "
     "'approval_live', 'approval_pending', 'op_for_a_person') LIMIT 1",
     "a user may keep tables of their own in the file; theirs are not touched"},

    {Legacy::begin_rehearsal, "SAVEPOINT rehearsal",
     "what version 4 would refuse is refused before version 3 is kept"},
    {Legacy::undo_rehearsal, "ROLLBACK TO rehearsal", "version 4 has a transaction of its own"},
    {Legacy::end_rehearsal, "RELEASE rehearsal", "as above"},

    {Legacy::workflows,
     "SELECT id, site, status, input_json, created_at_us, updated_at_us FROM workflows ORDER BY "
     "created_at_us, id",
     "instants decide the order, never their texts"},
    {Legacy::carry_workflow,
     "INSERT INTO workflow (id, package, digest, input, cancel_requested, created_us, updated_us, "
     "last_seq) VALUES (?1, ?2, NULL, ?3, ?4, ?5, ?6, 0)",
     "the older system knew no identity"},
    {Legacy::ops,
     "SELECT o.id, o.workflow_id, o.site, o.kind, o.queue_key, o.input_json, o.retry_json, "
     "o.retry_state_json, o.status, o.next_attempt_at_us, o.created_at_us, w.row, "
     "l.op_id IS NOT NULL, EXISTS (SELECT 1 FROM op_dependencies AS d JOIN ops AS n ON n.id = "
     "d.depends_on_op_id WHERE d.op_id = o.id AND d.required = 1 AND n.status IS NOT 'succeeded') "
     "FROM ops AS o LEFT JOIN workflow AS w ON w.id = o.workflow_id LEFT JOIN leases AS l ON "
     "l.op_id = o.id ORDER BY o.created_at_us, o.id",
     "an op is judged with its lease and its needs as they were"},
    {Legacy::carry_op,
     "INSERT INTO op (id, workflow, kind, site, queue, input, max_attempts, retry_policy, "
     "retry_delays_us, retry_base_us, retry_multiplier, retry_cap_us, status, generation, "
     "attempts, next_attempt_us, error, created_us, marked) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
     "?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15, ?16, ?17, 1)",
     "marked, so that the first refresh looks at every op"},
    {Legacy::leases,
     "SELECT l.op_id, l.worker_id, l.token, l.acquired_at_us, l.expires_at_us, o.row, "
     "o.generation FROM leases AS l JOIN op AS o ON o.id = l.op_id WHERE o.status = 'running'",
     "leases of ops that are not running stay behind (I4)"},
    {Legacy::carry_lease,
     "INSERT INTO lease (op, token_hash, owner, generation, acquired_us, expires_us) VALUES (?1, "
     "?2, ?3, ?4, ?5, ?6)",
     "the worker goes on with its old token, of which only the hash is kept"},
    {Legacy::dependencies,
     "SELECT d.op_id, d.depends_on_op_id, d.required, n.row, o.row FROM op_dependencies AS d JOIN "
     "op AS o ON o.id = d.op_id LEFT JOIN op AS n ON n.id = d.depends_on_op_id",
     "a row of an op that is gone binds nobody"},
    {Legacy::carry_need, "INSERT INTO need (op, need, required) VALUES (?1, ?2, ?3)",
     "a need points at an op that exists"},
    {Legacy::needs, "SELECT op, need FROM need", "to find a cycle before it blocks for ever"},
    {Legacy::op_id, "SELECT id FROM op WHERE row = ?1", "to name an op of a cycle"},
    {Legacy::results,
     "SELECT o.id, r.data_json, COALESCE(r.completed_at_us, a.updated_at_us), o.row FROM op AS o "
     "JOIN ops AS a ON a.id = o.id LEFT JOIN results AS r ON r.op_id = o.id WHERE o.status = "
     "'succeeded'",
     "a result exists exactly when its op is done (I12); the older system wrote one for a failure "
     "too"},
    {Legacy::carry_result,
     "INSERT INTO result (op, data, completed_at_us, token_hash) VALUES (?1, ?2, ?3, NULL)",
     "which token completed it is not known any more"},
    {Legacy::artifacts,
     "SELECT a.id, a.name, o.row, ROW_NUMBER() OVER (PARTITION BY o.row, COALESCE(a.name, '') "
     "ORDER BY a.created_at_us, a.id) AS place FROM artifacts AS a JOIN op AS o ON o.id = a.op_id "
     "WHERE o.status = 'succeeded' ORDER BY place > 1, o.row, a.created_at_us, a.id",
     "the first of each name keeps it, whatever the later ones are called; artifacts exist exactly "
     "when their op is done (I12)"},
    {Legacy::artifact_body, "SELECT id, body FROM artifacts WHERE id = ?1",
     "one body at a time is in memory"},
    {Legacy::artifact_name_taken,
     "SELECT EXISTS (SELECT 1 FROM artifact WHERE op = ?1 AND name = ?2)", "(op, name) is unique"},
    {Legacy::carry_artifact,
     "INSERT INTO artifact (op, name, hash, body) SELECT ?1, ?2, ?3, body FROM artifacts WHERE id "
     "= ?4",
     "the body is copied as it is, blob or text"},
    {Legacy::untold_workflows, "SELECT row FROM workflow ORDER BY updated_us, id",
     "readers meet the workflows in the order of their last change"},
    {Legacy::tell,
     "INSERT INTO event (seq, call, workflow, op, at_us, generation, kind, detail) VALUES (?1, 1, "
     "?2, NULL, ?3, 0, 'migrated', ?4)",
     "one event per workflow, and one call for all of them: the migration is one transaction"},
    {Legacy::stamp, "UPDATE workflow SET last_seq = ?2 WHERE row = ?1",
     "so that a reader who follows seqs is told each workflow; its last change stays when it was"},
}};

constexpr bool legacy_catalog_is_in_order() {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (static_cast<std::size_t>(statements[i].id) != i) return false;
  }
  return true;
}
static_assert(legacy_catalog_is_in_order());

}  // namespace

const std::array<LegacyStatement, legacy_statement_count> legacy_catalog = statements;

}  // namespace leaseproof::engine::store
