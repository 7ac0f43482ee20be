// What no drawn case comes by: databases that others made or left, states of a graph that only an
// older version leaves, checkpoints, a commit that fails and stands all the same.
//
// Promise: each probe is short, draws nothing but from its own seed, and holds on the engine as it
// is. A mutant of a statement that only these run is caught here or nowhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::properties {

using Texts = std::shared_ptr<const engine::sqlite::StatementTexts>;

struct Probe {
  std::string_view name;
  std::string_view sentence;
  // With the statements to run: what an engine with them does wrong, or empty.
  std::string (*complaint)(const Texts& statements);
};

// The quick ones first.
std::span<const Probe> probes();

// The row of `probes` that compares a refresh, a retry and what follows in graphs whose ops have
// any status with the model's.
std::string graph_complaint(const Texts& statements);

}  // namespace leaseproof::properties
