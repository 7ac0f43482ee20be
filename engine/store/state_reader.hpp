// Reads the observable state of TRACE 4 from the tables.
//
// Promise: `read_in_full` trusts nothing but the tables. `read_changes` reads again only the rows
// that SQLite's own update hook named since the last read, on the connections that were watched; it
// is what makes a checked step cheap, and is only as good as the full read that is done now and
// then.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// Row changes of watched connections since they were last taken. A change that is rolled back stays
// in the list; reading a row again for nothing is harmless.
class ChangeList {
 public:
  // `db` must not outlive this object.
  void watch(sqlite::Connection& db);

  struct Change {
    char table = 0;  // o(p), l(ease), r(esult), a(rtifact), c(heckpoint), w(orkflow), q(ueue),
                     // e(vent), A(pproval), E(ffect)
    std::int64_t row = 0;
    bool operator==(const Change&) const = default;
  };
  std::vector<Change>& changes() { return changes_; }

 private:
  std::vector<Change> changes_;
};

class StateReader {
 public:
  const model::Observation& read_in_full(sqlite::Connection& db);
  const model::Observation& read_changes(sqlite::Connection& db, ChangeList& list);
  [[nodiscard]] const model::Observation& last() const { return state_; }

 private:
  struct OpRow {
    std::string id;
    std::int64_t workflow = 0;
  };
  void read_op(sqlite::Connection& db, std::int64_t row);
  void take_op(const sqlite::Rows& rows, bool fresh);
  void read_owned_rows(sqlite::Connection& db);
  void read_approvals(sqlite::Connection& db);
  void read_workflows(sqlite::Connection& db);
  void read_queues(sqlite::Connection& db);
  void count_again(sqlite::Connection& db);

  model::Observation state_;
  std::unordered_map<std::int64_t, OpRow> ops_;
  std::unordered_map<std::int64_t, std::string> workflows_;
};

}  // namespace leaseproof::engine::store
