#include "properties/storage_bugs.hpp"

#include <algorithm>
#include <array>

namespace leaseproof::properties {

namespace {
constexpr std::array<StorageBugRow, 6> rows{{
    {StorageBug::sync_skipped, "sync_skipped",
     "a result that was acknowledged is gone after a loss of power",
     "SEMANTICS 1: an answer follows a durable COMMIT"},
    {StorageBug::synchronous_off, "synchronous_off",
     "a loss of power takes answered calls with it, or the whole database",
     "sqlite.org/pragma.html, synchronous"},
    {StorageBug::commit_error_ignored, "commit_error_ignored",
     "a worker is told ok for what the disk has refused",
     "SEMANTICS 1: a COMMIT that itself fails"},
    {StorageBug::busy_retried_as_statement, "busy_retried_as_statement",
     "a call that waited in its middle judges by the time before it waited, and commits late",
     "SEMANTICS 1: the whole transaction is tried again"},
    {StorageBug::deferred_transaction, "deferred_transaction",
     "a call judges by a time and a state that are old when it gets the lock",
     "SEMANTICS 1: BEGIN IMMEDIATE, now read under the lock"},
    {StorageBug::unlocked_checkpoint, "unlocked_checkpoint",
     "in SQLite 3.7.0 to 3.51.2 the database can be corrupted when another connection writes "
     "meanwhile",
     "sqlite.org/wal.html, the WAL-reset race"},
}};
}  // namespace

std::span<const StorageBugRow> storage_bugs() { return rows; }

const StorageBugRow* find_storage_bug(std::string_view name) {
  const auto found =
      std::ranges::find_if(rows, [&](const StorageBugRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace leaseproof::properties
