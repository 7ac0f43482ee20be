// One engine of an exhaustive search and the states that it expands.
//
// Promise: for the exhaustive search alone. Every job sees the same states until there are enough
// to share out; from then on each goes on from those that it reached itself, since snapshots belong
// to their engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/hash_index.hpp"
#include "model/node_key.hpp"
#include "model/world.hpp"
#include "properties/exhaustive.hpp"
#include "properties/exhaustive_path.hpp"
#include "properties/search.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

// What the engine gave as proof of each lease on the way to a state.
using Tokens = std::map<Proof, std::string>;

// A state that was reached, by its way there.
struct Visit {
  std::uint32_t parent = 0;
  std::uint32_t move = 0;
  Variant variant = Variant::plain;
};

// A state that waits for its turn.
struct Waiting {
  Spot spot;
  std::uint32_t visit = 0;
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const Tokens> tokens;
  std::int64_t seq = 0;      // of its newest event
  std::uint64_t unlike = 0;  // in what the engine holds otherwise than the model, unseen
};

// A state that a move led to and that was not known before this depth.
struct Found {
  model::NodeKey key;
  Visit visit;
  std::size_t parent = 0;  // its place among those that waited
  Waiting state;
};

struct Breach {
  std::size_t parent = 0;
  Visit visit;
  std::string why;
  bool is_read = false;  // by somebody who reads all workflows afterwards
};

// The keys of states.
class Known {
 public:
  // Whether it was not there.
  bool insert(const model::NodeKey& key) {
    if (contains(key)) return false;
    places_.insert(key.low, keys_.size());
    keys_.push_back(key);
    return true;
  }
  [[nodiscard]] bool contains(const model::NodeKey& key) const {
    return places_.find(key.low, [&](std::size_t place) { return keys_[place] == key; })
        .has_value();
  }
  // In the order in which they came.
  [[nodiscard]] const std::vector<model::NodeKey>& all() const { return keys_; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  void clear() {
    places_.clear();
    keys_.clear();
  }

 private:
  std::vector<model::NodeKey> keys_;
  model::HashIndex places_;
};

class Job {
 public:
  Job(const MakeRig& make, const ExhaustiveOptions& options);

  // The beginning of the world waits. What it differs in itself, or empty.
  std::string begin();
  // The state at the end of the path from the beginning waits as well. False where the path does
  // not lead to the state of that key, or cannot be gone.
  [[nodiscard]] bool wait_for(const std::vector<PathMove>& path, const model::NodeKey& key,
                              std::uint32_t visit, std::size_t order);
  // All that wait, or the first so many that a breach is found in, if any breach will do.
  void expand(const Known& known);
  // Of what another job has done as well.
  void forget_counts() { transitions = calls = crashes = 0; }

  std::vector<Waiting> waiting;
  std::vector<std::size_t> orders;  // the place of each among all that wait, of every job
  std::vector<Found> found;
  std::vector<Breach> breaches;
  std::size_t transitions = 0;
  std::size_t calls = 0;
  std::size_t crashes = 0;
  bool stopped = false;

 private:
  // What came of a move from a state.
  struct Gone {
    std::string breach;
    bool nowhere = false;  // it ends where it began
    Chances left;
    model::NodeKey key;
    std::shared_ptr<const Tokens> tokens;
    std::uint64_t unlike = 0;
  };

  [[nodiscard]] bool is_over() const { return options_.wanted.empty() && !breaches.empty(); }
  void expand(const Waiting& from, std::size_t order, const Known& known);
  Gone go(const Waiting& from, const model::Move& move, const model::Played& played,
          const model::Node& end, Variant variant);
  Waiting reached(const Waiting& from, const model::Move& move, const model::Node& end, Gone gone,
                  Breach& breach);
  bool look(const model::State& expected, std::int64_t now_us, std::int64_t& seq, Breach& breach);
  std::string make(const Waiting& from, const model::CallMove& call, const model::Played& played,
                   Variant variant, const model::State& expected,
                   std::shared_ptr<const Tokens>& tokens);

  const ExhaustiveOptions& options_;
  Rig rig_;
  model::MoveList moves_;
  Waiting root_;
  Known fresh_;  // keys that this job has found at this depth
  std::vector<JournalEvent> events_;
  bool looks_behind_ = false;  // there may be values that no observation shows
};

}  // namespace leaseproof::properties
