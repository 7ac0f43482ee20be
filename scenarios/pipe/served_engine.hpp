// Our own engine behind the protocol of TRACE 5: what `leaseproof serve-sut` runs.
//
// Promise: one answer for each line, whatever the line is. All that has to outlive the process lies
// in the folder, and the clock is `now_us` of each request. `die_at` ends the process by SIGKILL at
// that point of the call, and where the call does not come by it the call is made as any other.
//
// The engine works on real files, or on a simulated disk that can fail and lose its power; that
// disk then is a file of the folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/sqlite/connection.hpp"
#include "properties/engine_sut.hpp"
#include "scenarios/pipe/kept_disk.hpp"
#include "scenarios/pipe/protocol.hpp"

namespace leaseproof::scenarios {

struct ServedEngineOptions {
  std::string folder;
  // None: the engine's own; with a planted bug they are others.
  std::shared_ptr<const engine::sqlite::StatementTexts> statements = {};
  bool on_simulated_disk = false;
  // Planted around an engine on a simulated disk.
  properties::StorageBug bug = properties::StorageBug::none;
};

// The folder cannot be used, or not any more: one line that names the file.
struct FolderFailed {
  std::string why;
};

class ServedEngine {
 public:
  // Throws FolderFailed, as `answer` does.
  explicit ServedEngine(ServedEngineOptions options);

  // With its line end.
  std::string answer(std::string_view line);

 private:
  std::string answer(std::int64_t id, const HelloRequest& request);
  std::string answer(std::int64_t id, const ResetRequest& request);
  std::string answer(std::int64_t id, const ReadingsRequest& request);
  std::string answer(std::int64_t id, const RestartRequest& request);
  std::string answer(std::int64_t id, const StepRequest& request);
  void keep_disk();
  std::string found_damage();

  std::string folder_;
  ResetRequest settings_;
  properties::SimClock clock_;
  std::unique_ptr<properties::EngineSut> engine_;
  std::optional<KeptDisk> disk_;
  std::string damage_;  // of what was found; only a reset mends it
};

}  // namespace leaseproof::scenarios
