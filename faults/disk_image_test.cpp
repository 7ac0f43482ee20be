// Checks that a simulated disk comes back from its bytes as it was, for the program that uses it
// and for every loss of power, and that what is no whole image is refused.
#include "faults/disk_image.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <span>
#include <string>
#include <utility>

#include "faults/crash_states.hpp"
#include "faults/draw.hpp"
#include "faults/vfs.hpp"

namespace leaseproof::faults {
namespace {

Disk read_back(const Disk& disk) {
  ReadImage read = read_image(image_of(disk));
  EXPECT_TRUE(read.disk) << read.why;
  return read.disk ? std::move(*read.disk) : Disk();
}

void expect_equal(const Disk& disk, const Disk& other) {
  EXPECT_EQ(other.hash(), disk.hash());
  EXPECT_EQ(other.durable_hash(), disk.durable_hash());
  ASSERT_EQ(other.units().size(), disk.units().size());
  const CrashLimit limit{64, 1};
  const auto states = crash_states(disk, limit);
  const auto others = crash_states(other, limit);
  ASSERT_EQ(others.size(), states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(others[i].plan.stays, states[i].plan.stays);
    EXPECT_EQ(others[i].disk.hash(), states[i].disk.hash());
  }
}

// Writes, syncs, names and losses in any order.
Disk drawn_disk(Draw& draw, const Device& device) {
  Disk disk(device);
  for (int i = 0; i < 40; ++i) {
    const std::string name(1, static_cast<char>('a' + draw.below(3)));
    const auto file = disk.find(name);
    if (!file || draw.below(12) == 0) {
      disk.create(name);
      continue;
    }
    const std::string text(1 + draw.below(900), static_cast<char>('A' + draw.below(26)));
    switch (draw.below(8)) {
      case 0:
        disk.truncate(*file, draw.below(5000));
        break;
      case 1:
        disk.sync(*file);
        break;
      case 2:
        disk.sync_directory();
        break;
      case 3:
        disk.remove(name);
        break;
      default:
        disk.write(*file, draw.below(5000), std::as_bytes(std::span(text)));
    }
  }
  return disk;
}

TEST(ADiskImage, reads_back_as_the_disk_that_it_was) {
  Draw draw(1);
  for (int i = 0; i < 200; ++i) {
    const Device device{draw.below(2) == 0 ? 512U : 64U, draw.below(2) == 0 ? 0U : 256U,
                        draw.below(4) == 0, draw.below(2) == 0};
    const Disk disk = drawn_disk(draw, device);
    const Disk back = read_back(disk);
    EXPECT_EQ(back.device().sector_bytes, device.sector_bytes);
    expect_equal(disk, back);
    if (HasFailure()) FAIL() << "disk " << i;
  }
}

TEST(ADiskImage, is_of_the_moment_and_goes_on_as_the_disk_does) {
  Draw draw(2);
  Disk disk = drawn_disk(draw, Device());
  Disk back = read_back(disk);
  for (Disk* one : {&disk, &back}) {
    const std::string text = "more";
    one->write(one->create("new"), 3, std::as_bytes(std::span(text)));
    one->sync_directory();
  }
  expect_equal(disk, back);
}

TEST(ADiskImage, keeps_who_holds_a_file_without_a_name) {
  Disk disk;
  const FileId file = disk.create("f");
  disk.hold(file);
  disk.remove("f");
  disk.sync_directory();
  Disk back = read_back(disk);
  EXPECT_TRUE(back.has(file));
  back.release_all();
  EXPECT_FALSE(back.has(file));
}

// What a database in WAL mode leaves in the middle of its life, on another machine.
TEST(ADiskImage, is_a_machine_that_sqlite_goes_on_with) {
  const auto run = [](sqlite3* db, const char* sql) {
    ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  };
  const auto open = [](const Vfs& vfs) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open_v2("/image.sqlite", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              vfs.name().c_str()),
              SQLITE_OK);
    return db;
  };
  Vfs first("image-first");
  sqlite3* db = open(first);
  run(db, "PRAGMA journal_mode = wal; CREATE TABLE t (n); INSERT INTO t VALUES (41), (1);");
  const std::string bytes = image_of(first.snapshot());
  sqlite3_close(db);

  Vfs second("image-second");
  const ReadImage read = read_image(bytes);
  ASSERT_TRUE(read.disk) << read.why;
  second.restore(*read.disk);
  db = open(second);
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db, "SELECT sum(n) FROM t", -1, &statement, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_int(statement, 0), 42);
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

TEST(ADiskImage, is_refused_where_it_is_not_whole) {
  Draw draw(3);
  const std::string bytes = image_of(drawn_disk(draw, Device()));
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
    const ReadImage cut = read_image(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(cut.disk) << size;
    EXPECT_FALSE(cut.why.empty()) << size;
  }
  std::string changed = bytes;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  EXPECT_NE(read_image(changed).why.find("checksum"), std::string::npos);
  EXPECT_NE(read_image(std::string(4096, 'x')).why.find("no image"), std::string::npos);
  EXPECT_FALSE(read_image(bytes + "more").disk);
}

}  // namespace
}  // namespace leaseproof::faults
