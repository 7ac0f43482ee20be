#include "scenarios/pipe/readings_codec.hpp"

#include <optional>
#include <utility>

#include "model/words.hpp"

namespace leaseproof::scenarios {

using properties::Readings;

namespace {

// An engine may answer what is no JSON at all; then it differs as the text that it is.
Json payload_json(const std::string& text) {
  auto value = parse_json(text);
  return value ? std::move(*value) : Json(text);
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> value_or_nothing(Reader& reader, std::string_view key) {
  if (reader.require(key).is_null()) return std::nullopt;
  T value{};
  reader.must(key, value);
  return value;
}

const Json& list_in(Reader& reader, std::string_view key) {
  const Json& list = reader.require(key);
  if (!list.is_array()) {
    reader.at(key).refuse(fmt::format("must be a list, but is {}", type_name(list)));
  }
  return list;
}

// Each item of the list, which is an object.
template <class Item>
void for_each(Reader& reader, std::string_view key, Item item) {
  const Place above = reader.place();
  std::size_t index = 0;
  for (const Json& json : list_in(reader, key)) {
    const Place place{&above, key, index++};
    Reader inner(json, place, reader.config());
    item(inner);
    inner.end();
  }
}

Readings::Work read_work(Reader& reader) {
  Readings::Work work;
  reader.must("workflow", work.workflow);
  reader.must("kind", work.kind);
  reader.must_json("input", work.input);
  reader.must("max_attempts", work.max_attempts);
  work.deadline_us = value_or_nothing<std::int64_t>(reader, "deadline_us");
  // Null is a payload, too.
  reader.may_json("context", work.context);
  work.dispatched_hash = value_or_nothing<std::string>(reader, "dispatched_hash");
  reader.must("status", work.status);
  reader.must("generation", work.generation);
  reader.must("attempts", work.attempts);
  for_each(reader, "checkpoints", [&](Reader& inner) {
    std::string step;
    inner.must("step", step);
    inner.must_json("payload", work.checkpoints[step]);
  });
  return work;
}

Readings::Request read_review(Reader& reader) {
  Readings::Request request;
  reader.must("op", request.op);
  reader.must("number", request.number);
  reader.must("status", request.status);
  reader.must("hash", request.hash);
  reader.must_json("payload", request.payload);
  reader.must("requester", request.requester);
  reader.must("expires_us", request.expires_us);
  request.decided_by = value_or_nothing<std::string>(reader, "decided_by");
  request.decided_us = value_or_nothing<std::int64_t>(reader, "decided_us");
  return request;
}

}  // namespace

ReadingsRequest asked_for(const Readings& asked, std::int64_t most_us) {
  ReadingsRequest request;
  for (const auto& [op, work] : asked.work) request.ops.push_back(op);
  for (const auto& [since_us, cursor] : asked.cursors) {
    if (since_us <= most_us && since_us >= -most_us) request.since_us.push_back(since_us);
  }
  return request;
}

Readings asked_in(const ReadingsRequest& request) {
  Readings asked;
  for (const std::string& op : request.ops) asked.work[op];
  for (const std::int64_t since_us : request.since_us) asked.cursors[since_us];
  return asked;
}

Json readings_json(const Readings& readings) {
  Json json{{"waiting_approval", readings.waiting_approval},
            {"reconciling", readings.reconciling},
            {"work", Json::object()},
            {"requests", Json::array()},
            {"unknown", Json::array()},
            {"cursors", Json::array()},
            {"expiry_us", value_or_null(readings.expiry_us)},
            {"due_queues", Json::array()}};
  for (const auto& [op, work] : readings.work) {
    json["work"][op] = {{"workflow", work.workflow},
                        {"kind", work.kind},
                        {"input", payload_json(work.input)},
                        {"max_attempts", work.max_attempts},
                        {"deadline_us", value_or_null(work.deadline_us)},
                        {"dispatched_hash", value_or_null(work.dispatched_hash)},
                        {"status", model::word(work.status)},
                        {"generation", work.generation},
                        {"attempts", work.attempts},
                        {"checkpoints", Json::array()}};
    for (const auto& [step, payload] : work.checkpoints) {
      json["work"][op]["checkpoints"].push_back(
          {{"step", step}, {"payload", payload_json(payload)}});
    }
    if (work.context) json["work"][op]["context"] = payload_json(*work.context);
  }
  for (const Readings::Request& request : readings.requests) {
    json["requests"].push_back({{"op", request.op},
                                {"number", request.number},
                                {"status", model::word(request.status)},
                                {"hash", request.hash},
                                {"payload", payload_json(request.payload)},
                                {"requester", request.requester},
                                {"expires_us", request.expires_us},
                                {"decided_by", value_or_null(request.decided_by)},
                                {"decided_us", value_or_null(request.decided_us)}});
  }
  for (const Readings::Unknown& one : readings.unknown) {
    json["unknown"].push_back(
        {{"op", one.op}, {"key", one.key}, {"contract", model::word(one.contract)}});
  }
  for (const auto& [since_us, cursor] : readings.cursors) {
    json["cursors"].push_back({{"since_us", since_us}, {"seq", cursor}});
  }
  for (const auto& [at, due_us] : readings.due_queues) {
    json["due_queues"].push_back({{"site", at.first}, {"queue", at.second}, {"due_us", due_us}});
  }
  return json;
}

Readings read_readings(Reader& reader) {
  Readings readings;
  reader.must("waiting_approval", readings.waiting_approval);
  reader.must("reconciling", readings.reconciling);
  const Json& work = reader.require("work");
  const Place at_work = reader.at("work");
  if (!work.is_object()) {
    at_work.refuse(fmt::format("must be an object, but is {}", type_name(work)));
  }
  for (const auto& member : work.items()) {
    const Place place{&at_work, member.key(), std::nullopt};
    Reader inner(member.value(), place, reader.config());
    readings.work[member.key()] = read_work(inner);
    inner.end();
  }
  for_each(reader, "requests",
           [&](Reader& inner) { readings.requests.push_back(read_review(inner)); });
  for_each(reader, "unknown", [&](Reader& inner) {
    Readings::Unknown& one = readings.unknown.emplace_back();
    inner.must("op", one.op);
    inner.must("key", one.key);
    inner.must("contract", one.contract);
  });
  for_each(reader, "cursors", [&](Reader& inner) {
    std::int64_t since_us = 0;
    inner.must("since_us", since_us);
    inner.must("seq", readings.cursors[since_us]);
  });
  readings.expiry_us = value_or_nothing<std::int64_t>(reader, "expiry_us");
  for_each(reader, "due_queues", [&](Reader& inner) {
    model::SiteQueue at;
    inner.must("site", at.first);
    inner.must("queue", at.second);
    inner.must("due_us", readings.due_queues[at]);
  });
  return readings;
}

}  // namespace leaseproof::scenarios
