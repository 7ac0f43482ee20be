#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/store/catalog.hpp"
#include "properties/engine_sut.hpp"

namespace leaseproof::properties {

using engine::store::Sql;

namespace {
constexpr std::int64_t no_checkpoints = 0;

Rig rig_of(EngineSutOptions options) {
  Rig rig;
  rig.clock = std::make_unique<SimClock>();
  rig.sut = std::make_unique<EngineSut>(*rig.clock, std::move(options));
  return rig;
}
}  // namespace

MakeRig engine_in_memory(std::shared_ptr<const engine::sqlite::StatementTexts> statements) {
  return [statements = std::move(statements)] {
    return rig_of({"", "leaseproof engine in memory", statements, nullptr});
  };
}

MakeRig engine_on_disk(std::string parent) {
  return [parent = std::move(parent)] {
    static std::atomic<std::int64_t> made{0};
    const std::string folder = parent + "/rig-" + std::to_string(++made);
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return rig_of({folder, "leaseproof engine on disk", {}, nullptr});
  };
}

namespace {
// "Retried as a statement": the statement that meets BUSY in the middle of a transaction waits and
// is tried again, which only a transaction that begins without the lock comes to.
std::shared_ptr<const engine::sqlite::StatementTexts> texts_with(StorageBug bug) {
  if (bug != StorageBug::deferred_transaction && bug != StorageBug::busy_retried_as_statement) {
    return nullptr;
  }
  auto texts = std::make_shared<engine::sqlite::StatementTexts>(engine::store::catalog_texts());
  (*texts)[static_cast<std::size_t>(Sql::begin_write)] = "BEGIN DEFERRED";
  return texts;
}
}  // namespace

EngineSutOptions on_simulated_disk(StorageBug bug) {
  faults::VfsOptions disk;
  if (bug == StorageBug::sync_skipped) disk.forgets_sync = faults::Role::wal;
  EngineSutOptions options;
  options.folder = "/leaseproof";
  options.name = "leaseproof engine on a simulated disk";
  options.statements = texts_with(bug);
  options.vfs = std::make_shared<faults::Vfs>(EngineSut::fresh_disk_name(), disk);
  options.bug = bug;
  return options;
}

MakeRig engine_on_simulated_disk(StorageBug bug) {
  return [bug] { return rig_of(on_simulated_disk(bug)); };
}

MakeRig engine_on_simulated_disk(std::shared_ptr<const engine::sqlite::StatementTexts> statements,
                                 std::int64_t checkpoint_pages) {
  return [statements = std::move(statements), checkpoint_pages] {
    EngineSutOptions options = on_simulated_disk();
    options.statements = statements;
    options.checkpoint_pages = checkpoint_pages;
    return rig_of(std::move(options));
  };
}

MakeRig engine_for_branching(std::shared_ptr<const engine::sqlite::StatementTexts> statements) {
  return engine_on_simulated_disk(std::move(statements), no_checkpoints);
}

MakeRig engine_for_branching(StorageBug bug) {
  return [bug] {
    EngineSutOptions options = on_simulated_disk(bug);
    options.checkpoint_pages = no_checkpoints;
    return rig_of(std::move(options));
  };
}

}  // namespace leaseproof::properties
