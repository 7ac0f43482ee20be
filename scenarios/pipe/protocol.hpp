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
};

struct HelloRequest {};
// Empties everything. The slack belongs to the case's config, and the program keeps it with its
// files.
struct ResetRequest {
  std::int64_t clock_slack_us = 0;
};
struct StepRequest {
  model::Action action;
  std::string handle;  // worker calls: the proof of the lease, opaque to the harness
  model::Given given;  // now_us, receipt, found
  std::string cursor;  // JSON text; empty: the beginning
  std::optional<faults::Place> die_at;
};
struct Request {
  std::int64_t id = 0;
  std::variant<HelloRequest, ResetRequest, StepRequest> what;
};

// One line with its end.
std::string request_line(std::int64_t id, const std::variant<HelloRequest, ResetRequest>& what);
std::string request_line(std::int64_t id, const StepRequest& step);
// The error is an answer in itself: `invalid` and why, with the id where there was one.
tl::expected<Request, std::string> read_request(std::string_view line);

// Answers of the served engine.
std::string hello_line(std::int64_t id, const Hello& hello);
std::string reply_line(std::int64_t id, const properties::Reply& reply,
                       const model::Action& action);

// The answer to a step: what it says, and for `snapshots_since` where the reader stands then.
struct StepReply {
  model::Outcome outcome;
  std::string handle;
  std::string cursor;  // JSON text
};
// Errors are one line: what is wrong with the answer.
tl::expected<Hello, std::string> read_hello(std::string_view line, std::int64_t id);
tl::expected<void, std::string> read_done(std::string_view line, std::int64_t id);
tl::expected<StepReply, std::string> read_reply(std::string_view line, std::int64_t id,
                                                const model::Action& action);
struct Seen {
  model::Observation observation;
  properties::Unseen unseen;
};
tl::expected<Seen, std::string> read_seen(std::string_view line, std::int64_t id);

// Whether a program without 64-bit integers can take the action and what it adds up to.
bool fits_a_double(const model::Action& action);

}  // namespace leaseproof::scenarios
