// What every command of the lab stands on: a job in a database, and the outside service beside it.
//
// Promise: what cannot be opened or is no job is one line with its exit code. The service's file is
// the database's name with `.publisher.sqlite`; looking never makes one.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/json.hpp"

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
  // The document of scenarios/lab/inspection.hpp. Between calls of the engine only.
  Json job();

 private:
  LabJob which_;
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::effects::ServiceDouble> service_;
};

// The same document from a connection that writes nothing.
Json look_at(const LabJob& which);

// EnvironmentFailed for `busy`, `storage_error` and `commit_unknown`; InputWrong for `invalid`.
void check_answer(const model::Outcome& outcome);

// InputWrong when one of the texts, which would be stored, holds the key that is set today.
void refuse_key_in(std::initializer_list<std::string_view> texts);

// Seconds of the command line as microseconds; InputWrong outside 1 µs to about 30 years.
std::int64_t as_us(double seconds, std::string_view option);

std::int64_t now_us();

}  // namespace leaseproof::scenarios::cli
