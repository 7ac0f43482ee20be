// The engine on real files as a system under test, whose crash is a process that is really killed.
//
// Promise: a call or a `restart` with a fault of kind `crash` is made by a child process with a
// connection of its own, which ends itself at the point: by SIGKILL and by `_exit` in turn. What a
// call did that has been committed is also lost in a third way: the child answers and is killed for
// it. What is judged afterwards is read from the files alone. Where the point is not reached the
// files are what they were, and the call is made again without a fault, so that a case means the
// same here as on an engine in this process.
//
// Everything else is done in this process, which has no connection open while a child lives.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faults/file_vfs.hpp"
#include "faults/process.hpp"
#include "properties/engine_sut.hpp"

namespace leaseproof::properties {

struct KilledSutOptions {
  std::string folder;  // for the database's files; must exist and be empty
  // The statements to run; none means the engine's own catalogue.
  std::shared_ptr<const engine::sqlite::StatementTexts> statements;
  // Called before anything is done for a kill: a harness measures from here.
  std::function<void()> before_kill;
};

// What became of the children.
struct Kills {
  std::int64_t by_signal = 0;     // SIGKILL at the point
  std::int64_t by_exit = 0;       // `_exit` at the point
  std::int64_t after_answer = 0;  // SIGKILL by the parent, after the answer
  std::int64_t missed = 0;        // the point was not reached
  [[nodiscard]] std::int64_t all() const { return by_signal + by_exit + after_answer; }
  void add(const Kills& other);
  [[nodiscard]] Kills since(const Kills& earlier) const;
};

class KilledSut final : public Sut {
 public:
  KilledSut(SimClock& clock, KilledSutOptions options);
  ~KilledSut() override;

  void reset(const Config& config) override;
  Reply apply(const CallFrame& frame) override;
  Reopened restart(const StepFault* fault) override;
  const model::Observation& observe() override { return inner_->observe(); }
  const model::Observation& observe_in_full() override { return inner_->observe_in_full(); }
  void journal(std::int64_t after, std::vector<JournalEvent>& out) override {
    inner_->journal(after, out);
  }
  [[nodiscard]] bool speaks(const model::Action& action) const override {
    return inner_->speaks(action);
  }
  [[nodiscard]] bool can_be_hit(faults::Point point, faults::Kind kind) const override;
  std::string damage() override { return inner_->damage(); }
  [[nodiscard]] std::string_view name() const override { return "leaseproof engine, killed"; }

  // The next `reset` makes the database in a child that dies so, before it is made here.
  void kill_at_creation(const faults::Plan& plan) { creation_ = plan; }
  // Since it was made.
  [[nodiscard]] const Kills& kills() const { return kills_; }

 private:
  // How a child is to end.
  enum class Way : std::uint8_t { signal, exit, after_answer };
  class Files;
  void die_in_creation(const faults::Plan& plan);
  [[nodiscard]] bool kills_at(const StepFault* fault) const;
  [[nodiscard]] Way next_way(const faults::Plan& plan) const;
  // Runs `life` in a child that is to die at the plan's point; whether it did.
  bool kill_in(const faults::Plan& plan, const std::function<void()>& ready,
               const std::function<void()>& life);
  bool count(Way way, bool answered, const faults::End& end);

  std::filesystem::path folder_;
  std::function<void()> before_kill_;
  faults::FileVfs vfs_;
  SimClock& clock_;
  std::unique_ptr<EngineSut> inner_;
  std::optional<faults::Plan> creation_;
  bool gone_ = false;    // the last call's process was killed
  std::string strange_;  // a child ended as nobody told it to: how
  std::uint64_t children_ = 0;
  Kills kills_;
};

// Rigs whose engines work on real files in fresh folders below `parent`.
MakeRig killed_engine(std::string parent);

}  // namespace leaseproof::properties
