// The fair schedule of I3: faults have ended and workers, operators and reviewers act.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/change.hpp"
#include "model/explorer.hpp"

namespace leaseproof::model {
namespace {

bool all_settled(const Node& node) {
  return std::all_of(node.state.ops.begin(), node.state.ops.end(),
                     [](const auto& entry) { return is_settled(entry.second.view.status); });
}

// One round of everybody; time passes only when it changed nothing. What comes of it depends on the
// node that it begins in and on nothing else.
class Round {
 public:
  // `begun` stays as it is while the round is played.
  Round(const World& world, const Node& begun)
      : world_(world), begun_(begun), node_(begun), before_(&begun_) {}

  void play_all() {
    call(Refresh{});
    for (std::size_t i = 0; i < node_.state.ops.size(); ++i) look_after(i);
    work();
    if (!(begun_ == node_) || !result_.fault.empty()) return;
    if (const auto next = next_boundary(node_, node_.now_us)) {
      play_and_keep(ClockMove{*next});
    } else {
      result_.fault = "I3: an op is not settled and nothing can happen any more";
    }
  }

  Node& node() { return node_; }
  const Settling& result() const { return result_; }

 private:
  const Op& op(const std::string& id) const { return node_.state.ops.at(id); }

  void play_and_keep(const Move& move) {
    ++result_.steps;
    keep(play(node_, *before_, move));
  }

  Outcome call(const Action& action, Given given = {}) {
    ++result_.steps;
    given.now_us = node_.now_us;
    return keep(play_call(node_, *before_, action, given));
  }

  Outcome keep(Played played) {
    if (result_.fault.empty()) result_.fault = std::move(played.fault);
    if (played.edited) {
      kept_ = node_;
      before_ = &kept_;
    }
    return std::move(played.outcome);
  }

  bool has_written(const std::string& id) const { return held_receipt(node_, id).has_value(); }

  // Reviewer and operator.
  void look_after(std::size_t place) {
    const std::string id = node_.state.ops.entry(place).first;
    if (op(id).view.status == OpStatus::waiting_approval) {
      Decide decide;
      decide.op = id;
      decide.actor = {"rita", {"reviewer"}, {"team"}};
      call(decide);
    } else if (op(id).view.status == OpStatus::reconciling) {
      Given given;
      given.found = found_receipt(node_, id);
      if (call(Reconcile{id}, given).word == Word::confirmed) return;
      call(Close{id, has_written(id), "searched", {"otto", {"operator"}, {}}});
    }
  }

  // One worker takes what it can get and sees it through.
  void work() {
    Lease lease;
    lease.worker = world_.workers.front();
    lease.lease_us = world_.lease_us;
    const Outcome outcome = call(lease);
    const auto* leased = std::get_if<Leased>(&outcome.detail);
    if (leased) run(leased->op, leased->generation);
  }

  void run(const std::string& id, std::int64_t generation) {
    const WorkerHandle by{world_.workers.front(), id, 0};
    Given given;
    given.lease_generation = generation;
    if (op(id).view.effect && !has_written(id)) {
      const Outcome sent = call(Dispatch{by, payload(id)}, given);
      if (sent.word == Word::approval_required) {
        call(RequestApproval{by, world_.payloads.front(), world_.approval_ttl_us}, given);
        return;
      }
      if (sent.word != Word::dispatching) return;
      const auto& permit = std::get<Dispatching>(sent.detail);
      // A permit without time is a wait in vain; the lease ends by itself.
      if (permit.call_before_us <= node_.now_us) return;
      play_and_keep(SendMove{id, generation});
    }
    given.receipt = held_receipt(node_, id);
    call(Complete{by, "1", {}, {}, {}}, given);
  }

  std::string payload(const std::string& id) const {
    return is_dispatching(op(id)) ? op(id).dispatched_payload : world_.payloads.front();
  }

  const World& world_;
  const Node& begun_;
  Node node_;
  // The node before the next step.
  const Node* before_;
  Node kept_;
  Settling result_;
};

}  // namespace

Settling FairSchedule::settle(const Node& node) {
  Settling settling;
  const auto take = [&](std::size_t steps) {
    settling.steps += steps;
    if (settling.steps > most_steps_) settling.fault = "I3: too many steps to settle";
  };
  std::vector<Settled> way;
  Node at = node;
  while (!all_settled(at)) {
    const std::size_t hash = hash_value(at);
    const auto known =
        index_.find(hash, [&](std::size_t place) { return known_[place].node == at; });
    if (known) {
      take(known_[*known].steps);
      break;
    }
    Round round(world_, at);
    round.play_all();
    way.push_back({std::move(at), hash, round.result().steps});
    at = std::move(round.node());
    settling.fault = round.result().fault;
    if (settling.fault.empty()) take(round.result().steps);
    if (!settling.fault.empty()) break;
  }
  if (settling.fault.empty()) remember(std::move(way), settling.steps);
  return settling;
}

// `steps` is from the first of them on; each knows the steps of its own round.
void FairSchedule::remember(std::vector<Settled> way, std::size_t steps) {
  for (Settled& settled : way) {
    steps -= std::exchange(settled.steps, steps);
    index_.insert(settled.hash, known_.size());
    known_.push_back(std::move(settled));
  }
}

}  // namespace leaseproof::model
