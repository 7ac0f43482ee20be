#include "scenarios/points.hpp"

#include <algorithm>
#include <array>

namespace leaseproof::scenarios {

namespace {

constexpr std::array<std::string_view, 8> later{"vfs/open", "vfs/read",     "vfs/write",
                                                "vfs/sync", "vfs/truncate", "vfs/delete",
                                                "vfs/lock", "vfs/shm_lock"};

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

std::optional<faults::Point> point_named(std::string_view name) {
  if (const auto point = faults::find_point(name)) return point;
  const auto found = std::find(later.begin(), later.end(), name);
  if (found == later.end()) return std::nullopt;
  return static_cast<faults::Point>(faults::point_count +
                                    static_cast<std::size_t>(found - later.begin()));
}

std::string_view name_of(faults::Point point) {
  return in_registry(point) ? faults::point_names[point] : later.at(point - faults::point_count);
}

bool makes_sense(faults::Point point, faults::Kind kind) {
  using faults::Kind;
  const std::string_view name = name_of(point);
  const bool observes = starts_with(name, "observer/");
  if (kind == Kind::throw_) return observes;
  if (observes) return false;
  if (starts_with(name, "effect/")) return kind == Kind::crash || kind == Kind::interleave;
  if (kind == Kind::io_error || kind == Kind::disk_full) {
    const std::string_view last = name.substr(name.rfind('/') + 1);
    return last != "committed";
  }
  return true;
}

bool can_do(faults::Point point, faults::Kind kind) {
  return in_registry(point) && faults::allows(point, kind);
}

std::optional<faults::Kind> kind_named(std::string_view word) {
  const auto& words = faults::kind_words;
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<faults::Kind>(found - words.begin());
}

std::vector<std::string_view> all_point_names() {
  std::vector<std::string_view> names(faults::point_names.begin(), faults::point_names.end());
  names.insert(names.end(), later.begin(), later.end());
  return names;
}

}  // namespace leaseproof::scenarios
