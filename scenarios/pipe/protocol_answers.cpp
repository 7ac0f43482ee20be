// The answers; protocol.cpp has the requests.
#include <algorithm>
#include <utility>

#include "scenarios/action_codec.hpp"
#include "scenarios/pipe/journal_lines.hpp"
#include "scenarios/pipe/protocol.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios {

namespace {

const properties::Config& usual_config() {
  static const properties::Config config;
  return config;
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
    Reader reader(*json, top, usual_config());
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
  reader.may("journal", hello.journal, false);
  reader.may("readings", hello.readings, false);
  reader.may("disk", hello.disk, false);
  if (hello.disk) reader.may("damage", hello.damage, std::string());
  return hello;
}

void read_fired(Reader& reader, std::int64_t& fired) {
  reader.may("fired", fired, std::int64_t{0});
  if (fired < 0) reader.at("fired").refuse("counts from 0");
}

}  // namespace

std::string hello_line(std::int64_t id, const Hello& hello) {
  std::vector<std::string_view> places;
  for (std::size_t i = 0; i < place_words.size(); ++i) {
    if (hello.die_at.at(i)) places.push_back(place_words.at(i));
  }
  Json json{{"id", id},
            {"outcome", "ok"},
            {"engine", hello.engine},
            {"speaks", hello.speaks},
            {"oracle", "model"},
            {"int64", hello.int64},
            {"die_at", places},
            {"journal", hello.journal},
            {"readings", hello.readings},
            {"disk", hello.disk}};
  if (!hello.damage.empty()) json["damage"] = hello.damage;
  return canonical(json) + "\n";
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
  if (reply.fired != 0) json["fired"] = reply.fired;
  if (!reply.breach.empty()) json["breach"] = reply.breach;
  return canonical(json) + "\n";
}

std::string reply_line(std::int64_t id, const properties::Reply& observation,
                       const std::vector<properties::JournalEvent>& events) {
  std::string line = reply_line(id, observation, model::Observe{});
  line.resize(line.rfind('}'));
  line += ",\"journal\":";
  write_events(line, events);
  return line + "}\n";
}

std::string readings_line(std::int64_t id, const properties::Readings& readings) {
  Json json = readings_json(readings);
  json["id"] = id;
  json["outcome"] = "ok";
  return canonical(json) + "\n";
}

std::string reopened_line(std::int64_t id, const properties::Reopened& reopened) {
  Json json{{"id", id}, {"outcome", model::word(reopened.outcome.word)}, {"fired", reopened.fired}};
  if (!reopened.lost.empty()) json["damage"] = reopened.lost;
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
                                                const model::Action& action, bool has_disk) {
  return read_answer<StepReply>(line, id, [&](Reader& reader) {
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
    if (has_disk) {
      read_fired(reader, reply.fired);
      reader.may("breach", reply.breach, std::string());
    }
    return reply;
  });
}

tl::expected<properties::Readings, std::string> read_readings(std::string_view line,
                                                              std::int64_t id) {
  return read_answer<properties::Readings>(line, id, [](Reader& reader) {
    must_be_ok(reader);
    return read_readings(reader);
  });
}

tl::expected<properties::Reopened, std::string> read_reopened(std::string_view line,
                                                              std::int64_t id) {
  return read_answer<properties::Reopened>(line, id, [](Reader& reader) {
    properties::Reopened reopened;
    reader.must("outcome", reopened.outcome.word);
    read_fired(reader, reopened.fired);
    reader.may("damage", reopened.lost, std::string());
    return reopened;
  });
}

tl::expected<Seen, std::string> read_seen(std::string_view line, std::int64_t id,
                                          std::optional<std::int64_t> journal_after,
                                          bool has_disk) {
  return read_answer<Seen>(line, id, [&](Reader& reader) {
    must_be_ok(reader);
    Seen seen;
    read_observation(reader, seen.observation, seen.unseen);
    if (journal_after) {
      SeenJournal journal = read_journal(reader, *journal_after);
      seen.observation.events = journal.count;
      seen.observation.last_seq = journal.last_seq;
      seen.events = std::move(journal.events);
    }
    if (has_disk) reader.may("breach", seen.breach, std::string());
    return seen;
  });
}

}  // namespace leaseproof::scenarios
