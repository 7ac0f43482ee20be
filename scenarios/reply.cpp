#include "scenarios/reply.hpp"

#include <type_traits>
#include <variant>

namespace leaseproof::scenarios {

using namespace model;  // one visitor over most of its types

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json counts_json(const std::array<std::int64_t, op_status_count>& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < op_status_count; ++i) {
    json[std::string(Words<OpStatus>::all[i])] = counts[i];
  }
  return json;
}

struct Fields {
  Json& json;

  void operator()(const std::monostate& /*nothing*/) const {}
  void operator()(const Refreshed& d) const {
    json["recovered"] = d.recovered;
    json["expired"] = d.expired;
    json["blocked"] = d.blocked;
    json["unblocked"] = d.unblocked;
    json["readied"] = d.readied;
  }
  void operator()(const Leased& d) const {
    json["op"] = d.op;
    json["generation"] = d.generation;
    json["expires_us"] = d.expires_us;
  }
  void operator()(const Extended& d) const { json["expires_us"] = d.expires_us; }
  void operator()(const RetryScheduled& d) const { json["next_attempt_us"] = d.next_attempt_us; }
  void operator()(const Reopened& d) const { json["reopened"] = d.reopened; }
  void operator()(const CancelCounts& d) const {
    json["canceled"] = d.canceled;
    json["reconciling"] = d.reconciling;
  }
  void operator()(const StatusCounts& d) const { json["counts"] = counts_json(d.counts); }
  void operator()(const Page& d) const {
    json["workflows"] = d.workflows;
    json["more"] = d.more;
  }
  void operator()(const Waiting& d) const { json["hash"] = d.hash; }
  void operator()(const Dispatching& d) const {
    json["key"] = d.key;
    json["call_before_us"] = d.call_before_us;
  }
  void operator()(const Receipt& d) const {
    json["receipt"] = d.receipt;
    json["fresh"] = d.fresh;
  }
  void operator()(const AlreadyDecided& d) const { json["status"] = word(d.status); }
  void operator()(const Identified& d) const { json["workflow"] = d.workflow; }
  void operator()(const Observation& d) const { json.update(observation_json(d)); }
};

Json op_json(const OpView& op) {
  Json json{{"workflow", op.workflow},
            {"status", word(op.status)},
            {"generation", op.generation},
            {"attempts", op.attempts},
            {"next_attempt_us", or_null(op.next_attempt_us)},
            {"error", or_null(op.error)},
            {"lease", nullptr},
            {"artifacts", op.artifacts},
            {"checkpoints", Json::object()},
            {"approval", nullptr},
            {"effect", nullptr}};
  if (op.lease) {
    json["lease"] = {{"owner", op.lease->owner},
                     {"generation", op.lease->generation},
                     {"expires_us", op.lease->expires_us}};
  }
  if (op.result) json["result"] = embedded(*op.result);
  for (const auto& [step, payload] : op.checkpoints) json["checkpoints"][step] = embedded(payload);
  if (op.approval) {
    json["approval"] = {{"request_no", op.approval->request_no},
                        {"status", word(op.approval->status)},
                        {"hash", op.approval->hash}};
  }
  if (op.effect) {
    json["effect"] = {{"status", word(op.effect->status)},
                      {"key", or_null(op.effect->key)},
                      {"receipt", or_null(op.effect->receipt)}};
  }
  return json;
}

}  // namespace

Json reply_json(const Outcome& outcome) {
  Json json{{"outcome", word(outcome.word)}};
  std::visit(Fields{json}, outcome.detail);
  return json;
}

Json observation_json(const Observation& observation) {
  Json json{{"workflows", Json::object()},
            {"ops", Json::object()},
            {"queues", Json::object()},
            {"events", {{"count", observation.events}, {"last_seq", observation.last_seq}}},
            {"service", {{"writes", observation.writes}}}};
  for (const auto& [id, workflow] : observation.workflows) {
    json["workflows"][id] = {{"status", word(workflow.status)},
                             {"cancel_requested", workflow.cancel_requested},
                             {"counts", counts_json(workflow.counts)}};
  }
  for (const auto& [id, op] : observation.ops) json["ops"][id] = op_json(op);
  for (const auto& [where, queue] : observation.queues) {
    json["queues"][where.first][where.second] = {{"running", queue.running},
                                                 {"tokens", queue.tokens}};
  }
  return json;
}

std::pair<Json, Json> differing(const Json& before, const Json& after) {
  if (!before.is_object() || !after.is_object()) return {before, after};
  std::pair<Json, Json> parts{Json::object(), Json::object()};
  const Json absent;
  const auto add = [&parts](const std::string& key, const Json& a, const Json& b) {
    if (a == b) return;
    auto [inner_a, inner_b] = differing(a, b);
    parts.first[key] = std::move(inner_a);
    parts.second[key] = std::move(inner_b);
  };
  for (const auto& member : before.items()) {
    const auto other = after.find(member.key());
    add(member.key(), member.value(), other == after.end() ? absent : *other);
  }
  for (const auto& member : after.items()) {
    if (!before.contains(member.key())) add(member.key(), absent, member.value());
  }
  return parts;
}

}  // namespace leaseproof::scenarios
