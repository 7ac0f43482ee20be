#include "scenarios/cli/stepping.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/cli/command.hpp"
#include "scenarios/explanation.hpp"
#include "scenarios/lanes.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios::cli {

namespace {

constexpr std::string_view keys =
    "  Enter  the next step\n"
    "  NUMBER that step, from the start of the run\n"
    "  s      the whole state that the engine shows after this step\n"
    "  m      the model's, beside it what differs\n"
    "  ?      this\n"
    "  q      the end\n";

std::optional<std::string> typed(std::FILE* input) {
  std::string line;
  int c = std::fgetc(input);
  if (c == EOF) return std::nullopt;
  for (; c != EOF && c != '\n'; c = std::fgetc(input)) line += static_cast<char>(c);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

std::string line_of(const std::string& name, const std::vector<Field>& fields) {
  std::string line = fmt::format("  {}:", name);
  std::string_view between = " ";
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line +=
        fmt::format("{}{}{}{}", between, field.name, field.name.empty() ? "" : " ", field.value);
    between = ", ";
  }
  return line + "\n";
}

std::string whole(const model::Observation& observation) {
  std::string out;
  for (const Thing& thing : things(observation)) out += line_of(thing.name, thing.fields);
  for (const auto& [id, workflow] : observation.workflows) {
    std::vector<Field> counts;
    for (std::size_t i = 0; i < workflow.counts.size(); ++i) {
      if (workflow.counts[i] == 0) continue;
      counts.push_back(
          {std::string(model::Words<model::OpStatus>::all[i]), std::to_string(workflow.counts[i])});
    }
    out += line_of("ops of " + printable(id), counts);
  }
  return out + line_of("events", {{"", std::to_string(observation.events)}});
}

class Walk {
 public:
  explicit Walk(const Replay& replay) : replay_(replay) {}

  void show(std::size_t step) {
    at_ = step;
    const bool broken = replay_.violation && replay_.violation->step == step;
    print(lanes_of_step(replay_.course, step, broken));
    if (broken) print(verdict(replay_));
  }

  // False: that was all.
  bool take(const std::string& line) {
    const std::size_t count = replay_.course.frames.size();
    if (line == "q") return false;
    if (line == "?") {
      print(keys);
    } else if (line == "s") {
      print(whole(replay_.course.frames[at_].engine));
    } else if (line == "m") {
      const Frame& frame = replay_.course.frames[at_];
      const std::string differs = side_by_side(frame.model, frame.engine);
      print(whole(frame.model) + (differs.empty() ? "  The engine shows the same.\n" : differs));
    } else if (line.empty()) {
      if (at_ + 1 == count) {
        end();
        return false;
      }
      show(at_ + 1);
    } else {
      std::size_t number = 0;
      const char* const last = line.data() + line.size();
      const auto [end, problem] = std::from_chars(line.data(), last, number);
      if (problem == std::errc{} && end == last && number >= 1 && number <= count) {
        show(number - 1);
      } else {
        print(fmt::format("  '{}' is neither a key nor a step from 1 to {}; ? lists the keys\n",
                          printable(line), count));
      }
    }
    return true;
  }

 private:
  void end() {
    if (!replay_.violation) {
      print("  That was the last step; all held.\n");
    } else if (replay_.violation->step >= replay_.course.frames.size()) {
      print(lanes_of_fair_steps(replay_.course) + verdict(replay_));
    }
  }

  const Replay& replay_;
  std::size_t at_ = 0;
};

}  // namespace

void step_through(const Replay& replay, std::FILE* input) {
  if (replay.course.frames.empty()) {
    if (replay.violation) print(verdict(replay));
    return;
  }
  const std::string prompt = ::isatty(::fileno(input)) == 1 ? "step, s, m, q, ? > " : "";
  print("  Enter shows the next step, ? lists the keys.\n" + lanes_head(replay.course));
  Walk walk(replay);
  walk.show(0);
  while (true) {
    if (!prompt.empty()) print(prompt);
    const std::optional<std::string> line = typed(input);
    if (!line || !walk.take(*line)) break;
  }
}

}  // namespace leaseproof::scenarios::cli
