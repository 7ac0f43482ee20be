// The fair schedule of I3: once faults have stopped, workers that act fairly settle every op.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "properties/runner_impl.hpp"

namespace leaseproof::properties {

using model::OpStatus;
using model::Word;

namespace {
constexpr std::int64_t fair_lease_us = 1'000'000;
// Beyond this an expiry or a due time is "never": waiting for it would leave no room to go on.
constexpr std::int64_t horizon_us = std::numeric_limits<std::int64_t>::max() / 4;
const std::string fair_worker = "fair";

bool all_settled(const model::Observation& seen) {
  return std::all_of(seen.ops.begin(), seen.ops.end(),
                     [](const auto& at) { return model::is_settled(at.second.status); });
}

// The next moment at which waiting alone changes something, after `now`: an expiry, a due time, or,
// where a queue may lack a token, one token's time. After a token's time was waited for in vain, it
// is a slot that is missing, and only an expiry frees one.
std::int64_t next_moment(const model::Observation& seen, const History& history,
                         std::int64_t now_us, bool tokens) {
  std::int64_t next = horizon_us;
  for (const auto& [id, op] : seen.ops) {
    if (op.lease && op.lease->expires_us > now_us) next = std::min(next, op.lease->expires_us);
    if (op.status != OpStatus::ready) continue;
    if (op.next_attempt_us && *op.next_attempt_us > now_us) {
      next = std::min(next, *op.next_attempt_us);
    }
    const OpFacts* facts = history.op(id);
    if (tokens && facts != nullptr && facts->queue->burst > 0) {
      const std::int64_t rate = std::max<std::int64_t>(1, facts->queue->rate_per_s);
      next = std::min(next, now_us + 1'000'000 / rate + 1);
    }
  }
  return next;
}

// An op that is leased, or put off, for longer than time lasts proves nothing either way.
bool lasts_for_ever(const model::Observation& seen) {
  return std::any_of(seen.ops.begin(), seen.ops.end(), [](const auto& at) {
    return (at.second.lease && at.second.lease->expires_us >= horizon_us) ||
           (at.second.next_attempt_us && *at.second.next_attempt_us >= horizon_us);
  });
}

// Within this many rounds everything settles: each round settles an op, uses up an attempt, or
// waits for a moment of which every op has two (a due time or a token, and an expiry).
std::int64_t bound_of(const model::Observation& seen) {
  return 8 + 4 * static_cast<std::int64_t>(seen.ops.size());
}
}  // namespace

std::optional<Violation> Runner::Impl::settle_step(model::Action action) {
  fair_step_ = Step{};
  fair_step_.action = std::move(action);
  // The schedule is not part of the steps of the run: what it finds, it finds after the last one.
  const std::size_t last = index_;
  std::optional<Violation> found = step(fair_step_);
  index_ = last;
  return found;
}

std::optional<Violation> Runner::Impl::settle() {
  const auto on_step = std::exchange(options_.on_step, {});
  const auto restore = [&] { options_.on_step = on_step; };
  std::optional<Violation> found;
  const auto act = [&](model::Action action) {
    found = settle_step(std::move(action));
    return !found;
  };

  // Skewed callers may have dated a due time or a refill ahead of the common clock.
  if (history_.latest_us() > clock_.time_us && history_.latest_us() < horizon_us) {
    act(model::Advance{history_.latest_us() - clock_.time_us});
  }
  const std::int64_t bound = bound_of(seen_);
  bool waited = false;
  for (std::int64_t round = 0; !found; ++round) {
    if (!act(model::Refresh{})) break;
    if (all_settled(seen_)) break;
    if (round == bound && lasts_for_ever(seen_)) break;
    if (round == bound) {
      found = violation(settles_fairly,
                        fmt::format("after {} fair rounds not every op is settled", bound));
      break;
    }
    // Workers that still hold a living lease finish their work.
    std::vector<std::pair<std::string, std::string>> held;
    for (const auto& [id, op] : seen_.ops) {
      if (!op.lease || op.lease->expires_us <= clock_.time_us) continue;
      const std::string* worker = handles_.holder(id, op.generation);
      if (worker != nullptr) held.emplace_back(*worker, id);
    }
    bool moved = !held.empty();
    for (const auto& [worker, op] : held) {
      model::Complete complete;
      complete.by = {worker, op, 0};
      if (!act(std::move(complete))) break;
    }
    while (!found) {
      model::Lease lease;
      lease.worker = fair_worker;
      lease.lease_us = fair_lease_us;
      if (!act(std::move(lease))) break;
      const auto* leased = std::get_if<model::Leased>(&calls_.front().outcome.detail);
      if (leased == nullptr) break;
      moved = true;
      model::Complete complete;
      complete.by = {fair_worker, leased->op, 0};
      if (!act(std::move(complete))) break;
    }
    if (found || moved || all_settled(seen_)) {
      waited = false;
      continue;
    }
    std::int64_t next = next_moment(seen_, history_, clock_.time_us, !std::exchange(waited, true));
    if (next >= horizon_us) next = next_moment(seen_, history_, clock_.time_us, true);
    if (next < horizon_us) act(model::Advance{next - clock_.time_us});
  }
  restore();
  return found;
}

}  // namespace leaseproof::properties
