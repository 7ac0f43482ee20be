#include "scenarios/pipe/protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "properties/judgement.hpp"
#include "scenarios/action_codec.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/reply.hpp"
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
  }
  read_die_at(reader, step.die_at);
  const std::vector<std::string_view> known = sent_words();
  const std::string_view word = model::do_word(step.action);
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    reader.at("do").refuse(fmt::format("'{}' is played by the harness and never sent", word));
  }
  return step;
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
    ResetRequest reset;
    reader.may("clock_slack_us", reset.clock_slack_us, std::int64_t{0});
    request.what = reset;
  } else {
    StepRequest step = read_step_request(reader);
    step.handle = std::move(handle);
    request.what = std::move(step);
  }
  reader.end();
  return request;
}

// The object of an answer, with `what` done to it.
template <class T, class What>
tl::expected<T, std::string> read_answer(std::string_view line, std::int64_t id, What what) {
  const auto json = parse_json(line);
  if (!json || !json->is_object()) {
    return tl::unexpected(std::string(json ? "is no JSON object" : "is no JSON: " + json.error()));
  }
  try {
    const Place top;
    Reader reader(*json, top, no_config());
    std::int64_t answered = 0;
    reader.must("id", answered);
    if (answered != id) {
      return tl::unexpected(fmt::format("has the id {}, not {}", answered, id));
    }
    std::string why;
    reader.may("why", why, std::string());
    T value = what(reader);
    reader.end();
    return value;
  } catch (const Refused& refused) {
    return tl::unexpected("cannot be read: " + refused.text);
  }
}

void must_be_ok(Reader& reader) {
  model::Word word = model::Word::ok;
  reader.must("outcome", word);
  if (word != model::Word::ok) {
    reader.at("outcome").refuse(fmt::format("must be 'ok', but is '{}'", model::word(word)));
  }
}

std::vector<std::string> read_words(Reader& reader, std::string_view key,
                                    const std::vector<std::string_view>& known) {
  std::vector<std::string> words;
  reader.may_list(key, words);
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      reader.at(key).refuse(unknown_word("word", word, known));
    }
  }
  return words;
}

// What this harness cannot do justice to is refused before anything runs.
void check_rules(Reader& reader) {
  std::string oracle;
  reader.must("oracle", oracle);
  if (oracle == "invariants") {
    reader.at("oracle").refuse(
        "'invariants' is not supported by this build; it compares with 'model'");
  }
  if (oracle != "model") reader.at("oracle").refuse(unknown_word("word", oracle, {"model"}));
  std::optional<std::string> recovers;
  reader.may("recovers", recovers);
  if (!recovers) return;
  reader.at("recovers")
      .refuse(
          *recovers == "on_lease"
              ? "'on_lease' is not supported by this build: its model recovers leases by 'refresh'"
              : unknown_word("word", *recovers, {"on_lease"}));
}

Hello read_hello_fields(Reader& reader) {
  must_be_ok(reader);
  Hello hello;
  reader.must("engine", hello.engine);
  check_rules(reader);
  static_cast<void>(reader.require("speaks"));
  for (std::string& word : read_words(reader, "speaks", do_words())) {
    hello.speaks.insert(std::move(word));
  }
  reader.may("int64", hello.int64, false);
  for (const std::string& word :
       read_words(reader, "die_at", {place_words.begin(), place_words.end()})) {
    const auto at = std::find(place_words.begin(), place_words.end(), word);
    hello.die_at.at(static_cast<std::size_t>(at - place_words.begin())) = true;
  }
  return hello;
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

std::string request_line(std::int64_t id, const std::variant<HelloRequest, ResetRequest>& what) {
  std::string out;
  Writer writer(out, no_config());
  writer.must("id", id);
  if (const auto* reset = std::get_if<ResetRequest>(&what)) {
    writer.must("do", std::string_view("reset"));
    writer.may("clock_slack_us", reset->clock_slack_us, std::int64_t{0});
  } else {
    writer.must("do", std::string_view("hello"));
    writer.must("protocol", sut_protocol);
  }
  writer.end();
  return out + "\n";
}

std::string request_line(std::int64_t id, const StepRequest& step) {
  std::string out;
  Writer writer(out, no_config(), Defaults::written);
  writer.must("id", id);
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
  if (step.die_at) {
    writer.must("die_at", place_words.at(static_cast<std::size_t>(*step.die_at)));
  }
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

std::string hello_line(std::int64_t id, const Hello& hello) {
  std::vector<std::string_view> places;
  for (std::size_t i = 0; i < place_words.size(); ++i) {
    if (hello.die_at.at(i)) places.push_back(place_words.at(i));
  }
  return canonical(Json{{"id", id},
                        {"outcome", "ok"},
                        {"engine", hello.engine},
                        {"speaks", hello.speaks},
                        {"oracle", "model"},
                        {"int64", hello.int64},
                        {"die_at", places}}) +
         "\n";
}

std::string reply_line(std::int64_t id, const properties::Reply& reply,
                       const model::Action& action) {
  Json json = reply_json(reply.outcome);
  json["id"] = id;
  if (!reply.outcome.why.empty()) json["why"] = reply.outcome.why;
  if (reply.outcome.word == model::Word::leased) json["handle"] = reply.handle;
  if (std::holds_alternative<model::SnapshotsSince>(action) &&
      reply.outcome.word == model::Word::ok) {
    json["cursor"] = reply.cursor;
  }
  return canonical(json) + "\n";
}

tl::expected<Hello, std::string> read_hello(std::string_view line, std::int64_t id) {
  return read_answer<Hello>(line, id, read_hello_fields);
}

tl::expected<void, std::string> read_done(std::string_view line, std::int64_t id) {
  const auto done = read_answer<bool>(line, id, [](Reader& reader) {
    must_be_ok(reader);
    return true;
  });
  if (!done) return tl::unexpected(done.error());
  return {};
}

tl::expected<StepReply, std::string> read_reply(std::string_view line, std::int64_t id,
                                                const model::Action& action) {
  return read_answer<StepReply>(line, id, [&action](Reader& reader) {
    StepReply reply;
    reply.outcome = read_outcome(reader, action);
    if (reply.outcome.word == model::Word::leased) reader.must("handle", reply.handle);
    const bool is_page = std::holds_alternative<model::Page>(reply.outcome.detail);
    if (is_page) reader.must_json("cursor", reply.cursor);
    if (std::holds_alternative<model::Observe>(action) && reply.outcome.word == model::Word::ok) {
      model::Observation seen;
      properties::Unseen unseen;
      read_observation(reader, seen, unseen);
      reply.outcome.detail = std::move(seen);
    }
    return reply;
  });
}

tl::expected<Seen, std::string> read_seen(std::string_view line, std::int64_t id) {
  return read_answer<Seen>(line, id, [](Reader& reader) {
    must_be_ok(reader);
    Seen seen;
    read_observation(reader, seen.observation, seen.unseen);
    return seen;
  });
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
