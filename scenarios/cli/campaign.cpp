#include "scenarios/cli/campaign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "properties/goals.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/codec.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

constexpr std::int64_t without_end = INT64_MAX;

void keep_counterexample(const Campaign& campaign, const properties::MakeRig& make,
                         CampaignEnd& end) {
  const properties::Counterexample& found = *end.result.counterexample;
  std::string engine = campaign.engine;
  std::optional<properties::Rig> rig;
  Replay& replayed = end.replay.emplace();
  // The violation was seen: it outranks what has become of a program since.
  try {
    rig = make();
    engine = rig->sut->name();
  } catch (const properties::SutFailed& failed) {
    replayed.reason = failed.why;
  }
  const Scenario scenario = as_scenario(found, campaign.name, engine);
  const std::filesystem::path path =
      campaign.out / fmt::format("{}-{}-{}.json", found.violation.invariant, found.seed, found.run);
  if (const auto written = write_file(path, write_scenario(scenario)); !written) {
    throw EnvironmentFailed{written.error().text};
  }
  end.file = path.string();
  if (!rig) return;
  try {
    replayed = replay(scenario, *rig);
  } catch (const properties::SutFailed& failed) {
    replayed.reason = failed.why;
  }
}

std::vector<std::string> unreached(const Campaign& campaign, const properties::Tally& tally) {
  if (campaign.goals != Goals::disk_faults) return properties::unreached(tally, campaign.faults);
  std::vector<std::string> names;
  for (const properties::Hunt& hunt : properties::unfired(tally)) {
    if (!faults::needs_disk(hunt.point, hunt.kind)) continue;
    names.push_back(fmt::format("{} {}", faults::point_names[hunt.point], faults::word(hunt.kind)));
  }
  return names;
}

void judge(const Campaign& campaign, bool out_of_time, CampaignEnd& end) {
  if (end.result.counterexample) {
    end.exit = Exit::violation;
  } else if (interrupted()) {
    end.exit = Exit::interrupted;
  } else if (end.result.runs_done == 0) {
    end.exit = Exit::inconclusive;
    end.why = "nothing ran";
  } else if (out_of_time && campaign.runs > 0) {
    end.exit = Exit::inconclusive;
    end.why =
        fmt::format("the time ended after {} of {} runs", end.result.runs_done, campaign.runs);
  } else if (campaign.goals != Goals::none && !end.unreached.empty()) {
    end.exit = Exit::inconclusive;
    constexpr std::size_t told = 8;
    const std::size_t count = end.unreached.size();
    end.why = fmt::format(
        "{} goals were not reached: {}{}", count,
        fmt::join(end.unreached.begin(),
                  end.unreached.begin() + static_cast<std::ptrdiff_t>(std::min(told, count)), ", "),
        count > told ? ", …" : "");
  }
}

}  // namespace

CampaignEnd hunt(const Campaign& campaign, const properties::MakeRig& make) {
  CampaignEnd end;
  const Stopwatch watch;
  Progress progress(campaign.name, campaign.runs);
  std::atomic<bool> out_of_time{false};

  properties::SearchOptions options;
  options.seed = campaign.seed;
  options.runs = campaign.runs > 0 ? campaign.runs : without_end;
  options.workers = campaign.workers;
  options.faults = campaign.faults;
  options.jobs = campaign.jobs;
  options.stop = [&] {
    if (campaign.seconds && watch.seconds() >= *campaign.seconds) out_of_time = true;
    return out_of_time || interrupted();
  };
  options.progress = [&progress](std::int64_t done) { progress.at(done); };
  options.runner.decode = shared_decoder(campaign.engine);
  options.found = [&progress](const properties::Violation& violation) {
    progress.clear();
    say(fmt::format("found a violation of {}; shrinking it", violation.invariant));
  };
  try {
    end.result = properties::search(make, options);
  } catch (const properties::SutFailed& failed) {
    progress.clear();
    throw environment_of(failed);
  }
  progress.clear();
  end.unreached = unreached(campaign, end.result.tally);
  if (end.result.counterexample) keep_counterexample(campaign, make, end);
  judge(campaign, out_of_time, end);
  end.seconds = watch.seconds();
  return end;
}

Json campaign_json(const Campaign& campaign, const CampaignEnd& end) {
  Json json{{"name", campaign.name},
            {"engine", campaign.engine},
            {"seed", campaign.seed},
            {"workers", campaign.workers},
            {"faults", campaign.faults},
            {"runs_done", end.result.runs_done},
            {"tally", tally_json(end.result.tally)},
            {"coverage", coverage_json(end.result.coverage)},
            {"unreached", end.unreached},
            {"violation", nullptr},
            {"verdict", word(end.exit)}};
  if (!end.why.empty()) json["why"] = end.why;
  if (const auto& found = end.result.counterexample) {
    json["violation"] =
        kept_violation_json(found->violation, end.file, campaign.engine, end.replay);
    json["violation"]["run"] = found->run;
    json["violation"]["reproducible"] = found->reproducible;
    json["violation"]["steps"] = found->steps.size();
    json["violation"]["steps_before_shrinking"] = found->steps_before_shrinking;
  }
  return json;
}

std::string told_campaign(const Campaign& campaign, const CampaignEnd& end) {
  const properties::Tally& tally = end.result.tally;
  std::string out = fmt::format(
      "{}: seed {}, {} runs, {} steps, faults {}, {:.1f} s ({:.0f} steps/s)\n", campaign.name,
      campaign.seed, end.result.runs_done, tally.steps, campaign.faults ? "on" : "off", end.seconds,
      static_cast<double>(tally.steps) / std::max(end.seconds, 1e-9));
  if (end.replay) {
    const properties::Counterexample& found = *end.result.counterexample;
    out += fmt::format("VIOLATION of {} in run {}, shrunk from {} steps to {} in {} executions\n\n",
                       found.violation.invariant, found.run, found.steps_before_shrinking,
                       found.steps.size(), found.executions);
    if (end.replay->violation) {
      out += told_violation(*end.replay, end.file, campaign.engine);
    } else {
      out += fmt::format(
          "  {}\n  It did not occur again when the file was replayed: {}\n  file      {}\n",
          headline(found.violation), end.replay->reason.empty() ? "all held" : end.replay->reason,
          end.file);
    }
  }
  if (const auto last = end.result.coverage.last_new()) {
    out += fmt::format(
        "{} cells of status, action, answer and fault were reached, the last new one in run {}\n",
        end.result.coverage.cells().size(), *last);
  }
  if (!tally.whole && tally.runs > 0) {
    out += "no goals were asked for: this engine does not speak every word\n";
  }
  if (!end.why.empty()) out += fmt::format("inconclusive: {}\n", end.why);
  return out;
}

}  // namespace leaseproof::scenarios::cli
