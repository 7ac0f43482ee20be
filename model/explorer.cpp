#include "model/explorer.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "model/hash_index.hpp"

namespace leaseproof::model {
namespace {

// Generous: a schedule that settles needs far fewer, one that does not would need for ever.
constexpr std::size_t most_settling_steps = 2'000;

class Search {
 public:
  Search(const World& world, const ExploreOptions& options)
      : world_(world), options_(options), moves_(world), schedule_(world, most_settling_steps) {}

  Exploration run() {
    Node root = begin(world_);
    add(root, 0, 0, 0);
    for (std::size_t at = 0; at < visits_.size() && result_.breach.empty(); ++at) {
      if (options_.settling && !settles(at)) break;
      expand(at);
    }
    result_.states = visits_.size();
    return std::move(result_);
  }

 private:
  struct Visit {
    Node node;
    // The node it was first reached from, and by which of that node's moves.
    std::size_t parent;
    std::size_t move;
    std::size_t depth;
  };

  // Takes the node if it is a new one.
  void add(Node& node, std::size_t parent, std::size_t move, std::size_t depth) {
    const std::size_t hash = hash_value(node);
    if (seen_.find(hash, [&](std::size_t at) { return visits_[at].node == node; })) return;
    if (visits_.size() == options_.most_states) {
      result_.complete = false;
      return;
    }
    seen_.insert(hash, visits_.size());
    visits_.push_back({std::move(node), parent, move, depth});
    result_.depth = std::max(result_.depth, depth);
  }

  void expand(std::size_t at) {
    const Node& from = visits_[at].node;
    const std::vector<Move>& options = moves_.of(from);
    Node next = from;
    for (std::size_t i = 0; i < options.size(); ++i) {
      ++result_.transitions;
      const Played played = play(next, from, options[i]);
      if (!played.fault.empty()) {
        const std::string last = describe(options[i]);
        tell(played.fault, at);
        result_.path.push_back(last);
        return;
      }
      if (!played.edited) continue;
      add(next, at, i, visits_[at].depth + 1);
      next = from;
    }
  }

  bool settles(std::size_t at) {
    Settling settling = schedule_.settle(visits_[at].node);
    result_.slowest_settling = std::max(result_.slowest_settling, settling.steps);
    if (settling.fault.empty()) return true;
    tell(std::move(settling.fault), at);
    return false;
  }

  void tell(std::string breach, std::size_t at) {
    result_.breach = std::move(breach);
    for (; at != 0; at = visits_[at].parent) {
      const Node& from = visits_[visits_[at].parent].node;
      result_.path.push_back(describe(moves_.of(from)[visits_[at].move]));
    }
    std::reverse(result_.path.begin(), result_.path.end());
  }

  const World& world_;
  const ExploreOptions& options_;
  MoveList moves_;
  FairSchedule schedule_;
  // A deque keeps nodes in place while it grows.
  std::deque<Visit> visits_;
  HashIndex seen_;
  Exploration result_;
};

}  // namespace

Exploration explore(const World& world, const ExploreOptions& options) {
  return Search(world, options).run();
}

}  // namespace leaseproof::model
