// Checks that each probe holds on the engine as it is, and that it catches a mutant of a statement
// that it is there for.
#include "properties/mutants_probes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/store/catalog.hpp"
#include "properties/mutants_automatic.hpp"

namespace leaseproof::properties {
namespace {

const Probe& probe_named(std::string_view name) {
  const auto all = probes();
  return *std::ranges::find_if(all, [&](const Probe& probe) { return probe.name == name; });
}

class AProbe : public testing::TestWithParam<std::string_view> {};

TEST_P(AProbe, holds_on_the_engine_as_it_is) {
  EXPECT_EQ("", probe_named(GetParam()).complaint({}));
}

INSTANTIATE_TEST_SUITE_P(Of, AProbe,
                         testing::Values("opening", "checkpoint", "graph", "commit", "faults"),
                         [](const auto& row) { return std::string(row.param); });

struct Catches {
  std::string_view probe;
  std::string_view mutant;
};

class AProbeOf : public testing::TestWithParam<Catches> {};

TEST_P(AProbeOf, catches_the_mutant) {
  const CatalogueMutant* mutant = find_catalogue_mutant(GetParam().mutant);
  ASSERT_NE(nullptr, mutant);
  EXPECT_NE("", probe_named(GetParam().probe).complaint(mutated(*mutant)));
}

INSTANTIATE_TEST_SUITE_P(
    Of, AProbeOf,
    testing::Values(
        Catches{"opening", "is_ours/drop/1"}, Catches{"opening", "is_ours/drop/2"},
        Catches{"opening", "is_ours/drop/3"}, Catches{"opening", "is_ours/drop/4"},
        Catches{"opening", "is_ours/drop/5"}, Catches{"opening", "is_ours/drop/6"},
        Catches{"opening", "is_ours/turn/2"}, Catches{"opening", "is_ours/turn/3"},
        Catches{"opening", "steps_of_others/skip/1"}, Catches{"opening", "taken_name/skip/1"},
        Catches{"checkpoint", "know_wal/skip/1"}, Catches{"graph", "blocked_to_reopen/drop/9"},
        Catches{"graph", "blocked_to_reopen/skip/1"}, Catches{"graph", "blocked_dependents/drop/2"},
        Catches{"commit", "event_at/skip/1"}, Catches{"commit", "event_at/turn/1"},
        Catches{"commit", "write_over/skip/1"}),
    [](const auto& row) {
      std::string name(row.param.mutant);
      std::ranges::replace(name, '/', '_');
      return name;
    });

}  // namespace
}  // namespace leaseproof::properties
