#include "engine/sqlite/joined_writes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>

namespace leaseproof::engine::sqlite {
namespace {

// What is kept at most; a larger commit is written in as many parts.
constexpr std::size_t capacity = std::size_t{128} << 10;

// By how much a WAL grows whose end is synced. Of 16 to 1024 KB the one with which a new WAL took
// commits fastest.
constexpr std::size_t growth = std::size_t{64} << 10;

// A frame is this header and a page, and no page is as small. The header of a commit's last frame
// tells the database's size in pages in its second word, all others have 0 there
// (sqlite.org/fileformat2.html, section 4.1).
constexpr int frame_header_bytes = 24;

bool is_of_last_frame(const char* header) {
  return std::any_of(header + 4, header + 8, [](char byte) { return byte != 0; });
}

std::string next_name() {
  static std::atomic<std::uint64_t> made{0};
  return "leaseproof-joined-writes-" + std::to_string(++made);
}

}  // namespace

// What SQLite calls. Each function says in its name which of them it is.
struct JoinedWrites::Methods {
  // A WAL. The file of the VFS behind stands behind ours in the memory that SQLite gives for both.
  struct Wal : sqlite3_file {
    JoinedWrites* writes;
  };
  // As SQLite aligns what it gives.
  static_assert(sizeof(Wal) % 8 == 0);

  static JoinedWrites& ours(sqlite3_vfs* vfs) { return *static_cast<JoinedWrites*>(vfs->pAppData); }
  static sqlite3_vfs* behind(sqlite3_vfs* vfs) { return ours(vfs).behind_; }
  static JoinedWrites& ours(sqlite3_file* file) { return *static_cast<Wal*>(file)->writes; }
  static sqlite3_file* behind(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(static_cast<Wal*>(file) + 1);
  }
  static const sqlite3_io_methods& of(sqlite3_file* file) { return *behind(file)->pMethods; }
  // Whoever looks at the file sees all of it.
  static int settle(sqlite3_file* file) { return ours(file).write_kept(behind(file)); }

  static int x_close(sqlite3_file* file) { return of(file).xClose(behind(file)); }
  static int x_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    const int code = settle(file);
    return code != SQLITE_OK ? code : of(file).xRead(behind(file), into, amount, offset);
  }
  static int x_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    return ours(file).write(behind(file), from, amount, offset);
  }
  static int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
    const int code = settle(file);
    return code != SQLITE_OK ? code : of(file).xTruncate(behind(file), size);
  }
  static int x_sync(sqlite3_file* file, int flags) {
    const int code = settle(file);
    if (code != SQLITE_OK) return code;
    ours(file).grow(behind(file));
    return of(file).xSync(behind(file), flags);
  }
  static int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
    const int code = settle(file);
    return code != SQLITE_OK ? code : of(file).xFileSize(behind(file), size);
  }
  static int x_lock(sqlite3_file* file, int level) { return of(file).xLock(behind(file), level); }
  static int x_unlock(sqlite3_file* file, int level) {
    return of(file).xUnlock(behind(file), level);
  }
  static int x_check_reserved_lock(sqlite3_file* file, int* reserved) {
    return of(file).xCheckReservedLock(behind(file), reserved);
  }
  static int x_file_control(sqlite3_file* file, int request, void* argument) {
    return of(file).xFileControl(behind(file), request, argument);
  }
  static int x_sector_size(sqlite3_file* file) { return of(file).xSectorSize(behind(file)); }
  static int x_device_characteristics(sqlite3_file* file) {
    return of(file).xDeviceCharacteristics(behind(file));
  }

  static const sqlite3_io_methods* wal_methods() {
    static const sqlite3_io_methods methods{1,
                                            x_close,
                                            x_read,
                                            x_write,
                                            x_truncate,
                                            x_sync,
                                            x_file_size,
                                            x_lock,
                                            x_unlock,
                                            x_check_reserved_lock,
                                            x_file_control,
                                            x_sector_size,
                                            x_device_characteristics,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr};
    return &methods;
  }

  static int x_open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                    int* flags_out) {
    sqlite3_vfs* const real = behind(vfs);
    if ((flags & SQLITE_OPEN_WAL) == 0) return real->xOpen(real, name, file, flags, flags_out);
    Wal* const wal = new (file) Wal{{nullptr}, &ours(vfs)};
    sqlite3_file* const opened = behind(file);
    opened->pMethods = nullptr;
    const int code = real->xOpen(real, name, opened, flags, flags_out);
    // What has methods will be closed, also where it could not be opened.
    if (opened->pMethods != nullptr) wal->pMethods = wal_methods();
    return code;
  }
  static int x_delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    return behind(vfs)->xDelete(behind(vfs), name, sync_folder);
  }
  static int x_access(sqlite3_vfs* vfs, const char* name, int flags, int* answer) {
    return behind(vfs)->xAccess(behind(vfs), name, flags, answer);
  }
  static int x_full_pathname(sqlite3_vfs* vfs, const char* name, int bytes, char* into) {
    return behind(vfs)->xFullPathname(behind(vfs), name, bytes, into);
  }
  static void* x_dl_open(sqlite3_vfs* vfs, const char* name) {
    return behind(vfs)->xDlOpen(behind(vfs), name);
  }
  static void x_dl_error(sqlite3_vfs* vfs, int bytes, char* into) {
    behind(vfs)->xDlError(behind(vfs), bytes, into);
  }
  static void (*x_dl_sym(sqlite3_vfs* vfs, void* library, const char* symbol))() {
    return behind(vfs)->xDlSym(behind(vfs), library, symbol);
  }
  static void x_dl_close(sqlite3_vfs* vfs, void* library) {
    behind(vfs)->xDlClose(behind(vfs), library);
  }
  static int x_randomness(sqlite3_vfs* vfs, int bytes, char* into) {
    return behind(vfs)->xRandomness(behind(vfs), bytes, into);
  }
  static int x_sleep(sqlite3_vfs* vfs, int wait_us) {
    return behind(vfs)->xSleep(behind(vfs), wait_us);
  }
  static int x_current_time(sqlite3_vfs* vfs, double* days) {
    return behind(vfs)->xCurrentTime(behind(vfs), days);
  }
  static int x_get_last_error(sqlite3_vfs* vfs, int bytes, char* into) {
    return behind(vfs)->xGetLastError(behind(vfs), bytes, into);
  }
};

JoinedWrites::JoinedWrites(sqlite3_vfs* behind) : behind_(behind), name_(next_name()) {
  vfs_.iVersion = 1;
  vfs_.szOsFile = static_cast<int>(sizeof(Methods::Wal)) + behind->szOsFile;
  vfs_.mxPathname = behind->mxPathname;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Methods::x_open;
  vfs_.xDelete = Methods::x_delete;
  vfs_.xAccess = Methods::x_access;
  vfs_.xFullPathname = Methods::x_full_pathname;
  if (behind->xDlOpen != nullptr) {
    vfs_.xDlOpen = Methods::x_dl_open;
    vfs_.xDlError = Methods::x_dl_error;
    vfs_.xDlSym = Methods::x_dl_sym;
    vfs_.xDlClose = Methods::x_dl_close;
  }
  vfs_.xRandomness = Methods::x_randomness;
  vfs_.xSleep = Methods::x_sleep;
  vfs_.xCurrentTime = Methods::x_current_time;
  vfs_.xGetLastError = Methods::x_get_last_error;
}

std::unique_ptr<JoinedWrites> JoinedWrites::before(const std::string& vfs) {
  sqlite3_vfs* const behind = sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str());
  if (behind == nullptr) return nullptr;
  std::unique_ptr<JoinedWrites> writes(new JoinedWrites(behind));
  sqlite3_vfs_register(&writes->vfs_, 0);
  return writes;
}

JoinedWrites::~JoinedWrites() { sqlite3_vfs_unregister(&vfs_); }

int JoinedWrites::write_kept(const sqlite3_file* wal) {
  if (kept_.empty() || wal != of_) return SQLITE_OK;
  const auto amount = static_cast<int>(kept_.size());
  const int code = of_->pMethods->xWrite(of_, kept_.data(), amount, from_);
  end_ = from_ + amount;
  kept_.clear();
  return code;
}

// A sync that finds the file as long as it was need not make its new length durable, which takes
// longer than the bytes. SQLite takes zeros behind its frames for the end of the WAL. Where they
// cannot be written the commit is none the worse.
void JoinedWrites::grow(sqlite3_file* wal) {
  static const std::array<char, growth> zeros{};
  sqlite3_int64 size = 0;
  if (wal->pMethods->xFileSize(wal, &size) != SQLITE_OK || size != end_) return;
  wal->pMethods->xWrite(wal, zeros.data(), static_cast<int>(zeros.size()), end_);
}

int JoinedWrites::write(sqlite3_file* wal, const void* from, int amount, sqlite3_int64 offset) {
  if (!joins_) return wal->pMethods->xWrite(wal, from, amount, offset);
  const auto size = static_cast<std::size_t>(amount);
  const bool follows = wal == of_ && offset == from_ + static_cast<sqlite3_int64>(kept_.size());
  if (!follows || size > capacity - kept_.size()) {
    const int code = write_kept(of_);
    if (code != SQLITE_OK) return code;
  }
  if (kept_.empty()) {
    of_ = wal;
    from_ = offset;
  }
  const auto* const bytes = static_cast<const char*>(from);
  kept_.insert(kept_.end(), bytes, bytes + size);
  if (amount == frame_header_bytes) {
    at_last_frame_ = is_of_last_frame(bytes);
    return SQLITE_OK;
  }
  if (!at_last_frame_) return SQLITE_OK;
  // What SQLite writes behind a commit mends headers in place, and nothing comes after it that
  // would write the last of them.
  joins_ = false;
  return write_kept(of_);
}

JoinedWrites::Commit::Commit(JoinedWrites& writes) : writes_(&writes) {
  writes.kept_.reserve(capacity);
  writes.at_last_frame_ = false;
  writes.joins_ = true;
}

// What is still kept is of a commit that has failed.
JoinedWrites::Commit::~Commit() {
  writes_->joins_ = false;
  writes_->kept_.clear();
}

}  // namespace leaseproof::engine::sqlite
