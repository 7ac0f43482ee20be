#include "scenarios/cli/failing_moment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "properties/moment.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios::cli {

namespace {

constexpr std::size_t widest_bar = 40;
constexpr std::size_t step_width = 46;

// In eighths of a column, so that a small chance shows.
std::string bar(std::int64_t count, std::int64_t of) {
  constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::int64_t eighths = count * static_cast<std::int64_t>(widest_bar) * 8 / of;
  if (count > 0) eighths = std::max<std::int64_t>(1, eighths);
  std::string text;
  for (std::int64_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(parts[static_cast<std::size_t>(eighths % 8)]);
}

std::string percent(std::int64_t count, std::int64_t of) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

std::string prose(const std::string& text) {
  std::string out;
  for (const std::string& line : wrapped(text, page_width - 2)) out += "  " + line + "\n";
  return out;
}

std::string moment(const std::vector<std::int64_t>& violated, std::size_t steepest,
                   std::int64_t of) {
  if (steepest == 0) return "The moment: no step makes it more likely.";
  const auto rise = [&](std::size_t step) {
    return fmt::format("from {} to {}", percent(violated[step - 1], of),
                       percent(violated[step], of));
  };
  const std::string text =
      fmt::format("The moment: step {}, which raises it {}.", steepest, rise(steepest));
  if (steepest + 1 < violated.size()) return text;
  // Where it happens it is certain; what made it possible may lie further back.
  const std::size_t ground = properties::steepest_step({violated.begin(), violated.end() - 1});
  if (ground == 0) return text + " No step before raises it.";
  return text + fmt::format(" Of those before, step {} raises it most, {}.", ground, rise(ground));
}

}  // namespace

std::string told_moment(const Scenario& scenario, const Replay& replay, std::string_view engine,
                        const Folder& folder, const MomentRequest& request) {
  if (!replay.violation) return prose("The moment: nothing is violated here, so there is none.");
  const properties::Violation& violation = *replay.violation;
  if (violation.invariant == properties::as_expected) {
    return prose(
        "The moment: there is none, for only the file itself expects something; steps "
        "drawn at random do not.");
  }
  properties::Case failing{scenario.config, scenario.steps};
  const std::size_t until = std::min(violation.step + 1, failing.steps.size());
  failing.steps.erase(failing.steps.begin() + static_cast<std::ptrdiff_t>(until),
                      failing.steps.end());
  properties::MomentOptions options;
  options.seed = request.seed;
  options.continuations = request.continuations;
  options.runner.decode = shared_decoder(engine);
  options.stop = interrupted;
  const auto violated = properties::violated_after(engine_named(engine, folder), failing,
                                                   violation.invariant, options);
  const std::size_t steepest = properties::steepest_step(violated);

  const std::int64_t of = request.continuations;
  std::string out = prose(fmt::format(
      "How likely {} is to be broken after each step: {} runs from there, each going on "
      "with {} random steps, seed {}",
      violation.invariant, of, options.more, request.seed));
  for (std::size_t k = 0; k < violated.size(); ++k) {
    const std::string step =
        k == 0 ? "before the first" : told(failing.steps[k - 1], scenario.config);
    std::string line = fmt::format("{}{:>4}  {}  {:>8}  {}", k > 0 && k == steepest ? ">" : " ", k,
                                   padded(shortened(step, step_width), step_width),
                                   percent(violated[k], of), bar(violated[k], of));
    while (line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  if (violated.size() <= failing.steps.size()) return out + prose("interrupted");
  return out + prose(moment(violated, steepest, of));
}

}  // namespace leaseproof::scenarios::cli
