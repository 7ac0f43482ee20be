// What a verb sees of the write transaction it runs in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/sqlite/connection.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/journal.hpp"
#include "engine/store/known_queues.hpp"
#include "engine/values/id_source.hpp"
#include "faults/point.hpp"

namespace leaseproof::engine::store {

// One write transaction: `now_us` was read once, after the write lock was held. A verb that finds a
// guard false returns before it writes; whoever runs the verb rolls back what a fault interrupted.
class Write {
 public:
  Write(sqlite::Connection& db, Journal& journal, KnownQueues& known_queues, IdSource& ids,
        faults::Call call, std::int64_t now_us, std::int64_t clock_slack_us = 0)
      : db_(&db),
        journal_(&journal),
        known_queues_(&known_queues),
        ids_(&ids),
        call_(call),
        now_us_(now_us),
        clock_slack_us_(clock_slack_us) {}

  template <class... Args>
  sqlite::Rows query(Sql id, Args&&... args) {
    return db_->query(static_cast<std::size_t>(id), std::forward<Args>(args)...);
  }
  template <class... Args>
  std::int64_t execute(Sql id, const Args&... args) {
    const std::int64_t changed = db_->execute(static_cast<std::size_t>(id), args...);
    if (changed > 0 && !changed_) first_change();
    return changed;
  }

  [[nodiscard]] std::int64_t now_us() const { return now_us_; }
  // By how much clocks may disagree (SEMANTICS 6).
  [[nodiscard]] std::int64_t clock_slack_us() const { return clock_slack_us_; }
  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] KnownQueues& known_queues() { return *known_queues_; }
  [[nodiscard]] IdSource& ids() { return *ids_; }
  [[nodiscard]] sqlite::Connection& db() { return *db_; }
  [[nodiscard]] bool changed() const { return changed_; }
  [[nodiscard]] bool faulted() const { return db_->fault() != sqlite::Fault::none; }

  // For inserts that answer their row: the change happens while the rows are read.
  void first_change();

 private:
  sqlite::Connection* db_;
  Journal* journal_;
  KnownQueues* known_queues_;
  IdSource* ids_;
  faults::Call call_;
  std::int64_t now_us_;
  std::int64_t clock_slack_us_;
  bool changed_ = false;
};

// The fault that an injected one stands for.
sqlite::Fault fault_of(faults::Injected injected);

}  // namespace leaseproof::engine::store
