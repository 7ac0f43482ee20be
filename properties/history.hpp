// What the harness saw so far: its own ledger of grants, claims, identities, graphs and journal.
//
// Promise: built from sent actions, answers, moments and observed changes alone, never from the
// model and never from what an engine merely claims about itself. An expiry is the moment of the
// call plus the duration that the caller asked for; counts are added up from ops; claims are
// counted at grants. Cost of a step: its calls and its changes, not the size of the database.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/vocabulary.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

struct Grant {
  std::int64_t generation = 0;
  std::int64_t expires_us = 0;
  std::string owner;
};

struct QueueFacts {
  bool named = false;
  std::int64_t max_in_flight = 0;
  std::int64_t rate_per_s = 0;
  std::int64_t burst = 0;
  std::int64_t running = 0;  // added up from the ops
  // Since the limits were last set, which is when the bucket was last known to hold at most
  // `burst`.
  std::int64_t grants = 0;
  std::int64_t first_now_us = 0;
  std::int64_t last_now_us = 0;
  // A lease was granted in this step.
  bool granted_now = false;
};

struct OpFacts {
  model::OpSpec spec;
  std::string workflow;
  std::string parent;  // the op whose completion emitted it
  std::int64_t made_us = 0;
  std::optional<std::int64_t> deadline_us;
  std::int64_t claims = 0;
  std::int64_t grants = 0;
  std::optional<Grant> held;
  std::optional<Grant> newest;
  bool shared_owner = false;
  bool recovered = false;  // its last lease was taken by refresh
  QueueFacts* queue = nullptr;
  std::optional<std::int64_t> context_expires_us;
  std::optional<RequestFacts> request;
  std::optional<DispatchFacts> dispatch;
};

struct WorkflowFacts {
  std::string package;
  std::optional<std::string> identity;                        // absent for one made by `start`
  std::array<std::int64_t, model::op_status_count> counts{};  // added up from the ops
  std::int64_t last_seq = 0;                                  // of its newest event
  std::int64_t seq_at_start = 0;                              // the same before this step
  std::int64_t last_at_us = 0;                                // when its newest event is dated
};

struct ReaderFacts {
  std::map<std::string, std::int64_t> told;  // workflow → its newest event when it was last told
  bool paged = false;                        // some page said `more`
};

class History {
 public:
  void clear();
  // Takes in one step: fills the calls' standings and the changes' facts, then adds up.
  void take(Judgement& judgement, std::vector<CallFact>& calls, std::vector<OpChange>& changes);

  [[nodiscard]] const OpFacts* op(const std::string& id) const;
  [[nodiscard]] const WorkflowFacts* workflow(const std::string& id) const;
  [[nodiscard]] const ReaderFacts* reader(const std::string& name) const;
  [[nodiscard]] const std::unordered_map<std::string, OpFacts>& ops() const { return ops_; }
  [[nodiscard]] const std::unordered_map<std::string, WorkflowFacts>& workflows() const {
    return workflows_;
  }
  [[nodiscard]] const std::map<model::SiteQueue, QueueFacts>& queues() const { return queues_; }
  // What a reader's page left out: a workflow that it should have been told, or null.
  [[nodiscard]] const std::string* untold() const { return untold_; }
  // The largest moment that any call was judged by.
  [[nodiscard]] std::int64_t latest_us() const { return latest_us_; }

 private:
  void take_call(CallFact& call, const Judgement& judgement);
  void make_workflow(const std::string& id, const std::string& package,
                     std::optional<std::string> identity);
  void make_ops(const std::string& workflow, const std::vector<model::OpSpec>& specs,
                const std::string& parent, std::int64_t now_us);
  void take_creation(CallFact& call, const Judgement& judgement);
  void take_lease(CallFact& call, const Judgement& judgement);
  void take_worker_call(CallFact& call, const Judgement& judgement);
  void take_refresh(CallFact& call);
  void take_retry(CallFact& call, const Judgement& judgement);
  // history_outside.cpp: approvals, dispatches and how they end.
  void take_outside(CallFact& call, const Judgement& judgement);
  static void resync_outside(OpFacts& facts, const model::OpView& seen);
  void take_page(const CallFact& call);
  void grant(OpFacts& facts, const model::Lease& lease, std::int64_t generation,
             std::int64_t now_us);
  void add_up(const Judgement& judgement, std::vector<OpChange>& changes);
  void resync(std::vector<OpChange>& changes);
  void resync_expiry(const CallFact& call, const model::Observation& after);
  QueueFacts* queue_of(const model::OpSpec& spec);

  std::unordered_map<std::string, OpFacts> ops_;
  std::unordered_map<std::string, WorkflowFacts> workflows_;
  std::map<model::SiteQueue, QueueFacts> queues_;
  std::unordered_map<std::string, ReaderFacts> readers_;
  std::unordered_map<std::string, std::int64_t> contexts_;  // scope → expiry of the newest
  std::vector<QueueFacts*> granted_;
  std::vector<WorkflowFacts*> touched_;
  const std::string* untold_ = nullptr;
  std::int64_t latest_us_ = 0;
};

}  // namespace leaseproof::properties
