// A host on a real database whose time passes by hand.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/fixture_test.hpp"
#include "engine/host.hpp"
#include "engine/scheduler/time_fixture_test.hpp"
#include "engine/store/catalog.hpp"

namespace leaseproof::engine {

inline constexpr std::int64_t second_us = 1'000'000;

class HostTest : public EngineTest {
 protected:
  void TearDown() override {
    host_.reset();
    EngineTest::TearDown();
  }

  HostOptions host_options() {
    HostOptions options;
    options.engine.path = path();
    options.engine.synchronous = Synchronous::off;
    options.engine.busy = {2, 10, 1000};
    options.engine.clock = &time_;
    options.scheduler.max_workers = 2;
    options.seam.alarms = std::shared_ptr<Alarms>(std::shared_ptr<void>(), &time_);
    return options;
  }
  std::unique_ptr<Host> open(HostOptions options) {
    auto opened = Host::open(std::move(options));
    EXPECT_TRUE(opened.has_value()) << opened.error().sentence;
    opened.value()->observe([this](const Notice& notice) {
      const std::lock_guard lock(noticing_);
      notices_.push_back(notice);
    });
    return std::move(*opened);
  }
  Host& host() {
    if (host_ == nullptr) host_ = open(host_options());
    return *host_;
  }
  // One workflow `w` with these ops.
  void start_ops(std::vector<model::OpSpec> ops) {
    model::Start action;
    action.workflow = "w";
    action.ops = std::move(ops);
    ASSERT_EQ(model::Word::created, host().engine().start(std::move(action)).word);
  }
  // One op `a` of the kind `task`, and the runner for it.
  void start_op(Runner runner, model::OpSpec spec = op("a")) {
    host().on("task", std::move(runner));
    start_ops({std::move(spec)});
  }
  model::OpView seen(const std::string& id) {
    return std::get<model::Observation>(host().engine().observe().detail).ops.at(id);
  }
  // Notices with this verb.
  int told(std::string_view verb) {
    const std::lock_guard lock(noticing_);
    int count = 0;
    for (const auto& notice : notices_) count += notice.verb == verb ? 1 : 0;
    return count;
  }
  // Counts the calls of the engine under a token from now on, also those that change nothing.
  void watch_calls() {
    sqlite3_trace_v2(
        host().engine().connection().handle(), SQLITE_TRACE_STMT,
        [](unsigned, void* test, void*, void* text) {
          for (const auto id :
               {store::Sql::own, store::Sql::own_to_complete, store::Sql::own_to_fail}) {
            if (store::catalog[store::index(id)].text == static_cast<const char*>(text)) {
              ++static_cast<HostTest*>(test)->calls_;
            }
          }
          return 0;
        },
        this);
  }

  HandTime time_;
  std::mutex noticing_;
  std::vector<Notice> notices_;
  std::atomic<int> calls_ = 0;
  std::unique_ptr<Host> host_;
};

// Another program that holds the write lock.
class LockHolder {
 public:
  explicit LockHolder(const std::string& path) {
    EXPECT_EQ(SQLITE_OK, sqlite3_open(path.c_str(), &db_));
  }
  ~LockHolder() { sqlite3_close(db_); }
  LockHolder(const LockHolder&) = delete;
  LockHolder& operator=(const LockHolder&) = delete;
  bool take() {
    return sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  void let_go() { sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr); }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace leaseproof::engine
