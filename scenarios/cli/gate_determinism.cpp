// Same seed, same bytes: on one thread and on two, in this process and in another.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "scenarios/cli/campaign.hpp"
#include "scenarios/cli/gate.hpp"
#include "scenarios/cli/tracing.hpp"

namespace leaseproof::scenarios::cli {

namespace {

bool searches_agree(const GatePlan& plan, const Folder& folder) {
  constexpr std::int64_t enough = 200;
  std::vector<std::string> documents;
  for (const int jobs : {1, 2, 1}) {
    Campaign campaign = campaign_of(plan, in_memory);
    campaign.name = "gate determinism";
    campaign.runs = std::min(plan.runs, enough);
    campaign.seconds.reset();
    campaign.jobs = jobs;
    campaign.goals = Goals::none;
    documents.push_back(
        canonical(campaign_json(campaign, hunt(campaign, engine_named(in_memory, folder)))));
  }
  return documents[0] == documents[1] && documents[0] == documents[2];
}

// The file that runs, also where another has taken its place since.
std::filesystem::path this_program() { return fmt::format("/proc/{}/exe", ::getpid()); }

// Empty, or where the runs of this engine differ first, and between which processes.
std::string first_differing_step(const GatePlan& plan, const Folder& folder,
                                 std::string_view engine, std::size_t& compared) {
  constexpr std::int64_t sample = 40;
  const TracePlan traced{std::string(engine), plan.seed, std::min(plan.runs, sample)};
  const auto here = [&] {
    return step_digests(engine_named(engine, folder), shared_decoder(engine), traced);
  };
  const std::vector<std::string> first = here();
  compared += first.size();
  std::string at = first_difference(first, here());
  std::string_view where = "in the same process";
  if (at.empty()) {
    const auto program = plan.program.empty() ? this_program() : plan.program;
    at = first_difference(first, digests_of_another_process(program, traced, folder));
    where = "in another process";
  }
  if (at.empty()) return {};
  return fmt::format("engine {}, seed {}, {} is not the same {}", engine, plan.seed, at, where);
}

}  // namespace

Phase same_seed_same_result(const GatePlan& plan, const Folder& folder) {
  Phase phase;
  const bool same = searches_agree(plan, folder);
  std::string differs;
  if (!same) differs = "the same seed gave different results";
  std::size_t compared = 0;
  try {
    for (const std::string_view engine : {in_memory, on_simulated_disk}) {
      if (differs.empty()) differs = first_differing_step(plan, folder, engine, compared);
    }
  } catch (const EnvironmentFailed& failed) {
    // What the other phases found is told all the same.
    phase.exit = Exit::environment;
    phase.summary = failed.text;
    for (const std::string& line : failed.log) phase.story += fmt::format("  log: {}\n", line);
    phase.document = {{"same", nullptr}, {"compared", compared}};
    return phase;
  }
  phase.exit = differs.empty() ? Exit::held : Exit::inconclusive;
  phase.summary = differs.empty() ? fmt::format(
                                        "one seed, three searches, one result on one thread and on "
                                        "two; {} lines of traces twice here and once in another "
                                        "process, byte for byte",
                                        compared)
                                  : differs;
  phase.document = {{"same", differs.empty()}, {"compared", compared}};
  if (!differs.empty()) phase.document["differs"] = differs;
  return phase;
}

}  // namespace leaseproof::scenarios::cli
