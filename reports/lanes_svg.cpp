#include "reports/lanes_svg.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reports/escape.hpp"
#include "reports/markup.hpp"

namespace leaseproof::reports {

namespace {

constexpr double lanes_head = 46;
constexpr double line_height = 16;
constexpr double char_width = 7.25;  // of the monospaced face at 12 px
constexpr double step_right = 40;
constexpr double time_right = 128;
constexpr double lanes_left = 144;
constexpr double bar_width = 9;
constexpr std::size_t bar_slots = 4;

// A word or sentence of the file, with what is put before it.
struct Line {
  std::string mark;
  Figure words;
  std::string tone;
};

struct Row {
  Place moment;
  std::vector<Line> lines;
  double top = 0;
  double height = 0;
  std::size_t lane = 0;
  std::int64_t at_us = 0;
  std::size_t depth = 0;
  [[nodiscard]] double middle() const { return top + 14; }
  [[nodiscard]] bool is(const char* key) const { return (moment / key).value() == Json(true); }
  [[nodiscard]] std::string phase() const { return (moment / "phase").text(); }
};

std::vector<Line> lines_of(const Place& moment) {
  std::vector<Line> lines;
  const std::string phase = (moment / "phase").text();
  const auto add = [&](const std::string& mark, const Place& place, const char* tone) {
    if (!place.text().empty()) lines.push_back({mark, figure(place), tone});
  };
  add(phase == "goes_on" ? "… goes on: " : "", moment / "says", "says");
  add("⇒ ", moment / "answer", "answer");
  add("because ", moment / "why", "why");
  if (!(moment / "beside").is_null()) add("✱ the model says ", moment / "beside", "bad");
  const Place fault = moment / "fault";
  if (!fault.is_null() && phase != "goes_on") {
    const bool fired = (fault / "fired").value().get<bool>();
    add(phase == "begins" ? "stands still: "
        : fired           ? "fault: "
                          : "fault that did not strike: ",
        fault / "told", fired ? "fault" : "why");
  }
  for (const Place& change : (moment / "changed").members()) add("", change, "changed");
  return lines;
}

class Drawing {
 public:
  Drawing(const Place& interleaving, double width)
      : picture_(interleaving), width_(width), lanes_((interleaving / "lanes").members()) {
    const double room = lanes_.size() > 6 ? 66 : 88;
    lane_width_ = room;
    text_left_ = lanes_left + room * static_cast<double>(lanes_.size()) + 12;
    if (width_ < text_left_ + 400) width_ = text_left_ + 400;
    set();
  }

  std::string draw() {
    const double height = bottom_ + 8;
    std::string out;
    for (const Row& row : rows_) out += band(row);
    out += heads();
    for (std::size_t i = 0; i < lanes_.size(); ++i) out += lane(i);
    for (const auto& lease : (picture_ / "leases").members()) out += bar(lease);
    for (const Row& row : rows_) out += sign(row) + words(row);
    return svg("lanes", width_, height, out);
  }

 private:
  void set() {
    double top = lanes_head;
    for (const Place& moment : (picture_ / "moments").members()) {
      Row row{moment, lines_of(moment)};
      row.top = top;
      row.lane = static_cast<std::size_t>((moment / "lane").number());
      row.at_us = (moment / "at_us").number();
      row.depth = static_cast<std::size_t>((moment / "depth").number());
      std::size_t count = 0;
      for (const Line& line : row.lines) count += broken_line(row, line).size();
      row.height = static_cast<double>(std::max<std::size_t>(count, 1)) * line_height + 8;
      top += row.height;
      rows_.push_back(std::move(row));
    }
    bottom_ = top;
  }

  [[nodiscard]] double words_left(const Row& row) const {
    return text_left_ + static_cast<double>(std::min<std::size_t>(row.depth, 6)) * 16;
  }
  [[nodiscard]] std::vector<std::string> broken_line(const Row& row, const Line& line) const {
    const double room = (width_ - words_left(row)) / char_width;
    const auto whole = static_cast<std::size_t>(std::max(room, 24.0));
    const std::size_t mark = characters(line.mark);
    return broken(line.words.shown, whole > mark + 20 ? whole - mark : 20);
  }
  [[nodiscard]] double middle_of(std::size_t lane) const {
    return lanes_left + lane_width_ * static_cast<double>(lane) + 18;
  }

  // Behind a row: where the rule broke, or what ran while another call stood still.
  std::string band(const Row& row) const {
    std::string out;
    if (row.depth > 0) {
      out += element("rect", {{"class", "inner"},
                              {"x", px(0)},
                              {"y", px(row.top)},
                              {"width", px(width_)},
                              {"height", px(row.height)}});
    }
    if (row.is("broken")) {
      out += element("rect", {{"class", "broken"},
                              {"x", px(0)},
                              {"y", px(row.top)},
                              {"width", px(width_)},
                              {"height", px(row.height)}});
      out += element("rect", {{"class", "broken-edge"},
                              {"x", px(0)},
                              {"y", px(row.top)},
                              {"width", px(4)},
                              {"height", px(row.height)}});
    }
    return out;
  }

  std::string heads() const {
    std::string out = label("step", step_right, 24, "end", "head");
    out += label("time", time_right, 24, "end", "head");
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Figure name = figure(lanes_[i] / "name");
      const Figure kind = figure(lanes_[i] / "kind");
      const double x = middle_of(i) - 8;
      const std::size_t room = lane_width_ < 80 ? 7 : 10;
      out += written(shortened(name.shown, room), name, x, 20, "lane-name");
      if (kind.shown != name.shown) out += written(kind.shown, kind, x, 34, "lane-kind");
    }
    return out + label("call, answer and what it changed", text_left_, 24, "start", "head");
  }

  std::string lane(std::size_t index) const {
    const double x = middle_of(index);
    std::string out = line(x, lanes_head - 4, x, bottom_, "lane");
    // Dashed while a call of this lane stands still.
    std::vector<double> begun;
    for (const Row& row : rows_) {
      if (row.lane != index) continue;
      if (row.phase() == "begins") begun.push_back(row.middle());
      if (row.phase() == "goes_on" && !begun.empty()) {
        out += line(x, begun.back(), x, row.middle(), "still");
        begun.pop_back();
      }
    }
    return out;
  }

  // One bar in pieces: as long as the lease held, and after it had expired.
  std::string bar(const Place& lease) {
    const auto from = static_cast<std::size_t>((lease / "from").number());
    const Place end = lease / "to";
    const std::size_t to = end.is_null() ? rows_.size() : static_cast<std::size_t>(end.number());
    if (from >= rows_.size() || to > rows_.size()) return {};
    const auto lane = static_cast<std::size_t>((lease / "lane").number());
    const double x = middle_of(lane) + 10 + static_cast<double>(slot(lane, from, to)) * 12;
    std::string out;
    double top = rows_[from].middle();
    std::optional<bool> was;
    for (std::size_t i = from; i < to; ++i) {
      const bool expired = rows_[i].at_us >= expiry_at(lease, i);
      if (was && *was != expired) {
        out += piece(x, top, rows_[i].middle(), *was);
        top = rows_[i].middle();
      }
      was = expired;
    }
    const double last = to < rows_.size() ? rows_[to].middle() : bottom_;
    out += piece(x, top, last, was.value_or(false));
    if (to < rows_.size()) out += line(x - 2, last, x + bar_width + 2, last, "bar-end");
    const Figure op = figure(lease / "op");
    const Figure generation = figure(lease / "generation");
    const double y = rows_[from].middle() - 3;
    out += written(shortened(op.shown, 6), op, x + bar_width + 3, y, "bar-name");
    out += element("text", {{"class", "bar-name"}, {"x", px(x + bar_width + 3)}, {"y", px(y + 11)}},
                   "gen " + element("tspan", origin_of(generation), xml_text(generation.shown)));
    return out;
  }

  // Bars of one lane that stand at once stand beside each other.
  std::size_t slot(std::size_t lane, std::size_t from, std::size_t to) {
    std::vector<std::size_t>& free_from = slots_[lane];
    free_from.resize(bar_slots, 0);
    for (std::size_t i = 0; i < bar_slots; ++i) {
      if (free_from[i] > from) continue;
      free_from[i] = to;
      return i;
    }
    return bar_slots - 1;
  }

  static std::int64_t expiry_at(const Place& lease, std::size_t moment) {
    std::int64_t expiry = INT64_MAX;
    for (const Place& one : (lease / "expires").members()) {
      if (static_cast<std::size_t>((one / "from").number()) <= moment) {
        expiry = (one / "at_us").number();
      }
    }
    return expiry;
  }

  static std::string piece(double x, double top, double end, bool expired) {
    if (end <= top) return {};
    return element("rect", {{"class", expired ? "bar expired" : "bar"},
                            {"x", px(x)},
                            {"y", px(top)},
                            {"width", px(bar_width)},
                            {"height", px(end - top)}});
  }

  std::string sign(const Row& row) const {
    const double x = middle_of(row.lane);
    const double y = row.middle();
    std::string out;
    if (row.is("at_service")) out += at_service(x, y);
    if (row.is("crashed")) {
      out += line(x - 6, y - 6, x + 6, y + 6, "crash") + line(x - 6, y + 6, x + 6, y - 6, "crash");
    } else {
      out += element("circle", {{"class", row.phase() == "begins" ? "dot open" : "dot"},
                                {"cx", px(x)},
                                {"cy", px(y)},
                                {"r", px(5)}});
    }
    const Place fault = row.moment / "fault";
    const bool struck =
        !fault.is_null() && row.phase() != "goes_on" && (fault / "fired").value().get<bool>();
    if (struck) {
      out += element("path",
                     {{"class", "bolt"},
                      {"d", "M" + px(x - 15) + " " + px(y - 9) + "l-5 9h4l-3 8l8 -10h-4l4 -7z"}});
    }
    return out;
  }

  std::string at_service(double x, double y) const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if ((lanes_[i] / "kind").text() != "service") continue;
      const double there = middle_of(i);
      std::string out = there == x ? "" : line(x, y, there, y, "reach");
      return out + element("path", {{"class", "reached"},
                                    {"d", "M" + px(there - 7) + " " + px(y) + "l7 -7l7 7l-7 7z"}});
    }
    return {};
  }

  std::string words(const Row& row) const {
    const Figure path = figure(row.moment / "path");
    const Figure at = figure(row.moment / "at");
    std::string out = written(path.shown, path, step_right, row.middle() + 4, "step", "end");
    if (row.is("acts")) {
      out += written(shortened(at.shown, 12), at, time_right, row.middle() + 4, "time", "end");
    }
    double y = row.middle() + 4;
    const double left = words_left(row);
    for (const Line& one : row.lines) {
      const double indent = static_cast<double>(characters(one.mark)) * char_width;
      if (!one.mark.empty()) out += label(one.mark, left, y, "start", one.tone);
      const std::vector<std::string> lines = broken_line(row, one);
      std::string spans;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        spans += element("tspan", {{"x", px(left + indent)}, {"y", px(y)}}, xml_text(lines[i]));
        y += line_height;
      }
      Attributes attributes = origin_of(one.words);
      attributes.emplace_back("class", one.tone);
      out += element("text", attributes, spans);
    }
    return out;
  }

  static std::string shortened(const std::string& text, std::size_t room) {
    if (characters(text) <= room) return text;
    return broken(text, room - 1).front() + "…";
  }

  static std::string label(const std::string& words, double x, double y, const char* anchor,
                           const std::string& tone) {
    return element("text",
                   {{"class", tone},
                    {"x", px(x)},
                    {"y", px(y)},
                    {"text-anchor", anchor},
                    {"xml:space", "preserve"}},
                   xml_text(words));
  }

  // A figure that may have been cut; all of it is in its title.
  static std::string written(const std::string& what, const Figure& whole, double x, double y,
                             const char* tone, const char* anchor = "start") {
    Attributes attributes = origin_of(whole);
    attributes.insert(attributes.end(),
                      {{"class", tone}, {"x", px(x)}, {"y", px(y)}, {"text-anchor", anchor}});
    if (what == whole.shown) return element("text", attributes, xml_text(what));
    attributes.emplace_back("data-whole", whole.shown);
    return element("text", attributes,
                   xml_text(what) + element("title", {}, xml_text(whole.shown)));
  }

  static std::string line(double x1, double y1, double x2, double y2, const char* name) {
    return element(
        "line", {{"class", name}, {"x1", px(x1)}, {"y1", px(y1)}, {"x2", px(x2)}, {"y2", px(y2)}});
  }

  Place picture_;
  double width_;
  std::vector<Place> lanes_;
  double lane_width_ = 0;
  double text_left_ = 0;
  double bottom_ = 0;
  std::vector<Row> rows_;
  std::map<std::size_t, std::vector<std::size_t>> slots_;
};

}  // namespace

std::string lanes_svg(const Place& interleaving, double width) {
  return Drawing(interleaving, width).draw();
}

}  // namespace leaseproof::reports
