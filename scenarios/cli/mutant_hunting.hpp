// Hunting many mutants, each in a process of its own: a statement that is wrong may make the engine
// abort or never end, and that is a catch like any other.
//
// Promise: what is told of a mutant depends on the seed and the mutant alone, but for its time. The
// calling process has one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/mutants_probes.hpp"
#include "properties/search.hpp"

namespace leaseproof::scenarios::cli {

// How the hunt of a mutant ended.
enum class Catch : std::uint8_t {
  survived,
  violation,  // by the invariant that is named
  aborted,    // a check of the engine itself ended its process
  endless,    // a call did not end
  otherwise   // a patch was seen, but by nothing that its file names
};
std::string_view word(Catch end);

struct HuntedMutant {
  std::string name;
  std::string change;  // of the statement; of a planted bug or patch what a user would suffer
  std::string source;  // of a planted bug: where it comes from
  Catch end = Catch::survived;
  std::string by;               // the invariant
  std::int64_t run = 0;         // the first run that broke it; runs of the random search come first
  std::int64_t steps = 0;       // of that run
  std::int64_t shrunk = 0;      // steps of the counterexample after shrinking, interleaved too
  std::int64_t final = 0;       // of what it was replaced by where something shorter was found
  bool is_shortest = false;     // a search of all that is shorter than that found nothing
  std::string uncertain;        // why that was not searched, or not to its end
  std::int64_t executions = 0;  // that shrinking took
  double ms = 0;                // from the first run to the catch, before shrinking
};

struct HuntPlan {
  std::int64_t runs = 500;             // of each search, at most
  std::int64_t shrink_budget = 2'000;  // 0: as it was found
  // Of each small world: those of the first look, and of the second where all else has failed.
  std::size_t states_at_first = 400;
  std::size_t states_at_last = 4'000;
  // Whether something shorter than what was shrunk is sought, and among how many states.
  bool seeks_shortest = false;
  std::size_t most_states = 50'000;
  int jobs = 1;
  std::function<void(std::size_t done)> progress;
  std::function<void(const HuntedMutant&)> told;  // of each, in their order, as soon as it may be
};

// What is hunted: by random search, probes and the small worlds, until one finds something.
struct Quarry {
  std::string name;
  std::string change;
  std::string source;
  std::uint64_t seed = 1;
  std::vector<properties::MakeRig> random;  // engines for random search
  properties::MakeRig exhaustive;           // for the small worlds; may be none
  properties::Texts statements;             // for the probes; may be none
  bool is_excused = false;                  // looked for a while only, since it cannot be caught
};

// All planted bugs: those of statements and those of the use of the disk.
std::vector<Quarry> planted_bugs(std::uint64_t seed);

// Every small change of a statement that SQLite takes; `stillborn` are the names of the others.
std::vector<Quarry> automatic_mutants(std::uint64_t seed, std::vector<std::string>& stillborn);

// In the order of `all`. Stops early when the user interrupts.
std::vector<HuntedMutant> hunt(const std::vector<Quarry>& all, const HuntPlan& plan);

}  // namespace leaseproof::scenarios::cli
