#include "scenarios/expectation.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {

namespace {

using Names = std::vector<std::string_view>;

// The fields of an answer, whatever the call: what one call cannot answer shows as a difference.
const Names& reply_names() {
  static const Names names = [] {
    Names all{"outcome",  "recovered", "expired",     "blocked",        "unblocked",
              "readied",  "op",        "generation",  "expires_us",     "next_attempt_us",
              "reopened", "canceled",  "reconciling", "counts",         "workflows",
              "more",     "hash",      "key",         "call_before_us", "receipt",
              "fresh",    "status",    "workflow"};
    return all;
  }();
  return names;
}
const Names state_names{"outcome", "workflows", "ops", "queues", "events", "service"};
const Names workflow_names{"status", "cancel_requested", "counts"};
const Names op_names{"workflow",        "status",      "generation", "attempts",
                     "next_attempt_us", "error",       "lease",      "result",
                     "artifacts",       "checkpoints", "approval",   "effect"};
const Names status_names(model::Words<model::OpStatus>::all.begin(),
                         model::Words<model::OpStatus>::all.end());

void check_keys(const Json& object, const Place& place, const Names& known) {
  for (const auto& member : object.items()) {
    if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
      place.refuse(unknown_word("key", member.key(), known));
    }
  }
}

void check_object(const Json& json, const Place& place, std::string_view otherwise) {
  if (!json.is_object()) {
    place.refuse(fmt::format("must be {}, but is {}", otherwise, type_name(json)));
  }
}

// Each member of `json` is an object with known keys, or null for absent.
void check_members(const Json& json, const Place& place, const Names& known) {
  if (json.is_null()) return;
  check_object(json, place, "an object");
  for (const auto& member : json.items()) {
    const Place at{&place, member.key(), std::nullopt};
    if (member.value().is_null()) continue;
    check_object(member.value(), at, "an object or null");
    check_keys(member.value(), at, known);
  }
}

template <class E>
void check_word(const Json& json, const Place& place) {
  if (json.is_null()) return;
  if (!json.is_string()) {
    place.refuse(fmt::format("must be a word, but is {}", type_name(json)));
  }
  (void)word_or_refuse<E>(place, json.get_ref<const std::string&>());
}

}  // namespace

void check_expect_shape(const Json& expect, const Place& place, const model::Action& action) {
  if (expect.is_string()) return check_word<model::Word>(expect, place);
  check_object(expect, place, "a word or an object");
  if (const auto outcome = expect.find("outcome"); outcome != expect.end()) {
    check_word<model::Word>(*outcome, Place{&place, "outcome", std::nullopt});
  }
  if (std::holds_alternative<model::Observe>(action)) {
    check_keys(expect, place, state_names);
    if (const auto found = expect.find("workflows"); found != expect.end()) {
      check_members(*found, Place{&place, "workflows", std::nullopt}, workflow_names);
    }
    if (const auto found = expect.find("ops"); found != expect.end()) {
      check_members(*found, Place{&place, "ops", std::nullopt}, op_names);
    }
    return;
  }
  Names known = reply_names();
  if (std::holds_alternative<model::Snapshot>(action)) {
    known.insert(known.end(), status_names.begin(), status_names.end());
  }
  check_keys(expect, place, known);
}

void check_finally_shape(const Json& expected, const Place& place) {
  static const Names known{"status",    "generation",  "attempts", "error",       "result",
                           "artifacts", "checkpoints", "approval", "effect",      "workflow",
                           "counts",    "writes",      "events",   "blocked_left"};
  check_object(expected, place, "an object");
  check_keys(expected, place, known);
  for (const auto& member : expected.items()) {
    const std::string& key = member.key();
    const Json& value = member.value();
    const Place at{&place, key, std::nullopt};
    if (key == "writes" || key == "events") {
      if (!as_int64(value)) {
        at.refuse(fmt::format("must be an integer, but is {}", type_name(value)));
      }
      continue;
    }
    if (key == "blocked_left") {
      if (!value.is_boolean()) {
        at.refuse(fmt::format("must be true or false, but is {}", type_name(value)));
      }
      continue;
    }
    check_object(
        value, at,
        key == "workflow" || key == "counts" ? "an object by workflow id" : "an object by op id");
    for (const auto& item : value.items()) {
      const Place item_at{&at, item.key(), std::nullopt};
      if (key == "status") check_word<model::OpStatus>(item.value(), item_at);
      if (key == "workflow") check_word<model::WorkflowStatus>(item.value(), item_at);
      if (key == "counts" && item.value().is_object()) {
        check_keys(item.value(), item_at, status_names);
      }
    }
  }
}

namespace {

std::string difference_at(const Json& expected, const Json* observed, const std::string& path) {
  if (expected.is_null() && (observed == nullptr || observed->is_null())) return {};
  if (expected.is_object() && observed != nullptr && observed->is_object()) {
    for (const auto& member : expected.items()) {
      const auto found = observed->find(member.key());
      std::string inner =
          difference_at(member.value(), found == observed->end() ? nullptr : &*found,
                        path.empty() ? member.key() : path + "." + member.key());
      if (!inner.empty()) return inner;
    }
    return {};
  }
  if (observed != nullptr && expected == *observed) return {};
  const std::string seen = observed == nullptr ? "nothing" : canonical(*observed);
  const std::string wanted = expected.is_null() ? "nothing" : canonical(expected);
  return fmt::format("{}expected {}, observed {}", path.empty() ? "" : path + ": ", wanted, seen);
}

// `finally` names fields first and ops second; the state has them the other way round.
Json by_field(const model::Observation& observation) {
  const Json state = observation_json(observation);
  Json all{{"writes", 0}, {"events", observation.events}, {"blocked_left", false}};
  for (const std::string_view field : op_names) {
    if (field == "workflow" || field == "lease" || field == "next_attempt_us") continue;
    Json& by_op = all[std::string(field)] = Json::object();
    for (const auto& op : state["ops"].items()) {
      const auto value = op.value().find(field);
      if (value != op.value().end()) by_op[op.key()] = *value;
    }
  }
  for (const auto& workflow : state["workflows"].items()) {
    all["workflow"][workflow.key()] = workflow.value()["status"];
    all["counts"][workflow.key()] = workflow.value()["counts"];
  }
  std::int64_t writes = 0;
  for (const auto& [key, count] : observation.writes) writes += count;
  all["writes"] = writes;
  for (const auto& [id, op] : observation.ops) {
    if (op.status == model::OpStatus::blocked) all["blocked_left"] = true;
  }
  return all;
}

// For approval and effect a word means the status.
void spell_out_status(Json& expected) {
  for (const char* field : {"approval", "effect"}) {
    const auto found = expected.find(field);
    if (found == expected.end()) continue;
    for (Json& value : *found) {
      if (value.is_string()) value = Json{{"status", value}};
    }
  }
}

}  // namespace

std::string difference(const Json& expected, const Json& observed) {
  return difference_at(expected, &observed, "");
}

std::string check_expect(const properties::Step& step, const model::Outcome& outcome) {
  if (step.expect.empty()) return {};
  const Json expect = embedded(step.expect);
  if (expect.is_string()) {
    if (expect == model::word(outcome.word)) return {};
    return fmt::format("expected '{}', the engine answered '{}'{}",
                       expect.get_ref<const std::string&>(), model::word(outcome.word),
                       outcome.why.empty() ? "" : " (" + outcome.why + ")");
  }
  Json reply = reply_json(outcome);
  // TRACE 2 says "counts per status" and can be read as one object or as a field for each status.
  if (const auto counts = reply.find("counts"); counts != reply.end()) {
    const Json copy = *counts;
    reply.update(copy);
  }
  std::string sentence = difference(expect, reply);
  if (!sentence.empty()) {
    sentence = fmt::format("in the answer '{}', {}", model::word(outcome.word), sentence);
  }
  return sentence;
}

std::string check_finally(const std::string& expected, const model::Observation& observation) {
  if (expected.empty()) return {};
  Json json = embedded(expected);
  spell_out_status(json);
  const std::string sentence = difference(json, by_field(observation));
  return sentence.empty() ? sentence : "after the last step, " + sentence;
}

}  // namespace leaseproof::scenarios
