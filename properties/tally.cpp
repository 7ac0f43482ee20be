#include "properties/tally.hpp"

#include <algorithm>

namespace leaseproof::properties {

namespace {
void add_rows(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}
}  // namespace

void Tally::add(const Tally& other) {
  runs += other.runs;
  dispatches = dispatches || other.dispatches;
  disk = disk || other.disk;
  whole = whole || other.whole;
  steps += other.steps;
  not_fired += other.not_fired;
  fell_back += other.fell_back;
  add_rows(goals, other.goals);
  add_rows(judged, other.judged);
  add_rows(violated, other.violated);
  for (std::size_t point = 0; point < fired.size(); ++point) {
    for (std::size_t kind = 0; kind < fired[point].size(); ++kind) {
      fired[point][kind] += other.fired[point][kind];
      bool& reached = within_reach[point][kind];
      reached = reached || other.within_reach[point][kind];
    }
  }
}

std::vector<Hunt> unfired(const Tally& tally) {
  std::vector<Hunt> missing;
  for (std::size_t point = 0; point < faults::point_count; ++point) {
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      const Hunt hunt{static_cast<faults::Point>(point), static_cast<faults::Kind>(kind)};
      // Where nothing is dispatched nobody calls the service.
      const bool comes_by = tally.within_reach[point][kind] &&
                            (tally.dispatches || !faults::is_at_service(hunt.point)) &&
                            (tally.disk || !faults::needs_disk(hunt.point, hunt.kind));
      if (comes_by && faults::allows(hunt.point, hunt.kind) && tally.fired[point][kind] == 0) {
        missing.push_back(hunt);
      }
    }
  }
  return missing;
}

}  // namespace leaseproof::properties
