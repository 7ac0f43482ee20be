// One of the bugs of mutants_concurrency.hpp, planted around an engine or a host.
//
// Promise: for the rooms of `stress` alone. The engine's code stays as it is: what is bent is what
// a host gives to it (clock, statements, a supervisor, runners, observers) and what SQLite lets one
// add to a connection. Without a bug everything is passed on unchanged. It must outlive the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/engine.hpp"
#include "engine/runner.hpp"
#include "engine/scheduler/crew.hpp"
#include "engine/sqlite/connection.hpp"
#include "engine/values/clock.hpp"
#include "properties/mutants_concurrency.hpp"

namespace leaseproof::properties {

// Shows what the other clock shows or, once a thread has told it to, the moment of that, to this
// thread and for one look.
class StandingClock final : public engine::Clock {
 public:
  explicit StandingClock(engine::Clock& clock) : clock_(&clock) {}
  std::int64_t now_us() override;
  void wait_us(std::int64_t duration_us) override { clock_->wait_us(duration_us); }
  // Stands already: goes on standing.
  void stand_still();

 private:
  engine::Clock* clock_;
};

class StressPlant {
 public:
  // `path` of the database, which the engine has made by the time that it is observed.
  StressPlant(ConcurrencyBug bug, engine::Clock& clock, std::string path);
  ~StressPlant();
  StressPlant(const StressPlant&) = delete;
  StressPlant& operator=(const StressPlant&) = delete;

  void bend(engine::Options& options);
  [[nodiscard]] engine::SchedulerSeam seam() const;
  [[nodiscard]] engine::Runner around(engine::Runner runner) const;
  // Adds the observer. Once, before the first call.
  void observe(engine::Engine& engine, engine::Observer observer);

 private:
  static int statement_begins(unsigned event, void* plant, void* statement, void* text);
  void begins(const char* text);
  void bend(engine::sqlite::Connection& db);
  void look_before_the_lock();
  [[nodiscard]] std::int64_t running_before_it(const std::string& site, const std::string& queue);

  const ConcurrencyBug bug_;
  StandingClock clock_;
  const std::string path_;
  const engine::sqlite::StatementTexts texts_;
  engine::Observer observer_;
  std::shared_ptr<std::mutex> turn_ = std::make_shared<std::mutex>();
  // Of `cap_before_the_transaction`: sees the database as it was before the transaction.
  std::unique_ptr<engine::sqlite::Connection> other_;
  bool looks_ = false;
};

}  // namespace leaseproof::properties
