#include "scenarios/lab/inspection.hpp"

#include <cstddef>
#include <utility>

#include "engine/store/reading.hpp"
#include "engine/store/state_reader.hpp"
#include "engine/store/statement.hpp"
#include "engine/values/binding.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::scenarios::lab {

namespace {

using engine::sqlite::Connection;
using engine::store::Sql;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json steps_of(const model::OpView& op) {
  Json steps = Json::object();
  for (const std::string_view step : early_steps) {
    const auto found = op.checkpoints.find(std::string(step));
    steps[std::string(step)] =
        found != op.checkpoints.end() ? embedded(found->second) : Json(nullptr);
  }
  steps[std::string(last_step)] = op.result ? embedded(*op.result) : Json(nullptr);
  return steps;
}

Json lease_of(const model::OpView& op) {
  if (!op.lease) return nullptr;
  return {{"owner", op.lease->owner},
          {"generation", op.lease->generation},
          {"expires_us", op.lease->expires_us}};
}

Json effect_of(const model::OpView& op, const engine::store::Work& work) {
  const model::EffectView effect = op.effect.value_or(model::EffectView{});
  return {{"status", model::word(effect.status)},
          {"key", or_null(effect.key)},
          {"payload_hash", or_null(work.dispatched_hash)},
          {"receipt", or_null(effect.receipt)}};
}

// The newest request: what a reviewer sees, the whole payload beside the hash that binds it.
Json approval_of(Connection& db, const std::string& job) {
  Json newest = nullptr;
  auto rows = db.query(engine::store::index(Sql::approvals_to_review));
  while (rows.next()) {
    if (rows.text(0) != job) continue;
    newest = {{"request_no", rows.integer(1)},
              {"status", rows.string(2)},
              {"hash", rows.string(3)},
              {"envelope", embedded(rows.string(4))},
              {"payload", embedded(rows.string(5))},
              {"payload_hash", engine::sha256_hex(rows.text(5))},
              {"requester", rows.string(6)},
              {"expires_us", rows.integer(7)},
              {"decided_by", or_null(rows.maybe_string(8))}};
  }
  return newest;
}

Json events_of(Connection& db, const std::string& job) {
  Json events = Json::array();
  auto rows = db.query(engine::store::index(Sql::events_after), std::int64_t{0}, INT64_MAX);
  while (rows.next()) {
    if (rows.text(4) != job) continue;
    events.push_back({{"seq", rows.integer(0)},
                      {"at_us", rows.integer(2)},
                      {"generation", rows.integer(3)},
                      {"kind", rows.string(6)}});
  }
  return events;
}

Json receipts_of(const std::string& job, const std::vector<engine::effects::Written>& published) {
  const std::string key = engine::operation_key(job);
  Json receipts = Json::array();
  for (const auto& written : published) {
    if (written.key != key) continue;
    receipts.push_back({{"key", written.key},
                        {"payload", embedded(written.payload)},
                        {"payload_hash", engine::sha256_hex(written.payload)},
                        {"receipt", written.receipt},
                        {"at_us", written.at_us}});
  }
  return receipts;
}

Json known_by(const Submission& submission) {
  return {{"workflow", submission.workflow},
          {"provider", submission.provider},
          {"model", submission.model},
          {"endpoint", submission.endpoint},
          {"scope", submission.scope},
          {"input_digest", input_digest(submission)},
          {"sources", sources_with_texts(submission.sources)}};
}

std::optional<Json> read_job(Connection& db, const std::string& job,
                             const std::vector<engine::effects::Written>& published) {
  engine::store::Work work;
  if (engine::store::read_work(db, job, work).word != model::Word::ok) return std::nullopt;
  const auto submission = submission_of(work.input);
  if (!submission || work.kind != job_kind) return std::nullopt;
  engine::store::StateReader reader;
  const model::Observation& state = reader.read_in_full(db);
  const auto op = state.ops.find(job);
  const auto workflow = state.workflows.find(work.workflow);
  if (op == state.ops.end() || workflow == state.workflows.end()) return std::nullopt;

  Json document = known_by(*submission);
  document.update(Json{{"job", job},
                       {"memory", work.context ? embedded(*work.context) : Json(nullptr)},
                       {"status", model::word(op->second.status)},
                       {"workflow_status", model::word(workflow->second.status)},
                       {"cancel_requested", workflow->second.cancel_requested},
                       {"generation", op->second.generation},
                       {"attempts", op->second.attempts},
                       {"max_attempts", work.max_attempts},
                       {"deadline_us", or_null(work.deadline_us)},
                       {"next_attempt_us", or_null(op->second.next_attempt_us)},
                       {"error", or_null(op->second.error)},
                       {"lease", lease_of(op->second)},
                       {"steps", steps_of(op->second)},
                       {"effect", effect_of(op->second, work)},
                       {"approval", approval_of(db, job)},
                       {"receipts", receipts_of(job, published)},
                       {"events", events_of(db, job)}});
  return document;
}

}  // namespace

std::optional<Json> inspected(Connection& db, const std::string& job,
                              const std::vector<engine::effects::Written>& published) {
  db.clear_fault();
  // One read transaction, so that all parts tell of the same moment.
  db.execute(engine::store::index(Sql::begin_read));
  auto document = read_job(db, job, published);
  db.execute(engine::store::index(Sql::commit));
  if (db.fault() != engine::sqlite::Fault::none) return std::nullopt;
  return document;
}

}  // namespace leaseproof::scenarios::lab
