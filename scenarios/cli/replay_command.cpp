#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/cli/failing_moment.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/cli/report.hpp"
#include "scenarios/cli/result_file.hpp"
#include "scenarios/cli/stepping.hpp"
#include "scenarios/explanation.hpp"
#include "scenarios/file.hpp"
#include "scenarios/mermaid.hpp"
#include "scenarios/replay.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct ReplayOptions {
  std::vector<std::string> files;
  EngineChoice engine;
  bool json = false;
  bool explain = false;
  bool step = false;
  bool mermaid = false;
  bool moment = false;
  MomentRequest request;
};

// What became of one file; the order of the words is that in which they outrank each other.
enum class Kind : std::uint8_t {
  violation,
  bad_file,
  unreadable,
  engine_gone,
  unsupported,
  not_followed,
  ok
};
constexpr std::array<std::string_view, 7> kind_words{
    "violation", "bad_file", "unreadable", "engine_gone", "unsupported", "not_followed", "ok"};

struct FileResult {
  std::string file;
  Kind kind = Kind::ok;
  std::string reason;
  Replay replay;
  std::string engine;
  Scenario scenario = {};
};

FileResult replay_file(const std::string& file, const EngineChoice& engine, const Folder& folder) {
  FileResult result{file, Kind::ok, {}, {}, engine.chosen()};
  const auto text = read_file(file);
  if (!text) {
    result.kind = text.error().environment ? Kind::unreadable : Kind::bad_file;
    result.reason = text.error().text;
    return result;
  }
  auto scenario = read_scenario(*text, file);
  if (!scenario) {
    result.kind = Kind::bad_file;
    result.reason = scenario.error();
    return result;
  }
  result.engine = engine_for(*scenario, result.engine);
  try {
    result.replay = replay(*scenario, engine_named(result.engine, folder, engine.timeout_ms())());
  } catch (const properties::SutFailed& failed) {
    const EnvironmentFailed told = environment_of(failed);
    result.kind = Kind::engine_gone;
    result.reason = told.text;
    say(fmt::format("{}: {}", file, told.text));
    for (const std::string& line : told.log) say("  log: " + line);
    return result;
  }
  result.scenario = std::move(*scenario);
  result.reason = result.replay.reason;
  switch (result.replay.verdict) {
    case Verdict::ok:
      result.kind = Kind::ok;
      break;
    case Verdict::violation:
      result.kind = Kind::violation;
      break;
    case Verdict::unsupported:
      result.kind = Kind::unsupported;
      break;
    case Verdict::not_followed:
      result.kind = Kind::not_followed;
      break;
  }
  return result;
}

std::string line_of(const FileResult& result) {
  const properties::Tally& tally = result.replay.tally;
  switch (result.kind) {
    case Kind::violation:
      return fmt::format("VIOLATION    {}: {}{}\n", result.file, headline(*result.replay.violation),
                         result.reason.empty() ? "" : " (" + result.reason + ")");
    case Kind::bad_file:
    case Kind::unreadable:
      return fmt::format("bad file     {}\n", result.reason);
    case Kind::engine_gone:
      return fmt::format("no answer    {}\n", result.file);
    case Kind::unsupported:
      return fmt::format("unsupported  {}: {}\n", result.file, result.reason);
    case Kind::not_followed:
      return fmt::format("not followed {}: {}\n", result.file, result.reason);
    case Kind::ok:
      break;
  }
  std::string note = result.reason;
  if (tally.not_fired > 0) {
    if (!note.empty()) note += "; ";
    note +=
        fmt::format("{} fault{} did not fire", tally.not_fired, tally.not_fired == 1 ? "" : "s");
  }
  return fmt::format("ok           {}{}\n", result.file, note.empty() ? "" : ": " + note);
}

Json json_of(const FileResult& result) {
  Json json{{"file", result.file},
            {"result", kind_words.at(static_cast<std::size_t>(result.kind))}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.replay.violation) json["violation"] = violation_json(*result.replay.violation);
  json["faults_not_fired"] = result.replay.tally.not_fired;
  json["steps"] = result.replay.tally.steps;
  return json;
}

Exit exit_of(const std::array<std::int64_t, kind_words.size()>& counts) {
  const auto any = [&counts](Kind kind) { return counts[static_cast<std::size_t>(kind)] > 0; };
  if (any(Kind::violation)) return Exit::violation;
  if (any(Kind::bad_file)) return Exit::wrong_input;
  if (any(Kind::unreadable) || any(Kind::engine_gone)) return Exit::environment;
  if (interrupted()) return Exit::interrupted;
  if (any(Kind::unsupported) || any(Kind::not_followed)) return Exit::inconclusive;
  return any(Kind::ok) ? Exit::held : Exit::inconclusive;
}

bool was_followed(const FileResult& result) {
  return result.kind == Kind::ok || result.kind == Kind::violation;
}

// Everything beyond the line that says what became of the file.
void print_more(const FileResult& result, const ReplayOptions& options, const Folder& folder) {
  if (!was_followed(result)) return;
  if (options.explain || options.step) print(introduction(result.scenario, result.engine));
  if (options.step) {
    step_through(result.replay, stdin);
  } else if (result.kind == Kind::violation) {
    print(told_violation(result.replay, result.file, result.engine));
  } else if (options.explain) {
    print(explanation(result.replay));
  }
  if (options.moment) {
    print("\n" +
          told_moment(result.scenario, result.replay, result.engine, folder, options.request));
  }
}

// Nothing but the diagram on standard output.
void print_diagram(const FileResult& result) {
  if (!was_followed(result)) {
    std::string line = line_of(result);
    line.pop_back();
    say(line);
    return;
  }
  const auto& violation = result.replay.violation;
  print(mermaid(result.replay.course, violation ? &*violation : nullptr));
}

// found/*.json leads to the result of the search as well.
bool is_left_out(const std::string& file, std::size_t given) {
  if (given < 2 || std::filesystem::path(file).filename() != result_name) return false;
  say(file + " is the result of a run and no trace; it is left out");
  return true;
}

Exit run(const ReplayOptions& options) {
  if (options.files.size() > 1 && (options.step || options.mermaid)) {
    throw InputWrong{fmt::format("{} takes one FILE, {} are given",
                                 options.step ? "--step" : "--mermaid", options.files.size())};
  }
  const Folder folder(options.engine.parent());
  std::array<std::int64_t, kind_words.size()> counts{};
  Json files = Json::array();
  for (const std::string& file : options.files) {
    if (interrupted()) break;
    if (is_left_out(file, options.files.size())) continue;
    const FileResult result = replay_file(file, options.engine, folder);
    ++counts.at(static_cast<std::size_t>(result.kind));
    if (options.json) {
      files.push_back(json_of(result));
    } else if (options.mermaid) {
      print_diagram(result);
    } else {
      print(line_of(result));
      print_more(result, options, folder);
    }
    // Each further file would most likely take a whole time-out.
    if (result.kind == Kind::engine_gone) break;
  }
  const Exit exit = exit_of(counts);
  Json by_word = Json::object();
  std::string summary;
  for (std::size_t i = kind_words.size(); i-- > 0;) {
    by_word[std::string(kind_words[i])] = counts[i];
    if (counts[i] > 0 || i + 1 == kind_words.size()) {
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", counts[i], kind_words[i]);
    }
  }
  if (options.json) {
    print_document(Json{{"command", "replay"},
                        {"engine", options.engine.chosen()},
                        {"counts", by_word},
                        {"files", files},
                        {"verdict", word(exit)},
                        {"exit", static_cast<int>(exit)}});
  } else if (options.files.size() > 1) {
    print(fmt::format("{} files: {}\n", options.files.size(), summary));
  }
  return exit;
}

}  // namespace

void add_replay(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Runs trace files and says for each what it shows");
  command->add_option("FILE", options->files, "Trace files")->required();
  add_engine_options(*command, options->engine);
  auto* json = command->add_flag("--json", options->json, "One JSON document on standard output");
  command
      ->add_flag(
          "--explain", options->explain,
          "Each step in the lane of who acts, what it changed, and which guard refused; also "
          "where all holds")
      ->excludes(json);
  auto* step = command
                   ->add_flag("--step", options->step,
                              "One step at a time: Enter, a number, s, m, q or ? on standard input")
                   ->excludes(json);
  auto* moment = command
                     ->add_flag("--moment", options->moment,
                                "After which step the violation becomes likely, by runs that go on "
                                "from each at random")
                     ->excludes(json);
  command->add_option("--continuations", options->request.continuations, "Runs from each step")
      ->check(is_count)
      ->needs(moment)
      ->capture_default_str();
  command->add_option("--seed", options->request.seed, "Of the runs of --moment")
      ->check(is_seed)
      ->needs(moment)
      ->capture_default_str();
  command
      ->add_flag("--mermaid", options->mermaid,
                 "Only a Mermaid sequence diagram of the run on standard output")
      ->excludes(json)
      ->excludes(step)
      ->excludes(moment)
      ->excludes("--explain");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
