// What the engine's tests stand on: a clock that is set by hand, tokens that count up, a fresh
// folder.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/engine.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

class HandClock final : public Clock {
 public:
  std::int64_t now_us() override {
    ++reads;
    return time_us;
  }
  void wait_us(std::int64_t duration_us) override {
    waited_us += duration_us;
    if (while_waiting) while_waiting();
  }
  std::int64_t time_us = 0;
  std::int64_t waited_us = 0;
  int reads = 0;
  std::function<void()> while_waiting;
};

class CountingIds final : public IdSource {
 public:
  std::array<std::uint8_t, 32> bytes() override {
    std::array<std::uint8_t, 32> bytes{};
    bytes[31] = ++drawn;
    return bytes;
  }
  std::uint8_t drawn = 0;
};

// The next COMMIT fails once it is durable, and by then a folder is in the place of `file`: nobody
// can read back whether it stands. `file` must outlive that.
inline void lose_file_at_commit(Engine& engine, std::filesystem::path& file) {
  sqlite3_wal_hook(
      engine.connection().handle(),
      [](void* where, sqlite3*, const char*, int) {
        const auto& lost = *static_cast<std::filesystem::path*>(where);
        std::filesystem::rename(lost, lost.string() + ".away");
        std::filesystem::create_directory(lost);
        return SQLITE_IOERR;
      },
      &file);
}
inline void give_file_back(const std::filesystem::path& file) {
  std::filesystem::remove(file);
  std::filesystem::rename(file.string() + ".away", file);
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("leaseproof-") + test->test_suite_name() + "-" + test->name() + "-" +
               std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    engine_.reset();
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::string path() const { return folder_ / "engine.sqlite"; }
  Options options() {
    Options options;
    options.path = path();
    options.busy = {3, 10, 1000};
    options.clock = &clock_;
    options.ids = &ids_;
    return options;
  }
  Engine& engine() {
    if (engine_ == nullptr) {
      auto opened = Engine::open(options());
      EXPECT_TRUE(opened.has_value()) << opened.error().sentence;
      engine_ = std::move(*opened);
    }
    return *engine_;
  }
  void reopen() {
    engine_.reset();
    engine();
  }

  void lose_database_at_commit() {
    lost_ = path();
    lose_file_at_commit(engine(), lost_);
  }

  static model::OpSpec op(std::string id, std::vector<model::Need> needs = {}) {
    model::OpSpec spec;
    spec.id = std::move(id);
    spec.needs = std::move(needs);
    return spec;
  }
  model::Outcome start(std::string workflow, std::vector<model::OpSpec> ops) {
    model::Start action;
    action.workflow = std::move(workflow);
    action.ops = std::move(ops);
    return engine().start(std::move(action));
  }
  std::string lease(const std::string& worker) {
    model::Lease action;
    action.worker = worker;
    return engine().lease(action).token;
  }
  model::Outcome complete(const std::string& token, const std::string& op,
                          const UserRows& also = {}) {
    model::Complete action;
    action.by.op = op;
    return engine().complete(token, std::move(action), also);
  }
  // Does it each time that the engine's connection begins the statement.
  void on_each(std::string statement, std::function<void()> act) {
    on_each_ = {std::move(statement), std::move(act)};
    sqlite3_trace_v2(
        engine().connection().handle(), SQLITE_TRACE_STMT,
        [](unsigned, void* on_each, void*, void* run) {
          const auto& [wanted, then] = *static_cast<decltype(on_each_)*>(on_each);
          if (wanted == static_cast<const char*>(run)) then();
          return 0;
        },
        &on_each_);
  }
  model::Observation observe() { return std::get<model::Observation>(engine().observe().detail); }

  std::filesystem::path folder_;
  std::filesystem::path lost_;
  std::pair<std::string, std::function<void()>> on_each_;
  HandClock clock_;
  CountingIds ids_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace leaseproof::engine
