#include "engine/store/legacy_retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/values/legacy_json.hpp"

namespace leaseproof::engine::store {
namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
// 2⁶³: the first double that a 64-bit integer cannot hold.
constexpr double too_large = 9'223'372'036'854'775'808.0;

// The members of one of the two objects, asked by name. The first that has the wrong type or value
// is remembered as a sentence.
class Members {
 public:
  explicit Members(std::string_view text) {
    // The old system wrote `{}`, and read an empty text and `null` alike.
    if (text.empty() || text == "null") return;
    auto members = json_members(text);
    if (members) {
      members_ = std::move(*members);
    } else {
      why_ = members.error();
    }
  }

  std::optional<double> number(std::string_view key) {
    const JsonMember* member = find(key, JsonKind::number);
    if (member == nullptr) return std::nullopt;
    double value = 0;
    const char* const end = member->text.data() + member->text.size();
    if (std::from_chars(member->text.data(), end, value).ec != std::errc()) {
      fail(key, member->text, "is out of range");
    }
    return value;
  }
  std::optional<std::int64_t> integer(std::string_view key) {
    const JsonMember* member = find(key, JsonKind::number);
    if (member == nullptr) return std::nullopt;
    std::int64_t exact = 0;
    const char* const end = member->text.data() + member->text.size();
    const auto [stop, error] = std::from_chars(member->text.data(), end, exact);
    if (error == std::errc() && stop == end) return exact;
    // 3.0 and 1e9 are integers too.
    const double value = number(key).value_or(0);
    if (value != std::floor(value)) {
      fail(key, member->text, "is no integer");
      return std::nullopt;
    }
    if (value < -too_large || value >= too_large) {
      fail(key, member->text, "is out of range");
      return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
  }
  std::string string(std::string_view key) {
    const JsonMember* member = find(key, JsonKind::string);
    return member == nullptr ? std::string() : member->text;
  }
  void fail(std::string_view key, std::string_view value, std::string_view what) {
    if (!why_.empty()) return;
    why_ = std::string(key) + " " + std::string(value) + " " + std::string(what);
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  const JsonMember* find(std::string_view key, JsonKind kind) {
    for (const JsonMember& member : members_) {
      if (member.key != key || member.kind == JsonKind::null) continue;
      if (member.kind == kind) return &member;
      fail(key, member.text, kind == JsonKind::number ? "is no number" : "is no string");
    }
    return nullptr;
  }

  std::vector<JsonMember> members_;
  std::string why_;
};

std::int64_t whole_us(std::int64_t duration_ns) {
  return std::max<std::int64_t>(1, duration_ns / 1'000);
}

// What base · multiplierⁿ⁻¹ gives for n = 1, 2, …, in the arithmetic in which the old system
// waited.
std::vector<std::int64_t> grown_delays(std::int64_t base_ns, double multiplier, std::int64_t cap_us,
                                       std::int64_t max_attempts) {
  std::vector<std::int64_t> delays;
  auto delay_ns = static_cast<double>(base_ns);
  const std::int64_t count = std::min(max_attempts, longest_delay_list);
  for (std::int64_t n = 1; n <= count; ++n, delay_ns *= multiplier) {
    const std::int64_t exact_ns =
        delay_ns < too_large ? static_cast<std::int64_t>(delay_ns) : longest;
    delays.push_back(std::min(cap_us, whole_us(exact_ns)));
    const bool at_the_end =
        multiplier > 1 ? exact_ns == longest || delays.back() == cap_us : delays.back() == 1;
    if (at_the_end) break;
  }
  return delays;
}

}  // namespace

tl::expected<LegacyRetry, std::string> legacy_retry(std::string_view retry_json) {
  Members members(retry_json);
  LegacyRetry retry;
  const std::int64_t max_attempts = members.integer("MaxAttempts").value_or(0);
  const std::string kind = members.string("BackoffKind");
  const auto initial_ns = members.integer("InitialBackoff");
  const std::int64_t max_ns = members.integer("MaxBackoff").value_or(0);
  double multiplier = members.number("Multiplier").value_or(0);
  if (!kind.empty() && kind != "fixed" && kind != "linear" && kind != "exponential") {
    members.fail("BackoffKind", kind, "is none of fixed, linear, exponential");
  }
  if (!members.why().empty()) return tl::unexpected(members.why());

  // The older system took every value that is not positive for "not set".
  if (max_attempts > 0) retry.max_attempts = max_attempts;
  if (!(multiplier > 0)) multiplier = 2;
  const std::int64_t cap_us = max_ns > 0 ? whole_us(max_ns) : longest;
  const std::int64_t default_us = retry.policy.delays_us.front();
  const std::int64_t base_us = initial_ns ? whole_us(*initial_ns) : default_us;
  model::RetryPolicy& policy = retry.policy;
  if (kind.empty() && initial_ns.value_or(0) <= 0) return retry;
  if (kind.empty() || kind == "fixed") {
    if (initial_ns) policy.delays_us = {base_us};
    for (auto& delay_us : policy.delays_us) delay_us = std::min(delay_us, cap_us);
    return retry;
  }
  const bool exponential = kind == "exponential";
  if (exponential && multiplier != std::floor(multiplier)) {
    const std::int64_t base_ns = initial_ns.value_or(default_us * 1'000);
    policy.delays_us = grown_delays(base_ns, multiplier, cap_us, retry.max_attempts);
    return retry;
  }
  policy.policy = exponential ? model::DelayPolicy::exponential : model::DelayPolicy::linear;
  policy.delays_us.clear();
  policy.base_us = base_us;
  policy.cap_us = cap_us;
  if (exponential) {
    policy.multiplier = multiplier < too_large ? static_cast<std::int64_t>(multiplier) : longest;
  }
  return retry;
}

tl::expected<LegacyRetryState, std::string> legacy_retry_state(std::string_view retry_state_json) {
  Members members(retry_state_json);
  LegacyRetryState state;
  state.attempt = members.integer("Attempt").value_or(0);
  state.last_error = members.string("LastError");
  // Generations go on counting from here and must not leave 64 bits.
  if (state.attempt < 0 || state.attempt > std::numeric_limits<std::int32_t>::max()) {
    members.fail("Attempt", std::to_string(state.attempt), "is out of range");
  }
  if (!members.why().empty()) return tl::unexpected(members.why());
  return state;
}

}  // namespace leaseproof::engine::store
