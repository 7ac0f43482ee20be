// Checks, with threads on real files, that no two connections checkpoint at once and none without
// the WAL's write lock, and that the WAL stays small meanwhile. Does not check processes: the lock
// that is looked at is the one that they share.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/checkpoint_fixture_test.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "faults/file_vfs.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {
namespace {

using faults::Operation;
using faults::Role;
using model::Word;

// Who writes to the database file, and under which lock. Only checkpoints write to it.
class Watch {
 public:
  explicit Watch(const std::string& path)
      : shm_(open((path + "-shm").c_str(), O_RDWR | O_CLOEXEC)) {
    EXPECT_GE(shm_, 0);
  }
  // Whoever closes a file gives up all that the process has locked in it, so this comes last.
  ~Watch() { close(shm_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void see(Operation operation, Role role) {
    if (operation != Operation::write) return;
    const auto thread = std::this_thread::get_id();
    if (role == Role::wal) has_committed_[thread] = true;
    if (role != Role::database) return;
    if (!write_locked()) ++unlocked;
    // A thread's next checkpoint comes after its next commit: one that goes on after another
    // thread's pages without a commit is still in the old one.
    if (has_committed_[thread]) {
      ++checkpoints;
    } else if (last_ != thread) {
      ++overlaps;
    }
    last_ = thread;
    has_committed_[thread] = false;
  }

  int unlocked = 0;
  int checkpoints = 0;
  int overlaps = 0;

 private:
  // As a stranger to the process sees it: the WAL's write lock is byte 120 of the file.
  [[nodiscard]] bool write_locked() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 120;
    lock.l_len = 1;
    return fcntl(shm_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
  }

  int shm_;
  std::thread::id last_;
  std::map<std::thread::id, bool> has_committed_;
};

class Threads : public testing::Test {
 protected:
  Threads() { std::filesystem::create_directories(folder_); }
  ~Threads() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("leaseproof-checkpoint-threads-") + std::to_string(getpid()));
  std::string path_ = folder_ / "engine.db";
  SystemClock clock_;
  faults::FileVfs vfs_{"lp-checkpoint-threads"};
};

void write_pages(Caller& caller, int calls) {
  int busy = 0;
  for (int done = 0; done < calls && busy < 100;) {
    caller.start().word == Word::busy ? ++busy : ++done;
  }
  EXPECT_LT(busy, 100) << "somebody keeps the lock";
}

void read_until(Caller& caller, const std::atomic<bool>& over) {
  while (!over) caller.engine().snapshots_since(0, 20);
}

TEST_F(Threads, never_checkpoint_at_once_nor_without_the_lock) {
  std::array<std::unique_ptr<Caller>, 4> callers;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    callers[i] = std::make_unique<Caller>(std::string(1, static_cast<char>('a' + i)), path_,
                                          vfs_.name(), threshold_pages, &clock_);
  }
  ASSERT_EQ(Word::created, callers[0]->start().word);
  Watch watch(path_);
  vfs_.watch([&](Operation operation, Role role) { watch.see(operation, role); });
  std::atomic<bool> over = false;
  std::thread reader(read_until, std::ref(*callers[2]), std::cref(over));
  std::thread other_reader(read_until, std::ref(*callers[3]), std::cref(over));
  std::thread first(write_pages, std::ref(*callers[0]), 300);
  std::thread second(write_pages, std::ref(*callers[1]), 300);
  first.join();
  second.join();
  over = true;
  reader.join();
  other_reader.join();
  vfs_.watch({});
  EXPECT_GT(watch.checkpoints, 5);
  EXPECT_EQ(0, watch.unlocked);
  EXPECT_EQ(0, watch.overlaps);
  // Some 7000 pages were written, and at nearly every moment somebody read.
  EXPECT_LT(std::filesystem::file_size(path_ + "-wal") / 4096, 25 * threshold_pages);
  for (auto& caller : callers) caller.reset();
}

TEST_F(Threads, checkpoint_the_file_that_is_open_wherever_the_process_stands_by_then) {
  const auto elsewhere = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  Caller caller("a", "engine.db", "", threshold_pages, &clock_);
  std::filesystem::current_path(elsewhere);
  write_pages(caller, 60);
  EXPECT_GT(caller.wal_pages(), 0);
  EXPECT_LT(caller.wal_pages(), 2 * threshold_pages);
  EXPECT_FALSE(std::filesystem::exists(elsewhere / "engine.db"));
}

}  // namespace
}  // namespace leaseproof::engine
