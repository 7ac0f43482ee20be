// verify: what was done to a database, judged afterwards by its journal.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/stopwatch.hpp"
#include "scenarios/journal_verdict.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct VerifyOptions {
  std::string db;
  std::int64_t clock_slack_us = 0;
  bool json = false;
};

Exit exit_of(JournalVerdict::End end) {
  switch (end) {
    case JournalVerdict::End::sound:
      return Exit::held;
    case JournalVerdict::End::wrong:
    case JournalVerdict::End::damaged:
      return Exit::violation;
    case JournalVerdict::End::midway:
      return Exit::inconclusive;
  }
  return Exit::inconclusive;
}

std::string_view word_of_end(JournalVerdict::End end) {
  switch (end) {
    case JournalVerdict::End::sound:
      return "sound";
    case JournalVerdict::End::wrong:
      return "wrong";
    case JournalVerdict::End::damaged:
      return "damaged";
    case JournalVerdict::End::midway:
      return "midway";
  }
  return {};
}

std::string text_of(const VerifyOptions& options, const JournalVerdict& verdict, double seconds) {
  const double events = static_cast<double>(verdict.events);
  const std::string read =
      fmt::format("{}: {} events of {} calls, {:.2f} s ({:.0f} events/s)\n", options.db,
                  verdict.events, verdict.calls, seconds, seconds > 0 ? events / seconds : 0);
  switch (verdict.end) {
    case JournalVerdict::End::sound:
      return read + "each is legal where it stands, and the tables are what they tell\n";
    case JournalVerdict::End::wrong:
      return read + "journal_is_truth (I11) is broken: " + verdict.why + "\n" + verdict.explanation;
    case JournalVerdict::End::damaged:
      return "the file is damaged: " + verdict.why + "\n";
    case JournalVerdict::End::midway:
      return "inconclusive: " + verdict.why + "\n";
  }
  return {};
}

Exit run(const VerifyOptions& options) {
  ReadOnlyDatabase database(options.db);
  const Stopwatch watch;
  const JournalVerdict verdict = verify_journal(database.connection(), options.clock_slack_us);
  const double seconds = watch.seconds();
  if (verdict.end == JournalVerdict::End::sound) database.check_fault();
  const Exit exit = exit_of(verdict.end);
  if (!options.json) {
    print(text_of(options, verdict, seconds));
    return exit;
  }
  Json document{{"db", options.db},
                {"events", verdict.events},
                {"calls", verdict.calls},
                {"journal", word_of_end(verdict.end)},
                {"violation", nullptr}};
  if (verdict.end == JournalVerdict::End::wrong || verdict.end == JournalVerdict::End::damaged) {
    document["violation"] = {{"invariant", "journal_is_truth"},
                             {"seq", verdict.seq},
                             {"why", verdict.why},
                             {"explanation", verdict.explanation}};
  } else if (!verdict.why.empty()) {
    document["why"] = verdict.why;
  }
  return print_result(std::move(document), "verify", exit, {{"seconds", seconds}});
}

}  // namespace

void add_verify(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Replays a database's journal through the model; changes nothing");
  command->add_option("--db", options->db, "The database file")->required();
  command
      ->add_option("--clock-slack-us", options->clock_slack_us,
                   "By how much clocks may differ, as the engines were given it")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
