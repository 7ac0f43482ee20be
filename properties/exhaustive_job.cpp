#include "properties/exhaustive_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "engine/values/check.hpp"
#include "model/rules.hpp"

namespace leaseproof::properties {

using model::CallMove;
using model::Move;
using model::Word;

namespace {
constexpr std::int64_t tries_of_a_call = 3;
}  // namespace

Job::Job(const MakeRig& make, const ExhaustiveOptions& options)
    : options_(options), moves_(options.world, model::Waits::to_any, model::Receipts::its_own) {
  if (make) rig_ = make();
}

std::string Job::begin() {
  std::string breach;
  Waiting root;
  root.spot = {model::begin(options_.world), {options_.faults, {}}};
  if (rig_.sut != nullptr) {
    Config config;
    config.lease_us = options_.world.lease_us;
    config.clock_slack_us = options_.world.settings.clock_slack_us;
    config.busy_tries = tries_of_a_call;
    rig_.clock->time_us = 0;
    rig_.sut->reset(config);
    rig_.sut->outlive_crashes();
    for (const model::Action& action : options_.world.setup) {
      const model::Given given;
      CallFrame frame;
      frame.action = &action;
      frame.given = &given;
      const Reply reply = rig_.sut->apply(frame);
      LP_CHECK(reply.outcome.word == Word::created || reply.outcome.word == Word::ok,
               "the world can be set up on the engine");
    }
    breach = model::first_difference(root.spot.node.state, rig_.sut->observe_in_full());
    root.snapshot = rig_.sut->snapshot();
    LP_CHECK(root.snapshot != nullptr, "the engine can take snapshots");
    root.tokens = std::make_shared<const Tokens>();
    looks_behind_ = std::any_of(
        root.spot.node.state.ops.begin(), root.spot.node.state.ops.end(),
        [](const auto& entry) { return entry.second.spec->effect || entry.second.deadline_us; });
    rig_.sut->journal(0, events_);
    if (!events_.empty()) root.seq = events_.back().seq;
  }
  root_ = std::move(root);
  waiting.push_back(root_);
  orders.push_back(0);
  return breach;
}

bool Job::wait_for(const std::vector<PathMove>& path, const model::NodeKey& key,
                   std::uint32_t visit, std::size_t order) {
  Waiting at = root_;
  model::NodeKey reached_key = key_of(options_.world, at.spot.node, at.spot.left);
  Breach breach;
  const auto counts = std::array{transitions, calls, crashes};
  for (const PathMove& made : path) {
    const std::vector<Move>& moves = moves_.of(at.spot.node);
    if (made.move >= moves.size() || !can_be_made(at.spot.left, moves[made.move])) return false;
    const Move move = moves[made.move];
    model::Node next = at.spot.node;
    const model::Played played = model::play(next, at.spot.node, move);
    const auto all = variants(at.spot.left, move, !(next.state == at.spot.node.state));
    if (std::ranges::find(all, made.variant) == all.end()) return false;
    const model::Node& end = stands(made.variant) ? next : at.spot.node;
    Gone gone = go(at, move, played, end, made.variant);
    if (!gone.breach.empty() || gone.nowhere) return false;
    reached_key = gone.key;
    at = reached(at, move, end, std::move(gone), breach);
    if (!breach.why.empty()) return false;
  }
  if (!(reached_key == key)) return false;
  transitions = counts[0], calls = counts[1], crashes = counts[2];
  at.visit = visit;
  waiting.push_back(std::move(at));
  orders.push_back(order);
  return true;
}

void Job::expand(const Known& known) {
  found.clear();
  breaches.clear();
  fresh_.clear();
  for (std::size_t i = 0; i < waiting.size() && !is_over(); ++i) {
    if (options_.stop && options_.stop()) {
      stopped = true;
      return;
    }
    expand(waiting[i], orders[i], known);
  }
}

void Job::expand(const Waiting& from, std::size_t order, const Known& known) {
  const model::Node& begun = from.spot.node;
  const std::vector<Move>& moves = moves_.of(begun);
  model::Node next = begun;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!can_be_made(from.spot.left, moves[i])) continue;
    const model::Played played = model::play(next, begun, moves[i]);
    LP_CHECK(played.fault.empty(), "the model keeps its own laws");
    const bool changes =
        played.edited && (!may_strike(from.spot.left) || !(next.state == begun.state));
    for (const Variant variant : variants(from.spot.left, moves[i], changes)) {
      ++transitions;
      Breach breach{order, {from.visit, static_cast<std::uint32_t>(i), variant}, {}};
      const model::Node& end = stands(variant) ? next : begun;
      Gone gone = go(from, moves[i], played, end, variant);
      breach.why = std::move(gone.breach);
      const bool is_new = breach.why.empty() && !gone.nowhere && !known.contains(gone.key) &&
                          fresh_.insert(gone.key);
      if (is_new) {
        const model::NodeKey key = gone.key;
        Waiting state = reached(from, moves[i], end, std::move(gone), breach);
        if (breach.why.empty()) found.push_back({key, breach.visit, order, std::move(state)});
      }
      if (breach.why.empty()) continue;
      breaches.push_back(std::move(breach));
      if (is_over()) return;
    }
    if (played.edited) next = begun;
  }
}

Job::Gone Job::go(const Waiting& from, const Move& move, const model::Played& played,
                  const model::Node& end, Variant variant) {
  Gone gone;
  gone.tokens = from.tokens;
  gone.unlike = from.unlike;
  const auto* call = rig_.sut != nullptr ? std::get_if<CallMove>(&move) : nullptr;
  if (call != nullptr) {
    gone.breach = make(from, *call, played, variant, end.state, gone.tokens);
    if (!gone.breach.empty()) return gone;
    if (looks_behind_) gone.unlike = rig_.sut->unobserved_difference(end.state);
  }
  gone.nowhere = variant == Variant::plain && !played.edited && gone.unlike == from.unlike;
  if (gone.nowhere) return gone;
  gone.left = after(from.spot.left, move, played, variant);
  gone.key = key_of(options_.world, end, gone.left);
  if (gone.unlike != 0) gone.key = model::with(gone.key, gone.unlike);
  return gone;
}

// Where the move has led, for a search to come back to; the engine stands there.
Waiting Job::reached(const Waiting& from, const Move& move, const model::Node& end, Gone gone,
                     Breach& breach) {
  Waiting state;
  state.spot = {end, std::move(gone.left)};
  state.snapshot = from.snapshot;
  state.tokens = std::move(gone.tokens);
  state.seq = from.seq;
  state.unlike = gone.unlike;
  const auto* call = rig_.sut != nullptr ? std::get_if<CallMove>(&move) : nullptr;
  if (call == nullptr) return state;
  if (look(end.state, call->given->now_us, state.seq, breach)) {
    state.snapshot = rig_.sut->snapshot();
  }
  return state;
}

// What only somebody who looks closer sees of a new state: when its events happened, and the
// order in which workflows changed. `seq` moves on to the newest event. False: the breach tells.
bool Job::look(const model::State& expected, std::int64_t now_us, std::int64_t& seq,
               Breach& breach) {
  events_.clear();
  rig_.sut->journal(seq, events_);
  for (const JournalEvent& event : events_) {
    seq = event.seq;
    if (event.at_us == now_us) continue;
    breach.why = fmt::format("an event of {} has the time {}", now_us, event.at_us);
    return false;
  }
  const model::Action read = model::SnapshotsSince{};
  model::Given given;
  given.now_us = now_us;
  CallFrame frame;
  frame.action = &read;
  frame.given = &given;
  const Reply reply = rig_.sut->apply(frame);
  model::State same = expected;
  if (reply.outcome == model::apply(same, read, given)) return true;
  breach.why = "workflows are read in another order";
  breach.is_read = true;
  return false;
}

// Makes the call on the engine; what differs from the model, or nothing. A lease adds its token.
std::string Job::make(const Waiting& from, const CallMove& call, const model::Played& played,
                      Variant variant, const model::State& expected,
                      std::shared_ptr<const Tokens>& tokens) {
  ++calls;
  rig_.sut->restore(*from.snapshot);
  rig_.clock->time_us = call.given->now_us;
  const std::optional<StepFault> fault = fault_of(*call.action, variant, tries_of_a_call);
  CallFrame frame;
  frame.action = call.action;
  frame.given = call.given;
  if (fault) frame.fault = &*fault;
  if (const auto proof = proof_of(call)) {
    const auto token = from.tokens->find(*proof);
    if (token != from.tokens->end()) frame.handle = token->second;
  }
  Reply reply = rig_.sut->apply(frame);
  if (fault && faults::is_end(fault->plan.kind)) {
    ++crashes;
    if (reply.outcome.word != Word::crashed) return "the call did not come by its fault point";
    const Reopened reopened = rig_.sut->restart(nullptr);
    if (!reopened.lost.empty()) return reopened.lost;
  } else if (variant == Variant::busy_to_the_end) {
    if (reply.outcome.word != Word::busy) return "a call that used all its tries is not busy";
  } else if (variant == Variant::refused_by_disk) {
    if (reply.outcome.word != Word::storage_error) {
      return fmt::format("the disk refused the commit, the engine answers {}",
                         word(reply.outcome.word));
    }
  } else if (!(reply.outcome == played.outcome)) {
    return fmt::format("the model answers {}, the engine {}", word(played.outcome.word),
                       word(reply.outcome.word));
  }
  if (!reply.breach.empty()) return reply.breach;
  const model::Observation& seen = rig_.sut->observe();
  if (!model::agrees(expected, seen)) return model::first_difference(expected, seen);
  const auto* leased = std::get_if<model::Leased>(&reply.outcome.detail);
  if (leased != nullptr) {
    auto more = std::make_shared<Tokens>(*from.tokens);
    (*more)[{leased->op, leased->generation}] = std::move(reply.handle);
    tokens = std::move(more);
  }
  return {};
}

}  // namespace leaseproof::properties
