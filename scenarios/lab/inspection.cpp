#include "scenarios/lab/inspection.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "engine/store/reading.hpp"
#include "engine/store/state_reader.hpp"
#include "engine/values/binding.hpp"
#include "engine/values/digest.hpp"
#include "scenarios/database_reading.hpp"
#include "scenarios/lab/submission.hpp"

namespace leaseproof::scenarios::lab {

namespace {

using engine::sqlite::Connection;

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
  for (Json& approval : read_approvals(db)) {
    if (approval.at("op") == job) newest = std::move(approval);
  }
  if (newest.is_object()) newest.erase("op");
  return newest;
}

Json events_of(Connection& db, const std::string& job) {
  EventFilter filter;
  filter.workflow = job;
  Json events = Json::array();
  for (const Json& event : read_events(db, filter).events) {
    Json& told = events.emplace_back(Json::object());
    for (const char* key : {"seq", "at_us", "generation", "kind"}) told[key] = event.at(key);
  }
  return events;
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

}  // namespace

std::optional<Json> inspected(Connection& db, const std::string& job) {
  engine::store::Work work;
  if (engine::store::read_work(db, job, work).word != model::Word::ok) return std::nullopt;
  const auto submission = submission_of(embedded(work.input));
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
                       {"receipts", Json::array()},
                       {"events", events_of(db, job)}});
  return document;
}

void add_receipts(Json& document, const std::vector<engine::effects::Written>& published) {
  const std::string key = engine::operation_key(document.at("job").get<std::string>());
  Json& receipts = document.at("receipts");
  for (const auto& written : published) {
    if (written.key != key) continue;
    receipts.push_back({{"key", written.key},
                        {"payload", embedded(written.payload)},
                        {"payload_hash", engine::sha256_hex(written.payload)},
                        {"receipt", written.receipt},
                        {"at_us", written.at_us}});
  }
}

}  // namespace leaseproof::scenarios::lab
