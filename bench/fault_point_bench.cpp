// What fault points cost where they are compiled in and nothing is armed, beside an engine in which
// they are compiled to nothing. In memory, where a disk hides no difference.
#include <algorithm>
#include <vector>

#include "bench/fault_point_cost.hpp"
#include "bench/row.hpp"

// What fault_point_cost.hpp declares, as it is called where the points are in (see CMakeLists.txt).
namespace leaseproof_with_points::bench {
double seconds_of_ops(std::int64_t ops);
}

namespace leaseproof::bench {
namespace {

constexpr std::int64_t ops_each = 1'000;

Measured alone(double (*seconds_of)(std::int64_t)) {
  Measured measured;
  measured.items = 4 * ops_each;
  measured.seconds = seconds_of(measured.items);
  return measured;
}

// Turn by turn, so that both meet the machine in the same moment: how fast it is with the points
// in, measured by how fast it is without them.
Measured side_by_side() {
  constexpr int turns = 11;
  Measured measured;
  std::vector<double> ratios;
  for (int i = 0; i < turns; ++i) {
    const double without = seconds_of_ops(ops_each);
    const double with = leaseproof_with_points::bench::seconds_of_ops(ops_each);
    ratios.push_back(without / with);
    measured.seconds += with;
    measured.items += ops_each;
  }
  std::nth_element(ratios.begin(), ratios.begin() + turns / 2, ratios.end());
  measured.value = ratios[turns / 2];
  return measured;
}

}  // namespace

void add_fault_point_rows() {
  add_row("fault_points/compiled_out/memory", Headline::items_per_second,
          [] { return alone(seconds_of_ops); });
  add_row("fault_points/compiled_in/memory", Headline::items_per_second,
          [] { return alone(leaseproof_with_points::bench::seconds_of_ops); });
  add_row("fault_points/in_to_out/memory", Headline::ratio, side_by_side);
}

}  // namespace leaseproof::bench
