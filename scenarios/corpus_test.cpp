// Checks that every trace file of the corpus and of the shared cases holds on the engine in memory,
// on the engine on disk, on a simulated disk and on the model, and that each fault in them fires. A
// case with a fault at the disk can only be followed on the simulated one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "scenarios/cli/engines.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/explanation.hpp"
#include "scenarios/file.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios {
namespace {

namespace fs = std::filesystem;

bool strikes_at_disk(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return false;
  const auto scenario = read_scenario(*text, file.string());
  return scenario && needs_disk(*scenario);
}

std::vector<fs::path> trace_files(bool at_disk) {
  const fs::path root = LEASEPROOF_SOURCE_DIR;
  std::vector<fs::path> files;
  for (const fs::path& folder :
       {root / "scenarios/corpus", root / "scenarios/regressions", root / "../shared/cases"}) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
      if (entry.path().extension() != ".json") continue;
      if (strikes_at_disk(entry.path()) == at_disk) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class Corpus : public testing::TestWithParam<fs::path> {
 protected:
  void holds_on(std::string_view engine) {
    const auto text = read_file(GetParam());
    ASSERT_TRUE(text) << text.error().text;
    const auto scenario = read_scenario(*text, GetParam().string());
    ASSERT_TRUE(scenario) << scenario.error();
    const cli::Folder folder;
    const Replay result = replay(*scenario, cli::engine_named(engine, folder)());
    if (result.violation) FAIL() << explanation(result);
    EXPECT_EQ(result.verdict, Verdict::ok) << result.reason;
    EXPECT_EQ(result.tally.not_fired, 0) << "a fault of this case did not fire";
  }
};

TEST_P(Corpus, holds_in_memory) { holds_on(cli::in_memory); }
TEST_P(Corpus, holds_on_disk) { holds_on(cli::on_disk); }
TEST_P(Corpus, holds_on_a_simulated_disk) { holds_on(cli::on_simulated_disk); }
TEST_P(Corpus, holds_on_the_model) { holds_on(cli::the_model); }

INSTANTIATE_TEST_SUITE_P(Case, Corpus, testing::ValuesIn(trace_files(false)), test_name);

class DiskCorpus : public Corpus {};
TEST_P(DiskCorpus, holds_on_a_simulated_disk) { holds_on(cli::on_simulated_disk); }

INSTANTIATE_TEST_SUITE_P(Case, DiskCorpus, testing::ValuesIn(trace_files(true)), test_name);

TEST(CorpusSize, there_are_at_least_twenty_four_of_our_own) {
  const fs::path own = fs::path(LEASEPROOF_SOURCE_DIR) / "scenarios/corpus";
  EXPECT_GE(std::distance(fs::directory_iterator(own), fs::directory_iterator()), 24);
}

}  // namespace
}  // namespace leaseproof::scenarios
