#include "engine/effects/service_double.hpp"

#include <utility>

#include "engine/effects/ledger_catalog.hpp"
#include "engine/sqlite/code.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine::effects {

using model::Contract;
using model::Outcome;
using model::ServiceMode;
using model::Word;

namespace {

// A transaction of the ledger; without `commit` nothing of it stays.
class Entry {
 public:
  explicit Entry(sqlite::Connection& db) : db_(&db) {
    db.clear_fault();
    db.execute(index(LedgerSql::begin));
  }
  ~Entry() {
    if (!db_->in_transaction()) return;
    db_->clear_fault();
    db_->execute(index(LedgerSql::rollback));
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  bool commit() {
    db_->commit(index(LedgerSql::commit));
    return db_->fault() == sqlite::Fault::none;
  }

 private:
  sqlite::Connection* db_;
};

bool remembers(std::int64_t retention_us, std::int64_t written_us, std::int64_t now_us) {
  if (retention_us == 0) return true;
  std::int64_t until_us = 0;
  return __builtin_add_overflow(written_us, retention_us, &until_us) || now_us < until_us;
}

}  // namespace

struct ServiceDouble::Arrival {
  bool conflict = false;
  bool fresh = false;
  std::string receipt;
};

ServiceDouble::ServiceDouble(std::string path, Clock& clock, sqlite::StatementTexts texts)
    : path_(std::move(path)), clock_(&clock), texts_(std::move(texts)) {}

ServiceDouble::~ServiceDouble() = default;

tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> ServiceDouble::open(
    const std::string& path, Clock& clock) {
  auto made = connected(path, clock, false);
  if (!made) return made;
  ServiceDouble& service = **made;
  sqlite::Connection& db = *service.db_;
  const auto tables = service.count(LedgerSql::count_tables);
  const auto own = service.count(LedgerSql::count_own_tables);
  if (db.fault() != sqlite::Fault::none) return service.failed(db.fault());
  if (tables > 0 && own < ledger_tables) return service.foreign();
  auto fault = db.run_script(ledger_pragmas);
  if (fault == sqlite::Fault::none && tables == 0) fault = db.run_script(ledger_schema);
  if (fault != sqlite::Fault::none) return service.failed(fault);
  return made;
}

tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> ServiceDouble::open_to_read(
    const std::string& path, Clock& clock) {
  auto made = connected(path, clock, true);
  if (!made) return made;
  ServiceDouble& service = **made;
  const auto own = service.count(LedgerSql::count_own_tables);
  if (service.db_->fault() != sqlite::Fault::none) return service.failed(service.db_->fault());
  if (own < ledger_tables) return service.foreign();
  return made;
}

tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> ServiceDouble::connected(
    const std::string& path, Clock& clock, bool read_only) {
  std::unique_ptr<ServiceDouble> made(
      new ServiceDouble(path, clock, {ledger_texts.begin(), ledger_texts.end()}));
  auto fault = sqlite::Fault::none;
  made->db_ = sqlite::Connection::open({path, "", read_only, !read_only}, made->texts_, fault);
  if (made->db_ == nullptr) return made->failed(fault);
  return made;
}

tl::unexpected<store::OpenError> ServiceDouble::failed(sqlite::Fault fault) const {
  return tl::unexpected(store::OpenError{fault, sqlite::sentence(fault, path_)});
}

tl::unexpected<store::OpenError> ServiceDouble::foreign() const {
  return tl::unexpected(store::OpenError{
      sqlite::Fault::other, "database " + path_ +
                                " is no ledger of the outside service; move it away, or name the "
                                "database that it belongs to"});
}

std::int64_t ServiceDouble::count(LedgerSql which) {
  auto rows = db_->query(index(which));
  return rows.next() ? rows.integer(0) : 0;
}

void ServiceDouble::tell(ServiceMode mode) {
  Entry entry(*db_);
  db_->execute(index(LedgerSql::set_mode), model::word(mode));
  entry.commit();
}

ServiceMode ServiceDouble::take_mode() {
  std::int64_t row = 0;
  ServiceMode mode = ServiceMode::ok;
  {
    auto rows = db_->query(index(LedgerSql::next_mode));
    if (!rows.next()) return mode;
    row = rows.integer(0);
    mode = model::from_word<ServiceMode>(rows.text(1)).value_or(mode);
  }
  db_->execute(index(LedgerSql::drop_mode), row);
  return mode;
}

ServiceDouble::Arrival ServiceDouble::arrive(const Request& request, bool late) {
  const std::int64_t now_us = clock_->now_us();
  if (request.contract == Contract::idempotent) {
    auto rows = db_->query(index(LedgerSql::newest_write), request.key);
    if (rows.next()) {
      if (remembers(request.retention_us, rows.integer(2), now_us)) {
        return {rows.text(0) != request.payload, false, rows.string(1)};
      }
      if (late) return {true, false, {}};
    }
  }
  const std::string receipt =
      sha256_hex(std::string(request.key) + "/" + std::to_string(writes(request.key) + 1));
  db_->execute(index(LedgerSql::add_write), request.key, request.payload, receipt, now_us,
               model::word(request.contract), request.retention_us);
  return {false, true, receipt};
}

Outcome ServiceDouble::write(const Request& request) {
  Entry entry(*db_);
  const ServiceMode mode = take_mode();
  Arrival arrival;
  if (mode == ServiceMode::ok || mode == ServiceMode::timeout_after) {
    arrival = arrive(request, false);
  } else if (mode == ServiceMode::late) {
    db_->execute(index(LedgerSql::add_late), request.key, request.payload,
                 model::word(request.contract), request.retention_us);
  }
  // What a service that cannot keep its own books did, nobody knows.
  if (!entry.commit()) return Word::timeout;
  if (mode == ServiceMode::refuse) return Word::refused;
  if (mode != ServiceMode::ok) return Word::timeout;
  if (arrival.conflict) return Word::payload_conflict;
  return {Word::receipt, model::Receipt{std::move(arrival.receipt), arrival.fresh}};
}

std::optional<std::string> ServiceDouble::find(std::string_view key) {
  db_->clear_fault();
  auto rows = db_->query(index(LedgerSql::newest_write), key);
  if (!rows.next()) return std::nullopt;
  const auto contract = model::from_word<Contract>(rows.text(3));
  const bool answers = contract == Contract::queryable ||
                       (contract == Contract::idempotent &&
                        remembers(rows.integer(4), rows.integer(2), clock_->now_us()));
  return answers ? std::optional(rows.string(1)) : std::nullopt;
}

bool ServiceDouble::deliver(std::string_view key) {
  Entry entry(*db_);
  std::int64_t row = 0;
  std::string payload;
  Request request{key, {}, Contract::idempotent, 0};
  {
    auto rows = db_->query(index(LedgerSql::oldest_late), key);
    if (!rows.next()) return false;
    row = rows.integer(0);
    payload = rows.string(1);
    request.contract = model::from_word<Contract>(rows.text(2)).value_or(request.contract);
    request.retention_us = rows.integer(3);
  }
  request.payload = payload;
  db_->execute(index(LedgerSql::drop_late), row);
  arrive(request, true);
  return entry.commit();
}

std::int64_t ServiceDouble::writes(std::string_view key) {
  auto rows = db_->query(index(LedgerSql::count_writes), key);
  return rows.next() ? rows.integer(0) : 0;
}

tl::expected<std::vector<Written>, store::OpenError> ServiceDouble::ledger() {
  db_->clear_fault();
  std::vector<Written> all;
  auto rows = db_->query(index(LedgerSql::all_writes));
  while (rows.next()) {
    all.push_back({rows.string(0), rows.string(1), rows.string(2), rows.integer(3)});
  }
  if (db_->fault() != sqlite::Fault::none) return failed(db_->fault());
  return all;
}

}  // namespace leaseproof::engine::effects
