// A version-2 database for the tests of its migration, as the older system would have written it.
//
// Promise: lives in a folder of its own that goes with it; an old database is never opened by the
// code under test while this class holds it open.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sqlite/connection.hpp"
#include "engine/store/database.hpp"
#include "engine/values/clock.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

struct OldWorkflow {
  std::string id = "w";
  std::string site = "shop";
  std::string status = "running";
  std::string input = "null";
  std::string created_at = "2026-07-20T17:00:00Z";
  std::string updated_at = "2026-07-20T17:30:00Z";
};

struct OldOp {
  std::string id;
  std::string status = "ready";
  std::string workflow = "w";
  std::string site = "shop";
  std::string kind = "fetch";
  std::string queue = "slow";
  std::string input = "null";
  std::string retry = "{}";
  std::string state = "{}";
  std::optional<std::string> next_attempt_at = std::nullopt;
  std::string created_at = "2026-07-20T17:00:00Z";
  std::string updated_at = "2026-07-20T17:30:00Z";
};

struct OldArtifact {
  std::string id;
  std::string op;
  std::string name;
  std::string body_literal = "x'00ff'";  // an SQL literal: a blob, a text, NULL
  std::string created_at = "2026-07-20T17:20:00Z";
};

class StillClock final : public Clock {
 public:
  StillClock() = default;
  StillClock(const StillClock& other) : now(other.now) {}
  StillClock& operator=(const StillClock&) = delete;
  std::int64_t now = 0;
  std::int64_t now_us() override { return now; }
  void wait_us(std::int64_t /*duration_us*/) override {}
};

// The microseconds of a time's text, as a text.
std::string us(const std::string& time_text);

// Every table of the database and every row in it; a line with `refused:` where it cannot be read.
std::string dump_of(sqlite3* db);

class OldDatabase {
 public:
  // `before` runs in the empty file.
  explicit OldDatabase(const std::string& before = {});
  ~OldDatabase();
  // A copy of the file, in a folder of its own.
  OldDatabase(const OldDatabase& other);
  OldDatabase& operator=(const OldDatabase&) = delete;

  // A workflow with one row or more in every table.
  void fill();
  void add(const OldWorkflow& workflow);
  void add(const OldOp& op);
  void add(const OldArtifact& artifact);
  void add_lease(const std::string& op, const std::string& expires_at,
                 const std::string& token = "token", const std::string& worker = "worker");
  void add_result(const std::string& op, const std::string& data,
                  const std::string& completed_at = "2026-07-20T17:20:00Z");
  void add_dependency(const std::string& op, const std::string& need, int required = 1);

  void run(const std::string& sql);
  // Each row as its columns with bars between, NULL as "NULL".
  std::vector<std::string> ask(const std::string& sql);
  // The first column of the first row.
  std::string one(const std::string& sql);
  // Every table of the file and every row in it.
  std::string dump();
  // The file's content.
  [[nodiscard]] std::string bytes() const;

  // Opens the file with the code under test at `now`; the sentence of a refusal is in `refusal`.
  bool migrate();
  // What may not be in any migrated database, a line each: damage, and broken invariants.
  std::vector<std::string> unsound();
  // The whole of refresh in one transaction at `now`.
  model::Outcome refresh();

  StillClock clock;
  std::string refusal;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void make_folder();
  void close();

  sqlite3* db_ = nullptr;
  std::string folder_;
  std::string path_;
};

}  // namespace leaseproof::engine::store
