#include "scenarios/pipe/protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "properties/judgement.hpp"
#include "scenarios/action_codec.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/pipe/journal_lines.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/reply.hpp"
#include "scenarios/step_codec.hpp"
#include "scenarios/writer.hpp"

namespace leaseproof::scenarios {

namespace {

const properties::Config& no_config() {
  static const properties::Config config;
  return config;
}

// The harness's own counting of handles, and what it expects, are nothing to the program.
model::Action as_sent(const model::Action& action) {
  model::Action sent = action;
  std::visit(
      [](auto& a) {
        if constexpr (requires { a.by.handle; }) a.by.handle = 0;
        if constexpr (requires { a.expected_op; }) a.expected_op.reset();
      },
      sent);
  return sent;
}

void write_json(Writer& writer, std::string_view key, const std::optional<std::string>& text) {
  std::string json = "null";
  if (text) {
    json.clear();
    write_string(json, *text);
  }
  writer.must_json(key, json);
}

// `null` says the same as nothing.
void drop_null(Json& json, std::string_view key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_null()) json.erase(found);
}

void read_die_at(Reader& reader, std::optional<faults::Place>& place) {
  std::optional<std::string> word;
  reader.may("die_at", word);
  if (!word) return;
  const auto found = std::find(place_words.begin(), place_words.end(), *word);
  if (found == place_words.end()) {
    reader.at("die_at").refuse(
        unknown_word("word", *word, {place_words.begin(), place_words.end()}));
  }
  place = static_cast<faults::Place>(found - place_words.begin());
}

void read_sent_fault(Reader& reader, const Json& json, properties::StepFault& fault) {
  const Place place = reader.at("fault");
  read_fault(json, place, reader.config(), fault);
  if (fault.plan.kind != faults::Kind::interleave) return;
  place.refuse("'interleave' is played by the harness and never sent");
}

StepRequest read_step_request(Reader& reader) {
  StepRequest step;
  step.action = read_action(reader);
  reader.must("now_us", step.given.now_us);
  if (std::holds_alternative<model::Complete>(step.action)) {
    reader.may("receipt", step.given.receipt);
  } else if (std::holds_alternative<model::Reconcile>(step.action)) {
    reader.may("found", step.given.found);
  } else if (std::holds_alternative<model::SnapshotsSince>(step.action)) {
    reader.may("cursor", step.given.cursor, std::int64_t{0});
  } else if (std::holds_alternative<model::Observe>(step.action)) {
    reader.may("journal_after", step.journal_after);
  }
  read_die_at(reader, step.die_at);
  if (const Json* fault = reader.find("fault")) {
    read_sent_fault(reader, *fault, step.fault.emplace());
  }
  const std::vector<std::string_view> known = sent_words();
  const std::string_view word = model::do_word(step.action);
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    reader.at("do").refuse(fmt::format("'{}' is played by the harness and never sent", word));
  }
  return step;
}

ResetRequest read_reset(Reader& reader) {
  const ResetRequest usual;
  ResetRequest reset;
  reader.may("clock_slack_us", reset.clock_slack_us, usual.clock_slack_us);
  reader.may("busy_tries", reset.busy_tries, usual.busy_tries);
  if (reset.busy_tries < 1) reader.at("busy_tries").refuse("must be at least 1");
  read_synchronous(reader, reset.synchronous);
  return reset;
}

Request read_request_object(Json json) {
  // Opaque here, and a number in a trace.
  std::string handle;
  const auto proof = json.find("handle");
  if (proof != json.end() && proof->is_string()) {
    handle = proof->get<std::string>();
    json.erase(proof);
  }
  for (const std::string_view key : {"receipt", "found", "cursor"}) drop_null(json, key);
  const Place top;
  Reader reader(json, top, no_config());
  Request request;
  reader.must("id", request.id);
  std::string word;
  reader.must("do", word);
  if (word == "hello") {
    std::string protocol;
    reader.must("protocol", protocol);
    if (protocol != sut_protocol) {
      reader.at("protocol").refuse(fmt::format("is '{}', this is '{}'", protocol, sut_protocol));
    }
    request.what = HelloRequest{};
  } else if (word == "reset") {
    request.what = read_reset(reader);
  } else if (word == "readings") {
    ReadingsRequest asked;
    reader.must_list("ops", asked.ops);
    reader.must_list("since_us", asked.since_us);
    request.what = std::move(asked);
  } else if (word == model::Restart::name) {
    RestartRequest restart;
    read_sent_fault(reader, reader.require("fault"), restart.fault);
    request.what = std::move(restart);
  } else {
    StepRequest step = read_step_request(reader);
    step.handle = std::move(handle);
    request.what = std::move(step);
  }
  reader.end();
  return request;
}

// Sums of two of them still fit, such as a moment and a duration.
bool fits(const Json& json) {
  if (json.is_structured()) return std::all_of(json.begin(), json.end(), fits);
  if (is_raw(json)) return false;
  if (!json.is_number()) return true;
  const auto number = as_int64(json);
  constexpr std::int64_t most = most_in_a_double / 2;
  return number && *number <= most && *number >= -most;
}

}  // namespace

std::vector<std::string_view> sent_words() {
  std::vector<std::string_view> words = do_words();
  std::erase_if(words, [](std::string_view word) {
    return word == model::Call::name || word == model::Deliver::name ||
           word == model::Advance::name || word == model::Restart::name ||
           word == model::Forget::name;
  });
  return words;
}

namespace {
// The fields of each kind of request, after its id.
struct RequestFields {
  Writer& writer;

  void operator()(const HelloRequest& /*hello*/) const {
    writer.must("do", std::string_view("hello"));
    writer.must("protocol", sut_protocol);
  }
  // Only what is not as usual, so that a program without a disk need not know of the rest.
  void operator()(const ResetRequest& reset) const {
    const ResetRequest usual;
    writer.must("do", std::string_view("reset"));
    const auto number = [&](std::string_view key, std::int64_t value, std::int64_t otherwise) {
      if (value != otherwise) writer.must(key, value);
    };
    number("clock_slack_us", reset.clock_slack_us, usual.clock_slack_us);
    number("busy_tries", reset.busy_tries, usual.busy_tries);
    if (reset.synchronous != usual.synchronous) {
      writer.must("synchronous", synchronous_word(reset.synchronous));
    }
  }
  void operator()(const ReadingsRequest& asked) const {
    writer.must("do", std::string_view("readings"));
    writer.must_list("ops", asked.ops);
    writer.must_list("since_us", asked.since_us);
  }
  void operator()(const RestartRequest& restart) const {
    writer.must("do", std::string_view(model::Restart::name));
    fault(restart.fault);
  }
  void operator()(const StepRequest& step) const {
    write_action(writer, as_sent(step.action));
    writer.must("now_us", step.given.now_us);
    if (properties::handle_of(step.action) != nullptr) writer.must("handle", step.handle);
    if (std::holds_alternative<model::Complete>(step.action)) {
      write_json(writer, "receipt", step.given.receipt);
    } else if (std::holds_alternative<model::Reconcile>(step.action)) {
      write_json(writer, "found", step.given.found);
    } else if (std::holds_alternative<model::SnapshotsSince>(step.action)) {
      writer.must_json("cursor", step.cursor.empty() ? "null" : step.cursor);
    }
    writer.may("journal_after", step.journal_after);
    if (step.die_at) {
      writer.must("die_at", place_words.at(static_cast<std::size_t>(*step.die_at)));
    }
    if (step.fault) fault(*step.fault);
  }
  void fault(const properties::StepFault& fault) const {
    std::string json;
    write_fault(json, fault, writer.config(), Defaults::written);
    writer.must_json("fault", json);
  }
};
}  // namespace

std::string request_line(std::int64_t id, const RequestKind& what) {
  std::string out;
  Writer writer(out, no_config(), Defaults::written);
  writer.must("id", id);
  std::visit(RequestFields{writer}, what);
  writer.end();
  return out + "\n";
}

tl::expected<Request, std::string> read_request(std::string_view line) {
  std::optional<std::int64_t> id;
  const auto refuse = [&id](const std::string& why) {
    Json answer{{"outcome", "invalid"}, {"why", why}};
    if (id) answer["id"] = *id;
    return tl::unexpected(canonical(answer) + "\n");
  };
  auto json = parse_json(line);
  if (!json) return refuse(json.error());
  if (!json->is_object()) return refuse("a request is a JSON object");
  if (const auto given = json->find("id"); given != json->end()) id = as_int64(*given);
  try {
    return read_request_object(std::move(*json));
  } catch (const Refused& refused) {
    return refuse(refused.text);
  }
}

bool fits_a_double(const model::Action& action) {
  std::string text;
  Writer writer(text, no_config());
  write_action(writer, action);
  writer.end();
  const auto json = parse_json(text);
  return json && fits(*json);
}

}  // namespace leaseproof::scenarios
