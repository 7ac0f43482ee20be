// One connection to SQLite with its prepared statements, codes as values.
//
// Promise: a statement is prepared once per connection. The first fault of a transaction sticks:
// later statements do nothing and find no rows, and whoever began the transaction rolls it back. So
// code between BEGIN and COMMIT reads as if nothing could fail, and nothing half-done is kept. No
// commit checkpoints by itself (store/checkpoint.hpp says who does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/sqlite/code.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace leaseproof::engine::sqlite {

class JoinedWrites;

struct OpenOptions {
  std::string path;  // a path or a file: URI
  std::string vfs;   // empty: SQLite's default
  bool read_only = false;
  bool create = true;
};

// A value to bind: nothing, an integer or a text that outlives the statement's run.
class Value {
 public:
  Value() = default;                                         // NULL
  Value(std::int64_t number) : number_(number), kind_(1) {}  // NOLINT(google-explicit-constructor)
  Value(std::string_view text) : text_(text), kind_(2) {}    // NOLINT(google-explicit-constructor)
  Value(const char* text) : text_(text), kind_(2) {}         // NOLINT(google-explicit-constructor)
  Value(const std::string& text) : text_(text), kind_(2) {}  // NOLINT(google-explicit-constructor)
  Value(const std::optional<std::int64_t>& number)           // NOLINT(google-explicit-constructor)
      : number_(number.value_or(0)), kind_(number ? 1 : 0) {}
  Value(const std::optional<std::string>& text)  // NOLINT(google-explicit-constructor)
      : text_(text ? std::string_view(*text) : std::string_view()), kind_(text ? 2 : 0) {}

  int bind(sqlite3_stmt* statement, int index) const;

 private:
  std::string_view text_;
  std::int64_t number_ = 0;
  int kind_ = 0;
};

class Connection;

// The rows of one running statement; resets it when it goes.
class Rows {
 public:
  Rows(Connection& connection, sqlite3_stmt* statement) noexcept
      : connection_(&connection), statement_(statement) {}
  ~Rows();
  Rows(Rows&& other) noexcept;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  Rows& operator=(Rows&&) = delete;

  // False at the end and after a fault; the connection's `fault()` tells which.
  bool next();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // valid until the next `next`
  [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const;
  [[nodiscard]] std::optional<std::string> maybe_string(int column) const;

 private:
  Connection* connection_;
  sqlite3_stmt* statement_;
};

// The texts of a catalogue, by the index that callers use.
using StatementTexts = std::vector<std::string>;

class Connection {
 public:
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `texts` must outlive the connection. No connection: the fault says why.
  static std::unique_ptr<Connection> open(const OpenOptions& options, const StatementTexts& texts,
                                          Fault& fault);

  // Runs statement `index` of the catalogue; its parameters are ?1, ?2, … in order.
  // What is bound must outlive the rows: a temporary text is refused by the compiler.
  template <class... Args>
  Rows query(std::size_t index, Args&&... args) {
    static_assert((!std::is_same_v<Args, std::string> && ...), "the text must outlive the rows");
    sqlite3_stmt* statement = prepared(index);
    if (statement != nullptr) {
      int at = 0;
      int code = 0;
      ((code = code != 0 ? code : Value(args).bind(statement, ++at)), ...);
      if (code != 0) {
        note(code);
        statement = nullptr;
      }
    }
    return {*this, statement};
  }
  // Runs a statement to its end and answers how many rows it changed; 0 after a fault.
  template <class... Args>
  std::int64_t execute(std::size_t index, const Args&... args) {
    Rows rows = query(index, args...);
    while (rows.next()) {
    }
    return fault_ == Fault::none ? changes() : 0;
  }
  // `execute` for a COMMIT: what it appends to the WAL is one write.
  void commit(std::size_t index);
  // Statements outside the catalogue: schema and pragmas. One fault ends the script.
  Fault run_script(const char* script);

  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] int code() const { return code_; }
  void clear_fault() {
    fault_ = Fault::none;
    code_ = 0;
  }
  // An injected fault sticks like a real one.
  void inject(Fault fault) { fault_ = fault; }
  [[nodiscard]] bool in_transaction() const;
  // Whether a WAL of the main database holds anything; false where there is none.
  [[nodiscard]] bool has_wal_content() const;
  // Whether this connection holds the write lock.
  [[nodiscard]] bool writes() const;
  // Another one after each commit that has written to the main database, by whichever connection
  // (sqlite.org, SQLITE_FCNTL_DATA_VERSION); those of others are seen by the next transaction. What
  // was read of one version by this connection holds for as long.
  [[nodiscard]] std::uint32_t data_version() const;
  // The pages that the WAL held after this connection's last commit that wrote; 0 without a WAL.
  [[nodiscard]] std::int64_t wal_pages() const { return wal_pages_; }
  [[nodiscard]] sqlite3* handle() const { return db_; }
  // Of the VFS that has the main database's file.
  [[nodiscard]] std::string vfs_name() const;
  [[nodiscard]] std::string message() const;

 private:
  friend class Rows;
  Connection(sqlite3* db, std::unique_ptr<JoinedWrites> writes, const StatementTexts& texts);
  sqlite3_stmt* prepared(std::size_t index);
  void note(int code);
  [[nodiscard]] std::int64_t changes() const;

  std::unique_ptr<JoinedWrites> writes_;
  sqlite3* db_;
  const StatementTexts* texts_;
  std::vector<sqlite3_stmt*> statements_;
  Fault fault_ = Fault::none;
  int code_ = 0;
  std::int64_t wal_pages_ = 0;
};

// Holds a transaction open while somebody else has the handle: a COMMIT rolls back instead, and any
// end is noticed, also when another transaction was begun after it.
class HeldTransaction {
 public:
  explicit HeldTransaction(Connection& connection);
  ~HeldTransaction();
  HeldTransaction(const HeldTransaction&) = delete;
  HeldTransaction& operator=(const HeldTransaction&) = delete;

  [[nodiscard]] bool ended() const { return ended_; }

 private:
  Connection* connection_;
  bool ended_ = false;
};

}  // namespace leaseproof::engine::sqlite
