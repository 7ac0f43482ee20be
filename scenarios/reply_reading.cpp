// The mirror of reply.cpp.
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {

using namespace model;  // it names each detail of an outcome and each part of what is observed
using properties::OpField;
using properties::QueueField;
using properties::Unseen;
using properties::WorkflowField;

namespace {

template <class T, class Io>
T read(Io& reader, std::string_view key) {
  T value{};
  reader.must(key, value);
  return value;
}
template <class Io>
std::int64_t number(Io& reader, std::string_view key) {
  return read<std::int64_t>(reader, key);
}
template <class Io>
std::string text(Io& reader, std::string_view key) {
  return read<std::string>(reader, key);
}

template <class Io>
std::array<std::int64_t, op_status_count> read_counts(Io& reader, std::string_view key) {
  std::array<std::int64_t, op_status_count> counts{};
  reader.inside(key, [&](Io& inner) {
    for (std::size_t i = 0; i < op_status_count; ++i) {
      inner.may(Words<OpStatus>::all[i], counts[i], std::int64_t{0});
    }
  });
  return counts;
}

Page read_page(Reader& reader) {
  Page page;
  const Json& ids = reader.require("workflows");
  const Place place = reader.at("workflows");
  if (!ids.is_array()) place.refuse(fmt::format("must be a list, but is {}", type_name(ids)));
  for (const Json& id : ids) {
    if (!id.is_string()) place.refuse("must be a list of texts");
    page.workflows.push_back(id.get_ref<const std::string&>());
  }
  reader.must("more", page.more);
  return page;
}

// No journal records a read.
Page read_page(PlainReader& /*reader*/) { throw NotPlain(); }

// The id that the caller chose need not be told.
template <class Io>
Identified read_identified(Io& reader, const Action& action) {
  Identified identified;
  const auto* start = std::get_if<Start>(&action);
  const auto* ensure = std::get_if<Ensure>(&action);
  const auto* asked = start != nullptr    ? &start->workflow
                      : ensure != nullptr ? &ensure->workflow
                                          : nullptr;
  if (asked != nullptr && *asked) {
    reader.may("workflow", identified.workflow, **asked);
  } else {
    reader.must("workflow", identified.workflow);
  }
  return identified;
}

template <class Io>
Detail read_ok(Io& reader, const Action& action) {
  if (std::holds_alternative<Refresh>(action)) {
    return Refreshed{number(reader, "recovered"), number(reader, "expired"),
                     number(reader, "blocked"), number(reader, "unblocked"),
                     number(reader, "readied")};
  }
  if (std::holds_alternative<Retry>(action)) return Reopened{number(reader, "reopened")};
  if (std::holds_alternative<Cancel>(action)) {
    return CancelCounts{number(reader, "canceled"), number(reader, "reconciling")};
  }
  if (std::holds_alternative<Snapshot>(action)) return StatusCounts{read_counts(reader, "counts")};
  if (std::holds_alternative<SnapshotsSince>(action)) return read_page(reader);
  return {};
}

template <class Io>
Detail read_detail(Io& reader, Word word, const Action& action) {
  switch (word) {
    case Word::ok:
      return read_ok(reader, action);
    case Word::created:
    case Word::attached:
      return read_identified(reader, action);
    case Word::leased:
      return Leased{text(reader, "op"), number(reader, "generation"), number(reader, "expires_us")};
    case Word::extended:
      return Extended{number(reader, "expires_us")};
    case Word::retry_scheduled:
      return RetryScheduled{number(reader, "next_attempt_us")};
    case Word::waiting:
      return Waiting{text(reader, "hash")};
    case Word::dispatching:
      return Dispatching{text(reader, "key"), number(reader, "call_before_us")};
    case Word::already_decided:
      return AlreadyDecided{read<ApprovalStatus>(reader, "status")};
    default:
      return {};
  }
}

// What a key that is not there leaves unseen; null is there, and absent.
template <class Field, std::size_t n>
const Json* shown(Reader& reader, std::string_view key, Field field, std::bitset<n>& missing) {
  const Json* json = reader.find(key);
  if (json == nullptr) missing.set(static_cast<std::size_t>(field));
  return json;
}

template <class T>
std::optional<T> or_nothing(Reader& reader, std::string_view key) {
  const Json* json = reader.find(key);
  if (json == nullptr || json->is_null()) return std::nullopt;
  return read<T>(reader, key);
}

void read_lease(Reader& reader, OpView& op) {
  const Json& json = reader.require("lease");
  if (json.is_null()) return;
  const Place place = reader.at("lease");
  Reader inner(json, place, reader.config());
  op.lease =
      LeaseView{text(inner, "owner"), number(inner, "generation"), number(inner, "expires_us")};
  inner.end();
}

void read_approval(Reader& reader, OpView& op) {
  const Json& json = reader.require("approval");
  if (json.is_null()) return;
  const Place place = reader.at("approval");
  Reader inner(json, place, reader.config());
  op.approval = ApprovalView{number(inner, "request_no"), read<ApprovalStatus>(inner, "status"),
                             text(inner, "hash")};
  inner.end();
}

void read_effect(Reader& reader, OpView& op) {
  const Json& json = reader.require("effect");
  if (json.is_null()) return;
  const Place place = reader.at("effect");
  Reader inner(json, place, reader.config());
  op.effect = EffectView{read<EffectStatus>(inner, "status"), or_nothing<std::string>(inner, "key"),
                         or_nothing<std::string>(inner, "receipt")};
  inner.end();
}

void read_texts(Reader& reader, std::string_view key, std::map<std::string, std::string>& texts,
                bool are_json) {
  const Json& json = reader.require(key);
  const Place place = reader.at(key);
  if (!json.is_object()) place.refuse(fmt::format("must be an object, but is {}", type_name(json)));
  for (const auto& member : json.items()) {
    if (!are_json && !member.value().is_string()) place.refuse("must be an object of texts");
    texts.emplace(member.key(), are_json ? canonical(member.value())
                                         : member.value().get_ref<const std::string&>());
  }
}

std::bitset<properties::op_field_count> read_op(Reader& io, OpView& op) {
  std::bitset<properties::op_field_count> missing;
  if (shown(io, "workflow", OpField::workflow, missing)) io.must("workflow", op.workflow);
  if (shown(io, "status", OpField::status, missing)) io.must("status", op.status);
  if (shown(io, "generation", OpField::generation, missing)) io.must("generation", op.generation);
  if (shown(io, "attempts", OpField::attempts, missing)) io.must("attempts", op.attempts);
  if (shown(io, "next_attempt_us", OpField::next_attempt_us, missing)) {
    op.next_attempt_us = or_nothing<std::int64_t>(io, "next_attempt_us");
  }
  if (shown(io, "error", OpField::error, missing)) {
    op.error = or_nothing<std::string>(io, "error");
  }
  io.may_json("result", op.result);
  if (shown(io, "lease", OpField::lease, missing)) read_lease(io, op);
  if (shown(io, "artifacts", OpField::artifacts, missing)) {
    read_texts(io, "artifacts", op.artifacts, false);
  }
  if (shown(io, "checkpoints", OpField::checkpoints, missing)) {
    read_texts(io, "checkpoints", op.checkpoints, true);
  }
  if (shown(io, "approval", OpField::approval, missing)) read_approval(io, op);
  if (shown(io, "effect", OpField::effect, missing)) read_effect(io, op);
  return missing;
}

std::bitset<properties::workflow_field_count> read_workflow(Reader& io, WorkflowView& workflow) {
  std::bitset<properties::workflow_field_count> missing;
  if (shown(io, "status", WorkflowField::status, missing)) io.must("status", workflow.status);
  if (shown(io, "cancel_requested", WorkflowField::cancel_requested, missing)) {
    io.must("cancel_requested", workflow.cancel_requested);
  }
  if (shown(io, "counts", WorkflowField::counts, missing)) {
    workflow.counts = read_counts(io, "counts");
  }
  return missing;
}

std::bitset<properties::queue_field_count> read_queue(Reader& io, QueueView& queue) {
  std::bitset<properties::queue_field_count> missing;
  if (shown(io, "running", QueueField::running, missing)) io.must("running", queue.running);
  if (shown(io, "tokens", QueueField::tokens, missing)) io.must("tokens", queue.tokens);
  return missing;
}

void check_is_object(const Json& json, const Place& place) {
  if (!json.is_object()) place.refuse(fmt::format("must be an object, but is {}", type_name(json)));
}

// The entries of one object, each an object of its own.
template <class Entry>
void each(const Json& json, const Place& place, const properties::Config& config, Entry entry) {
  check_is_object(json, place);
  for (const auto& member : json.items()) {
    const Place inside{&place, member.key(), std::nullopt};
    Reader inner(member.value(), inside, config);
    entry(member.key(), inner);
    inner.end();
  }
}

void read_workflows(const Json& json, const Place& place, const properties::Config& config,
                    Observation& seen, Unseen& unseen) {
  each(json, place, config, [&](const std::string& id, Reader& inner) {
    const auto missing = read_workflow(inner, seen.workflows[id]);
    if (missing.any()) unseen.workflow_fields.emplace(id, missing);
  });
}

void read_ops(const Json& json, const Place& place, const properties::Config& config,
              Observation& seen, Unseen& unseen) {
  each(json, place, config, [&](const std::string& id, Reader& inner) {
    const auto missing = read_op(inner, seen.ops[id]);
    if (missing.any()) unseen.op_fields.emplace(id, missing);
  });
}

void read_queues(const Json& json, const Place& place, const properties::Config& config,
                 Observation& seen, Unseen& unseen) {
  check_is_object(json, place);
  for (const auto& site : json.items()) {
    const Place at_site{&place, site.key(), std::nullopt};
    each(site.value(), at_site, config, [&](const std::string& queue, Reader& inner) {
      const SiteQueue at{site.key(), queue};
      const auto missing = read_queue(inner, seen.queues[at]);
      if (missing.any()) unseen.queue_fields.emplace(at, missing);
    });
  }
}

template <class Io>
Outcome read_any_outcome(Io& reader, const Action& action) {
  Outcome outcome;
  reader.must("outcome", outcome.word);
  outcome.detail = read_detail(reader, outcome.word, action);
  return outcome;
}

}  // namespace

Outcome read_outcome(Reader& reader, const Action& action) {
  return read_any_outcome(reader, action);
}
Outcome read_outcome(PlainReader& reader, const Action& action) {
  return read_any_outcome(reader, action);
}

void read_observation(Reader& reader, Observation& seen, Unseen& unseen) {
  const auto part = [&](std::string_view key, auto read_part) {
    const Json* json = reader.find(key);
    if (json != nullptr) read_part(*json, reader.at(key), reader.config(), seen, unseen);
    return json == nullptr;
  };
  unseen.workflows = part("workflows", read_workflows);
  unseen.ops = part("ops", read_ops);
  unseen.queues = part("queues", read_queues);
  // Kinds and numbers of events are the engine's own, and the writes are the service's.
  static_cast<void>(reader.find("events"));
  static_cast<void>(reader.find("service"));
}

}  // namespace leaseproof::scenarios
