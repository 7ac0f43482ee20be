#include "scenarios/cli/stressing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios::cli {

namespace {
constexpr std::int64_t second_us = 1'000'000;
}  // namespace

std::string_view JudgedStress::invariant() const {
  if (journal.end != JournalVerdict::End::sound) return "journal_is_truth";
  return end.invariant;
}

const std::string& JudgedStress::why() const {
  return journal.end == JournalVerdict::End::sound ? end.why : journal.why;
}

std::int64_t JudgedStress::seq() const {
  return journal.end == JournalVerdict::End::sound ? end.seq : journal.seq;
}

JudgedStress judged_stress(const properties::StressPlan& plan) {
  JudgedStress all;
  all.end = properties::stress(plan, decode_journal);
  ReadOnlyDatabase database(properties::database_of(plan).string());
  const Stopwatch watch;
  all.journal = verify_journal(database.connection(), properties::clock_slack_of(plan));
  all.verify_seconds = watch.seconds();
  if (all.journal.end == JournalVerdict::End::sound) database.check_fault();
  if (!all.invariant().empty()) {
    all.exit = Exit::violation;
  } else if (interrupted()) {
    all.exit = Exit::interrupted;
  } else if (!all.end.never.empty()) {
    all.exit = Exit::inconclusive;
  }
  return all;
}

std::string is_concurrency_bug(const std::string& name) {
  if (properties::find_concurrency_bug(name) != nullptr) return {};
  std::vector<std::string_view> known;
  for (const auto& row : properties::concurrency_bugs()) known.push_back(row.name);
  return unknown_word("bug", name, known);
}

properties::StressPlan plan_of_hunt(const StressHunt& hunt, properties::ConcurrencyBug bug,
                                    std::int64_t number) {
  properties::StressPlan plan;
  plan.seed = hunt.seed + static_cast<std::uint64_t>(number);
  plan.bug = bug;
  plan.work_us = second_us;
  plan.folder = hunt.folder / fmt::format("stress-{}", number);
  plan.stop = interrupted;
  std::error_code problem;
  std::filesystem::create_directories(plan.folder, problem);
  if (problem) {
    throw EnvironmentFailed{
        fmt::format("{} cannot be made: {}", plan.folder.string(), problem.message())};
  }
  return plan;
}

HuntedMutant hunt_concurrency_bug(const properties::ConcurrencyBugRow& row,
                                  const StressHunt& hunt) {
  HuntedMutant hunted;
  hunted.name = row.name;
  hunted.change = row.suffering;
  hunted.source = row.source;
  const Stopwatch watch;
  while (hunted.end == Catch::survived && hunted.run < hunt.most && !interrupted()) {
    const properties::StressPlan plan = plan_of_hunt(hunt, row.bug, hunted.run);
    const JudgedStress judged = judged_stress(plan);
    ++hunted.run;
    if (judged.exit == Exit::violation) {
      hunted.by = judged.invariant();
      const bool is_it = std::ranges::find(row.caught_by, hunted.by) != row.caught_by.end();
      hunted.end = is_it ? Catch::violation : Catch::otherwise;
    }
    std::error_code ignored;
    std::filesystem::remove_all(plan.folder, ignored);
  }
  hunted.ms = watch.seconds() * 1e3;
  return hunted;
}

}  // namespace leaseproof::scenarios::cli
