#include "scenarios/mermaid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "scenarios/lanes.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/story.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t longest_line = 90;

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

// Entities have a number or a name; `end` closes blocks, in whatever case.
bool is_end(std::string_view text, std::size_t at) {
  const auto is = [&](std::size_t offset, char lower) {
    return at + offset < text.size() && (text[at + offset] | 0x20) == lower;
  };
  if (!is(0, 'e') || !is(1, 'n') || !is(2, 'd')) return false;
  return (at == 0 || !is_word(text[at - 1])) && (at + 3 == text.size() || !is_word(text[at + 3]));
}

class Diagram {
 public:
  explicit Diagram(const Course& course) : course_(course) {
    out_ = "sequenceDiagram\n";
    std::size_t number = 0;
    for (const Lane& lane : course.lanes) {
      if (lane.kind == Lane::Kind::service) continue;
      ids_.push_back(fmt::format("p{}", ++number));
      participant(ids_.back(), lane.name);
    }
    participant("engine", "engine");
    for (const Lane& lane : course.lanes) {
      if (lane.kind != Lane::Kind::service) continue;
      ids_.emplace_back("service");
      participant("service", "service");
    }
  }

  // `broken`: empty, or the sentence about it.
  void step(const Frame& frame, const std::string& path, const std::string& broken) {
    if (!broken.empty()) line("rect rgb(255, 221, 221)");
    Happening top = frame.top;
    if (!top.stood_still()) top.changed = frame.changed;
    happening(top, path);
    if (!broken.empty()) {
      if (top.stood_still() && !frame.beyond_the_model.empty()) {
        std::vector<std::string> beyond{"but the engine shows"};
        beyond.insert(beyond.end(), frame.beyond_the_model.begin(), frame.beyond_the_model.end());
        note("right of engine", beyond);
      }
      end(broken);
    }
  }
  void fair() { note("over engine", {"from here on everybody acts fairly"}); }
  void after(const std::string& broken) {
    line("rect rgb(255, 221, 221)");
    end(broken);
  }

  std::string take() { return std::move(out_); }

 private:
  void participant(const std::string& id, const std::string& name) {
    line(fmt::format("participant {} as {}", id, mermaid_text(name)));
  }
  void line(const std::string& text) { out_ += "    " + text + "\n"; }
  void end(const std::string& broken) {
    note("over engine", {broken});
    line("end");
  }
  void message(const std::string& from, std::string_view arrow, const std::string& to,
               const std::string& text) {
    line(fmt::format("{}{}{}: {}", from, arrow, to, mermaid_text(text)));
  }
  void note(const std::string& where, const std::vector<std::string>& texts) {
    std::vector<std::string> lines;
    for (const std::string& text : texts) {
      for (const std::string& part : wrapped(text, longest_line / 2)) {
        lines.push_back(mermaid_text(part));
      }
    }
    line(fmt::format("Note {}: {}", where, fmt::join(lines, "<br/>")));
  }

  const std::string& id_of(const Lane& lane) const {
    const auto found = std::find(course_.lanes.begin(), course_.lanes.end(), lane);
    return ids_[static_cast<std::size_t>(found - course_.lanes.begin())];
  }

  void happening(const Happening& happening, const std::string& path) {
    const model::Action& action = happening.step.action;
    const std::string& who = id_of(happening.lane);
    const std::string asked =
        path + " " + shortened(told(happening.step, course_.config), longest_line);
    if (happening.lane.kind == Lane::Kind::clock) {
      note("over " + who, {fmt::format("{}, now {}", asked, told_time(happening.common_us))});
      return;
    }
    if (std::holds_alternative<model::Forget>(action)) {
      note("over " + who, {asked});
      return;
    }
    const bool at_service = std::holds_alternative<model::Call>(action);
    const std::string to = happening.lane.kind == Lane::Kind::service ? who
                           : at_service                               ? "service"
                                                                      : "engine";
    message(who, "->>", to, asked);
    const bool acted = happening.stood_still() && has_acted_at(happening.step.fault->plan.point);
    if (happening.stood_still()) {
      const std::string place = told_place(happening.step.fault->plan.point);
      note("over " + who, {"stands still " + place});
      if (acted && !happening.changed.empty()) note("right of " + to, happening.changed);
      std::size_t number = 0;
      for (const Happening& inner : happening.inner) {
        this->happening(inner, fmt::format("{}.{}", path, ++number));
      }
    } else if (happening.step.fault && happening.fired) {
      note("over " + to, {"fault: " + told_fault(*happening.step.fault)});
    }
    if (!acted && !happening.changed.empty()) note("right of " + to, happening.changed);
    const std::string answer = path + " " + shortened(told(happening.outcome), longest_line);
    const bool dies = happening.outcome.word == model::Word::crashed;
    message(to, dies ? "--x" : "-->>", who, answer);
    if (!happening.why.empty()) note("over " + to, {happening.why});
    if (happening.expected) {
      note("over " + to, {"the model says " + told(*happening.expected) +
                          (happening.expected_why.empty() ? "" : ": " + happening.expected_why)});
    }
  }

  const Course& course_;
  std::vector<std::string> ids_;  // of the lanes
  std::string out_;
};

}  // namespace

std::string mermaid_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool its_own = std::string_view("#;:%\"<>&`$\\").find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (its_own || byte < 0x20 || is_end(text, i)) {
      out += fmt::format("#{};", static_cast<int>(byte));
    } else {
      out += c;
    }
  }
  return out;
}

std::string mermaid(const Course& course, const properties::Violation* violation) {
  Diagram diagram(course);
  const std::size_t count = course.frames.size();
  const std::string broken =
      violation == nullptr
          ? std::string()
          : fmt::format("{} is broken: {}", violation->invariant, printable(violation->why));
  for (std::size_t i = 0; i < count; ++i) {
    const bool here = violation != nullptr && violation->step == i;
    diagram.step(course.frames[i], std::to_string(i + 1), here ? broken : std::string());
  }
  if (!course.fair.empty()) diagram.fair();
  for (std::size_t i = first_fair_step_shown(course); i < course.fair.size(); ++i) {
    diagram.step(course.fair[i], fmt::format("+{}", i + 1), {});
  }
  if (violation != nullptr && violation->step >= count) diagram.after(broken);
  return diagram.take();
}

}  // namespace leaseproof::scenarios
