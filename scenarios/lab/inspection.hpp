// All that is known of one job, in one shape whatever its state.
//
// Promise: reads one moment of the engine's database and changes nothing; what is absent is null.
// No token and no credential is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/effects/service_double.hpp"
#include "engine/sqlite/connection.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::lab {

// The job's document, or nothing for an id that no research job has; the connection's `fault()`
// tells a database that cannot be read. In a read transaction of the caller's, so that all parts
// tell of one moment. `receipts` is empty until `add_receipts`.
//
//   job, workflow, provider, model, endpoint, scope, input_digest, sources, memory
//   status, workflow_status, cancel_requested, generation, attempts, max_attempts, deadline_us,
//   next_attempt_us, error, lease {owner, generation, expires_us}
//   steps {collect, draft, verify, publish}, effect {status, key, payload_hash, receipt}
//   approval {request_no, status, hash, envelope, payload, payload_hash, requester, expires_us,
//             decided_by}
//   receipts [{key, payload, payload_hash, receipt, at_us}], events [{seq, at_us, generation,
//   kind}]
std::optional<Json> inspected(engine::sqlite::Connection& db, const std::string& job);
// What the outside service holds, read after the document; only the writes under the job's own key
// are taken.
void add_receipts(Json& document, const std::vector<engine::effects::Written>& published);

// The same for people, fit for a terminal; times are told from `now_us`. Begins with `standing`.
std::string inspection_text(const Json& job, std::int64_t now_us, const std::string& db);

// One sentence: where the job stands, and the command that moves it on; `db` is named in it.
std::string standing(const Json& job, std::int64_t now_us, const std::string& db);

}  // namespace leaseproof::scenarios::lab
