// One random search with everything around it: progress, time limit, Ctrl-C, the written
// counterexample and the verdict.
//
// Promise: without a time limit, the same options give the same result document.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "properties/search.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

// Which goals make a search inconclusive when none of its runs reached them: all, or only that each
// fault at the disk fired, where another search goes for the rest.
enum class Goals : std::uint8_t { none, disk_faults, all };

struct Campaign {
  std::string name;  // what the progress line calls it
  std::string engine{in_memory};
  std::uint64_t seed = 1;
  std::int64_t runs = 0;  // 0: until the time is over
  std::optional<double> seconds;
  int workers = 3;
  int jobs = 1;
  bool faults = true;
  Goals goals = Goals::all;
  std::filesystem::path out;
};

struct CampaignEnd {
  properties::SearchResult result;
  std::vector<std::string> unreached;
  Exit exit = Exit::held;
  std::string why;   // one line for `inconclusive`
  std::string file;  // the counterexample's, where there is one
  std::optional<Replay> replay;
  double seconds = 0;
};

CampaignEnd hunt(const Campaign& campaign, const properties::MakeRig& make);

// Without anything that depends on the machine's speed.
Json campaign_json(const Campaign& campaign, const CampaignEnd& end);
std::string told_campaign(const Campaign& campaign, const CampaignEnd& end);

}  // namespace leaseproof::scenarios::cli
