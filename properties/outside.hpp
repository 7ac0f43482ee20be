// The world outside the engine as the harness plays it: the service that ops write to, and what
// workers hold for it (SEMANTICS 6, TRACE 2 `call` and `deliver`).
//
// Promise: no engine can touch it. It counts each write under each operation key, keeps the three
// contracts, and lets a worker send only through a permit that a dispatch gave it. It believes
// nobody: who calls refused what may have been written, or gives evidence that is not true, is
// remembered, because no engine can be held to what follows from that.
//
// The service's clock is the common one; a permit is judged by the clock of the worker who holds
// it. A late request that would arrive after the service has forgotten the key is lost on the way:
// a network that keeps it for longer than the retention lasts is one that no engine withstands.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/vocabulary.hpp"

namespace leaseproof::properties {

// What the service holds under one operation key.
struct Record {
  std::string op;
  model::Contract contract = model::Contract::idempotent;
  std::int64_t retention_us = 0;
  std::int64_t writes = 0;
  // Of the newest write.
  std::string receipt;
  std::string payload;
  std::int64_t written_us = 0;
  // Payloads of requests that are on their way, the oldest first.
  std::deque<std::string> late;
};

// The right to send one payload until a time: given by a dispatch, held under one lease.
struct Permit {
  std::string key;
  std::string payload;
  std::int64_t call_before_us = 0;
  bool once = false;     // the service would take a second request for another write
  bool sent = false;     // a request went out
  bool expired = false;  // its holder met its end, and goes by that though a clock steps back
};

class Outside {
 public:
  // `clock_slack_us`: how far clocks may differ and still count as agreeing.
  void clear(std::int64_t clock_slack_us = 0);

  // Every call of an engine or a worker: where the common clock and the caller's skew stood.
  void see_clock(std::int64_t common_us, std::int64_t skew_us);
  // A call's answer is in: a dispatch gives a permit, `fail` and `complete` end one. `effect` is
  // that of the call's op, or null. An `unheard` answer teaches nobody anything, but what the call
  // said stands.
  void hear(const model::Action& action, const model::Given& given, const model::Outcome& outcome,
            const model::EffectSpec* effect, bool unheard);
  // A worker's process dies: its permits and receipts are gone, its requests are not.
  void forget(const std::string& worker);

  // Whether the worker has something to make this call with, of use or not: a permit of its lease,
  // for this payload. Without one it never calls.
  [[nodiscard]] bool can_send(const model::Call& call, std::int64_t generation) const;
  // A worker that holds a lease of this generation calls the service.
  model::Outcome call(const model::Call& call, std::int64_t generation, std::int64_t worker_us,
                      std::int64_t service_us);
  // The oldest late request of the op arrives; `invalid` where none is on its way.
  model::Outcome deliver(const std::string& op, std::int64_t service_us);

  // The newest receipt that this worker's calls got for the op.
  [[nodiscard]] std::optional<std::string> receipt(const std::string& worker,
                                                   const std::string& op) const;
  // What the service answers to a query for the op's key.
  [[nodiscard]] std::optional<std::string> find(const std::string& op,
                                                std::int64_t service_us) const;
  struct Holder {
    std::string worker;
    std::string op;
    std::int64_t generation = 0;
  };
  // Who holds a permit, whether it can still be used or not.
  [[nodiscard]] std::vector<Holder> holders() const;
  [[nodiscard]] const Permit* permit(const std::string& worker, const std::string& op,
                                     std::int64_t generation) const;
  // Whether the worker has ended this lease, and its permit with it, by a `fail` or `complete`.
  [[nodiscard]] bool is_over(const std::string& worker, const std::string& op,
                             std::int64_t generation) const;
  // Whether something went out under this lease that was not answered by a refusal. Stays so when
  // the worker dies: a call of its that stood still may still say otherwise.
  [[nodiscard]] bool was_unrefused(const std::string& op, std::int64_t generation) const {
    return unrefused_.contains({op, generation});
  }

  // How often the op was written, under whatever key.
  [[nodiscard]] std::int64_t writes(const std::string& op) const;
  // Whether a request of the op is on its way.
  [[nodiscard]] bool is_late(const std::string& op) const;
  // Whether anybody may still send for the op, whatever clocks say: a permit is over for good once
  // its holder has found it so.
  [[nodiscard]] bool may_send(const std::string& op) const;
  // Whether it is true, and stays true, that the op's write did, or did not, take place.
  [[nodiscard]] bool is_true(const std::string& op, bool happened) const;
  // Somebody said what is not true about the op, and an engine went by it.
  [[nodiscard]] bool is_misled(const std::string& op) const { return misled_.contains(op); }
  // Since the beginning, no clock stepped back and none differed from another by more than the
  // slack. Retention and open permits promise something only then.
  [[nodiscard]] bool clocks_agree() const {
    return !stepped_back_ && most_skew_us_ - least_skew_us_ <= clock_slack_us_;
  }
  [[nodiscard]] std::int64_t clock_slack_us() const { return clock_slack_us_; }

  // By operation key; a key stands here once a dispatch gave it.
  [[nodiscard]] const std::map<std::string, Record>& records() const { return records_; }
  // The keys that dispatches of each op gave, the newest last.
  [[nodiscard]] const std::map<std::string, std::deque<std::string>>& keys() const { return keys_; }
  // TRACE 4, `service.writes`.
  [[nodiscard]] std::map<std::string, std::int64_t> writes_by_key() const;

 private:
  struct Held {
    std::map<std::int64_t, Permit> permits;  // by generation
    // Leases that a `fail` or `complete` of the worker has ended: a dispatch that it hears of only
    // afterwards gives it nothing.
    std::set<std::int64_t> over;
    std::optional<std::string> receipt;
  };
  struct Arrival {
    bool conflict = false;
    bool fresh = false;
  };

  static bool remembers(const Record& record, std::int64_t service_us);
  static Arrival arrive(Record& record, const std::string& payload, std::int64_t service_us);
  void grant(const model::Dispatch& dispatch, std::int64_t generation,
             const model::Dispatching& given, const model::EffectSpec& effect);
  Permit* find_permit(const std::string& worker, const std::string& op, std::int64_t generation);
  void end_lease(const model::WorkerHandle& by, std::int64_t generation);

  std::int64_t clock_slack_us_ = 0;
  std::int64_t latest_us_ = 0;
  std::int64_t least_skew_us_ = 0;
  std::int64_t most_skew_us_ = 0;
  bool stepped_back_ = false;
  std::map<std::string, Record> records_;
  std::map<std::string, std::deque<std::string>> keys_;
  std::map<std::string, std::map<std::string, Held>> held_;   // worker → op
  std::set<std::pair<std::string, std::int64_t>> unrefused_;  // op, generation
  std::set<std::string> misled_;
};

}  // namespace leaseproof::properties
