// Seeded bugs of what happens at once: between threads, between processes, before and after a lock.
//
// Promise: each row is a bug that `stress` and the verdict of the journal have to find on the
// engine as it is; it is planted from outside, through the seams that a host has as well
// (stress_plant.hpp). As with mutants.hpp, one that is not found is a hole in the test bed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::properties {

enum class ConcurrencyBug : std::uint8_t {
  none,
  heartbeat_not_joined,
  one_at_a_time,
  deferred_begin,
  moment_before_the_lock,
  cap_before_the_transaction,
  observer_in_the_transaction
};

struct ConcurrencyBugRow {
  ConcurrencyBug bug = ConcurrencyBug::none;
  std::string_view name;
  std::string_view suffering;  // what a user of such an engine would suffer
  std::string_view source;     // the rule that it breaks
  std::string_view planted;    // by which seam
  // What it breaks, and what else may show first; empty where that is nothing.
  std::array<std::string_view, 2> caught_by;
};

std::span<const ConcurrencyBugRow> concurrency_bugs();
// By name, or null.
const ConcurrencyBugRow* find_concurrency_bug(std::string_view name);

// The functions that the statements of a bug call, as a connection has to know them.
//
// (site, queue) → how many ops of it ran before the transaction began.
inline constexpr const char* running_before = "running_before";
// (seq, call, verb, moment) → seq; `verb` is null but for the first event of a call.
inline constexpr const char* announced = "announced";

// The statements with the bug in them; null: those of the catalogue.
std::shared_ptr<const engine::sqlite::StatementTexts> texts_of_concurrency_bug(ConcurrencyBug bug);

}  // namespace leaseproof::properties
