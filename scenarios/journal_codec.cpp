#include "scenarios/journal_codec.hpp"

#include <utility>
#include <variant>

#include "properties/model_sut.hpp"
#include "scenarios/action_codec.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {

using model::Complete;
using model::Reconcile;

namespace {

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
  call.outcome = read_outcome(outcome, call.action);
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
