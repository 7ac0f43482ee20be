// stress: real threads, processes and kills over real files, and then the verdict of the journal.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "properties/stress.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stressing.hpp"
#include "scenarios/interleaving.hpp"
#include "scenarios/journal_course.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct StressOptions {
  properties::StressPlan plan;
  std::int64_t seconds = 10;
  std::int64_t kill_every_ms = 200;
  std::int64_t skew_ms = 0;
  std::string synchronous = "full";
  std::string bug;
  std::string out = "leaseproof-stress";
  bool json = false;
};

properties::StressPlan plan_of(const StressOptions& options) {
  properties::StressPlan plan = options.plan;
  plan.folder = options.out;
  plan.work_us = options.seconds * 1'000'000;
  plan.kill_every_us = options.kill_every_ms * 1'000;
  plan.skew_us = options.skew_ms * 1'000;
  plan.synchronous =
      options.synchronous == "full" ? engine::Synchronous::full : engine::Synchronous::normal;
  if (!options.bug.empty()) plan.bug = properties::find_concurrency_bug(options.bug)->bug;
  plan.stop = interrupted;
  std::error_code problem;
  if (!holds_no_more_than_a_result(plan.folder)) {
    throw InputWrong{
        fmt::format("--out: {} holds more than a result; name a new folder", options.out)};
  }
  std::filesystem::create_directories(plan.folder, problem);
  if (problem) {
    throw EnvironmentFailed{fmt::format("{} cannot be made: {}", options.out, problem.message())};
  }
  return plan;
}

std::string told(const JudgedStress& all, const std::string& folder) {
  const properties::StressEnd& end = all.end;
  const double seconds = static_cast<double>(end.worked_us) / 1e6;
  const auto each_second = [&](std::int64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  };
  std::string text = fmt::format(
      "{} workflows, {} ops, {} succeeded ({:.0f} ops/s), {} runs, {} at once in a process\n"
      "{} kills, {} takeovers, {} retries, {} leases lost, {} writes at the service\n"
      "{} acknowledged commits, {} events ({:.0f}/s) verified in {:.2f} s\n",
      end.workflows, end.ops, end.succeeded, each_second(end.ops), end.runs, end.overlap, end.kills,
      end.takeovers, end.retries, end.lost, end.writes, end.acknowledged, all.journal.events,
      each_second(all.journal.events), all.verify_seconds);
  if (all.journal.end != JournalVerdict::End::sound) {
    text += fmt::format("journal_is_truth (I11) is broken: {}\n{}", all.journal.why,
                        all.journal.explanation);
  }
  if (!end.invariant.empty()) text += fmt::format("{} is broken: {}\n", end.invariant, end.why);
  if (all.exit == Exit::violation) text += fmt::format("files    {}\n", folder);
  if (all.exit == Exit::inconclusive) {
    text += fmt::format("inconclusive: there never was {}\n", end.never);
  }
  if (all.exit == Exit::held) text += "nothing lost, nothing twice, every op settled\n";
  return text;
}

Json figures(const properties::StressEnd& end) {
  return {{"workflows", end.workflows},
          {"ops", end.ops},
          {"succeeded", end.succeeded},
          {"runs", end.runs},
          {"overlap", end.overlap},
          {"kills", end.kills},
          {"takeovers", end.takeovers},
          {"retries", end.retries},
          {"lost", end.lost},
          {"writes", end.writes},
          {"acknowledged", end.acknowledged}};
}

// Where an event shows it, with a picture of the calls that led there, and how to see more of them.
Json violation_json(const JudgedStress& all, const properties::StressPlan& plan) {
  Json json{{"invariant", all.invariant()}, {"why", all.why()}};
  if (!all.journal.explanation.empty()) json["explanation"] = all.journal.explanation;
  const std::int64_t seq = all.seq();
  if (seq == 0) return json;
  constexpr std::int64_t some = 20;
  const std::filesystem::path file = properties::database_of(plan);
  ReadOnlyDatabase database(file.string());
  const Course course = course_to(database.connection(), properties::clock_slack_of(plan), seq);
  database.check_fault();
  json["seq"] = seq;
  json["file"] = file.filename().string();
  json["replay_with"] = all.journal.end == JournalVerdict::End::sound
                            ? fmt::format("leaseproof events --after {} --limit {} --db",
                                          std::max<std::int64_t>(0, seq - some), some)
                            : std::string("leaseproof verify --db");
  if (!course.frames.empty()) {
    json["interleaving"] = interleaving_json(course, course.frames.size() - 1);
  }
  return json;
}

// Databases that show nothing are not left behind.
void remove_all_but_the_result(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != result_name) files.push_back(entry.path());
  }
  for (const auto& file : files) std::filesystem::remove_all(file, ignored);
}

Exit run(const StressOptions& options) {
  const properties::StressPlan plan = plan_of(options);
  const ResultFile result(plan.folder);
  const JudgedStress all = judged_stress(plan);
  if (!options.json) print(told(all, options.out));
  Json document{{"seed", plan.seed},
                {"processes", plan.processes},
                {"workers", plan.workers},
                {"skew_us", plan.skew_us},
                {"kill_every_us", plan.kill_every_us},
                {"synchronous", options.synchronous},
                {"figures", figures(all.end)},
                {"events", all.journal.events},
                {"violation", nullptr}};
  if (!options.bug.empty()) document["bug"] = options.bug;
  if (!all.invariant().empty()) {
    document["violation"] = violation_json(all, plan);
  } else if (!all.end.never.empty()) {
    document["why"] = "there never was " + all.end.never;
  }
  result.conclude(std::move(document), "stress", all.exit,
                  {{"seconds", static_cast<double>(all.end.worked_us) / 1e6},
                   {"settled_seconds", static_cast<double>(all.end.settled_us) / 1e6},
                   {"verify_seconds", all.verify_seconds}},
                  options.json);
  if (all.exit == Exit::held) remove_all_but_the_result(plan.folder);
  return all.exit;
}

}  // namespace

void add_stress(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<StressOptions>();
  CLI::App* command = app.add_subcommand(
      "stress", "Works with real threads and processes, kills some, and verifies what is left");
  command
      ->add_option("--processes", options->plan.processes,
                   "That work, beside the one that brings it")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--workers", options->plan.workers, "Threads that run ops, in each process")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "For so long new work is brought")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  command->add_option("--kill-every", options->kill_every_ms, "Milliseconds; 0 kills nobody")
      ->check(CLI::Range(0, 3'600'000))
      ->capture_default_str();
  command->add_option("--skew", options->skew_ms, "Milliseconds that each clock may be off")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str();
  command->add_option("--seed", options->plan.seed, "Of what is drawn; the machine does the rest")
      ->capture_default_str();
  command->add_option("--synchronous", options->synchronous, "full or normal")
      ->check(CLI::IsMember({"full", "normal"}))
      ->capture_default_str();
  command
      ->add_option("--bug", options->bug,
                   "Plants a bug of concurrency, to see what finding it is like")
      ->check(is_concurrency_bug);
  command
      ->add_option("--out", options->out,
                   "Folder for result.json and the databases, new, empty or with a result alone; "
                   "databases stay where they show something")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
