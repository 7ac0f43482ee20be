// Values of a command line, and their bounds: each is taken as it is meant, or refused in one line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "model/words.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios::cli {

inline constexpr int most_jobs = 256;

// For options that count; CLI11's own checks name a range of doubles, or wrap a negative number.
template <class Number>
std::string whole_number_from(Number least, const std::string& text) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, number);
  if (problem == std::errc{} && end == last && number >= least) return {};
  return "'" + text + "' is no whole number from " + std::to_string(least);
}
inline std::string is_count(const std::string& text) {
  return whole_number_from<std::int64_t>(1, text);
}
inline std::string is_from_zero(const std::string& text) {
  return whole_number_from<std::int64_t>(0, text);
}
inline std::string is_seed(const std::string& text) {
  return whole_number_from<std::uint64_t>(0, text);
}

inline int default_jobs() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_jobs);
}

// "90", "90s", "5m" or "1h".
inline double seconds_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, number);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const std::int64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : 3600;
  constexpr std::int64_t longest = 1'000'000;
  if (problem != std::errc{} || number < 1 || number > longest ||
      (!unit.empty() && unit != "s" && unit != "m" && unit != "h")) {
    throw InputWrong{"--time: '" + text + "' is no duration; write 90, 90s, 5m or 1h"};
  }
  return static_cast<double>(number * factor);
}

// Seconds as microseconds, from 1 µs to about 30 years.
inline std::int64_t as_us(double seconds, std::string_view option) {
  if (!std::isfinite(seconds) || seconds < 1e-6 || seconds > 1e9) {
    throw InputWrong{
        fmt::format("{} is {}; between 0.000001 and 1000000000 are allowed", option, seconds)};
  }
  return std::llround(seconds * 1e6);
}

// One of the words of a closed set; nothing for an empty text, which filters or chooses nothing.
template <class E>
std::optional<E> word_of(std::string_view option, std::string_view what, const std::string& given) {
  if (given.empty()) return std::nullopt;
  if (const auto value = model::from_word<E>(given)) return value;
  const auto& all = model::Words<E>::all;
  throw InputWrong{
      fmt::format("{}: {}", option, unknown_word(what, given, {all.begin(), all.end()}))};
}

}  // namespace leaseproof::scenarios::cli
