// The fair schedule of I3: faults have ended and workers, operators and reviewers act.
#include <algorithm>
#include <utility>

#include "model/change.hpp"
#include "model/explorer.hpp"

namespace leaseproof::model {
namespace {

class Schedule {
 public:
  Schedule(const World& world, Node node) : world_(world), node_(std::move(node)) {}

  bool all_settled() const {
    return std::all_of(node_.state.ops.begin(), node_.state.ops.end(),
                       [](const auto& entry) { return is_settled(entry.second.view.status); });
  }

  // One round of everybody; time passes only when it changed nothing.
  void round() {
    const Node before = node_;
    call(Refresh{});
    for (const std::string& id : ids()) look_after(id);
    work();
    if (!(before == node_) || !result_.fault.empty()) return;
    if (const auto next = next_boundary(node_)) {
      play_and_keep(ClockMove{*next});
    } else {
      break_off("I3: an op is not settled and nothing can happen any more");
    }
  }

  void break_off(std::string fault) { result_.fault = std::move(fault); }
  const Settling& result() const { return result_; }

 private:
  const Op& op(const std::string& id) const { return node_.state.ops.at(id); }

  // Emitted ops join while the schedule runs.
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const auto& [id, op] : node_.state.ops) all.push_back(id);
    return all;
  }

  std::optional<Outcome> play_and_keep(const Move& move) {
    ++result_.steps;
    Played played = play(node_, move);
    if (result_.fault.empty()) result_.fault = played.fault;
    node_ = std::move(played.node);
    return played.outcome;
  }

  Outcome call(Action action, Given given = {}) {
    given.now_us = node_.now_us;
    return *play_and_keep(CallMove{std::move(action), std::move(given)});
  }

  bool has_written(const std::string& id) const { return held_receipt(node_, id).has_value(); }

  // Reviewer and operator.
  void look_after(const std::string& id) {
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
  Node node_;
  Settling result_;
};

}  // namespace

Settling settle_fairly(const World& world, Node node, std::size_t most_steps) {
  Schedule schedule(world, std::move(node));
  while (!schedule.all_settled() && schedule.result().fault.empty()) {
    schedule.round();
    if (schedule.result().steps > most_steps) schedule.break_off("I3: too many steps to settle");
  }
  return schedule.result();
}

}  // namespace leaseproof::model
