#include "scenarios/journal_codec.hpp"

#include <utility>
#include <variant>

#include "properties/model_sut.hpp"
#include "scenarios/action_codec.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios {

using namespace model;  // it names each detail of an outcome

namespace {

// The fields tell the detail: no two details of TRACE 2 have the same.
Detail read_detail(Reader& reader) {
  const auto number = [&reader](std::string_view key) {
    std::int64_t value = 0;
    reader.must(key, value);
    return value;
  };
  const auto text = [&reader](std::string_view key) {
    std::string value;
    reader.must(key, value);
    return value;
  };
  if (reader.has("recovered")) {
    return Refreshed{number("recovered"), number("expired"), number("blocked"), number("unblocked"),
                     number("readied")};
  }
  if (reader.has("op")) return Leased{text("op"), number("generation"), number("expires_us")};
  if (reader.has("expires_us")) return Extended{number("expires_us")};
  if (reader.has("next_attempt_us")) return RetryScheduled{number("next_attempt_us")};
  if (reader.has("reopened")) return Reopened{number("reopened")};
  if (reader.has("canceled")) return CancelCounts{number("canceled"), number("reconciling")};
  if (reader.has("hash")) return Waiting{text("hash")};
  if (reader.has("key")) return Dispatching{text("key"), number("call_before_us")};
  if (reader.has("workflow")) return Identified{text("workflow")};
  return {};
}

properties::DecodedCall read_call(const Json& json) {
  static const properties::Config config;
  const Place top;
  Reader reader(json, top, config);
  properties::DecodedCall call;
  call.action = read_action(reader);
  reader.must("now_us", call.given.now_us);
  // What the caller held or was told: absent means nothing.
  if (std::holds_alternative<Complete>(call.action)) reader.may("receipt", call.given.receipt);
  if (std::holds_alternative<Reconcile>(call.action)) reader.may("found", call.given.found);
  reader.may("token", call.token, std::string());
  const Place at = reader.at("outcome");
  Reader outcome(reader.require("outcome"), at, config);
  outcome.must("outcome", call.outcome.word);
  call.outcome.detail = read_detail(outcome);
  outcome.end();
  reader.end();
  return call;
}

}  // namespace

std::optional<properties::DecodedCall> decode_journal(const properties::JournalEvent& event) {
  auto detail = parse_json(event.detail);
  if (!detail || !detail->is_object()) return std::nullopt;
  const auto action = detail->find("action");
  if (action == detail->end() || !action->is_object()) return std::nullopt;
  // An engine does not know its worker's name, only the token that it proved.
  if (!action->contains("worker") && action->contains("token")) (*action)["worker"] = "";
  try {
    return read_call(*action);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

properties::JournalDecoder decoder_for(properties::Sut& sut) {
  if (auto* over_model = dynamic_cast<properties::ModelSut*>(&sut)) return over_model->decoder();
  return decode_journal;
}

}  // namespace leaseproof::scenarios
