// The moves of a node, in one fixed order.
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/change.hpp"
#include "model/world.hpp"

namespace leaseproof::model {
namespace {

Action lease_by(const std::string& worker, std::int64_t lease_us) {
  Lease call;
  call.worker = worker;
  call.lease_us = lease_us;
  return call;
}

Action decide(const std::string& op, bool approve, const Actor& reviewer) {
  Decide call;
  call.op = op;
  call.approve = approve;
  call.actor = reviewer;
  return call;
}

}  // namespace

class MoveList::Lister {
 public:
  Lister(const World& world, Waits waits, Receipts receipts)
      : world_(world), waits_(waits), receipts_(receipts), refresh_(Refresh{}) {
    for (const std::string& worker : world.workers) {
      leases_.push_back(lease_by(worker, world.lease_us));
    }
  }

  const std::vector<Move>& list(const Node& node) {
    node_ = &node;
    moves_.clear();
    given_ = 0;
    without_proof_ = &given_anew(0);
    add(refresh_);
    for (const Action& lease : leases_) add(lease);
    for (const auto& [id, op] : node.state.ops) list_op(id, op);
    for (const auto& [id, workflow] : node.state.workflows) {
      if (world_.cancels && !workflow.cancel_requested) add(once(cancels_, id, Cancel{id}));
    }
    for (const auto& [scope, context] : node.state.contexts) {
      if (world_.revocations && context.revoked_revision == 0) {
        add(once(revocations_, scope, ContextRevoke{scope}));
      }
    }
    for (const Action& action : world_.anytime) add(action);
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
          reconcile(Reconcile{op}) {
      for (const Actor& reviewer : world.reviewers) {
        decisions.push_back(decide(op, true, reviewer));
        if (world.rejections) decisions.push_back(decide(op, false, reviewer));
      }
      for (const Actor& one : world.operators) {
        closes_as_written.emplace_back(Close{op, true, "searched", one});
        closes_as_not_written.emplace_back(Close{op, false, "searched", one});
      }
      for (const std::int64_t us : world.heartbeats_us) keeping.emplace_back(Heartbeat{by, us});
      if (world.checkpoints) {
        keeping.emplace_back(Checkpoint{by, "step", "1"});
        keeping.emplace_back(Checkpoint{by, "step", "2"});
      }
      for (const FailKind kind : world.failures) fails.emplace_back(Fail{by, kind, world.error});
      for (const std::string& payload : world.payloads)
        dispatches.emplace_back(Dispatch{by, payload});
    }

    // The result tells the attempts apart.
    const Action& complete(const World& world, std::int64_t generation) {
      while (static_cast<std::int64_t>(completes.size()) < generation) {
        Complete call;
        call.by = by;
        call.result = std::to_string(completes.size() + 1);
        call.artifacts = world.artifacts;
        if (const auto emit = world.emits.find(by.op); emit != world.emits.end()) {
          call.emit = emit->second;
        }
        completes.emplace_back(std::move(call));
      }
      return completes[static_cast<std::size_t>(generation) - 1];
    }

    WorkerHandle by;
    std::vector<Action> keeping;  // heartbeats and checkpoints
    std::vector<Action> fails;    // one a kind
    std::vector<Action> dispatches;
    std::deque<Action> completes;   // by generation, from 1 on
    std::vector<Action> decisions;  // of each reviewer
    std::vector<Action> closes_as_written;
    std::vector<Action> closes_as_not_written;
    Action request_approval;
    Action retry;
    Action reconcile;
  };

  using ActionByName = std::map<std::string, Action, std::less<>>;

  static const Action& once(ActionByName& calls, const std::string& name, Action action) {
    const auto known = calls.find(name);
    if (known != calls.end()) return known->second;
    return calls.emplace(name, std::move(action)).first->second;
  }

  CallsOfOp& calls_of(const std::string& op) {
    for (const auto& calls : calls_) {
      if (is_same_key(calls->by.op, op)) return *calls;
    }
    return *calls_.emplace_back(std::make_unique<CallsOfOp>(world_, op));
  }

  // What a call is given in this node. One that was given in another node is taken again.
  Given& given_anew(std::int64_t generation) {
    if (given_ == givens_.size()) givens_.push_back(std::make_unique<Given>());
    Given& given = *givens_[given_++];
    given.now_us = node_->now_us;
    given.lease_generation = generation;
    given.receipt.reset();
    given.found.reset();
    return given;
  }

  void add(const Action& call, const Given& given) { moves_.emplace_back(CallMove{&call, &given}); }
  // A call that needs no proof.
  void add(const Action& call) { add(call, *without_proof_); }

  void list_op(const std::string& id, const Op& op) {
    CallsOfOp& calls = calls_of(id);
    for (std::int64_t generation = 1; generation <= op.view.generation; ++generation) {
      list_worker(id, op, calls, generation);
    }
    list_sends(id, calls.by.op);
    if (world_.retries && op.view.generation < world_.max_generation) add(calls.retry);
    if (op.view.approval) {
      for (const Action& decision : calls.decisions) add(decision);
    }
    if (op.view.status == OpStatus::reconciling) {
      Given& given = given_anew(0);
      given.found = found_receipt(*node_, id);
      add(calls.reconcile, given);
      for (const Action& close :
           held_receipt(*node_, id) ? calls.closes_as_written : calls.closes_as_not_written) {
        add(close);
      }
    }
  }

  // What a worker may ask with the proof of a generation.
  void list_worker(const std::string& id, const Op& op, CallsOfOp& calls, std::int64_t generation) {
    const Given& given = given_anew(generation);
    for (const Action& call : calls.keeping) add(call, given);
    const bool sent = is_dispatching(op) && has_sent(id, generation);
    for (std::size_t i = 0; i < calls.fails.size(); ++i) {
      // A worker that has sent something does not claim that nothing was.
      if (world_.failures[i] == FailKind::unknown || !sent) add(calls.fails[i], given);
    }
    if (op.spec->effect) {
      for (const Action& dispatch : calls.dispatches) add(dispatch, given);
      if (op.spec->effect->approval) add(calls.request_approval, given);
    }
    const Action& complete = calls.complete(world_, generation);
    const bool knows = receipts_ == Receipts::of_anybody || has_sent(id, generation);
    if (auto receipt = knows ? held_receipt(*node_, id) : std::nullopt) {
      Given& with_receipt = given_anew(generation);
      with_receipt.receipt = std::move(receipt);
      add(complete, with_receipt);
    } else {
      add(complete, given);
    }
  }

  bool has_sent(const std::string& id, std::int64_t generation) const {
    const Permit* permit = permit_of(*node_, id, generation);
    return permit && permit->used;
  }

  // `op_name` stays when the node goes.
  void list_sends(const std::string& id, std::string_view op_name) {
    const auto dealings = node_->outside.find(id);
    if (dealings == node_->outside.end()) return;
    for (const auto& [generation, permit] : dealings->second.permits) {
      const bool spent = permit.used && !deduplicates(node_->state.ops.at(id));
      if (!spent && node_->now_us < permit.call_before_us)
        moves_.emplace_back(SendMove{op_name, generation});
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
  Receipts receipts_;
  const Node* node_ = nullptr;
  std::vector<Move> moves_;
  // Those after `given_` are from nodes before.
  std::vector<std::unique_ptr<Given>> givens_;
  std::size_t given_ = 0;
  const Given* without_proof_ = nullptr;
  Action refresh_;
  std::vector<Action> leases_;
  ActionByName cancels_;
  ActionByName revocations_;
  std::vector<std::unique_ptr<CallsOfOp>> calls_;
};

MoveList::MoveList(const World& world, Waits waits, Receipts receipts)
    : lister_(std::make_unique<Lister>(world, waits, receipts)) {}
MoveList::~MoveList() = default;
const std::vector<Move>& MoveList::of(const Node& node) { return lister_->list(node); }

}  // namespace leaseproof::model
