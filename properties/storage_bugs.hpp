// Seeded bugs of how an engine uses its storage: what no edit of a statement can plant.
//
// Promise: each row is a bug that a search on the simulated disk has to find; it is planted in this
// process, around the engine as it is. As with mutants.hpp, one that is not found is a hole in the
// test bed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace leaseproof::properties {

enum class StorageBug : std::uint8_t {
  none,
  sync_skipped,
  synchronous_off,
  commit_error_ignored,
  busy_retried_as_statement,
  deferred_transaction,
  unlocked_checkpoint
};

struct StorageBugRow {
  StorageBug bug = StorageBug::none;
  std::string_view name;
  std::string_view suffering;  // what a user of such an engine would suffer
  std::string_view source;     // the rule or the public text that it comes from
};

std::span<const StorageBugRow> storage_bugs();
// By name, or null.
const StorageBugRow* find_storage_bug(std::string_view name);

}  // namespace leaseproof::properties
