// Our own engine behind the protocol of TRACE 5: what `leaseproof serve-sut` runs.
//
// Promise: one answer for each line, whatever the line is. All that has to outlive the process lies
// in the folder, and the clock is `now_us` of each request. `die_at` ends the process by SIGKILL at
// that point of the call, and where the call does not come by it the call is made as any other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/sqlite/connection.hpp"
#include "properties/engine_sut.hpp"
#include "scenarios/pipe/protocol.hpp"

namespace leaseproof::scenarios {

class ServedEngine {
 public:
  // `statements` none: the engine's own; with a planted bug they are others.
  explicit ServedEngine(std::string folder,
                        std::shared_ptr<const engine::sqlite::StatementTexts> statements = {});

  // With its line end.
  std::string answer(std::string_view line);

 private:
  std::string answer(std::int64_t id, const HelloRequest& request);
  std::string answer(std::int64_t id, const ResetRequest& request);
  std::string answer(std::int64_t id, const StepRequest& request);

  std::string folder_;
  properties::SimClock clock_;
  std::unique_ptr<properties::EngineSut> engine_;
};

}  // namespace leaseproof::scenarios
