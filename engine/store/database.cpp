#include "engine/store/database.hpp"

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/store/catalog.hpp"
#include "engine/store/migration.hpp"
#include "engine/store/schema.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

using sqlite::Connection;
using sqlite::Fault;

enum class Layout : std::uint8_t { empty, foreign, older_than_known, known, branched, newer };

struct Recognized {
  Layout layout = Layout::foreign;
  std::int64_t version = 0;
};

std::optional<std::int64_t> ask(Connection& db, Sql id) {
  auto rows = db.query(static_cast<std::size_t>(id));
  if (!rows.next()) return std::nullopt;
  return rows.integer(0);
}

// Reads only, so that a foreign file is left as it was.
Recognized recognize(Connection& db) {
  const auto tables = ask(db, Sql::count_tables);
  if (!tables) return {};
  if (*tables == 0) return {Layout::empty, 0};
  if (ask(db, Sql::is_ours).value_or(0) == 0) return {};
  const auto version = ask(db, Sql::known_version);
  if (!version) return {};
  if (ask(db, Sql::steps_of_others).value_or(0) > 0) return {Layout::branched, *version};
  if (*version > current_version) return {Layout::newer, *version};
  if (*version < 2) return {Layout::older_than_known, *version};
  return {Layout::known, *version};
}

class Opening {
 public:
  Opening(const DatabaseOptions& options, Clock& clock) : options_(options), clock_(clock) {}

  tl::expected<std::unique_ptr<Connection>, OpenError> run(const sqlite::StatementTexts& texts) {
    Fault fault = Fault::none;
    db_ = Connection::open({options_.path, options_.vfs, options_.read_only, options_.create},
                           texts, fault);
    if (db_ == nullptr) return failed(fault);
    Recognized found;
    if (!patiently([&] { found = recognize(*db_); })) return failed(db_->fault());
    if (auto refusal = refuse(found)) return tl::unexpected(std::move(*refusal));
    if (!options_.read_only && sqlite3_db_readonly(db_->handle(), "main") == 1) {
      return failed(Fault::read_only);
    }
    if (!patiently([&] { db_->run_script(connection_pragmas); })) return failed(db_->fault());
    if (!options_.read_only) {
      if (!patiently([&] { set_synchronous(*db_, options_.synchronous); }))
        return failed(db_->fault());
      if (found.layout == Layout::empty && !patiently([&] { db_->run_script(creation_pragmas); })) {
        return failed(db_->fault());
      }
      const bool current = found.layout == Layout::known && found.version == current_version;
      if (auto refusal = current ? std::nullopt : bring_up_to_date())
        return tl::unexpected(std::move(*refusal));
      // Last, since it writes to the header: a database that is refused stays as it was, to the
      // byte.
      if (!patiently([&] { db_->run_script("PRAGMA journal_mode = WAL"); })) {
        return failed(db_->fault());
      }
      if (!make_durable()) return failed(db_->fault());
    }
    return std::move(db_);
  }

 private:
  tl::unexpected<OpenError> failed(Fault fault) const {
    return tl::unexpected(OpenError{fault, sqlite::sentence(fault, options_.path)});
  }
  [[nodiscard]] OpenError error(Fault fault, std::string_view what) const {
    return {fault, "database " + options_.path + " " + std::string(what)};
  }

  [[nodiscard]] std::optional<OpenError> refuse(const Recognized& found) const {
    switch (found.layout) {
      case Layout::newer:
        return error(Fault::other, "has version " + std::to_string(found.version) +
                                       ", newer than the " + std::to_string(current_version) +
                                       " this program knows; use a newer leaseproof");
      case Layout::older_than_known:
        return error(Fault::other, "has version " + std::to_string(found.version) +
                                       "; bring it to version 2 with the program that wrote it");
      case Layout::branched:
        return error(Fault::other, "has version " + std::to_string(found.version) +
                                       " of the older system; only its version 2 can be "
                                       "migrated, so name a copy of that");
      case Layout::foreign:
        return error(Fault::other, "belongs to another program; name a leaseproof database");
      case Layout::empty:
        if (options_.read_only || !options_.create) {
          return error(Fault::other, "is empty; name a leaseproof database");
        }
        return std::nullopt;
      case Layout::known:
        if (options_.read_only && found.version != current_version) {
          return error(Fault::other, "has version " + std::to_string(found.version) +
                                         "; an engine that opens it for writing migrates it");
        }
        return std::nullopt;
    }
    return std::nullopt;
  }

  // Tries as long as another connection holds the lock.
  template <class Step>
  bool patiently(Step step) {
    for (std::int64_t tried = 1;; ++tried) {
      db_->clear_fault();
      step();
      if (!sqlite::is_contention(db_->fault())) return db_->fault() == Fault::none;
      if (tried >= options_.busy.tries) return false;
      clock_.wait_us(options_.busy.wait_us(tried));
    }
  }

  // What recovery found in the WAL may never have been synced: its process died between the write
  // and the sync. Nobody is shown it before a commit of ours has made it durable. Who holds the
  // lock meanwhile has opened before and has done so.
  bool make_durable() {
    if (options_.synchronous != Synchronous::full || !db_->has_wal_content()) return true;
    const bool done = patiently([&] {
      db_->execute(index(Sql::begin_write));
      write_over(*db_);
      db_->commit(index(Sql::commit));
      roll_back();
    });
    if (!done && !sqlite::is_contention(db_->fault())) return false;
    db_->clear_fault();
    return true;
  }

  // One transaction a version. Another process may have done the step while this one waited for the
  // lock, so each step asks again.
  std::optional<OpenError> bring_up_to_date() {
    std::optional<OpenError> refusal;
    bool current = false;
    while (!current) {
      const bool stepped = patiently([&] { current = step(refusal); });
      if (refusal) return refusal;
      if (!stepped) return failed(db_->fault()).value();
    }
    return std::nullopt;
  }

  bool step(std::optional<OpenError>& refusal) {
    {
      const auto seen = recognize(*db_);
      if (seen.layout == Layout::known && seen.version == current_version) return true;
    }
    db_->execute(index(Sql::begin_write));
    if (db_->fault() != Fault::none) return false;
    const std::int64_t now_us = clock_.now_us();
    const Recognized found = recognize(*db_);
    std::string complaint;
    std::int64_t reached = found.version;
    if (found.layout == Layout::empty) {
      db_->run_script(schema_of_versions);
      db_->run_script(schema_v4);
      reached = 4;
    } else if (found.layout == Layout::known && found.version == 2) {
      complaint = migrate_to_3(*db_, now_us);
      reached = 3;
    } else if (found.layout == Layout::known && found.version == 3) {
      complaint = migrate_to_4(*db_, now_us);
      reached = 4;
    } else if (found.layout == Layout::known && found.version == 4) {
      complaint = taken_name();
      if (complaint.empty()) db_->run_script(schema_v5);
      reached = 5;
    } else if (found.layout == Layout::known && found.version == 5) {
      db_->run_script(schema_v6);
      reached = 6;
    } else if (found.layout != Layout::known) {
      if (db_->fault() == Fault::none) refusal = refuse(found);
      roll_back();
      return false;
    }
    if (complaint.empty() && reached != found.version) record(reached, now_us);
    if (complaint.empty()) {
      db_->commit(index(Sql::commit));
      if (db_->fault() == Fault::none) return reached == current_version;
    }
    roll_back();
    if (!complaint.empty()) refusal = error(Fault::other, complaint);
    return false;
  }

  // What stands in the way of version 5, or nothing.
  std::string taken_name() {
    auto rows = db_->query(index(Sql::taken_name));
    if (!rows.next()) return {};
    return "cannot be migrated: it has a " + rows.string(0) + " " + rows.string(1) +
           " of another program, and leaseproof needs that name; rename it and open the database "
           "again";
  }

  void record(std::int64_t version, std::int64_t now_us) {
    constexpr std::array<std::string_view, 4> names{"integer_times", "leaseproof_tables", "effects",
                                                    "fewer_indexes"};
    db_->execute(index(Sql::record_version), version, names[static_cast<std::size_t>(version - 3)],
                 rfc3339_of(now_us));
  }

  // Keeps the fault that ended the step: the caller judges by it.
  void roll_back() {
    if (!db_->in_transaction()) return;
    const Fault fault = db_->fault();
    db_->clear_fault();
    db_->execute(index(Sql::rollback));
    db_->clear_fault();
    db_->inject(fault);
  }

  const DatabaseOptions& options_;
  Clock& clock_;
  std::unique_ptr<Connection> db_;
};

}  // namespace

void set_synchronous(Connection& db, Synchronous synchronous) {
  switch (synchronous) {
    case Synchronous::full:
      db.run_script("PRAGMA synchronous = FULL");
      break;
    case Synchronous::normal:
      db.run_script("PRAGMA synchronous = NORMAL");
      break;
    case Synchronous::off:
      db.run_script("PRAGMA synchronous = OFF");
      break;
  }
}

void write_over(Connection& db) {
  db.execute(index(Sql::write_over));
  db.execute(index(Sql::written_over));
}

tl::expected<std::unique_ptr<Connection>, OpenError> open_database(
    const DatabaseOptions& options, const sqlite::StatementTexts& texts, Clock& clock) {
  return Opening(options, clock).run(texts);
}

}  // namespace leaseproof::engine::store
