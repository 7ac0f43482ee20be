// Checks that every planted bug is the same bug behind a pipe: the case that shows it in this
// process breaks the same invariant there, and the engine without the bug holds in that case. That
// a search over the pipe finds bugs by itself is checked in check_sut_test.cpp.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "properties/engine_sut.hpp"
#include "properties/mutants.hpp"
#include "properties/runner.hpp"
#include "properties/search.hpp"
#include "properties/storage_bugs.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/pipe/pipe_sut.hpp"

namespace leaseproof::scenarios {
namespace {

using properties::Counterexample;
using properties::Rig;

struct PlantedBug {
  std::string name;
  std::uint64_t seed = 0;
  properties::MakeRig in_process;
  std::string without;  // options of `serve-sut` for the same engine without the bug
};

std::vector<PlantedBug> planted_bugs() {
  std::vector<PlantedBug> all;
  for (const properties::Mutant& mutant : properties::mutants()) {
    all.push_back({std::string(mutant.name), 20,
                   properties::engine_in_memory(properties::mutated(mutant)), ""});
  }
  for (const properties::StorageBugRow& row : properties::storage_bugs()) {
    all.push_back({std::string(row.name), 1, properties::engine_on_simulated_disk(row.bug),
                   " --disk simulated"});
  }
  return all;
}

properties::RunnerOptions with_journal() {
  properties::RunnerOptions options;
  options.decode = decode_journal;
  return options;
}

class APlantedBug : public testing::TestWithParam<std::size_t> {
 protected:
  static Rig served(const std::string& options) {
    static cli::Folder folder(cli::EngineChoice{"", "a program"}.parent());
    return engine_behind_pipe(fmt::format("exec {} serve-sut{}", LEASEPROOF_PROGRAM, options),
                              10'000, folder.path().string())();
  }
  // To start a program takes longer than a case, and nothing is wrong with these.
  static Rig& without(const std::string& options) {
    static std::map<std::string, Rig> rigs;
    const auto found = rigs.find(options);
    return found != rigs.end() ? found->second
                               : rigs.emplace(options, served(options)).first->second;
  }
  static std::optional<Counterexample> hunted(const PlantedBug& bug) {
    properties::SearchOptions options;
    options.seed = bug.seed;
    options.runs = 1500;
    options.jobs = 2;
    options.shrink_budget = 300;
    options.runner = with_journal();
    // Only what can be done over the pipe as well.
    options.draws_fault = [&sut = *without(bug.without).sut](faults::Point point,
                                                             faults::Kind kind) {
      return sut.can_be_hit(point, kind);
    };
    return properties::search(bug.in_process, options).counterexample;
  }
  // "nothing", or the invariant; or what the program did that no engine does.
  static std::string broken(const Rig& rig, const Counterexample& found,
                            std::string* why = nullptr) {
    properties::Runner runner(*rig.sut, *rig.clock, with_journal());
    try {
      const auto violation = runner.run(found.config, found.steps);
      if (violation && why != nullptr) *why = violation->why;
      return violation ? violation->invariant : "nothing";
    } catch (const properties::SutFailed& failed) {
      return failed.why;
    }
  }
};

TEST_P(APlantedBug, breaks_over_the_pipe_what_it_breaks_in_process) {
  const PlantedBug bug = planted_bugs()[GetParam()];
  const auto found = hunted(bug);
  ASSERT_TRUE(found) << bug.name;
  const std::string expected = found->violation.invariant;
  EXPECT_EQ(broken(served(" --bug " + bug.name), *found), expected) << found->violation.why;
  std::string why;
  EXPECT_EQ(broken(without(bug.without), *found, &why), "nothing") << why;
}

INSTANTIATE_TEST_SUITE_P(Planted, APlantedBug,
                         testing::Range<std::size_t>(0, planted_bugs().size()),
                         [](const auto& row) { return planted_bugs()[row.param].name; });

}  // namespace
}  // namespace leaseproof::scenarios
