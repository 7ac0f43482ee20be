#include "faults/crash_states.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "faults/draw.hpp"

namespace leaseproof::faults {
namespace {

PowerLoss prefix(std::size_t units, std::size_t stay) {
  PowerLoss plan{std::vector<bool>(units, false)};
  std::fill_n(plan.stays.begin(), stay, true);
  return plan;
}

std::vector<PowerLoss> prefixes(std::size_t units, std::size_t choices) {
  std::vector<PowerLoss> plans;
  const std::size_t count = std::min(units + 1, choices);
  for (std::size_t i = 0; i < count; ++i) {
    plans.push_back(prefix(units, count == 1 ? 0 : i * units / (count - 1)));
  }
  return plans;
}

std::vector<PowerLoss> subsets(std::size_t units) {
  std::vector<PowerLoss> plans;
  for (std::size_t number = 0; number < (std::size_t{1} << units); ++number) {
    PowerLoss plan{std::vector<bool>(units, false)};
    for (std::size_t i = 0; i < units; ++i) plan.stays[i] = ((number >> i) & 1U) != 0;
    plans.push_back(std::move(plan));
  }
  return plans;
}

// Whole operations and torn ones, many lost and few, before and after a point where the disk
// stopped keeping up: each is a way in which disks are known to lose.
PowerLoss drawn(const std::vector<Unit>& units, Draw& draw) {
  PowerLoss plan{std::vector<bool>(units.size(), false)};
  const bool torn = draw.below(2) == 0;
  const std::uint64_t of_eight = 1 + draw.below(7);
  const std::size_t kept_up = draw.below(2) == 0 ? draw.below(units.size()) : 0;
  bool stays = false;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool begins = i == 0 || units[i].operation != units[i - 1].operation;
    if (torn || begins) stays = draw.below(8) < of_eight;
    plan.stays[i] = i < kept_up || stays;
  }
  return plan;
}

PowerLoss chosen(const std::vector<Unit>& units, std::size_t turn, std::size_t operations,
                 Draw& draw) {
  const std::size_t operation = turn / 4;
  if (turn % 4 == 3 || operation >= operations) return drawn(units, draw);
  PowerLoss plan = prefix(units.size(), 0);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool of_it = units[i].operation == operation;
    plan.stays[i] = turn % 4 == 0   ? units[i].operation <= operation
                    : turn % 4 == 1 ? !of_it
                                    : of_it;
  }
  return plan;
}

}  // namespace

std::vector<PowerLoss> power_losses(const Disk& disk, const CrashLimit& limit) {
  const std::vector<Unit> units = disk.units();
  const std::size_t count = units.size();
  if (disk.device().sequential) return prefixes(count, limit.choices);
  if (count < 20 && (std::size_t{1} << count) <= limit.choices) return subsets(count);

  const std::size_t operations = disk.unsynced().size();
  Draw draw(limit.seed);
  std::vector<PowerLoss> plans{prefix(count, 0), prefix(count, count)};
  // Of few operations most turns choose what was chosen before.
  for (std::size_t turn = 0; plans.size() < limit.choices && turn < 8 * limit.choices; ++turn) {
    const PowerLoss plan = chosen(units, turn, operations, draw);
    const bool known = std::any_of(plans.begin(), plans.end(), [&](const PowerLoss& other) {
      return other.stays == plan.stays;
    });
    if (!known) plans.push_back(plan);
  }
  return plans;
}

std::vector<CrashState> crash_states(const Disk& disk, const CrashLimit& limit) {
  std::vector<CrashState> states;
  std::set<std::uint64_t> seen;
  for (PowerLoss& plan : power_losses(disk, limit)) {
    Disk after = disk;
    after.lose_power(plan);
    if (seen.insert(after.durable_hash()).second) {
      states.push_back({std::move(plan), std::move(after)});
    }
  }
  return states;
}

}  // namespace leaseproof::faults
