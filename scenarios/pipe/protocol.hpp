// The lines between the harness and an engine in a program of its own (TRACE 5), both ways.
//
// Promise: one codec: steps and answers are those of trace files, with what a call needs besides.
// What cannot be read is refused in one line that names the key; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "faults/point.hpp"
#include "model/vocabulary.hpp"
#include "properties/sut.hpp"
#include "scenarios/json.hpp"
#include "scenarios/pipe/readings_codec.hpp"

namespace leaseproof::scenarios {

inline constexpr std::string_view sut_protocol = "leaseproof-sut/1";
// Of a program that does not say "int64": what a double holds exactly.
inline constexpr std::int64_t most_in_a_double = (std::int64_t{1} << 53U) - 1;

// In the order of faults::Place.
inline constexpr std::array<std::string_view, faults::place_count> place_words{
    "begin", "write", "commit", "committed"};

// The steps that are ever sent: all but those that the harness plays itself.
std::vector<std::string_view> sent_words();

// What a program says of itself.
struct Hello {
  std::string engine;
  std::set<std::string, std::less<>> speaks;
  bool int64 = false;
  std::array<bool, faults::place_count> die_at{};
  // What it can do besides; a program that names none of it is asked for none of it.
  bool journal = false;
  bool readings = false;
  bool disk = false;
  // With a disk: what is damaged in what it found there, a sentence. Only `reset` mends it.
  std::string damage = {};
};

struct HelloRequest {};
// Empties everything. These belong to the case's config, and the program keeps them with its files;
// all but the slack are for a program with a disk.
struct ResetRequest {
  std::int64_t clock_slack_us = 0;
  std::int64_t busy_tries = properties::Config().busy_tries;
  properties::Synchronous synchronous = properties::Synchronous::full;
  bool operator==(const ResetRequest&) const = default;
};
struct StepRequest {
  model::Action action;
  std::string handle;  // worker calls: the proof of the lease, opaque to the harness
  model::Given given;  // now_us, receipt, found
  std::string cursor;  // JSON text; empty: the beginning
  std::optional<faults::Place> die_at;
  std::optional<std::int64_t> journal_after = std::nullopt;   // `observe`
  std::optional<properties::StepFault> fault = std::nullopt;  // for a program with a disk
};
// The closing and opening that this fault hits.
struct RestartRequest {
  properties::StepFault fault;
};
using RequestKind =
    std::variant<HelloRequest, ResetRequest, ReadingsRequest, RestartRequest, StepRequest>;
struct Request {
  std::int64_t id = 0;
  RequestKind what;
};

// One line with its end.
std::string request_line(std::int64_t id, const RequestKind& what);
// The error is an answer in itself: `invalid` and why, with the id where there was one.
tl::expected<Request, std::string> read_request(std::string_view line);

// Answers of the served engine.
std::string hello_line(std::int64_t id, const Hello& hello);
std::string reply_line(std::int64_t id, const properties::Reply& reply,
                       const model::Action& action);
// To an observation that asked for the journal too.
std::string reply_line(std::int64_t id, const properties::Reply& observation,
                       const std::vector<properties::JournalEvent>& events);
std::string readings_line(std::int64_t id, const properties::Readings& readings);
std::string reopened_line(std::int64_t id, const properties::Reopened& reopened);

// The answer to a step: what it says, and for `snapshots_since` where the reader stands then.
struct StepReply {
  model::Outcome outcome;
  std::string handle;
  std::string cursor;       // JSON text
  std::int64_t fired = 0;   // with a disk: how often the fault of the request did
  std::string breach = {};  // with a disk: what it saw done against the rules
};
// Errors are one line: what is wrong with the answer.
tl::expected<Hello, std::string> read_hello(std::string_view line, std::int64_t id);
tl::expected<void, std::string> read_done(std::string_view line, std::int64_t id);
tl::expected<StepReply, std::string> read_reply(std::string_view line, std::int64_t id,
                                                const model::Action& action, bool has_disk = false);
tl::expected<properties::Readings, std::string> read_readings(std::string_view line,
                                                              std::int64_t id);
// What was lost is what the program finds damaged.
tl::expected<properties::Reopened, std::string> read_reopened(std::string_view line,
                                                              std::int64_t id);
struct Seen {
  model::Observation observation;
  properties::Unseen unseen;
  std::vector<properties::JournalEvent> events;
  std::string breach = {};  // as of a reply
};
// `journal_after` as in the request.
tl::expected<Seen, std::string> read_seen(std::string_view line, std::int64_t id,
                                          std::optional<std::int64_t> journal_after = std::nullopt,
                                          bool has_disk = false);

// Whether a program without 64-bit integers can take the action and what it adds up to.
bool fits_a_double(const model::Action& action);

}  // namespace leaseproof::scenarios
