// One claim of a research job, and the steps from the first that is missing: collect, draft,
// verify, publish.
//
// Promise: what was committed is never done again. The model and the outside service are called
// outside every transaction; the report leaves only through the permit of a durable dispatch. Once
// the lease is lost nothing more is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/effects/service.hpp"
#include "engine/engine.hpp"
#include "engine/values/clock.hpp"
#include "scenarios/lab/fault.hpp"
#include "scenarios/lab/heartbeat.hpp"
#include "scenarios/lab/provider.hpp"
#include "scenarios/lab/submission.hpp"

namespace leaseproof::scenarios::lab {

struct WorkerOptions {
  std::string job;
  std::string worker;
  std::int64_t lease_us = model::default_lease_us;
  std::int64_t approval_us = model::default_approval_ttl_us;
  std::optional<Fault> fault;
  std::function<bool()> stop;                  // asked now and then: the user wants to leave
  std::function<void(std::string_view)> tell;  // one line for a person who waits
};

// How a claim ended: the engine's last word, `ok` for a job that this claim completed, `none` where
// there was nothing to claim. `steps` are those that this claim committed.
struct Worked {
  model::Outcome last;
  std::vector<std::string> steps;
};

class Worker {
 public:
  // All four must outlive the worker; `submission` is what the job's op carries.
  Worker(engine::Engine& engine, engine::effects::Service& service, engine::Clock& clock,
         Provider& provider, const Submission& submission, WorkerOptions options);

  Worked run();

 private:
  using Json = scenarios::Json;
  bool claim();
  bool begin_step();
  bool commit(std::string_view step, const Json& payload, Fault after);
  bool collect();
  bool draft();
  bool verify();
  void publish();
  void request_approval(const std::string& report);
  void call(engine::effects::Permit& permit);

  // Each ends the claim and answers false.
  bool end(model::Outcome outcome);
  bool fail(model::FailKind kind, const std::string& error);
  bool no_draft(const NoDraft& none, Heartbeat& heartbeat);

  [[nodiscard]] model::WorkerHandle by() const { return {options_.worker, options_.job, 0}; }
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  engine::Engine* engine_;
  engine::effects::Service* service_;
  engine::Clock* clock_;
  Provider* provider_;
  const Submission* submission_;
  WorkerOptions options_;

  engine::Work work_;
  std::string token_;
  std::int64_t attempts_ = 0;
  Json committed_ = Json::object();  // step → payload
  Worked worked_;
};

}  // namespace leaseproof::scenarios::lab
