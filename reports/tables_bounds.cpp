// Exhaustive search: which worlds, how large, and whether to their last state.
#include <utility>

#include "reports/tables.hpp"

namespace leaseproof::reports {

std::vector<Table> exploration_tables(const Evidence& evidence) {
  Table table{"worlds",
              "Exhaustive bounds",
              {},
              {"", "world", "engine", "states", "transitions", "calls", "crashes", "depth",
               "states not explored", "complete"}};
  for (const Part& exploration : evidence.explorations) {
    for (const Place& world : (exploration.place / "worlds").members()) {
      const Place complete = world / "complete";
      table.rows.push_back(
          {source_cell(world), figure(world / "world"), figure(exploration.place / "engine"),
           figure(world / "states"), figure(world / "transitions"), figure(world / "calls"),
           figure(world / "crashes"), figure(world / "depth"), figure(world / "not_explored"),
           Text(figure(complete)).in(complete.value().get<bool>() ? Tone::good : Tone::doubtful)});
    }
  }
  return {std::move(table)};
}

}  // namespace leaseproof::reports
