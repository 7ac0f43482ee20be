// The statements that an engine ran, with their values, to be run again straight through sqlite3.
//
// Promise: what is replayed is what was recorded, statement by statement, on a connection of its
// own; so its time is what SQLite alone costs, without engine, model and judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace leaseproof::bench {

struct Literal {
  enum class Kind : std::uint8_t { null, integer, text };
  Kind kind = Kind::null;
  std::int64_t integer = 0;
  std::string text;
};

class RecordedStatements {
 public:
  // Records every statement of `db` until `stop`.
  void record(sqlite3* db);
  void stop(sqlite3* db);
  [[nodiscard]] std::size_t size() const { return runs_.size(); }

  // Prepares the recorded statements on `db`, which has the same schema.
  void prepare(sqlite3* db);
  // Runs all of them in order; false when one does not end well.
  bool run();
  void finalize();

 private:
  struct Run {
    std::size_t statement = 0;
    std::vector<std::pair<int, Literal>> values;
  };
  void note(const char* sql, const char* expanded);

  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::string> texts_;
  std::vector<Run> runs_;
  std::vector<sqlite3_stmt*> prepared_;
};

}  // namespace leaseproof::bench
