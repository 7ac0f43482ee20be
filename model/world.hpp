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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/action.hpp"
#include "model/outcome.hpp"
#include "model/rules.hpp"
#include "model/shared_map.hpp"
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

// An op's dealings with the outside service: the permits that workers hold, by the generation that
// dispatched, and what the service holds.
struct Dealings {
  std::map<std::int64_t, Permit> permits;
  Written written;
  bool operator==(const Dealings&) const = default;
};

struct Node {
  State state;
  std::int64_t now_us = 0;
  // By op; only where there are any.
  SharedMap<std::string, Dealings> outside;
  bool operator==(const Node&) const = default;
};

std::size_t hash_value(const Node& node);

// An engine call. What is called belongs to whoever lists the move.
struct CallMove {
  const Action* action;
  const Given* given;
};
// The holder of a permit sends its request, and the write takes place.
struct SendMove {
  std::string_view op;
  std::int64_t generation = 0;
};
struct ClockMove {
  std::int64_t to_us = 0;
};
using Move = std::variant<CallMove, SendMove, ClockMove>;

// What came of a move. `outcome` tells something for an engine call alone; `fault` is a broken law
// or empty.
struct Played {
  Played() = default;
  // An engine call, made on that state here and now.
  Played(State& state, const Action& action, const Given& given)
      : outcome(apply(state, action, given)) {}

  Outcome outcome;
  std::string fault;
  // False only where the node is as it was; true also where it was edited to what it was.
  bool edited = false;
};

// The node that the set-up leads to, which keeps the laws.
Node begin(const World& world);

// How far the clock may move at once: to the next boundary, or to any that it would come to in
// several moves, so that a shortest path waits once.
enum class Waits : std::uint8_t { to_next, to_any };

// Which receipts a worker that completes knows of: all are the same, but each lease may be held by
// a process of its own, which was told of none but its own.
enum class Receipts : std::uint8_t { of_anybody, its_own };

// Lists the moves of one node after the other. What is the same in many of them is made once, so
// that a search keeps one list.
class MoveList {
 public:
  explicit MoveList(const World& world, Waits waits = Waits::to_next,
                    Receipts receipts = Receipts::of_anybody);
  MoveList(const MoveList&) = delete;
  MoveList& operator=(const MoveList&) = delete;
  ~MoveList();

  // The moves, and what they call, stand until the next list.
  const std::vector<Move>& of(const Node& node);

 private:
  class Lister;
  std::unique_ptr<Lister> lister_;
};

// Performs a move in place. `before` is equal to `node`, keeps the laws, and stays as it is: they
// judge the step by it, and what the two share no second time.
Played play(Node& node, const Node& before, const Move& move);
// The same for a call that nobody listed.
Played play_call(Node& node, const Node& before, const Action& action, const Given& given);

// The permit that the op's worker was given under that generation, or null.
const Permit* permit_of(const Node& node, std::string_view op, std::int64_t generation);
// Whether a second write under the op's key is none at all.
bool deduplicates(const Op& op);

// The receipt that some worker was given for the op's write, if there was one; every receipt for a
// key is the same. And what the service answers to a query for the key, which it forgets after the
// retention time.
std::optional<std::string> held_receipt(const Node& node, std::string_view op);
std::optional<std::string> found_receipt(const Node& node, std::string_view op);

// The next time after `now_us` at which anything can change by itself in a node in which nobody
// acts until then, or nothing.
std::optional<std::int64_t> next_boundary(const Node& node, std::int64_t now_us);

// One line for a person.
std::string describe(const Move& move);

}  // namespace leaseproof::model
