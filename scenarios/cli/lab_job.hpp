// What every command of the lab stands on: a job in a database, and the outside service beside it.
//
// Promise: what cannot be opened or is no job is one line with its exit code. The service's file is
// the database's name with `.publisher.sqlite`; looking never makes one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/json.hpp"
#include "scenarios/lab/submission.hpp"

namespace leaseproof::scenarios::cli {

struct LabJob {
  std::string db = "lab.sqlite";
  std::string job = "research-001";
  bool json = false;
};

// An open lab. All throw InputWrong or EnvironmentFailed.
class OpenLab {
 public:
  // `create` makes the database where there is none.
  OpenLab(const LabJob& which, bool create);

  engine::Engine& engine() { return *engine_; }
  engine::SystemClock& clock() { return clock_; }
  // Makes the service's file where there is none.
  engine::effects::ServiceDouble& service();
  // What the service answers to a query for the job's key. Sends nothing and makes no file.
  std::optional<std::string> receipt_at_service();
  // What `look_at` answers.
  [[nodiscard]] Json job() const;
  // The same after a `refresh`: a lease or a request whose time is over is noticed by that alone,
  // and a person should not need a worker for it.
  Json noticed_job();

 private:
  LabJob which_;
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::effects::ServiceDouble> service_;
};

// The document of scenarios/lab/inspection.hpp, by connections that write nothing. Throws where
// there is no such job, or where one of the two databases cannot be read.
Json look_at(const LabJob& which);

// InputWrong when one of the texts, which are stored or would be, holds the key that is set today.
void refuse_key_in(std::initializer_list<std::string_view> texts);
void refuse_key_in(const lab::Submission& submission);

std::int64_t now_us();

}  // namespace leaseproof::scenarios::cli
