// The real engine as a system under test, in memory or on disk, in this process.
//
// Promise: one `Sut` over the embedded engine's public calls. A crash drops the connection without
// a commit and everything in memory with it; steps that run inside another call's fault point get a
// connection of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/store/state_reader.hpp"
#include "faults/vfs.hpp"
#include "properties/search.hpp"
#include "properties/storage_bugs.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

struct EngineSutOptions {
  // Empty: in memory. Otherwise a folder for the database's files, which must exist, or with `vfs`
  // any absolute path.
  std::string folder;
  std::string name = "engine";
  // The statements to run; none means the engine's own catalogue. Mutants pass theirs.
  std::shared_ptr<const engine::sqlite::StatementTexts> statements;
  // The simulated disk that holds the database; none means real files.
  std::shared_ptr<faults::Vfs> vfs = nullptr;
  // Planted around the engine; on a simulated disk only.
  StorageBug bug = StorageBug::none;
  // On a disk of a VFS: from how many pages in the WAL on the engine checkpoints. So few that cases
  // of some dozen steps come by a checkpoint.
  std::int64_t checkpoint_pages = 40;
  // Over real files: the VFS to open them through; empty means SQLite's own.
  std::string file_vfs = {};
  // By which the engine is opened, until `reset` gives another.
  Config config = {};
};

class EngineSut final : public Sut {
 public:
  EngineSut(SimClock& clock, EngineSutOptions options);
  ~EngineSut() override;

  void reset(const Config& config) override;
  Reply apply(const CallFrame& frame) override;
  Reopened restart(const StepFault* fault) override;
  const model::Observation& observe() override;
  const model::Observation& observe_in_full() override;
  void journal(std::int64_t after, std::vector<JournalEvent>& out) override;
  std::optional<Readings> readings(const Readings& asked) override;
  [[nodiscard]] bool speaks(const model::Action& action) const override;
  // SQLite's database in memory has no WAL.
  [[nodiscard]] bool reads_under_write_lock() const override { return !options_.folder.empty(); }
  [[nodiscard]] bool has_disk() const override { return options_.vfs != nullptr; }
  std::string damage() override;
  std::uint64_t unobserved_difference(const model::State& expected) override;
  // On a simulated disk.
  std::shared_ptr<const Snapshot> snapshot() override;
  void restore(const Snapshot& snapshot) override;
  void outlive_crashes() override;
  [[nodiscard]] std::string_view name() const override { return options_.name; }

  // Of a simulated disk: no other has it.
  static std::string fresh_disk_name();
  // Opens the engine on whatever its simulated disk holds now: after a loss of power, or another
  // disk put in its place. False: it cannot be opened there; of use again after one that answers
  // true.
  [[nodiscard]] bool wake_up();
  // Closes what is open without the checkpoint of a last close: real files are left to the next
  // process as one leaves them that dies between two calls.
  void let_go();
  // In a process of its own: draws ids that no other process of the case draws.
  void draw_ids_as(std::uint64_t process);
  // Whether a call stands still at a fault point while others run inside it.
  [[nodiscard]] bool stands_still() const { return depth_ > 0; }
  // The engine itself, for tests that look behind the calls.
  engine::Engine& engine();
  // The connection that empties the database between cases; null on disk.
  [[nodiscard]] engine::sqlite::Connection* eraser() { return keeper_.get(); }

 private:
  class Seam;
  class Kept;
  class Newcomer;
  using Opened = tl::expected<std::unique_ptr<engine::Engine>, engine::OpenError>;
  [[nodiscard]] engine::Options engine_options(const std::string& vfs) const;
  Opened try_open();
  // Null while another call holds the lock that opening needs.
  std::unique_ptr<engine::Engine> open();
  void drop_engines();
  // What an engine would answer that takes no notice of its COMMIT's error.
  void believe(const CallFrame& frame, const faults::Disk& before, Reply& reply);
  std::string breach();
  void keep_clean_disk();
  void begin_on_clean_disk();
  bool rewind();
  // The end of the process, or with its power of the machine.
  void die(const StepFault& fault);
  // The end of another process, of which this engine sees what is left.
  void go_on();
  Reopened start_beside();
  engine::Engine* engine_at(std::size_t depth);
  Reply call(engine::Engine& engine, const CallFrame& frame);

  EngineSutOptions options_;
  SimClock& clock_;
  std::unique_ptr<Seam> seam_;
  std::string path_;
  Config config_;
  engine::sqlite::StatementTexts keeper_texts_;
  std::unique_ptr<engine::sqlite::Connection> keeper_;    // keeps a database in memory alive
  std::vector<std::unique_ptr<engine::Engine>> engines_;  // by depth of interleaving
  std::size_t depth_ = 0;
  engine::store::ChangeList changes_;
  engine::store::StateReader reader_;
  bool read_in_full_ = true;
  faults::Disk clean_;                          // with an empty database, all of it durable
  std::shared_ptr<const faults::Mark> opened_;  // the engine, on that
  std::int64_t unlocked_checkpoints_ = 0;       // that were told of
  std::unique_ptr<Newcomer> newcomer_;          // where crashes are outlived
};

// Rigs for `search`: the engine in memory, or on disk in a fresh folder below `parent`.
MakeRig engine_in_memory(std::shared_ptr<const engine::sqlite::StatementTexts> statements = {});
MakeRig engine_on_disk(std::string parent);
// What they stand on: a simulated disk of its own with the bug, and the engine that goes with it.
EngineSutOptions on_simulated_disk(StorageBug bug = StorageBug::none);
// The engine on a simulated disk of its own: its WAL and its syncs are real to SQLite. It makes
// checkpoints every few calls.
MakeRig engine_on_simulated_disk(StorageBug bug = StorageBug::none);
MakeRig engine_on_simulated_disk(
    std::shared_ptr<const engine::sqlite::StatementTexts> statements,
    std::int64_t checkpoint_pages = EngineSutOptions().checkpoint_pages);

// On a simulated disk and without checkpoints: the engine that comes back to a moment fastest.
MakeRig engine_for_branching(std::shared_ptr<const engine::sqlite::StatementTexts> statements = {});
// With the bug; one that checkpoints does so.
MakeRig engine_for_branching(StorageBug bug);

}  // namespace leaseproof::properties
