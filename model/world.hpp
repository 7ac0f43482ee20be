// A small world for the explorer: a few ops, and everything that workers, operators, reviewers, the
// outside service and the clock can do to them.
//
// Promise: `moves` lists every possible next step of a node, in one fixed order; `play` performs
// one. Workers are as bad as their contract allows: each call may be made with the proof of any
// generation that was ever granted. They are not worse: what they say about a refusal, what
// evidence says, and which receipt they hold is true (SEMANTICS 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/action.hpp"
#include "model/outcome.hpp"
#include "model/state.hpp"

namespace leaseproof::model {

// Times are microseconds. Each bound keeps the world finite; none is a rule of the model.
struct World {
  // Played at time 0 in this order.
  std::vector<Action> setup;
  Settings settings;
  std::vector<std::string> workers{"A", "B"};
  std::int64_t lease_us = 10;
  std::int64_t approval_ttl_us = 10;
  // The clock steps no further.
  std::int64_t horizon_us = 25;
  // An operator retries an op only below this generation.
  std::int64_t max_generation = 3;
  // Durations that a heartbeat may ask for.
  std::vector<std::int64_t> heartbeats_us;
  // What may happen at all.
  bool checkpoints = false;
  bool retries = false;
  bool cancels = false;
  bool rejections = false;
  bool revocations = false;
  bool clock_steps_back = false;
  std::vector<FailKind> failures;
  // What a failing worker says went wrong.
  std::optional<std::string> error;
  // Calls that anybody may make at any time.
  std::vector<Action> anytime;
  // What each op makes when it completes.
  std::vector<Artifact> artifacts;
  // What a worker may try to write; the first is what it asks approval for.
  std::vector<std::string> payloads{"\"p\""};
  // Who decides about requests, and who closes what is reconciling.
  std::vector<Actor> reviewers{{"rita", {"reviewer"}, {"team"}}};
  std::vector<Actor> operators{{"otto", {"operator"}, {"team"}}};
  // What an op emits when it completes.
  std::map<std::string, std::vector<OpSpec>> emits;
};

// SEMANTICS 6: the right to send one payload until a time.
struct Permit {
  std::int64_t call_before_us = 0;
  bool used = false;
  bool operator==(const Permit&) const = default;
};

// What the service holds under one op's key.
struct Written {
  std::int64_t count = 0;
  std::int64_t newest_us = 0;
  bool operator==(const Written&) const = default;
};

// The outside service and the permits that workers hold: by op, and by the generation that
// dispatched.
struct Outside {
  std::map<std::string, std::map<std::int64_t, Permit>> permits;
  std::map<std::string, Written> writes;
  bool operator==(const Outside&) const = default;
};

struct Node {
  State state;
  std::int64_t now_us = 0;
  Outside outside;
  bool operator==(const Node&) const = default;
};

std::size_t hash_value(const Node& node);

// An engine call.
struct CallMove {
  Action action;
  Given given;
};
// The holder of a permit sends its request, and the write takes place.
struct SendMove {
  std::string op;
  std::int64_t generation = 0;
};
struct ClockMove {
  std::int64_t to_us = 0;
};
using Move = std::variant<CallMove, SendMove, ClockMove>;

// What came of a move. `outcome` is there for an engine call; `fault` is a broken law or empty.
struct Played {
  Node node;
  std::optional<Outcome> outcome;
  std::string fault;
};

Node begin(const World& world);
std::vector<Move> moves(const World& world, const Node& node);
Played play(const Node& node, const Move& move);

// The receipt that some worker was given for the op's write, if there was one; every receipt for a
// key is the same. And what the service answers to a query for the key, which it forgets after the
// retention time.
std::optional<std::string> held_receipt(const Node& node, const std::string& op);
std::optional<std::string> found_receipt(const Node& node, const std::string& op);

// The next time after `now` at which anything can change by itself, or nothing.
std::optional<std::int64_t> next_boundary(const Node& node);

// One line for a person.
std::string describe(const Move& move);

}  // namespace leaseproof::model
