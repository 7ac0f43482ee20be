#include "engine/values/time_text.hpp"

#include <array>
#include <cstddef>

namespace leaseproof::engine {
namespace {

constexpr std::int64_t us_per_second = 1'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

constexpr bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr std::int64_t days_in(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

struct Date {
  std::int64_t year = 0;
  std::int64_t month = 1;
  std::int64_t day = 1;
};

// Years that begin in March put the leap day last, so that a month's first day follows from one
// formula. 400 years have 146097 days; 719468 days lie between 0000-03-01 and the epoch.
constexpr std::int64_t days_of(const Date& date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

constexpr Date date_of(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_div(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * march_month + 2) / 5 + 1};
}

static_assert(days_of({1970, 1, 1}) == 0 && days_of({2000, 2, 29}) == 11'016);
static_assert(date_of(-1).year == 1969 && date_of(11'016).day == 29);

// Reads the text from left to right; after the first character out of place nothing more fits.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::int64_t digits(std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!at_digit()) return fail();
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }
  // Microseconds of a fraction of 1 to 9 digits. What is cut off only ever adds to the instant, so
  // cutting rounds down before the epoch too.
  std::int64_t fraction_us() {
    std::int64_t value = 0;
    std::size_t count = 0;
    while (at_digit()) {
      if (count < 6) value = value * 10 + (text_[at_] - '0');
      ++count;
      ++at_;
    }
    if (count < 1 || count > 9) return fail();
    for (; count < 6; ++count) value *= 10;
    return value;
  }
  bool accept(std::string_view any_of) {
    if (!good_ || at_ == text_.size() || any_of.find(text_[at_]) == std::string_view::npos) {
      return false;
    }
    ++at_;
    return true;
  }
  void expect(std::string_view any_of) {
    if (!accept(any_of)) fail();
  }
  std::int64_t offset_s() {
    if (accept("Zz")) return 0;
    const bool west = accept("-");
    if (!west) expect("+");
    const std::int64_t hours = digits(2);
    expect(":");
    const std::int64_t minutes = digits(2);
    if (hours > 23 || minutes > 59) fail();
    const std::int64_t seconds = hours * 3'600 + minutes * 60;
    return west ? -seconds : seconds;
  }
  [[nodiscard]] bool ended_well() const { return good_ && at_ == text_.size(); }

 private:
  [[nodiscard]] bool at_digit() const {
    return good_ && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
  }
  std::int64_t fail() {
    good_ = false;
    return 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

bool ends_a_month(std::int64_t seconds) {
  return seconds % seconds_per_day == 0 && date_of(floor_div(seconds, seconds_per_day)).day == 1;
}

void append_number(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

}  // namespace

std::optional<std::int64_t> us_of_rfc3339(std::string_view text) {
  Scanner scan(text);
  Date date;
  date.year = scan.digits(4);
  scan.expect("-");
  date.month = scan.digits(2);
  scan.expect("-");
  date.day = scan.digits(2);
  scan.expect("Tt");
  const std::int64_t hour = scan.digits(2);
  scan.expect(":");
  const std::int64_t minute = scan.digits(2);
  scan.expect(":");
  const std::int64_t second = scan.digits(2);
  const std::int64_t fraction_us = scan.accept(".") ? scan.fraction_us() : 0;
  const std::int64_t offset_s = scan.offset_s();
  if (!scan.ended_well()) return std::nullopt;
  if (date.month < 1 || date.month > 12) return std::nullopt;
  if (date.day < 1 || date.day > days_in(date.year, date.month)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t seconds =
      days_of(date) * seconds_per_day + hour * 3'600 + minute * 60 + second - offset_s;
  // A leap second stands only before midnight UTC at the end of a month. Microseconds since the
  // epoch have no place for it; it falls on the second that follows.
  if (second == 60 && !ends_a_month(seconds)) return std::nullopt;
  return seconds * us_per_second + fraction_us;
}

std::string rfc3339_of(std::int64_t time_us) {
  const std::int64_t seconds = floor_div(time_us, us_per_second);
  const std::int64_t days = floor_div(seconds, seconds_per_day);
  const std::int64_t second_of_day = seconds - days * seconds_per_day;
  // Not seconds * us_per_second: near the smallest 64-bit value that product does not fit.
  const std::int64_t remainder_us = time_us % us_per_second;
  const std::int64_t fraction_us = remainder_us < 0 ? remainder_us + us_per_second : remainder_us;
  const Date date = date_of(days);
  std::string out;
  // RFC 3339 ends with the year 9999; ISO 8601 writes the years outside with a sign.
  if (date.year < 0) out.push_back('-');
  if (date.year > 9'999) out.push_back('+');
  append_number(out, date.year < 0 ? -date.year : date.year, 4);
  out.push_back('-');
  append_number(out, date.month, 2);
  out.push_back('-');
  append_number(out, date.day, 2);
  out.push_back('T');
  append_number(out, second_of_day / 3'600, 2);
  out.push_back(':');
  append_number(out, second_of_day / 60 % 60, 2);
  out.push_back(':');
  append_number(out, second_of_day % 60, 2);
  if (fraction_us != 0) {
    out.push_back('.');
    append_number(out, fraction_us, 6);
  }
  out.push_back('Z');
  return out;
}

}  // namespace leaseproof::engine
