// Checks reading and writing RFC 3339 text against known instants, over day borders, leap days and
// the whole 64-bit range. Does not check how tables are filled from such text: migration_test.cpp
// does.
#include "engine/values/time_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

namespace leaseproof::engine {
namespace {

struct Known {
  const char* text;
  std::int64_t us;
};

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t probe = 1'784'570'401 * second;  // 2026-07-20T18:00:01Z

constexpr std::array instants{
    Known{"1970-01-01T00:00:00Z", 0},
    Known{"1970-01-01T00:00:00z", 0},
    Known{"1970-01-01t00:00:00Z", 0},
    Known{"1970-01-01T00:00:00+00:00", 0},
    Known{"1970-01-01T00:00:00-00:00", 0},
    Known{"2026-07-20T18:00:01Z", probe},
    Known{"2026-07-20T18:00:01.5Z", probe + 500'000},
    Known{"2026-07-20T18:00:01.50Z", probe + 500'000},
    Known{"2026-07-20T18:00:01.123Z", probe + 123'000},
    Known{"2026-07-20T18:00:01.1234Z", probe + 123'400},
    Known{"2026-07-20T18:00:01.12345Z", probe + 123'450},
    Known{"2026-07-20T18:00:01.123456Z", probe + 123'456},
    Known{"2026-07-20T18:00:01.1234569Z", probe + 123'456},
    Known{"2026-07-20T18:00:01.12345699Z", probe + 123'456},
    Known{"2026-07-20T18:00:01.123456999Z", probe + 123'456},
    Known{"2026-07-20T18:00:01.000000999Z", probe},
    // Offsets, also over the borders of days, months and years.
    Known{"2026-07-20T20:00:01+02:00", probe},
    Known{"2026-07-20T23:30:01+05:30", probe},
    Known{"2026-07-21T03:45:01+09:45", probe},
    Known{"2026-07-20T10:00:01.25-08:00", probe + 250'000},
    Known{"2026-01-01T00:30:00+01:00", 1'767'223'800 * second},
    Known{"2025-12-31T23:30:00Z", 1'767'223'800 * second},
    Known{"2024-02-28T23:00:00-02:00", 1'709'168'400 * second},
    Known{"2024-02-29T01:00:00Z", 1'709'168'400 * second},
    Known{"1970-01-01T23:59:00+23:59", 0},
    Known{"1969-12-31T00:01:00-23:59", 0},
    // Leap days.
    Known{"2000-02-29T00:00:00Z", 951'782'400 * second},
    Known{"2024-02-29T00:00:00Z", 1'709'164'800 * second},
    Known{"2024-03-01T00:00:00Z", 1'709'251'200 * second},
    Known{"2100-03-01T00:00:00Z", 4'107'542'400 * second},
    // Before the epoch what is cut off still rounds down.
    Known{"1969-12-31T23:59:59Z", -second},
    Known{"1969-12-31T23:59:59.999999Z", -1},
    Known{"1969-12-31T23:59:59.9999999Z", -1},
    Known{"1969-12-31T23:59:59.000000001Z", -second},
    Known{"1969-12-31T23:59:58.9999991Z", -second - 1},
    // The ends of the four-digit years; an older system's unset time is the year 1.
    Known{"0001-01-01T00:00:00Z", -62'135'596'800 * second},
    Known{"0000-03-01T00:00:00Z", -62'162'035'200 * second},
    Known{"0000-01-01T00:00:00Z", -62'167'219'200 * second},
    Known{"0000-02-29T00:00:00Z", -62'162'121'600 * second},
    Known{"9999-12-31T23:59:59.999999Z", 253'402'300'799 * second + 999'999},
    // Leap seconds of RFC 3339's own examples fall on the next second.
    Known{"1990-12-31T23:59:60Z", 662'688'000 * second},
    Known{"1990-12-31T15:59:60-08:00", 662'688'000 * second},
    Known{"1990-12-31T23:59:60.25Z", 662'688'000 * second + 250'000},
    Known{"2016-12-31T23:59:60Z", 1'483'228'800 * second},
};

constexpr std::array garbage{
    "",
    "now",
    "2026-07-20",
    "2026-07-20T18:00Z",
    "2026-07-20T18:00:01",
    "2026-07-20 18:00:01Z",
    "2026-07-20T18:00:01 Z",
    " 2026-07-20T18:00:01Z",
    "2026-07-20T18:00:01Z ",
    "2026-07-20T18:00:01ZZ",
    "2026-07-20T18:00:01.Z",
    "2026-07-20T18:00:01,5Z",
    "2026-07-20T18:00:01.1234567890Z",
    "2026-07-20T18:00:01.5",
    "2026-07-20T18:00:01.5x",
    "2026-07-20T18:00:01.-5Z",
    "2026-07-20T18:00:01+2:00",
    "2026-07-20T18:00:01+0200",
    "2026-07-20T18:00:01+02",
    "2026-07-20T18:00:01+24:00",
    "2026-07-20T18:00:01+02:60",
    "2026-07-20T18:00:01+02:00Z",
    "2026-07-20T18:00:01Z+02:00",
    "2026-07-20T18:00:01UTC",
    "2026-7-20T18:00:01Z",
    "26-07-20T18:00:01Z",
    "02026-07-20T18:00:01Z",
    "+2026-07-20T18:00:01Z",
    "-2026-07-20T18:00:01Z",
    "2026-00-20T18:00:01Z",
    "2026-13-20T18:00:01Z",
    "2026-07-00T18:00:01Z",
    "2026-07-32T18:00:01Z",
    "2026-06-31T18:00:01Z",
    "2026-02-29T18:00:01Z",
    "1900-02-29T18:00:01Z",
    "2100-02-29T18:00:01Z",
    "2024-02-30T18:00:01Z",
    "2026-07-20T24:00:00Z",
    "2026-07-20T18:60:01Z",
    "2026-07-20T18:00:61Z",
    "2026-07-20T18:00:60Z",
    "2026-07-20T23:59:60Z",
    "2016-12-31T23:59:60+01:00",
    "1753120801",
    "2026-07-20T18:00:01\xC3\x9C",
    "２０２６-07-20T18:00:01Z",
};

TEST(TimeText, a_text_is_its_instant) {
  for (const Known& known : instants) EXPECT_EQ(us_of_rfc3339(known.text), known.us) << known.text;
}

TEST(TimeText, what_is_no_rfc_3339_is_no_time) {
  for (const char* text : garbage) EXPECT_EQ(us_of_rfc3339(text), std::nullopt) << text;
}

TEST(TimeText, an_embedded_zero_byte_ends_nothing) {
  EXPECT_EQ(us_of_rfc3339(std::string_view("2026-07-20T18:00:01Z\0", 21)), std::nullopt);
  EXPECT_EQ(us_of_rfc3339(std::string_view("2026-07-20T18:00:01\0Z", 21)), std::nullopt);
}

TEST(TimeText, every_prefix_of_a_time_is_none) {
  const std::string whole = "2026-07-20T18:00:01.123456789+05:30";
  ASSERT_TRUE(us_of_rfc3339(whole).has_value());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(us_of_rfc3339(whole.substr(0, length)), std::nullopt) << length;
  }
}

// The reason for integer columns: 'Z' sorts behind '.' and digits, offsets sort by their letters.
TEST(TimeText, text_order_is_not_the_order_of_instants) {
  struct Pair {
    std::string earlier;
    std::string later;
  };
  for (const auto& [earlier, later] :
       {Pair{"2026-07-20T18:00:01Z", "2026-07-20T18:00:01.5Z"},
        Pair{"2026-07-20T20:00:00+04:00", "2026-07-20T18:00:00Z"},
        Pair{"2026-07-20T18:00:01.5Z", "2026-07-20T18:00:01.500001Z"}}) {
    EXPECT_LT(us_of_rfc3339(earlier), us_of_rfc3339(later));
    EXPECT_GT(earlier, later);
  }
}

TEST(TimeText, what_is_written_reads_back) {
  constexpr std::int64_t day = 86'400 * second;
  for (std::int64_t days = -719'528; days <= 2'932'896; days += 131) {
    const std::int64_t time_us = days * day + (days % 7) * 12'345'678'901;
    if (time_us < -62'167'219'200 * second || time_us > 253'402'300'799 * second) continue;
    ASSERT_EQ(us_of_rfc3339(rfc3339_of(time_us)), time_us) << rfc3339_of(time_us);
  }
}

TEST(TimeText, six_fraction_digits_unless_all_are_zero) {
  EXPECT_EQ(rfc3339_of(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(rfc3339_of(probe), "2026-07-20T18:00:01Z");
  EXPECT_EQ(rfc3339_of(probe + 500'000), "2026-07-20T18:00:01.500000Z");
  EXPECT_EQ(rfc3339_of(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeText, every_64_bit_time_has_a_text) {
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(rfc3339_of(Limits::max()), "+294247-01-10T04:00:54.775807Z");
  EXPECT_EQ(rfc3339_of(Limits::min()), "-290308-12-21T19:59:05.224192Z");
  EXPECT_EQ(rfc3339_of(253'402'300'800 * second), "+10000-01-01T00:00:00Z");
  EXPECT_EQ(rfc3339_of(-62'167'219'200 * second - 1), "-0001-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace leaseproof::engine
