// The moves of a node, in one fixed order.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/change.hpp"
#include "model/world.hpp"

namespace leaseproof::model {
namespace {

const Actor reviewer{"rita", {"reviewer"}, {"team"}};
const Actor operating{"otto", {"operator"}, {"team"}};

using SharedAction = Immutable<Action>;

SharedAction lease_by(const std::string& worker, std::int64_t lease_us) {
  Lease call;
  call.worker = worker;
  call.lease_us = lease_us;
  return SharedAction(call);
}

SharedAction decide(const std::string& op, bool approve) {
  Decide call;
  call.op = op;
  call.approve = approve;
  call.actor = reviewer;
  return SharedAction(call);
}

}  // namespace

class MoveList::Lister {
 public:
  Lister(const World& world, Waits waits) : world_(world), waits_(waits), refresh_(Refresh{}) {
    for (const std::string& worker : world.workers) {
      leases_.push_back(lease_by(worker, world.lease_us));
    }
  }

  const std::vector<Move>& list(const Node& node) {
    node_ = &node;
    moves_.clear();
    add(refresh_);
    for (const SharedAction& lease : leases_) add(lease);
    for (const auto& [id, op] : node.state.ops) list_op(id, op);
    for (const auto& [id, workflow] : node.state.workflows) {
      if (world_.cancels && !workflow.cancel_requested) add(once(cancels_, id, Cancel{id}));
    }
    for (const auto& [scope, context] : node.state.contexts) {
      if (world_.revocations && context.revoked_revision == 0) {
        add(once(revocations_, scope, ContextRevoke{scope}));
      }
    }
    list_clock();
    return moves_;
  }

 private:
  // What may be asked of one op, made once. Whether it may be asked in a node is for the list to
  // say.
  struct CallsOfOp {
    CallsOfOp(const World& world, const std::string& op)
        : by{"A", op, 0},
          request_approval(RequestApproval{by, world.payloads.front(), world.approval_ttl_us}),
          retry(Retry{op, {}}),
          approve(decide(op, true)),
          reject(decide(op, false)),
          reconcile(Reconcile{op}),
          close_as_written(Close{op, true, "searched", operating}),
          close_as_not_written(Close{op, false, "searched", operating}) {
      for (const std::int64_t us : world.heartbeats_us) keeping.emplace_back(Heartbeat{by, us});
      if (world.checkpoints) {
        keeping.emplace_back(Checkpoint{by, "step", "1"});
        keeping.emplace_back(Checkpoint{by, "step", "2"});
      }
      for (const FailKind kind : world.failures) fails.emplace_back(Fail{by, kind, {}});
      for (const std::string& payload : world.payloads)
        dispatches.emplace_back(Dispatch{by, payload});
    }

    // The result tells the attempts apart.
    const SharedAction& complete(const World& world, std::int64_t generation) {
      while (static_cast<std::int64_t>(completes.size()) < generation) {
        Complete call;
        call.by = by;
        call.result = std::to_string(completes.size() + 1);
        if (const auto emit = world.emits.find(by.op); emit != world.emits.end()) {
          call.emit = emit->second;
        }
        completes.emplace_back(std::move(call));
      }
      return completes[static_cast<std::size_t>(generation) - 1];
    }

    WorkerHandle by;
    std::vector<SharedAction> keeping;  // heartbeats and checkpoints
    std::vector<SharedAction> fails;    // one a kind
    std::vector<SharedAction> dispatches;
    std::vector<SharedAction> completes;  // by generation, from 1 on
    SharedAction request_approval;
    SharedAction retry;
    SharedAction approve;
    SharedAction reject;
    SharedAction reconcile;
    SharedAction close_as_written;
    SharedAction close_as_not_written;
  };

  using ActionByName = std::map<std::string, SharedAction, std::less<>>;

  static const SharedAction& once(ActionByName& calls, const std::string& name, Action action) {
    const auto known = calls.find(name);
    if (known != calls.end()) return known->second;
    return calls.emplace(name, SharedAction(std::move(action))).first->second;
  }

  CallsOfOp& calls_of(const std::string& op) {
    const auto known = calls_.find(op);
    if (known != calls_.end()) return known->second;
    return calls_.emplace(op, CallsOfOp(world_, op)).first->second;
  }

  void add(const SharedAction& call, Given given = {}) {
    given.now_us = node_->now_us;
    moves_.emplace_back(CallMove{call, std::move(given)});
  }

  void list_op(const std::string& id, const Op& op) {
    CallsOfOp& calls = calls_of(id);
    for (std::int64_t generation = 1; generation <= op.view.generation; ++generation) {
      list_worker(id, op, calls, generation);
    }
    list_sends(id);
    if (world_.retries && op.view.generation < world_.max_generation) add(calls.retry);
    if (op.view.approval) {
      add(calls.approve);
      if (world_.rejections) add(calls.reject);
    }
    if (op.view.status == OpStatus::reconciling) {
      Given given;
      given.found = found_receipt(*node_, id);
      add(calls.reconcile, given);
      add(held_receipt(*node_, id) ? calls.close_as_written : calls.close_as_not_written);
    }
  }

  // What a worker may ask with the proof of a generation.
  void list_worker(const std::string& id, const Op& op, CallsOfOp& calls, std::int64_t generation) {
    Given given;
    given.lease_generation = generation;
    for (const SharedAction& call : calls.keeping) add(call, given);
    const bool sent = is_dispatching(op) && has_sent(id, generation);
    for (std::size_t i = 0; i < calls.fails.size(); ++i) {
      // A worker that has sent something does not claim that nothing was.
      if (world_.failures[i] == FailKind::unknown || !sent) add(calls.fails[i], given);
    }
    if (op.spec->effect) {
      for (const SharedAction& dispatch : calls.dispatches) add(dispatch, given);
      if (op.spec->effect->approval) add(calls.request_approval, given);
    }
    given.receipt = held_receipt(*node_, id);
    add(calls.complete(world_, generation), given);
  }

  bool has_sent(const std::string& id, std::int64_t generation) const {
    const Permit* permit = permit_of(*node_, id, generation);
    return permit && permit->used;
  }

  void list_sends(const std::string& id) {
    const auto dealings = node_->outside.find(id);
    if (dealings == node_->outside.end()) return;
    for (const auto& [generation, permit] : dealings->second.permits) {
      const bool spent = permit.used && !deduplicates(node_->state.ops.at(id));
      if (!spent && node_->now_us < permit.call_before_us)
        moves_.emplace_back(SendMove{id, generation});
    }
  }

  void list_clock() {
    auto boundary = next_boundary(*node_, node_->now_us);
    const auto list_boundary = [&] {
      if (!boundary || *boundary > world_.horizon_us) return false;
      moves_.emplace_back(ClockMove{*boundary});
      boundary = next_boundary(*node_, *boundary);
      return true;
    };
    list_boundary();
    if (world_.clock_steps_back && node_->now_us > 0)
      moves_.emplace_back(ClockMove{node_->now_us - 1});
    while (waits_ == Waits::to_any && list_boundary()) continue;
  }

  const World& world_;
  Waits waits_;
  const Node* node_ = nullptr;
  std::vector<Move> moves_;
  SharedAction refresh_;
  std::vector<SharedAction> leases_;
  ActionByName cancels_;
  ActionByName revocations_;
  std::map<std::string, CallsOfOp, std::less<>> calls_;
};

MoveList::MoveList(const World& world, Waits waits)
    : lister_(std::make_unique<Lister>(world, waits)) {}
MoveList::~MoveList() = default;
const std::vector<Move>& MoveList::of(const Node& node) { return lister_->list(node); }

std::vector<Move> moves(const World& world, const Node& node) { return MoveList(world).of(node); }

}  // namespace leaseproof::model
