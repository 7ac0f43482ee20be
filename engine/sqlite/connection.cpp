#include "engine/sqlite/connection.hpp"

#include <sqlite3.h>

#include <utility>

#include "engine/sqlite/joined_writes.hpp"

namespace leaseproof::engine::sqlite {

int Value::bind(sqlite3_stmt* statement, int index) const {
  switch (kind_) {
    case 0:
      return sqlite3_bind_null(statement, index);
    case 1:
      return sqlite3_bind_int64(statement, index, number_);
    default:
      // A null pointer would bind NULL where the caller means an empty text.
      return sqlite3_bind_text64(statement, index, text_.empty() ? "" : text_.data(), text_.size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
  }
}

Rows::Rows(Rows&& other) noexcept
    : connection_(other.connection_), statement_(std::exchange(other.statement_, nullptr)) {}

Rows::~Rows() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

bool Rows::next() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_->note(code);
  sqlite3_reset(std::exchange(statement_, nullptr));
  return false;
}

std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::optional<std::int64_t> Rows::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<std::string> Rows::maybe_string(int column) const {
  if (is_null(column)) return std::nullopt;
  return string(column);
}

Connection::Connection(sqlite3* db, std::unique_ptr<JoinedWrites> writes,
                       const StatementTexts& texts)
    : writes_(std::move(writes)), db_(db), texts_(&texts), statements_(texts.size(), nullptr) {
  // SQLite's own checkpoints are such a hook as well, so they end with this.
  sqlite3_wal_hook(
      db_,
      [](void* connection, sqlite3*, const char*, int pages) {
        static_cast<Connection*>(connection)->wal_pages_ = pages;
        return SQLITE_OK;
      },
      this);
}

Connection::~Connection() {
  for (auto* statement : statements_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

std::unique_ptr<Connection> Connection::open(const OpenOptions& options,
                                             const StatementTexts& texts, Fault& fault) {
  sqlite3* db = nullptr;
  auto writes = JoinedWrites::before(options.vfs);
  // One thread at a time uses a connection, so SQLite need not lock it for each call.
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (!options.read_only && options.create) flags |= SQLITE_OPEN_CREATE;
  const int code = writes == nullptr
                       ? SQLITE_ERROR
                       : sqlite3_open_v2(options.path.c_str(), &db, flags, writes->name());
  fault = fault_of(code);
  if (fault != Fault::none) {
    sqlite3_close(db);
    return nullptr;
  }
  return std::unique_ptr<Connection>(new Connection(db, std::move(writes), texts));
}

sqlite3_stmt* Connection::prepared(std::size_t index) {
  if (fault_ != Fault::none) return nullptr;
  sqlite3_stmt*& statement = statements_[index];
  if (statement == nullptr) {
    const auto& text = (*texts_)[index];
    note(sqlite3_prepare_v3(db_, text.c_str(), static_cast<int>(text.size()) + 1,
                            SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  }
  return statement;
}

void Connection::note(int code) {
  const Fault fault = fault_of(code);
  if (fault == Fault::none || fault_ != Fault::none) return;
  fault_ = fault;
  code_ = code;
}

std::int64_t Connection::changes() const { return sqlite3_changes64(db_); }

void Connection::commit(std::size_t index) {
  const JoinedWrites::Commit joined(*writes_);
  execute(index);
}

Fault Connection::run_script(const char* script) {
  note(sqlite3_exec(db_, script, nullptr, nullptr, nullptr));
  return fault_;
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

bool Connection::writes() const { return sqlite3_txn_state(db_, "main") == SQLITE_TXN_WRITE; }

std::uint32_t Connection::data_version() const {
  unsigned int version = 0;
  sqlite3_file_control(db_, "main", SQLITE_FCNTL_DATA_VERSION, &version);
  return version;
}

bool Connection::has_wal_content() const {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(db_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return false;
  }
  sqlite3_int64 bytes = 0;
  // One that cannot be asked may hold anything.
  return file->pMethods->xFileSize(file, &bytes) != SQLITE_OK || bytes > 0;
}

std::string Connection::vfs_name() const {
  sqlite3_vfs* vfs = nullptr;
  sqlite3_file_control(db_, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
  if (vfs == nullptr) return {};
  return vfs->zName == writes_->name() ? writes_->name_behind() : vfs->zName;
}

std::string Connection::message() const { return sqlite3_errmsg(db_); }

HeldTransaction::HeldTransaction(Connection& connection) : connection_(&connection) {
  sqlite3_commit_hook(
      connection.handle(), [](void*) { return 1; }, nullptr);
  sqlite3_rollback_hook(
      connection.handle(), [](void* ended) { *static_cast<bool*>(ended) = true; }, &ended_);
}

HeldTransaction::~HeldTransaction() {
  sqlite3_commit_hook(connection_->handle(), nullptr, nullptr);
  sqlite3_rollback_hook(connection_->handle(), nullptr, nullptr);
}

}  // namespace leaseproof::engine::sqlite
