// The statements that an engine ran, with their values, to be run again straight through sqlite3.
//
// Promise: what is replayed is what was recorded, statement by statement, on connections of its
// own; so its time is what SQLite alone costs, without engine, model and judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
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
  // Records every statement of each of `connections` until `stop`.
  void record(const std::vector<sqlite3*>& connections);
  void stop();
  [[nodiscard]] std::size_t size() const { return runs_.size(); }

  // Prepares each recorded statement on the connection of the same place in `connections`.
  void prepare(const std::vector<sqlite3*>& connections);
  // Runs all of them in order; false when one does not end well.
  bool run();
  void finalize();

 private:
  struct Run {
    std::size_t statement = 0;
    std::vector<std::pair<int, Literal>> values;
  };
  // One of several connections that are recorded.
  struct Source {
    RecordedStatements* into = nullptr;
    std::size_t place = 0;
    sqlite3* db = nullptr;
  };
  using Text = std::pair<std::size_t, std::string>;  // the connection's place, the statement
  void note(std::size_t place, const char* sql, const char* expanded);

  std::vector<std::unique_ptr<Source>> sources_;
  std::map<Text, std::size_t> index_;
  std::vector<Text> texts_;
  std::vector<Run> runs_;
  std::vector<sqlite3_stmt*> prepared_;
};

}  // namespace leaseproof::bench
