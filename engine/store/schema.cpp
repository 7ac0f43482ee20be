#include "engine/store/schema.hpp"

namespace leaseproof::engine::store {

// A CHECK with more than two words names each by itself: of `IN` SQLite makes a table of them, anew
// for each statement that sets the column, which takes longer than the statement.

// temp_store: nothing of a user's payloads goes to a temporary file.
const char* const connection_pragmas =
    "PRAGMA foreign_keys = ON;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA secure_delete = OFF;"
    "PRAGMA trusted_schema = OFF;";

const char* const creation_pragmas = "PRAGMA page_size = 2048;";

const char* const erasing_pragmas =
    "PRAGMA foreign_keys = OFF;"
    "PRAGMA journal_mode = OFF;";

const char* const schema_of_versions =
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
    "applied_at TEXT NOT NULL) STRICT;";

const char* const schema_v4 = R"sql(
CREATE TABLE workflow (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CONSTRAINT workflow_has_an_id CHECK (id <> ''),
  package TEXT NOT NULL,
  digest TEXT,
  input TEXT NOT NULL,
  cancel_requested INTEGER NOT NULL
    CONSTRAINT cancel_requested_is_a_bool CHECK (cancel_requested IN (0, 1)),
  created_us INTEGER NOT NULL,
  updated_us INTEGER NOT NULL,
  last_seq INTEGER NOT NULL CONSTRAINT last_seq_counts_up CHECK (last_seq >= 0)
) STRICT;
CREATE INDEX workflow_by_last_seq ON workflow (last_seq);

CREATE TABLE op (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CONSTRAINT op_has_an_id CHECK (id <> ''),
  workflow INTEGER NOT NULL REFERENCES workflow (row),
  kind TEXT NOT NULL,
  site TEXT NOT NULL,
  queue TEXT NOT NULL,
  input TEXT NOT NULL,
  max_attempts INTEGER NOT NULL CONSTRAINT an_op_may_be_tried CHECK (max_attempts >= 1),
  deadline_us INTEGER,
  retry_policy TEXT NOT NULL CONSTRAINT retry_policy_is_known
    CHECK (retry_policy = 'fixed' OR retry_policy = 'linear' OR retry_policy = 'exponential'
      OR retry_policy = 'full_jitter'),
  retry_delays_us TEXT NOT NULL,
  retry_base_us INTEGER NOT NULL,
  retry_multiplier INTEGER NOT NULL,
  retry_cap_us INTEGER NOT NULL,
  status TEXT NOT NULL CONSTRAINT status_is_known
    CHECK (status = 'pending' OR status = 'ready' OR status = 'running'
      OR status = 'waiting_approval' OR status = 'reconciling' OR status = 'succeeded'
      OR status = 'effect_confirmed' OR status = 'failed' OR status = 'blocked'
      OR status = 'canceled'),
  generation INTEGER NOT NULL CONSTRAINT generation_counts_up CHECK (generation >= 0),
  attempts INTEGER NOT NULL CONSTRAINT attempts_count_up CHECK (attempts >= 0),
  next_attempt_us INTEGER,
  error TEXT,
  created_us INTEGER NOT NULL,
  marked INTEGER NOT NULL CONSTRAINT marked_is_a_bool CHECK (marked IN (0, 1)),
  CONSTRAINT only_ready_ops_wait_for_a_time CHECK (next_attempt_us IS NULL OR status = 'ready'),
  CONSTRAINT a_done_op_has_no_error
    CHECK (error IS NULL OR status NOT IN ('succeeded', 'effect_confirmed'))
) STRICT;
CREATE INDEX op_by_workflow ON op (workflow);
CREATE INDEX op_ready ON op (site, queue) WHERE status = 'ready';
CREATE INDEX op_fresh ON op (site, queue, created_us, id)
  WHERE status = 'ready' AND next_attempt_us IS NULL;
CREATE INDEX op_retry ON op (site, queue, next_attempt_us)
  WHERE status = 'ready' AND next_attempt_us IS NOT NULL;
CREATE INDEX op_running ON op (site, queue) WHERE status = 'running';
CREATE INDEX op_marked ON op (row) WHERE marked = 1;

CREATE TABLE need (
  op INTEGER NOT NULL REFERENCES op (row),
  need INTEGER NOT NULL REFERENCES op (row),
  required INTEGER NOT NULL CONSTRAINT required_is_a_bool CHECK (required IN (0, 1)),
  PRIMARY KEY (op, need),
  CONSTRAINT an_op_does_not_need_itself CHECK (op <> need)
) STRICT, WITHOUT ROWID;
CREATE INDEX need_by_need ON need (need, op, required);

CREATE TABLE lease (
  op INTEGER PRIMARY KEY REFERENCES op (row),
  token_hash TEXT NOT NULL CONSTRAINT token_is_hashed CHECK (length(token_hash) = 64),
  owner TEXT NOT NULL,
  generation INTEGER NOT NULL CONSTRAINT a_lease_has_a_generation CHECK (generation >= 1),
  acquired_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL
) STRICT;
CREATE INDEX lease_by_expiry ON lease (expires_us);

CREATE TABLE queue (
  site TEXT NOT NULL,
  name TEXT NOT NULL,
  max_in_flight INTEGER NOT NULL CONSTRAINT cap_is_a_count CHECK (max_in_flight >= 0),
  rate_per_s INTEGER NOT NULL CONSTRAINT rate_is_a_count CHECK (rate_per_s >= 0),
  burst INTEGER NOT NULL CONSTRAINT burst_is_a_count CHECK (burst >= 0),
  tokens INTEGER NOT NULL CONSTRAINT tokens_are_not_owed CHECK (tokens >= 0),
  last_refill_us INTEGER NOT NULL,
  PRIMARY KEY (site, name),
  CONSTRAINT a_burst_needs_a_rate CHECK (burst = 0 OR rate_per_s >= 1)
) STRICT;

CREATE TABLE result (
  op INTEGER PRIMARY KEY REFERENCES op (row),
  data TEXT NOT NULL,
  completed_at_us INTEGER NOT NULL,
  token_hash TEXT
) STRICT;

CREATE TABLE artifact (
  op INTEGER NOT NULL REFERENCES op (row),
  name TEXT NOT NULL,
  hash TEXT NOT NULL CONSTRAINT content_is_hashed CHECK (length(hash) = 64),
  body ANY NOT NULL,
  PRIMARY KEY (op, name)
) STRICT;

CREATE TABLE checkpoint (
  op INTEGER NOT NULL REFERENCES op (row),
  step TEXT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (op, step)
) STRICT;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY CONSTRAINT seqs_start_at_one CHECK (seq >= 1),
  call INTEGER NOT NULL CONSTRAINT a_call_is_named_by_its_first_event CHECK (call <= seq),
  workflow INTEGER REFERENCES workflow (row),
  op INTEGER REFERENCES op (row),
  at_us INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
)sql";

const char* const schema_v5 = R"sql(
CREATE TABLE context (
  scope TEXT NOT NULL CONSTRAINT context_has_a_scope CHECK (scope <> ''),
  revision INTEGER NOT NULL CONSTRAINT revisions_start_at_one CHECK (revision >= 1),
  payload TEXT NOT NULL,
  put_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,
  revoked INTEGER NOT NULL CONSTRAINT revoked_is_a_bool CHECK (revoked IN (0, 1)),
  PRIMARY KEY (scope, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE pin (
  op INTEGER PRIMARY KEY REFERENCES op (row),
  scope TEXT NOT NULL,
  revision INTEGER NOT NULL,
  FOREIGN KEY (scope, revision) REFERENCES context (scope, revision)
) STRICT;

CREATE TABLE effect (
  op INTEGER PRIMARY KEY REFERENCES op (row),
  contract TEXT NOT NULL CONSTRAINT contract_is_known
    CHECK (contract = 'idempotent' OR contract = 'queryable' OR contract = 'opaque'),
  approval INTEGER NOT NULL CONSTRAINT approval_is_a_bool CHECK (approval IN (0, 1)),
  retention_us INTEGER NOT NULL CONSTRAINT retention_is_a_duration CHECK (retention_us >= 0),
  target TEXT NOT NULL,
  scope TEXT NOT NULL,
  requester TEXT NOT NULL,
  status TEXT NOT NULL CONSTRAINT effect_status_is_known
    CHECK (status = 'none' OR status = 'dispatching' OR status = 'confirmed' OR status = 'refused'),
  unsure INTEGER NOT NULL CONSTRAINT unsure_is_a_bool CHECK (unsure IN (0, 1)),
  key TEXT,
  payload_hash TEXT,
  dispatched_us INTEGER,
  call_before_us INTEGER,
  receipt TEXT,
  CONSTRAINT a_dispatch_has_a_key CHECK (status = 'none' OR (key IS NOT NULL AND payload_hash IS
    NOT NULL AND dispatched_us IS NOT NULL AND call_before_us IS NOT NULL)),
  CONSTRAINT a_receipt_confirms CHECK (receipt IS NULL OR status = 'confirmed')
) STRICT;

CREATE TABLE approval (
  row INTEGER PRIMARY KEY,
  op INTEGER NOT NULL REFERENCES effect (op),
  request_no INTEGER NOT NULL CONSTRAINT requests_start_at_one CHECK (request_no >= 1),
  status TEXT NOT NULL CONSTRAINT approval_status_is_known
    CHECK (status = 'pending' OR status = 'approved' OR status = 'rejected' OR status = 'expired'
      OR status = 'void' OR status = 'spent' OR status = 'canceled'),
  envelope TEXT NOT NULL,
  hash TEXT NOT NULL CONSTRAINT envelope_is_hashed CHECK (length(hash) = 64),
  payload TEXT NOT NULL,
  requester TEXT NOT NULL,
  requested_us INTEGER NOT NULL,
  expires_us INTEGER NOT NULL,
  decided_by TEXT,
  decided_us INTEGER,
  UNIQUE (op, request_no)
) STRICT;
CREATE UNIQUE INDEX approval_live ON approval (op) WHERE status IN ('pending', 'approved');
CREATE INDEX approval_pending ON approval (expires_us) WHERE status = 'pending';
CREATE INDEX op_for_a_person ON op (status) WHERE status IN ('waiting_approval', 'reconciling');
)sql";

const char* const schema_v6 = R"sql(
DROP INDEX op_ready;
DROP INDEX op_fresh;
DROP INDEX op_retry;
DROP INDEX op_running;
DROP INDEX lease_by_expiry;
DROP INDEX workflow_by_last_seq;
CREATE INDEX op_ready ON op (site, queue, next_attempt_us, created_us, id)
  WHERE status = 'ready';
)sql";

}  // namespace leaseproof::engine::store
