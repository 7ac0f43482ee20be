#include "engine/store/checkpoint.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <memory>

#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {
namespace {

// SQLite refuses a checkpoint to a connection that is in a transaction, so another one does it. It
// lives no longer than that: what was true of the file when it was opened is so still.
class Copier {
 public:
  // By the absolute name of the file that `writer` has open: the process may have changed its
  // folder since the options were given.
  Copier(const sqlite::Connection& writer, Synchronous synchronous,
         const sqlite::StatementTexts& texts) {
    const char* path = sqlite3_db_filename(writer.handle(), "main");
    if (path == nullptr) return;
    auto fault = sqlite::Fault::none;
    db_ = sqlite::Connection::open({path, writer.vfs_name(), false, false}, texts, fault);
    if (db_ == nullptr) return;
    // It is not the last, so it need not try for the whole file, which would keep newcomers out.
    sqlite3_db_config(db_->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    // SQLite syncs a checkpoint unless it is told or was built not to; to tell it anything has it
    // parse the schema, which takes longer than the copying.
    if (sqlite3_compileoption_used("DEFAULT_SYNCHRONOUS=0") != 0 ||
        sqlite3_compileoption_used("DEFAULT_WAL_SYNCHRONOUS=0") != 0) {
      set_synchronous(*db_, synchronous);
    }
    // A connection that has read nothing yet does not know of the WAL.
    db_->execute(index(Sql::know_wal));
    if (db_->fault() != sqlite::Fault::none) db_.reset();
  }

  // Whether all pages of the WAL are in the database now.
  bool copy() {
    if (db_ == nullptr) return false;
    int in_wal = 0;
    int copied = 0;
    // Every other mode asks for the write lock itself.
    const int code = sqlite3_wal_checkpoint_v2(db_->handle(), "main", SQLITE_CHECKPOINT_PASSIVE,
                                               &in_wal, &copied);
    return code == SQLITE_OK && in_wal == copied;
  }

 private:
  std::unique_ptr<sqlite::Connection> db_;
};

}  // namespace

bool Checkpoints::due(const sqlite::Connection& db) {
  const std::int64_t in_wal = db.wal_pages();
  if (in_wal < seen_) {  // it was started anew
    due_at_ = pages_;
    in_vain_ = 0;
  }
  seen_ = in_wal;
  return pages_ > 0 && in_wal >= due_at_;
}

void Checkpoints::run(sqlite::Connection& db, const DatabaseOptions& options,
                      const sqlite::StatementTexts& texts, Clock& clock) {
  db.clear_fault();
  db.execute(index(Sql::begin_write));
  if (db.writes()) copy(db, options, texts, clock);
  db.clear_fault();
  if (db.in_transaction()) db.execute(index(Sql::rollback));
  db.clear_fault();
}

// A reader of an older state keeps newer pages from being copied, and one that reads from the WAL
// at all keeps the next commit from starting it anew. As long as the write lock is held nobody
// becomes such a reader, once all is copied: so to hold it for longer than readers take is enough,
// and that time is found by doubling.
void Checkpoints::copy(const sqlite::Connection& writer, const DatabaseOptions& options,
                       const sqlite::StatementTexts& texts, Clock& clock) {
  const std::int64_t wait_us = in_vain_ > 0 ? options.busy.wait_us(in_vain_) : 0;
  Copier copier(writer, options.synchronous, texts);
  bool all = copier.copy();
  if (!all && wait_us > 0) {
    clock.wait_us(wait_us);
    all = copier.copy();
  }
  if (all && wait_us > 0) clock.wait_us(wait_us);
  // Taken back when the WAL is seen to be smaller. A reader that stays for hours is not waited for
  // at each commit.
  const std::int64_t further = (pages_ / 8) << std::min<std::int64_t>(in_vain_, 3);
  due_at_ = seen_ + std::max<std::int64_t>(1, further);
  ++in_vain_;
}

}  // namespace leaseproof::engine::store
