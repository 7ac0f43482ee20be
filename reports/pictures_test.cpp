// Checks what the pictures show: where bars of leases begin, fade and end, which marks stand where,
// and that each point of the plot stands where its value is. How it looks is not checked here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "reports/elements_test.hpp"
#include "reports/lanes_svg.hpp"
#include "reports/latency_svg.hpp"
#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

std::vector<Element> picture_of(Json interleaving) {
  Json document = sample::broken_check();
  document["violation"]["interleaving"] = std::move(interleaving);
  const std::vector<Source> sources = sample::sources({{"check", document}});
  return elements_of(lanes_svg(Place(sources.front()) / "violation" / "interleaving", 1180));
}

std::vector<Element> with_class(const std::vector<Element>& all, const std::string& name) {
  std::vector<Element> some;
  for (const Element& one : all) {
    const auto found = one.attributes.find("class");
    if (found != one.attributes.end() && found->second == name) some.push_back(one);
  }
  return some;
}

double number(const Element& one, const char* key) {
  return std::strtod(one.attributes.at(key).c_str(), nullptr);
}

TEST(Lanes, a_lease_is_a_bar_that_fades_at_its_expiry_and_ends_where_it_was_taken) {
  const std::vector<Element> all = picture_of(sample::interleaving());
  const auto dots = with_class(all, "dot");
  ASSERT_EQ(dots.size(), 4U);
  const auto bars = with_class(all, "bar");
  const auto faint = with_class(all, "bar expired");
  // A's until the clock moves, B's to the end of the picture; A's again, faint, until B takes over.
  ASSERT_EQ(bars.size(), 2U);
  ASSERT_EQ(faint.size(), 1U);
  const auto bottom = [](const Element& bar) { return number(bar, "y") + number(bar, "height"); };
  EXPECT_DOUBLE_EQ(number(bars[0], "y"), number(dots[0], "cy"));
  EXPECT_DOUBLE_EQ(bottom(bars[0]), number(dots[1], "cy"));
  EXPECT_DOUBLE_EQ(number(faint[0], "y"), number(dots[1], "cy"));
  EXPECT_DOUBLE_EQ(bottom(faint[0]), number(dots[2], "cy"));
  EXPECT_DOUBLE_EQ(number(bars[1], "y"), number(dots[2], "cy"));
  EXPECT_GT(bottom(bars[1]), number(dots[3], "cy"));
  // Beside the line of who holds it.
  EXPECT_GT(number(bars[0], "x"), number(dots[0], "cx"));
  EXPECT_LT(number(bars[0], "x"), number(dots[2], "cx"));
  EXPECT_EQ(with_class(all, "bar-end").size(), 1U);
}

TEST(Lanes, a_heartbeat_keeps_a_bar_from_fading) {
  Json interleaving = sample::interleaving();
  interleaving["leases"][0]["expires"].push_back({{"from", 1}, {"at_us", 500}, {"at", "later"}});
  EXPECT_TRUE(with_class(picture_of(interleaving), "bar expired").empty());
}

TEST(Lanes, leases_that_one_worker_holds_at_once_stand_beside_each_other) {
  Json interleaving = sample::interleaving();
  interleaving["leases"][1]["lane"] = 0;
  interleaving["leases"][1]["from"] = 1;
  const auto bars = with_class(picture_of(interleaving), "bar");
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_GE(std::abs(number(bars[0], "x") - number(bars[1], "x")), number(bars[0], "width"));
}

TEST(Lanes, faults_and_the_violating_step_are_marked) {
  const std::vector<Element> all = picture_of(sample::interleaving());
  const auto dots = with_class(all, "dot");
  const auto broken = with_class(all, "broken");
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_LE(number(broken[0], "y"), number(dots[3], "cy"));
  EXPECT_GE(number(broken[0], "y") + number(broken[0], "height"), number(dots[3], "cy"));
  EXPECT_GT(number(broken[0], "y"), number(dots[2], "cy"));
  EXPECT_EQ(with_class(all, "bolt").size(), 1U);
  EXPECT_EQ(with_class(all, "fault").size(), 2U);
  Json quiet = sample::interleaving();
  quiet["moments"][1]["fault"]["fired"] = false;
  EXPECT_TRUE(with_class(picture_of(quiet), "bolt").empty());
}

TEST(Lanes, a_crash_a_call_that_stands_still_and_the_service_have_signs_of_their_own) {
  Json interleaving = sample::interleaving();
  interleaving["lanes"].push_back({{"kind", "service"}, {"name", "service"}});
  interleaving["moments"][0]["phase"] = "begins";
  interleaving["moments"][1]["depth"] = 1;
  interleaving["moments"][1]["at_service"] = true;
  interleaving["moments"][2]["crashed"] = true;
  interleaving["moments"][3]["phase"] = "goes_on";
  const std::vector<Element> all = picture_of(interleaving);
  EXPECT_EQ(with_class(all, "dot open").size(), 1U);
  EXPECT_EQ(with_class(all, "still").size(), 1U);
  EXPECT_EQ(with_class(all, "inner").size(), 1U);
  EXPECT_EQ(with_class(all, "reached").size(), 1U);
  EXPECT_EQ(with_class(all, "crash").size(), 2U);
}

TEST(Lanes, stay_inside_of_the_picture_with_many_lanes_and_long_words) {
  Json interleaving = sample::interleaving();
  for (int i = 0; i < 9; ++i) {
    interleaving["lanes"].push_back({{"kind", "worker"}, {"name", "worker-with-a-long-name"}});
  }
  interleaving["moments"][3]["says"] = std::string(500, 'x');
  const std::vector<Element> all = picture_of(interleaving);
  const double width = number(all.back(), "width");
  const double height = number(all.back(), "height");
  for (const Element& one : all) {
    const bool placed = one.attributes.contains("x");
    EXPECT_TRUE(!placed || number(one, "x") < width) << one.text;
    EXPECT_TRUE(!one.attributes.contains("y") || number(one, "y") < height) << one.text;
    // A character is less than 7.3 px wide.
    if (one.name == "tspan" && placed) {
      EXPECT_LE(number(one, "x") + 7.25 * static_cast<double>(one.text.size()), width + 8);
    }
  }
}

TEST(Plot, points_stand_where_their_values_are) {
  const std::vector<Source> sources = sample::sources({{"bench", sample::bench()}});
  const Evidence evidence(sources);
  const std::vector<Element> all = elements_of(latency_svg(evidence, 1180));
  std::vector<Element> points;
  for (const Element& one : all) {
    if (one.name == "circle") points.push_back(one);
  }
  ASSERT_EQ(points.size(), 4U);
  // 82.5, 140, 410.25 and 2300 µs, from 10 µs to 10 ms.
  const double left = number(points[0], "cx");
  const double decade = (number(points[3], "cx") - left) / std::log10(2300.0 / 82.5);
  EXPECT_NEAR(number(points[1], "cx"), left + decade * std::log10(140 / 82.5), 0.2);
  EXPECT_NEAR(number(points[2], "cx"), left + decade * std::log10(410.25 / 82.5), 0.2);
  std::vector<std::string> scale;
  for (const Element& one : all) {
    if (one.name == "text" && !one.attributes.contains("data-from")) scale.push_back(one.text);
  }
  EXPECT_EQ(scale, (std::vector<std::string>{"10 µs", "100 µs", "1 ms", "10 ms"}));
}

TEST(Plot, is_left_out_where_nothing_has_percentiles) {
  const std::vector<Source> sources = sample::sources({{"check", sample::check()}});
  EXPECT_EQ(latency_svg(Evidence(sources), 1180), "");
}

}  // namespace
}  // namespace leaseproof::reports
