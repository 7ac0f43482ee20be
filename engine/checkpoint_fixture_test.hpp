// Engines over a VFS of the test's own, for the tests of checkpoints; checks nothing itself.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "engine/fixture_test.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine {

inline constexpr const char* database = "/data/engine.db";
inline constexpr std::int64_t threshold_pages = 40;

// An engine with a clock and ids of its own, so that each may live in a thread of its own.
class Caller {
 public:
  Caller(std::string name, const std::string& path, const std::string& vfs,
         std::int64_t checkpoint_pages = threshold_pages, Clock* clock = nullptr)
      : name_(std::move(name)) {
    Options options;
    options.path = path;
    options.vfs = vfs;
    // Readers of other threads are waited for in earnest.
    options.clock = clock;
    if (clock == nullptr) options.clock = &clock_;
    options.ids = &ids_;
    options.checkpoint_pages = checkpoint_pages;
    auto opened = Engine::open(std::move(options));
    EXPECT_TRUE(opened.has_value()) << opened.error().sentence;
    if (opened) engine_ = std::move(*opened);
  }

  // Starts a workflow that nobody else starts, with an op of some pages.
  model::Outcome start() {
    const std::string id = name_ + std::to_string(++started_);
    model::OpSpec op;
    op.id = id;
    op.input = '"' + std::string(9000, 'x') + '"';
    model::Start action;
    action.workflow = id;
    action.ops.push_back(std::move(op));
    return engine_->start(std::move(action));
  }
  Engine& engine() { return *engine_; }
  [[nodiscard]] std::int64_t wal_pages() { return engine_->connection().wal_pages(); }

 private:
  std::string name_;
  HandClock clock_;
  CountingIds ids_;
  int started_ = 0;
  std::unique_ptr<Engine> engine_;
};

}  // namespace leaseproof::engine
