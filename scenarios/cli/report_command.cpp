// report: what earlier runs left, merged into one verdict with its evidence.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reports/intake.hpp"
#include "reports/report.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/file.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct ReportOptions {
  std::vector<std::filesystem::path> from;
  std::filesystem::path out = "leaseproof-report";
  std::vector<std::string> waived;
  bool json = false;
};

Exit exit_of(reports::Verdict verdict) {
  switch (verdict) {
    case reports::Verdict::ready:
      return Exit::held;
    case reports::Verdict::not_ready:
      return Exit::violation;
    case reports::Verdict::unknown:
      return Exit::inconclusive;
  }
  return Exit::inconclusive;
}

std::string is_waivable(const std::string& id) {
  std::string known;
  for (const reports::Rule& rule : reports::required_evidence()) {
    if (rule.id == id) return {};
    known += (known.empty() ? "" : ", ") + std::string(rule.id);
  }
  return fmt::format("'{}' is no evidence that can be waived; these can: {}", id, known);
}

std::string told(const reports::Judgement& judgement) {
  std::string text = fmt::format("{}\n", reports::word(judgement.verdict));
  for (const reports::Judged& one : judgement.rules) {
    if (one.reasons.empty()) continue;
    text += fmt::format("  {}{}, {} (the rule is: {})\n", one.waived ? "waived: " : "",
                        reports::word(one.rule->verdict), one.rule->id, one.rule->sentence);
    for (const reports::Text& reason : one.reasons) {
      text += fmt::format("    {}\n", printable(reason.plain()));
    }
  }
  return text;
}

Exit run(const ReportOptions& options) {
  std::vector<reports::Source> sources;
  try {
    sources = reports::read_results(options.from);
  } catch (const reports::InputRefused& refused) {
    throw InputWrong{refused.text};
  }
  const reports::Report report =
      reports::make_report(sources, {options.waived.begin(), options.waived.end()});
  std::string document;
  for (const auto& [name, content] : reports::files_of(report)) {
    if (const auto written = write_file(options.out / name, content); !written) {
      throw EnvironmentFailed{written.error().text};
    }
    if (name == "report.json") document = content;
  }
  if (options.json) {
    print(document);
  } else {
    print(told(report.judgement));
    print(fmt::format("{}\n", (options.out / "report.html").string()));
  }
  return exit_of(report.judgement.verdict);
}

}  // namespace

void add_report(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Merges the results of other commands into a verdict: ready, not ready or unknown");
  command
      ->add_option("--from", options->from,
                   "Folders in which, or below which, commands left their result.json")
      ->required();
  command->add_option("--out", options->out, "Folder for the report")->capture_default_str();
  command
      ->add_option("--waive", options->waived,
                   "Evidence that this verdict can do without, by the name of its rule")
      ->check(is_waivable);
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
