#include "scenarios/cli/tracing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "model/sha256.hpp"
#include "properties/judgement.hpp"
#include "scenarios/json.hpp"
#include "scenarios/pipe/process.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/reply.hpp"
#include "scenarios/step_codec.hpp"

namespace leaseproof::scenarios::cli {

namespace {
// A sample takes a second or two; a sanitizer takes twenty times that.
constexpr int patience_ms = 120'000;

std::string label_of(const std::string& line) { return line.substr(0, line.find(':')); }
}  // namespace

std::vector<std::string> step_digests(const properties::MakeRig& make,
                                      const properties::JournalDecoder& decode,
                                      const TracePlan& plan) {
  std::vector<std::string> lines;
  std::int64_t run = 0;
  std::string step_text;
  std::string journal_text;
  properties::SearchOptions options;
  options.seed = plan.seed;
  options.runs = plan.runs;
  options.shrink = false;
  options.runner.shows_fair_steps = true;
  options.runner.on_call = [&](const properties::CallSeen& seen) {
    step_text += fmt::format("{} {} {} {} ", seen.common_us, seen.fact.given.now_us,
                             static_cast<int>(seen.fact.ended), seen.fact.fired);
    step_text += canonical(reply_json(seen.fact.outcome));
  };
  options.runner.on_step = [&](std::size_t at, const properties::Step& step, const model::Outcome&,
                               const model::Observation& seen) {
    write_step(step_text, step, {});
    step_text += canonical(observation_json(seen));
    lines.push_back(fmt::format("run {}, step {}: {}", run, at + 1, model::sha256_hex(step_text)));
    step_text.clear();
  };
  if (decode) {
    options.runner.decode = [&](const properties::JournalEvent& event) {
      journal_text +=
          fmt::format("{} {} {} {} {} {} {} {}\n", event.seq, event.call, event.at_us,
                      event.generation, event.workflow, event.op, event.kind, event.detail);
      return decode(event);
    };
  }
  options.progress = [&](std::int64_t done) {
    lines.push_back(fmt::format("run {}, journal: {}", run, model::sha256_hex(journal_text)));
    journal_text.clear();
    step_text.clear();
    run = done;
  };
  const auto result = properties::search(make, options);
  if (const auto& found = result.counterexample) {
    lines.push_back(fmt::format("run {}, violation: {}", found->run, found->violation.invariant));
  }
  return lines;
}

std::vector<std::string> digests_of_another_process(const std::filesystem::path& program,
                                                    const TracePlan& plan, const Folder& folder) {
  const std::string command = fmt::format(
      "TZ=Pacific/Chatham LC_ALL=C.UTF-8 exec {} traces --engine {} --seed {} --runs {}",
      shell_word(program.string()), shell_word(plan.engine), plan.seed, plan.runs);
  std::vector<std::string> lines;
  try {
    const ProcessGuard guard(folder.path().string());
    Program other(command, folder.path().string(), guard);
    for (;;) {
      const Heard heard = other.wait(patience_ms);
      if (heard.what == Heard::What::line) {
        lines.emplace_back(heard.line);
        continue;
      }
      if (heard.what == Heard::What::ended && heard.end.signal == 0 && heard.end.code == 0) break;
      const bool late = heard.what == Heard::What::late;
      throw EnvironmentFailed{
          fmt::format("{} traces {}", program.string(),
                      late ? "said nothing for too long" : "ended with " + heard.end.text()),
          other.log()};
    }
  } catch (const std::system_error& problem) {
    throw EnvironmentFailed{fmt::format("no other process can be had: {}", problem.what())};
  }
  return lines;
}

std::string first_difference(const std::vector<std::string>& here,
                             const std::vector<std::string>& there) {
  const auto [a, b] = std::mismatch(here.begin(), here.end(), there.begin(), there.end());
  if (a != here.end()) return label_of(*a);
  return b == there.end() ? std::string() : label_of(*b);
}

}  // namespace leaseproof::scenarios::cli
