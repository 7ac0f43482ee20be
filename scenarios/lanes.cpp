#include "scenarios/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/story.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t path_width = 7;
constexpr std::size_t time_width = 11;
constexpr std::size_t longest_name = 10;

class Rows {
 public:
  Rows(const Course& course, bool marked) : course_(course), marked_(marked) {}

  void head() {
    std::string names;
    for (const Lane& lane : course_.lanes) {
      names += padded(shortened(lane.name, longest_name), width_of(lane));
    }
    out_ += " " + padded("step", path_width) + padded_left("time", time_width) + "  " + names +
            " call ⇒ answer; beneath it what changed\n";
  }

  void happening(const Happening& happening, const std::string& path, std::size_t depth) {
    depth_ = depth;
    if (happening.stood_still()) {
      around(happening, path);
      return;
    }
    row(path, happening, end_of(happening),
        told(happening.step, course_.config) + answer(happening));
    fault(happening);
    model_says(happening);
    lines(happening.changed);
  }

  // Beyond what the calls one by one account for.
  void beyond(const std::vector<std::string>& changed) {
    depth_ = 0;
    for (const std::string& line : changed) text("✱ but the engine: " + line);
  }

  std::string take() { return std::move(out_); }

 private:
  static std::size_t width_of(const Lane& lane) {
    return std::min(columns(lane.name), longest_name) + 2;
  }

  std::size_t lane_index(const Lane& lane) const {
    const auto found = std::find(course_.lanes.begin(), course_.lanes.end(), lane);
    return static_cast<std::size_t>(found - course_.lanes.begin());
  }

  // A call that stands still: its beginning, what runs meanwhile, and how it goes on. It takes
  // effect at one of the two, and there stand the time, the service and the changes.
  void around(const Happening& happening, const std::string& path) {
    const std::size_t depth = depth_;
    const faults::Point point = happening.step.fault->plan.point;
    const std::size_t lane = lane_index(happening.lane);
    const bool acted = has_acted_at(point);
    row(path, happening, "○", told(happening.step, course_.config), acted);
    text(fmt::format("… stands still {} ({})", told_place(point), faults::point_names[point]));
    if (acted) lines(happening.changed);
    const bool stood = !standing_.insert(lane).second;
    std::size_t number = 0;
    for (const Happening& inner : happening.inner) {
      this->happening(inner, fmt::format("{}.{}", path, ++number), depth + 1);
    }
    if (!stood) standing_.erase(lane);
    depth_ = depth;
    row(path, happening, end_of(happening),
        fmt::format("… {} goes on{}", model::do_word(happening.step.action), answer(happening)),
        !acted);
    model_says(happening);
    if (!acted) lines(happening.changed);
  }

  static std::string end_of(const Happening& happening) {
    return happening.outcome.word == model::Word::crashed ? "✗" : "●";
  }

  static std::string answer(const Happening& happening) {
    const auto& action = happening.step.action;
    const bool plain = std::holds_alternative<model::Advance>(action) ||
                       std::holds_alternative<model::Forget>(action);
    if (plain && happening.outcome.word == model::Word::ok) return {};
    return " ⇒ " + told(happening.outcome) +
           (happening.why.empty() ? "" : ", because " + happening.why);
  }

  void fault(const Happening& happening) {
    if (!happening.step.fault) return;
    const properties::StepFault& planned = *happening.step.fault;
    const std::string place = told_place(planned.plan.point);
    const std::string struck = place.empty() ? place : ", " + place;
    text(fmt::format("fault: {}{}", told_fault(planned),
                     happening.fired ? struck : ": did not fire, the call did not come by there"));
  }

  void model_says(const Happening& happening) {
    if (!happening.expected) return;
    text(fmt::format("✱ the model says {}{}", told(*happening.expected),
                     happening.expected_why.empty() ? "" : ", because " + happening.expected_why));
  }

  void lines(const std::vector<std::string>& changed) {
    for (const std::string& line : changed) text(line);
  }

  std::string glyphs(std::size_t active, const std::string& glyph, bool at_service) const {
    std::string out;
    for (std::size_t i = 0; i < course_.lanes.size(); ++i) {
      const Lane& lane = course_.lanes[i];
      std::string shown = standing_.contains(i) ? "┊" : "│";
      if (i == active) {
        shown = glyph;
      } else if (at_service && lane.kind == Lane::Kind::service) {
        shown = "◆";
      }
      out += padded(shown, width_of(lane));
    }
    return out;
  }

  void row(const std::string& path, const Happening& happening, const std::string& glyph,
           const std::string& what, bool acts = true) {
    const std::string time = acts ? told_time(happening.common_us) : std::string();
    const std::string begin =
        (marked_ ? ">" : " ") + padded(path, path_width) + padded_left(time, time_width) + "  " +
        glyphs(lane_index(happening.lane), glyph, acts && is_at_service(happening.step.action));
    set(begin, what, 4);
  }

  [[nodiscard]] std::string empty_row() const {
    return std::string(1 + path_width + time_width + 2, ' ') +
           glyphs(course_.lanes.size(), "", false);
  }

  void text(const std::string& what) { set(empty_row(), "  " + what, 6); }

  void set(std::string begin, const std::string& what, std::size_t indent) {
    std::string inside;
    for (std::size_t i = 0; i < depth_; ++i) inside += "┆ ";
    const std::size_t used = columns(begin) + 1 + columns(inside);
    const std::size_t room = used + 40 > page_width ? 40 : page_width - used;
    for (const std::string& line : wrapped(what, room, indent)) {
      std::string whole = begin + " " + inside + line;
      while (whole.back() == ' ') whole.pop_back();
      out_ += whole + "\n";
      begin = empty_row();
    }
  }

  const Course& course_;
  bool marked_;
  std::string out_;
  std::size_t depth_ = 0;
  std::set<std::size_t> standing_;
};

}  // namespace

std::string told_place(faults::Point point) {
  if (point == faults::observer_notify) return "while observers are told";
  if (point == faults::effect_before_call) return "before its request goes out";
  if (point == faults::effect_after_call) return "before it hears the service";
  const auto place = faults::place_of(point);
  if (!place) return {};
  switch (*place) {
    case faults::Place::begin:
      return "before its transaction";
    case faults::Place::write:
      return "in its transaction, with the write lock";
    case faults::Place::commit:
      return "just before its COMMIT, with the write lock";
    case faults::Place::committed:
      return "just after its COMMIT, before it hears of it";
  }
  return {};
}

std::string lanes_head(const Course& course) {
  Rows rows(course, false);
  rows.head();
  return rows.take();
}

namespace {

std::string lanes_of_frame(const Course& course, const Frame& frame, const std::string& path,
                           bool marked) {
  Rows rows(course, marked);
  Happening top = frame.top;
  // A call on its own is shown with what the engine did, not with what it should have done.
  const bool alone = !top.stood_still();
  if (alone) top.changed = frame.changed;
  rows.happening(top, path, 0);
  if (!alone) rows.beyond(frame.beyond_the_model);
  return rows.take();
}

}  // namespace

std::string lanes_of_step(const Course& course, std::size_t index, bool marked) {
  return lanes_of_frame(course, course.frames[index], std::to_string(index + 1), marked);
}

std::string lanes_of_fair_steps(const Course& course) {
  if (course.fair.empty()) return {};
  const std::size_t count = course.fair.size();
  const std::size_t first = first_fair_step_shown(course);
  std::string out = " No step is left: from here on everybody acts fairly until all is settled";
  out += first > 0 ? fmt::format(" ({} such steps are left out)\n", first) : "\n";
  for (std::size_t i = first; i < count; ++i) {
    out += lanes_of_frame(course, course.fair[i], fmt::format("+{}", i + 1), i + 1 == count);
  }
  return out;
}

std::string lanes(const Course& course, std::size_t broken) {
  std::string out = lanes_head(course);
  for (std::size_t i = 0; i < course.frames.size(); ++i) {
    out += lanes_of_step(course, i, i == broken);
  }
  return out + lanes_of_fair_steps(course);
}

}  // namespace leaseproof::scenarios
