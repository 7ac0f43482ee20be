// Fault plans as data, and arming them on the calling thread (TRACE 3, ARCHITECTURE idea 7).
//
// Promise: a plan is counted, never drawn: it fires at the n-th hit of its point, `times` hits in a
// row, and so replays exactly. Plans are armed per thread; two threads never see each other's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "faults/io_plan.hpp"
#include "faults/point.hpp"

namespace leaseproof::faults {

enum class Kind : std::uint8_t {
  crash,
  busy,
  io_error,
  disk_full,
  power_loss,
  throw_,
  interleave,
  cannot_open,
  read_only
};
inline constexpr std::array<std::string_view, 9> kind_words{
    "crash", "busy",       "io_error",    "disk_full", "power_loss",
    "throw", "interleave", "cannot_open", "read_only"};
constexpr std::string_view word(Kind kind) { return kind_words[static_cast<std::size_t>(kind)]; }

// The kinds that make sense at a point. What a point cannot do is refused when a trace is read.
bool allows(Point point, Kind kind);
// Whether the process ends at the fault, and all that it had in memory.
constexpr bool is_end(Kind kind) { return kind == Kind::crash || kind == Kind::power_loss; }
// Whether it is an error of the storage, which a call may answer.
constexpr bool is_storage_error(Kind kind) {
  return kind == Kind::io_error || kind == Kind::disk_full || kind == Kind::cannot_open ||
         kind == Kind::read_only;
}
// Whether only an engine on a simulated disk can be hit so.
constexpr bool needs_disk(Point point, Kind kind) {
  return is_at_disk(point) || kind == Kind::power_loss;
}

struct Plan {
  Point point = 0;
  Kind kind = Kind::crash;
  std::int64_t hit = 1;    // fires first at this hit of the point, from 1
  std::int64_t times = 1;  // and at the `times` − 1 hits that follow
  // Of a point at the disk: whose operations count (nothing: every file's), and whether it fires at
  // all that follow as well.
  std::optional<Role> file = std::nullopt;
  bool sticky = false;
};

// The plan for a VFS. The end of a process is a cut there: whoever arms it decides what the disk
// keeps. Nothing for a point that is none of the disk's.
std::optional<IoPlan> io_plan_of(const Plan& plan);

// Arms plans on this thread for its own lifetime. Nested arming is allowed (steps that run inside
// an `interleave` may carry faults of their own); the outer plan sleeps meanwhile.
class Armed {
 public:
  // `interleave` is called at the hit of a plan of kind interleave, and may make engine calls.
  explicit Armed(const Plan& plan, std::function<void()> interleave = {});
  // Observes every hit of `point` without injecting anything: the harness moves its clock there.
  void watch(Point point, std::function<void()> seen);
  ~Armed();
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;

  // How often the plan fired so far.
  [[nodiscard]] std::int64_t fired() const { return fired_; }

 private:
  friend int on_hit(const char* name, int* failnum, void** failinfo, unsigned int* flags);
  friend Injected act(Point point);

  Plan plan_;
  bool has_plan_ = true;
  bool fires_now_ = false;
  std::function<void()> interleave_;
  Point watched_ = point_count;
  std::function<void()> seen_;
  std::int64_t hits_ = 0;
  std::int64_t fired_ = 0;
  Armed* outer_ = nullptr;

 public:
  // Arms nothing but what `watch` adds.
  Armed();
};

}  // namespace leaseproof::faults
