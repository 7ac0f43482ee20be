// An engine in a program of its own, behind a pipe (TRACE 5), as a system under test.
//
// Promise: the program is only ever told what TRACE 5 says, and judged only by what it speaks and
// shows. A crash is a SIGKILL of its whole process group and a new start on the same folder. A
// program that does not keep to the protocol ends as `SutFailed`: never a pass, never a violation.
//
// `restart` closes its input and waits for its end, as one closes an engine; then it is started
// again. A fault stands between calls here: what is interleaved at `begin` runs before the call is
// sent, at `committed` once its answer is there and before the caller hears of it. A crash at a
// point that the program cannot die at by itself is one before the call is sent, or, at
// `committed`, after its answer. All other faults are for a program that says that it has a disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/search.hpp"
#include "properties/sut.hpp"
#include "scenarios/pipe/process.hpp"
#include "scenarios/pipe/protocol.hpp"

namespace leaseproof::scenarios {

struct PipeSutOptions {
  std::string command;  // for /bin/sh -c
  std::string folder;   // for its durable files; must exist and be empty
  int timeout_ms = 10'000;
};

class PipeSut final : public properties::Sut {
 public:
  // Starts the program and asks what it speaks.
  PipeSut(const properties::SimClock& clock, PipeSutOptions options);
  ~PipeSut() override;

  void reset(const properties::Config& config) override;
  properties::Reply apply(const properties::CallFrame& frame) override;
  properties::Reopened restart(const properties::StepFault* fault) override;
  properties::Reopened reopen() override;
  const model::Observation& observe() override;
  const model::Observation& observe_in_full() override { return observe(); }
  [[nodiscard]] const properties::Unseen* unseen() const override {
    return seen_.unseen.any() ? &seen_.unseen : nullptr;
  }
  [[nodiscard]] bool has_journal() const override { return hello_.journal; }
  void journal(std::int64_t after, std::vector<properties::JournalEvent>& out) override;
  std::optional<properties::Readings> readings(const properties::Readings& asked) override;
  [[nodiscard]] bool speaks(const model::Action& action) const override;
  // What it finds damaged it says by itself, when it starts.
  [[nodiscard]] bool has_disk() const override { return hello_.disk; }
  [[nodiscard]] bool can_be_hit(faults::Point point, faults::Kind kind) const override;
  [[nodiscard]] std::string_view name() const override { return hello_.engine; }

 private:
  // Its end by our own hand. Where it is not running it is started with the next request.
  void kill() { program_.reset(); }
  Program& running();
  [[nodiscard]] bool speaks_call(faults::Call call) const;
  void greet();
  // The line that it answers; nothing where it killed itself, as the request told it to.
  std::optional<std::string_view> ask(std::string_view doing, const std::string& line,
                                      bool may_die = false);
  [[noreturn]] void give_up(std::string_view doing, std::string why);
  template <class T>
  T must(std::string_view doing, tl::expected<T, std::string> read);
  properties::Reply send(const properties::CallFrame& frame, std::optional<faults::Place> die_at,
                         const properties::StepFault* fault = nullptr);
  properties::Reopened started_again();
  void observe_from(std::int64_t journal_after);
  [[nodiscard]] bool is_sent(const properties::StepFault* fault) const;
  properties::Reply crash(const properties::CallFrame& frame, faults::Place place);

  const properties::SimClock& clock_;
  PipeSutOptions options_;
  ProcessGuard guard_;
  std::unique_ptr<Program> program_;
  Hello hello_;
  std::int64_t asked_ = 0;  // requests so far, which is the id of the newest
  Seen seen_;
  // The journal in `seen_` goes on after this event; the harness has all up to the other.
  std::int64_t seen_after_ = 0;
  std::int64_t told_seq_ = 0;
  std::string breach_;      // seen by its storage, and not told yet
  std::int64_t depth_ = 0;  // of calls that stand still
  // What readers were given, by what the harness keeps in its place: 1 is the first.
  std::vector<std::string> cursors_;
};

// Each in a fresh folder below `parent`.
properties::MakeRig engine_behind_pipe(std::string command, int timeout_ms, std::string parent);

}  // namespace leaseproof::scenarios
