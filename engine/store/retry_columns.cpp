#include "engine/store/retry_columns.hpp"

#include <charconv>

#include "engine/values/check.hpp"

namespace leaseproof::engine::store {

std::string delays_text(const std::vector<std::int64_t>& delays_us) {
  std::string text;
  for (const auto delay : delays_us) {
    if (!text.empty()) text.push_back(',');
    text += std::to_string(delay);
  }
  return text;
}

std::vector<std::int64_t> delays_of(std::string_view text) {
  std::vector<std::int64_t> delays;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t delay = 0;
    const auto [stop, error] = std::from_chars(at, end, delay);
    if (error != std::errc()) break;
    delays.push_back(delay);
    at = stop + 1;
  }
  return delays;
}

model::RetryPolicy retry_policy(const sqlite::Rows& rows, int column) {
  model::RetryPolicy policy;
  const auto word = model::from_word<model::DelayPolicy>(rows.text(column));
  LP_CHECK(word.has_value(), "the schema knows each delay policy");
  policy.policy = *word;
  policy.delays_us = delays_of(rows.text(column + 1));
  policy.base_us = rows.integer(column + 2);
  policy.multiplier = rows.integer(column + 3);
  policy.cap_us = rows.integer(column + 4);
  return policy;
}

}  // namespace leaseproof::engine::store
