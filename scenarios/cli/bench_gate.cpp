#include "scenarios/cli/bench_gate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace leaseproof::scenarios::cli {

namespace {

const BenchRow* find(const std::vector<BenchRow>& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const BenchRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

// By how much the floor has become slower: 1 is not at all, 0.5 is half as fast.
double excuse_of(const BenchRow& row, const std::vector<BenchRow>& rows,
                 const std::vector<BenchRow>& baseline) {
  // What is no time does not change with the machine's speed.
  if (row.unit == "bytes" || row.unit == "ratio") return 1;
  const std::string name = floor_of(row.name);
  const BenchRow* now = find(rows, name);
  const BenchRow* then = find(baseline, name);
  if (now == nullptr || then == nullptr || then->median() <= 0) return 1;
  return std::min(1.0, now->median() / then->median());
}

// How much worse `now` is than `then`, as a share of `then`; negative where it is better.
double loss(bool more_is_better, double now, double then) {
  if (then <= 0) return 0;
  return more_is_better ? 1 - now / then : now / then - 1;
}

bool has_regressed(const BenchRow& now, const BenchRow& then, double excuse, double max_regress) {
  const auto excused = [&](double value) {
    return now.more_is_better ? value / excuse : value * excuse;
  };
  const auto [now_least, now_most] =
      std::minmax_element(now.repetitions.begin(), now.repetitions.end());
  const auto [then_least, then_most] =
      std::minmax_element(then.repetitions.begin(), then.repetitions.end());
  const bool apart =
      now.more_is_better ? excused(*now_most) < *then_least : excused(*now_least) > *then_most;
  return apart && loss(now.more_is_better, excused(now.median()), then.median()) > max_regress;
}

}  // namespace

std::string floor_of(std::string_view name) {
  for (const std::string_view word : {"/full", "/normal"}) {
    if (name.ends_with(word)) return "floor" + std::string(word);
  }
  return "floor/memory";
}

tl::expected<void, std::string> compare(std::vector<BenchRow>& rows,
                                        const std::vector<BenchRow>& baseline, double max_regress) {
  for (BenchRow& row : rows) {
    const BenchRow* then = find(baseline, row.name);
    if (then == nullptr) return tl::unexpected(fmt::format("it has no row {}", row.name));
    if (then->unit != row.unit || then->more_is_better != row.more_is_better) {
      return tl::unexpected(fmt::format("its row {} is measured in {}, here it is {}", row.name,
                                        then->unit, row.unit));
    }
    const double excuse = excuse_of(row, rows, baseline);
    const double was = then->median();
    row.comparison = {was, was > 0 ? row.median() / was - 1 : 0,
                      has_regressed(row, *then, excuse, max_regress)};
  }
  return {};
}

}  // namespace leaseproof::scenarios::cli
