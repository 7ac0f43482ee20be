#include "scenarios/journal_codec.hpp"

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/canonical.hpp"
#include "properties/model_sut.hpp"
#include "scenarios/action_codec.hpp"
#include "scenarios/plain_reader.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {

using model::Complete;
using model::Reconcile;

namespace {

// The texts of a call that stand there as their SHA-256.
void mark_digest(std::string& value) {
  constexpr std::string_view begin = R"({"sha256":")";
  constexpr std::size_t digits = 64;
  if (value.size() != begin.size() + digits + 2 || value.rfind(begin, 0) != 0) return;
  value = model::digest_form(std::string_view(value).substr(begin.size(), digits));
}

void mark_digests(std::vector<model::OpSpec>& ops) {
  for (model::OpSpec& op : ops) mark_digest(op.input);
}

void mark_digests(model::Action& action) {
  std::visit(
      [](auto& a) {
        if constexpr (requires { a.identity; }) mark_digest(a.identity);
        if constexpr (requires { a.input; }) mark_digest(a.input);
        if constexpr (requires { a.ops; }) mark_digests(a.ops);
        if constexpr (requires { a.emit; }) mark_digests(a.emit);
        if constexpr (std::is_same_v<decltype(a), model::Checkpoint&> ||
                      std::is_same_v<decltype(a), model::RequestApproval&> ||
                      std::is_same_v<decltype(a), model::Dispatch&> ||
                      std::is_same_v<decltype(a), model::ContextPut&>) {
          mark_digest(a.payload);
        }
        if constexpr (std::is_same_v<decltype(a), model::Complete&>) {
          mark_digest(a.result);
          for (model::Artifact& artifact : a.artifacts) mark_digest(artifact.text);
        }
      },
      action);
}

// An artifact's text is no JSON: its digest is.
void write_out_digests(Json& action) {
  const auto artifacts = action.find("artifacts");
  if (artifacts == action.end() || !artifacts->is_array()) return;
  for (Json& artifact : *artifacts) {
    if (!artifact.is_object() || !artifact.contains("text")) continue;
    Json& text = artifact["text"];
    if (text.is_object()) text = canonical(text);
  }
}

// An engine does not know its worker's name, only the token that it proved.
bool lacks_worker(const Json& action) {
  return !action.contains("worker") && action.contains("token");
}
bool lacks_worker(const PlainReader& action) {
  return !action.has("worker") && action.has("token");
}

// `Io` is `Reader` or `PlainReader`.
template <class Io>
void read_call(Io& reader, properties::DecodedCall& call) {
  call.action = read_action(reader);
  mark_digests(call.action);
  reader.must("now_us", call.given.now_us);
  // What the caller held or was told: absent means nothing.
  if (std::holds_alternative<Complete>(call.action)) reader.may("receipt", call.given.receipt);
  if (std::holds_alternative<Reconcile>(call.action)) reader.may("found", call.given.found);
  reader.may("token", call.token, std::string());
  reader.inside("outcome", [&](Io& outcome) { call.outcome = read_outcome(outcome, call.action); });
}

template <class Io>
void read_change(Io& reader, properties::DecodedChange& change) {
  reader.may("from", change.from, std::string());
  reader.may("to", change.to, std::string());
  if (reader.has("for_a_person")) {
    reader.inside("for_a_person", [&](Io& counts) {
      properties::DecodedChange::ForAPerson waiting;
      counts.must("reconciling", waiting.reconciling);
      counts.must("waiting_approval", waiting.waiting_approval);
      change.for_a_person = waiting;
    });
  }
}

template <class Io>
std::optional<properties::DecodedEvent> read_event(Io& reader) {
  std::optional<properties::DecodedEvent> event{std::in_place};
  properties::DecodedEvent& decoded = *event;
  if (reader.has("action")) {
    reader.inside("action", [&](Io& action) {
      if constexpr (std::is_same_v<Io, PlainReader>) {
        if (lacks_worker(action)) action.let_lack("worker");
      }
      read_call(action, decoded.call.emplace());
    });
  }
  read_change(reader, decoded.change.emplace());
  reader.end();
  return event;
}

const properties::Config& defaults() {
  static const properties::Config config;
  return config;
}

}  // namespace

std::optional<properties::DecodedEvent> decode_plain_journal(
    const properties::JournalEvent& event) {
  auto detail = PlainJson::read(event.detail);
  if (!detail) return std::nullopt;
  try {
    PlainReader reader(*detail, 0, defaults());
    return read_event(reader);
  } catch (const NotPlain&) {
    return std::nullopt;
  }
}

std::optional<properties::DecodedEvent> decode_any_journal(const properties::JournalEvent& event) {
  auto detail = parse_json(event.detail);
  if (!detail || !detail->is_object()) return std::nullopt;
  try {
    if (const auto action = detail->find("action"); action != detail->end()) {
      if (!action->is_object()) return std::nullopt;
      if (lacks_worker(*action)) (*action)["worker"] = "";
      write_out_digests(*action);
    }
    const Place top;
    Reader reader(*detail, top, defaults());
    return read_event(reader);
  } catch (const Refused&) {
    return std::nullopt;
  }
}

std::optional<properties::DecodedEvent> decode_journal(const properties::JournalEvent& event) {
  auto decoded = decode_plain_journal(event);
  if (!decoded) decoded = decode_any_journal(event);
  return decoded;
}

properties::JournalDecoder decoder_for(properties::Sut& sut) {
  if (auto* over_model = dynamic_cast<properties::ModelSut*>(&sut)) return over_model->decoder();
  return decode_journal;
}

}  // namespace leaseproof::scenarios
