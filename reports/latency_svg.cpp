#include "reports/latency_svg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/escape.hpp"
#include "reports/markup.hpp"

namespace leaseproof::reports {

namespace {

constexpr double plot_label_width = 330;
constexpr double plot_right = 70;
constexpr double plot_top = 34;
constexpr double plot_row = 30;
constexpr double least_us = 0.1;
constexpr const char* const percentiles[] = {"p50_us", "p95_us", "p99_us", "p99_9_us"};

std::vector<Place> with_percentiles(const Evidence& evidence) {
  std::vector<Place> all;
  for (const Part& bench : evidence.benches) {
    for (const Place& one : (bench.place / "benchmarks").members()) {
      if (one.has("percentiles")) all.push_back(one);
    }
  }
  return all;
}

double exponent_of(const Place& value) {
  return std::log10(std::max(value.value().get<double>(), least_us));
}

// "100 µs", "10 ms".
std::string told_decade(int exponent) {
  static constexpr const char* const units[] = {" ns", " µs", " ms", " s"};
  const int nano = exponent + 3;
  const int unit = std::clamp(nano / 3, 0, 3);
  std::string text = "1";
  for (int i = unit * 3; i < nano; ++i) text += '0';
  return text + units[unit];
}

class Plot {
 public:
  Plot(std::vector<Place> rows, double width) : rows_(std::move(rows)), width_(width) {
    double least = 100;
    double most = -100;
    for (const Place& row : rows_) {
      for (const char* percentile : percentiles) {
        const double exponent = exponent_of(row / "percentiles" / percentile);
        least = std::min(least, exponent);
        most = std::max(most, exponent);
      }
    }
    first_ = static_cast<int>(std::floor(least));
    last_ = std::max(static_cast<int>(std::ceil(most)), first_ + 1);
  }

  std::string draw() const {
    const double height = plot_top + plot_row * static_cast<double>(rows_.size()) + 10;
    std::string out = axis(height - 10);
    double y = plot_top + plot_row / 2;
    for (const Place& row : rows_) {
      out += line_of(row, y);
      y += plot_row;
    }
    return svg("plot", width_, height, out);
  }

 private:
  [[nodiscard]] double x_of(double exponent) const {
    const double share = (exponent - first_) / static_cast<double>(last_ - first_);
    return plot_label_width + share * (width_ - plot_label_width - plot_right);
  }

  [[nodiscard]] std::string axis(double bottom) const {
    std::string out;
    for (int decade = first_; decade <= last_; ++decade) {
      const double x = x_of(decade);
      out += element("line",
                     {{"x1", px(x)}, {"y1", px(plot_top - 8)}, {"x2", px(x)}, {"y2", px(bottom)}});
      out += element("text", {{"x", px(x)}, {"y", px(plot_top - 14)}, {"text-anchor", "middle"}},
                     xml_text(told_decade(decade)));
    }
    return element("g", {{"class", "axis"}}, out);
  }

  [[nodiscard]] std::string line_of(const Place& row, double y) const {
    const Figure name = figure(row / "name");
    Attributes attributes = origin_of(name);
    attributes.insert(attributes.end(), {{"class", "name"},
                                         {"x", px(plot_label_width - 16)},
                                         {"y", px(y + 4)},
                                         {"text-anchor", "end"}});
    constexpr std::size_t longest = 46;
    const bool whole = characters(name.shown) <= longest;
    if (!whole) attributes.emplace_back("data-whole", name.shown);
    std::string out =
        element("text", attributes,
                xml_text(whole ? name.shown : broken(name.shown, longest - 1).front() + "…") +
                    (whole ? "" : element("title", {}, xml_text(name.shown))));
    const Place values = row / "percentiles";
    const double begin = x_of(exponent_of(values / percentiles[0]));
    const double end = x_of(exponent_of(values / percentiles[3]));
    out += element(
        "line",
        {{"class", "span"}, {"x1", px(begin)}, {"y1", px(y)}, {"x2", px(end)}, {"y2", px(y)}});
    for (std::size_t i = 0; i < 4; ++i) {
      const Figure value = figure(values / percentiles[i]);
      const double x = x_of(exponent_of(values / percentiles[i]));
      out += element("circle",
                     {{"class", "point p" + std::to_string(i)},
                      {"cx", px(x)},
                      {"cy", px(y)},
                      {"r", px(i == 0 ? 5 : 4)}},
                     element("title", origin_of(value), xml_text(value.shown)));
    }
    const Figure last = figure(values / percentiles[3]);
    Attributes at = origin_of(last);
    at.insert(at.end(), {{"class", "value"}, {"x", px(end + 9)}, {"y", px(y + 4)}});
    return out + element("text", at, xml_text(last.shown));
  }

  std::vector<Place> rows_;
  double width_;
  int first_ = 0;
  int last_ = 1;
};

}  // namespace

std::string latency_svg(const Evidence& evidence, double width) {
  std::vector<Place> rows = with_percentiles(evidence);
  return rows.empty() ? std::string() : Plot(std::move(rows), width).draw();
}

}  // namespace leaseproof::reports
