// What must always hold (SEMANTICS 7): one row an invariant, judged after every step.
//
// Promise: a closed table. A row is a pure predicate over a `Judgement`; it trusts what was sent,
// answered and observed, never the model and never an engine's claim about itself. I16 is
// about threads, and is judged where there are some.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "properties/judgement.hpp"

namespace leaseproof::properties {

struct Invariant {
  std::string_view id;        // as in SEMANTICS 7; empty for the comparison with the model
  std::string_view name;      // what a violation and a trace file call it
  std::string_view sentence;  // what it says, for people
  // Empty when it holds; otherwise one sentence that names the op or workflow and what is wrong.
  std::string (*judge)(const Judgement&);
};

inline constexpr std::size_t invariant_count = 16;
extern const std::array<Invariant, invariant_count> invariants;

std::optional<std::size_t> find_invariant(std::string_view name);

}  // namespace leaseproof::properties
