// The events of one call, collected while it runs and written at its end (SEMANTICS 1, event), call
// by call of one transaction.
//
// Promise: one event per op that the call changed, at the place of its last change; the first event
// carries the call itself, so that a reader can replay it. A call's number is the seq of its first
// event. Collecting costs the same for each event, however many a call has. Kinds:
// workflow_created, cancel_requested, queue_set, op_created, op_leased, op_extended,
// op_checkpointed, op_succeeded, op_failed, op_retry_scheduled, op_recovered, op_blocked,
// op_reopened, op_readied, op_retried, op_canceled, op_unknown (reconciling), op_dispatched,
// op_confirmed, approval_requested, approval_granted, context_put, context_revoked, migrated. An
// event of an op that begins or ceases to wait for a person carries `for_a_person` in its detail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::engine::store {

class Journal {
 public:
  // A new transaction.
  void begin();
  // The database may be another than the last `write` left.
  void forget() { last_seq_.reset(); }
  // The next call of the transaction.
  void clear();
  [[nodiscard]] bool empty() const { return events_.empty(); }

  // Whether the call has made an op ready.
  [[nodiscard]] bool makes_ready() const;

  void op(std::int64_t op_row, std::int64_t workflow_row, std::int64_t generation,
          std::string_view kind, std::string_view from, std::string_view to);
  void workflow(std::int64_t workflow_row, std::string_view kind);
  void other(std::string_view kind);

  // Writes the collected events at `now_us`; `action` is the call in the words of TRACE 2 as JSON.
  // Answers the call's number, 0 when nothing was collected or a fault stuck.
  std::int64_t write(sqlite::Connection& db, std::int64_t now_us, const std::string& action);
  // At the end of the transaction: each workflow of which events were written names its last one.
  void stamp(sqlite::Connection& db);
  // The detail text of the first event as `write` stored it.
  [[nodiscard]] const std::string& first_detail() const { return first_detail_; }

 private:
  // Where a row stands in a list that is only ever added to. A call that changes an op or two looks
  // at each; one that changes many has an index.
  class Places {
   public:
    void clear();
    // The place of `row`, to be read and set; `next` where it had none.
    std::size_t& of(std::int64_t row, std::size_t next);

   private:
    static constexpr std::size_t few = 8;
    std::vector<std::pair<std::int64_t, std::size_t>> first_;
    std::unordered_map<std::int64_t, std::size_t> index_;
  };
  struct Event {
    std::optional<std::int64_t> op;
    std::optional<std::int64_t> workflow;
    std::int64_t generation = 0;
    std::string_view kind;  // empty: a later one of the same op has taken its place
    std::string_view from;
    std::string_view to;
  };
  std::vector<Event> events_;
  Places ops_;        // in `events_`
  Places workflows_;  // in `stamps_`
  struct Stamp {
    std::int64_t workflow;
    std::int64_t seq;
    std::int64_t at_us;
  };
  std::optional<std::int64_t> last_seq_;  // of the journal, once it was asked
  std::vector<Stamp> stamps_;
  std::string detail_;
  std::string first_detail_;
};

}  // namespace leaseproof::engine::store
