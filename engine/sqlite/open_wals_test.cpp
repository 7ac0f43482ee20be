// Checks what joined writes promise of a WAL that is written to by hand, in ways in which SQLite
// writes none today. Does not check commits (joined_writes_test.cpp).
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/sqlite/joined_writes.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::engine::sqlite {
namespace {

// As SQLite has them open.
class OpenWals : public testing::Test {
 protected:
  struct Wal {
    std::vector<std::max_align_t> memory;
    sqlite3_file* file = nullptr;
  };
  void SetUp() override {
    vfs_ = sqlite3_vfs_find(writes_->name());
    open(first_, "/data/first.db-wal");
    open(second_, "/data/second.db-wal");
  }
  void TearDown() override {
    for (Wal* wal : {&first_, &second_}) wal->file->pMethods->xClose(wal->file);
  }
  void open(Wal& wal, const char* name) {
    wal.memory.resize(static_cast<std::size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1);
    wal.file = reinterpret_cast<sqlite3_file*>(wal.memory.data());
    int flags = 0;
    ASSERT_EQ(SQLITE_OK,
              vfs_->xOpen(vfs_, name, wal.file,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, &flags));
  }
  static void write(const Wal& wal, const std::string& bytes, sqlite3_int64 at) {
    ASSERT_EQ(SQLITE_OK, wal.file->pMethods->xWrite(wal.file, bytes.data(),
                                                    static_cast<int>(bytes.size()), at));
  }
  [[nodiscard]] std::size_t on_disk(const std::string& name) const {
    const faults::Disk disk = behind_.snapshot();
    return disk.size(*disk.find("/data/" + name + ".db-wal"));
  }

  faults::Vfs behind_{"lp-joined-open"};
  const std::unique_ptr<JoinedWrites> writes_ = JoinedWrites::before(behind_.name());
  sqlite3_vfs* vfs_ = nullptr;
  Wal first_;
  Wal second_;
  const std::string page_ = std::string(100, 'p');
};

TEST_F(OpenWals, show_all_that_was_written_to_whoever_looks) {
  const JoinedWrites::Commit commit(*writes_);
  const auto& methods = *first_.file->pMethods;
  write(first_, page_, 0);
  EXPECT_EQ(on_disk("first"), 0U);
  std::string read(100, ' ');
  EXPECT_EQ(SQLITE_OK, methods.xRead(first_.file, read.data(), 100, 0));
  EXPECT_EQ(read, page_);
  write(first_, page_, 100);
  sqlite3_int64 size = 0;
  EXPECT_EQ(SQLITE_OK, methods.xFileSize(first_.file, &size));
  EXPECT_EQ(size, 200);
  write(first_, page_, 200);
  EXPECT_EQ(SQLITE_OK, methods.xTruncate(first_.file, 250));
  EXPECT_EQ(on_disk("first"), 250U);
  write(first_, page_, 250);
  EXPECT_EQ(SQLITE_OK, methods.xTruncate(first_.file, 250));
  EXPECT_EQ(SQLITE_OK, methods.xFileSize(first_.file, &size));
  EXPECT_EQ(size, 250);
  write(first_, page_, 250);
  EXPECT_EQ(SQLITE_OK, methods.xSync(first_.file, SQLITE_SYNC_NORMAL));
  EXPECT_EQ(on_disk("first"), 350U + (64U << 10));
}

TEST_F(OpenWals, keep_their_writes_apart) {
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    sqlite3_int64 size = 0;
    EXPECT_EQ(SQLITE_OK, second_.file->pMethods->xFileSize(second_.file, &size));
    EXPECT_EQ(on_disk("first"), 0U);
    write(second_, page_, 100);
    EXPECT_EQ(on_disk("first"), 100U);
    EXPECT_EQ(on_disk("second"), 0U);
  }
  EXPECT_EQ(on_disk("second"), 0U);
}

TEST_F(OpenWals, get_each_write_as_it_is_outside_of_a_commit) {
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
  }
  write(first_, page_, 0);
  EXPECT_EQ(on_disk("first"), 100U);
}

TEST_F(OpenWals, that_cannot_be_opened_need_not_be_closed) {
  behind_.arm({faults::Operation::open, faults::Role::wal, faults::IoKind::cannot_open});
  std::vector<std::max_align_t> memory(static_cast<std::size_t>(vfs_->szOsFile));
  auto* const file = reinterpret_cast<sqlite3_file*>(memory.data());
  int flags = 0;
  EXPECT_NE(SQLITE_OK,
            vfs_->xOpen(vfs_, "/data/third.db-wal", file,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, &flags));
  EXPECT_EQ(file->pMethods, nullptr);
}

TEST_F(OpenWals, never_get_what_an_ended_commit_has_kept) {
  std::string last_header(24, '\0');
  last_header[7] = 1;
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    write(first_, last_header, 100);
  }
  write(second_, page_, 0);
  EXPECT_EQ(on_disk("second"), 100U);
  {
    const JoinedWrites::Commit commit(*writes_);
    write(first_, page_, 0);
    EXPECT_EQ(on_disk("first"), 0U);
    write(first_, last_header, 100);
    EXPECT_EQ(on_disk("first"), 0U);
    write(first_, page_, 124);
    EXPECT_EQ(on_disk("first"), 224U);
  }
}

TEST(AVfsBehindJoinedWrites, has_to_be_there) {
  EXPECT_EQ(JoinedWrites::before("no such vfs"), nullptr);
  const auto writes = JoinedWrites::before("");
  ASSERT_NE(writes, nullptr);
  EXPECT_STREQ(writes->name_behind(), "unix");
}

}  // namespace
}  // namespace leaseproof::engine::sqlite
