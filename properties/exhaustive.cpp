#include "properties/exhaustive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engine/values/check.hpp"
#include "model/hash_index.hpp"
#include "model/node_key.hpp"
#include "model/rules.hpp"
#include "properties/engine_sut.hpp"
#include "properties/exhaustive_path.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {

using model::CallMove;
using model::Move;
using model::NodeKey;
using model::Word;

namespace {

constexpr std::int64_t tries_of_a_call = 3;

// What the engine gave as proof of each lease on the way to a state.
using Tokens = std::map<Proof, std::string>;

// A state that was reached, by its way there.
struct Visit {
  std::uint32_t parent = 0;
  std::uint32_t move = 0;
  Variant variant = Variant::plain;
};

// A state that waits for its turn.
struct Waiting {
  Spot spot;
  std::uint32_t visit = 0;
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const Tokens> tokens;
  std::int64_t seq = 0;      // of its newest event
  std::uint64_t unlike = 0;  // in what the engine holds otherwise than the model, unseen
};

// A state that a move led to and that was not known before this depth.
struct Found {
  NodeKey key;
  Visit visit;
  std::size_t parent = 0;  // its place among those that waited
  Waiting state;
};

struct Breach {
  std::size_t parent = 0;
  Visit visit;
  std::string why;
  bool is_read = false;  // by somebody who reads all workflows afterwards
};

// The keys of states.
class Known {
 public:
  // Whether it was not there.
  bool insert(const NodeKey& key) {
    if (contains(key)) return false;
    places_.insert(key.low, keys_.size());
    keys_.push_back(key);
    return true;
  }
  [[nodiscard]] bool contains(const NodeKey& key) const {
    return places_.find(key.low, [&](std::size_t place) { return keys_[place] == key; })
        .has_value();
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  void clear() {
    places_.clear();
    keys_.clear();
  }

 private:
  std::vector<NodeKey> keys_;
  model::HashIndex places_;
};

// One engine and what it expands. Every job sees the same states until there are enough to share
// out; from then on each goes on from those that it reached itself, since snapshots belong to their
// engine.
class Job {
 public:
  Job(const MakeRig& make, const ExhaustiveOptions& options)
      : options_(options), moves_(options.world, model::Waits::to_any, model::Receipts::its_own) {
    if (make) rig_ = make();
  }

  void begin() {
    Waiting root;
    root.spot = {model::begin(options_.world), {options_.crashes, options_.busies, {}}};
    if (rig_.sut != nullptr) {
      Config config;
      config.lease_us = options_.world.lease_us;
      config.clock_slack_us = options_.world.settings.clock_slack_us;
      config.busy_tries = tries_of_a_call;
      rig_.clock->time_us = 0;
      rig_.sut->reset(config);
      for (const model::Action& action : options_.world.setup) {
        const model::Given given;
        CallFrame frame;
        frame.action = &action;
        frame.given = &given;
        const Reply reply = rig_.sut->apply(frame);
        LP_CHECK(reply.outcome.word == Word::created || reply.outcome.word == Word::ok,
                 "the world can be set up on the engine");
      }
      setup_breach = model::first_difference(root.spot.node.state, rig_.sut->observe_in_full());
      root.snapshot = rig_.sut->snapshot();
      LP_CHECK(root.snapshot != nullptr, "the engine can take snapshots");
      root.tokens = std::make_shared<const Tokens>();
      looks_behind_ = std::any_of(
          root.spot.node.state.ops.begin(), root.spot.node.state.ops.end(),
          [](const auto& entry) { return entry.second.spec->effect || entry.second.deadline_us; });
      rig_.sut->journal(0, events_);
      if (!events_.empty()) root.seq = events_.back().seq;
    }
    waiting.push_back(std::move(root));
    orders.push_back(0);
  }

  // All that wait, or the first so many that a breach is found in, if any breach will do.
  void expand(const Known& known) {
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

  // Of what another job has done as well.
  void forget_counts() { transitions = calls = crashes = 0; }

  std::vector<Waiting> waiting;
  std::vector<std::size_t> orders;  // the place of each among all that wait, of every job
  std::vector<Found> found;
  std::vector<Breach> breaches;
  std::string setup_breach;  // what the beginning itself differs in
  std::size_t transitions = 0;
  std::size_t calls = 0;
  std::size_t crashes = 0;
  bool stopped = false;

 private:
  [[nodiscard]] bool is_over() const { return options_.wanted.empty() && !breaches.empty(); }

  void expand(const Waiting& from, std::size_t order, const Known& known) {
    const model::Node& begun = from.spot.node;
    const std::vector<Move>& moves = moves_.of(begun);
    model::Node next = begun;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!can_be_made(from.spot.left, moves[i])) continue;
      const model::Played played = model::play(next, begun, moves[i]);
      LP_CHECK(played.fault.empty(), "the model keeps its own laws");
      const bool changes =
          played.edited && (from.spot.left.crashes == 0 || !(next.state == begun.state));
      for (const Variant variant : variants(from.spot.left, moves[i], changes)) {
        ++transitions;
        const Visit visit{from.visit, static_cast<std::uint32_t>(i), variant};
        const model::Node& end = stands(variant) ? next : begun;
        std::shared_ptr<const Tokens> tokens = from.tokens;
        const auto* call = std::get_if<CallMove>(&moves[i]);
        if (rig_.sut != nullptr && call != nullptr) {
          if (auto why = make(from, *call, played, variant, end.state, tokens); !why.empty()) {
            breaches.push_back({order, visit, std::move(why)});
            if (is_over()) return;
            continue;
          }
        }
        // Then it ends where it began.
        if (variant == Variant::plain && !played.edited) continue;
        Chances left = after(from.spot.left, moves[i], played, variant);
        NodeKey key = key_of(options_.world, end, left);
        std::uint64_t unlike = from.unlike;
        if (looks_behind_ && call != nullptr) unlike = rig_.sut->unobserved_difference(end.state);
        if (unlike != 0) key = model::with(key, unlike);
        if (known.contains(key) || !fresh_.insert(key)) continue;
        std::int64_t seq = from.seq;
        std::shared_ptr<const Snapshot> snapshot = from.snapshot;
        if (rig_.sut != nullptr && call != nullptr) {
          Breach seen{order, visit, {}};
          if (!look(end.state, call->given->now_us, seq, seen)) {
            breaches.push_back(std::move(seen));
            if (is_over()) return;
            continue;
          }
          snapshot = rig_.sut->snapshot();
        }
        Found& fresh = found.emplace_back();
        fresh.key = key;
        fresh.visit = visit;
        fresh.parent = order;
        fresh.state.spot = {end, std::move(left)};
        fresh.state.snapshot = std::move(snapshot);
        fresh.state.tokens = std::move(tokens);
        fresh.state.seq = seq;
        fresh.state.unlike = unlike;
      }
      if (played.edited) next = begun;
    }
  }

  // What only somebody who looks closer sees of a new state: when its events happened, and the
  // order in which workflows changed. `seq` moves on to the newest event. False: the breach tells.
  bool look(const model::State& expected, std::int64_t now_us, std::int64_t& seq, Breach& breach) {
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
  std::string make(const Waiting& from, const CallMove& call, const model::Played& played,
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

  const ExhaustiveOptions& options_;
  Rig rig_;
  model::MoveList moves_;
  Known fresh_;  // keys that this job has found at this depth
  std::vector<JournalEvent> events_;
  bool looks_behind_ = false;  // there may be values that no observation shows
};

class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const MakeRig& make, const ExhaustiveOptions& options)
      : make_(make), options_(options) {
    const int count = std::max(1, options.jobs);
    for (int i = 0; i < count; ++i) jobs_.push_back(std::make_unique<Job>(make, options));
  }

  ExhaustiveResult run() {
    for (auto& job : jobs_) job->begin();
    if (const std::string& why = jobs_.front()->setup_breach; !why.empty()) {
      if (!tell({}, why, false)) result_.waiting = 1;
      return std::move(result_);
    }
    visits_.push_back({});
    const Spot& root = jobs_.front()->waiting.front().spot;
    known_.insert(key_of(options_.world, root.node, root.left));
    std::size_t waiting = 1;
    if (options_.settle && tell({}, {}, false)) return std::move(result_);
    while (waiting > 0 && result_.depth < options_.most_depth &&
           known_.size() < options_.most_states) {
      expand();
      const bool over = take_breach() || take_stop();
      if (over) break;
      waiting = take_found();
      if (waiting > 0) ++result_.depth;
      fresh_states_ = waiting;
      if (take_settled()) break;
      if (options_.progress) options_.progress(known_.size(), waiting);
    }
    conclude(waiting);
    return std::move(result_);
  }

 private:
  void expand() {
    if (jobs_.size() == 1) return jobs_.front()->expand(known_);
    std::vector<std::thread> threads;
    for (auto& job : jobs_) threads.emplace_back([&] { job->expand(known_); });
    for (auto& thread : threads) thread.join();
  }

  bool take_stop() {
    for (const auto& job : jobs_) result_.stopped = result_.stopped || job->stopped;
    return result_.stopped;
  }

  bool take_breach() {
    std::vector<const Breach*> all;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < share; ++job) {
      for (const Breach& breach : jobs_[job]->breaches) all.push_back(&breach);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Breach* a, const Breach* b) { return a->parent < b->parent; });
    return std::any_of(all.begin(), all.end(), [&](const Breach* one) {
      return tell(path_to(one->visit), one->why, one->is_read);
    });
  }

  // Whether who acts fairly from one of the states breaks the rule.
  bool take_settled() {
    if (!options_.settle) return false;
    for (std::size_t at = visits_.size() - fresh_states_; at < visits_.size(); ++at) {
      if (options_.stop && options_.stop()) return false;
      if (tell(path_to(visits_[at]), {}, false)) return true;
    }
    return false;
  }

  // States are numbered in the order of the states that led to them, whoever found them.
  std::size_t take_found() {
    struct Entry {
      Found* found;
      std::size_t job;
    };
    std::vector<Entry> all;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < share; ++job) {
      for (Found& found : jobs_[job]->found) all.push_back({&found, job});
    }
    std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
      return a.found->parent < b.found->parent;
    });
    std::vector<std::vector<Waiting>> next(jobs_.size());
    std::vector<std::vector<std::size_t>> orders(jobs_.size());
    std::size_t count = 0;
    constexpr std::size_t enough = 64;
    for (std::size_t job = 1; !shared_ && job < jobs_.size(); ++job) jobs_[job]->forget_counts();
    const bool share_out = !shared_ && all.size() >= enough * jobs_.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!known_.insert(all[i].found->key)) continue;
      const auto visit = static_cast<std::uint32_t>(visits_.size());
      visits_.push_back(all[i].found->visit);
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        const bool takes = shared_ ? job == all[i].job : !share_out || i % jobs_.size() == job;
        if (!takes) continue;
        // Before they are shared out, every job has found the same in the same order.
        Waiting& state = shared_ ? all[i].found->state : jobs_[job]->found[i].state;
        state.visit = visit;
        next[job].push_back(std::move(state));
        orders[job].push_back(count);
      }
      ++count;
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      jobs_[job]->waiting = std::move(next[job]);
      jobs_[job]->orders = std::move(orders[job]);
    }
    shared_ = shared_ || share_out;
    return count;
  }

  std::vector<PathMove> path_to(Visit last) const {
    std::vector<PathMove> path{{last.move, last.variant}};
    for (std::uint32_t at = last.parent; at != 0; at = visits_[at].parent) {
      path.push_back({visits_[at].move, visits_[at].variant});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Whether the runner judges the path a breach that counts; then the result tells of it.
  bool tell(const std::vector<PathMove>& path, const std::string& why, bool is_read) {
    Counterexample told;
    Case written = case_of(options_.world, options_.crashes, options_.busies, path);
    if (is_read) written.steps.emplace_back().action = model::SnapshotsSince{"reader"};
    told.steps_before_shrinking = written.steps.size();
    if (!judge_) judge_.emplace(make_());
    auto violation = Runner(*judge_->sut, *judge_->clock, options_.runner)
                         .run(written.config, written.steps, options_.settle);
    const bool counts =
        violation && (options_.wanted.empty() || violation->invariant == options_.wanted);
    if (counts) {
      told.violation = std::move(*violation);
      told.certificate = Certificate::shortest;
    } else if (!options_.wanted.empty()) {
      return false;
    } else {
      told.reproducible = false;
      told.violation.invariant = "conforms_to_model";
      told.violation.step = written.steps.size() - 1;
      told.violation.why = "the runner sees nothing, the search: " + why;
    }
    // An invariant may see it sooner than an answer shows it.
    written.steps.resize(std::min(written.steps.size(), told.violation.step + 1));
    told.config = std::move(written.config);
    told.steps = std::move(written.steps);
    result_.counterexample = std::move(told);
    return true;
  }

  void conclude(std::size_t waiting) {
    result_.states = known_.size();
    result_.waiting = waiting;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (job >= share) break;
      result_.transitions += jobs_[job]->transitions;
      result_.calls += jobs_[job]->calls;
      result_.crashes += jobs_[job]->crashes;
    }
  }

  const MakeRig& make_;
  const ExhaustiveOptions& options_;
  std::vector<std::unique_ptr<Job>> jobs_;
  bool shared_ = false;
  Known known_;
  std::deque<Visit> visits_;
  std::size_t fresh_states_ = 0;  // of the newest depth
  std::optional<Rig> judge_;      // for whole paths
  ExhaustiveResult result_;
};

}  // namespace

ExhaustiveResult search_exhaustively(const MakeRig& make, const ExhaustiveOptions& options) {
  return ExhaustiveSearch(make, options).run();
}

}  // namespace leaseproof::properties
