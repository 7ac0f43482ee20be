// The closed registry of fault points and the one line that marks a point in code.
//
// Promise: a point's name is a libfiu name that stands in the registry once; code that is built
// without LEASEPROOF_FAULT_POINTS has no trace of a point. Includes std and libfiu only, so that
// the engine may see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#ifdef LEASEPROOF_FAULT_POINTS
#include <fiu.h>
#endif

namespace leaseproof::faults {

// The calls of an engine that hold a write transaction; the names are the words in `do`, `decide`
// stands for approve and reject (TRACE 3).
enum class Call : std::uint8_t {
  start,
  ensure,
  queue,
  refresh,
  lease,
  heartbeat,
  checkpoint,
  complete,
  fail,
  retry,
  cancel,
  context_put,
  context_revoke,
  request_approval,
  decide,
  dispatch,
  reconcile,
  close
};
inline constexpr std::size_t call_count = 18;

// TRACE 3: `begin` before BEGIN and before the clock is read; `write` after the first changed row;
// `commit` just before COMMIT; `committed` just after it, before the caller hears.
enum class Place : std::uint8_t { begin, write, commit, committed };
inline constexpr std::size_t place_count = 4;

using Point = std::uint16_t;
// Outside any engine call, where a worker calls the outside service: before it looks at its clock
// and its permit, and after the answer, before the worker hears it.
inline constexpr Point effect_before_call = call_count * place_count;
inline constexpr Point effect_after_call = effect_before_call + 1;
inline constexpr Point observer_notify = effect_after_call + 1;
// The operations that SQLite asks of the disk, of any file unless the plan names one (io_plan.hpp).
inline constexpr Point vfs_open = observer_notify + 1;
inline constexpr std::size_t vfs_point_count = 8;
inline constexpr std::size_t point_count = vfs_open + vfs_point_count;

constexpr Point point_of(Call call, Place place) {
  return static_cast<Point>(static_cast<std::size_t>(call) * place_count +
                            static_cast<std::size_t>(place));
}

// Where in an engine call the point stands; nothing for a point outside of them.
constexpr std::optional<Place> place_of(Point point) {
  if (point >= call_count * place_count) return std::nullopt;
  return static_cast<Place>(point % place_count);
}
// The engine call in which the point stands; nothing for a point outside of them.
constexpr std::optional<Call> call_of(Point point) {
  if (point >= call_count * place_count) return std::nullopt;
  return static_cast<Call>(point / place_count);
}
constexpr bool is_at_service(Point point) {
  return point == effect_before_call || point == effect_after_call;
}

constexpr bool is_at_disk(Point point) { return point >= vfs_open && point < point_count; }

#define LEASEPROOF_CALL_POINTS(call)                                          \
  "engine/" call "/begin", "engine/" call "/write", "engine/" call "/commit", \
      "engine/" call "/committed"
// Indexed by Point.
inline constexpr std::array<const char*, point_count> point_names{
    LEASEPROOF_CALL_POINTS("start"),
    LEASEPROOF_CALL_POINTS("ensure"),
    LEASEPROOF_CALL_POINTS("queue"),
    LEASEPROOF_CALL_POINTS("refresh"),
    LEASEPROOF_CALL_POINTS("lease"),
    LEASEPROOF_CALL_POINTS("heartbeat"),
    LEASEPROOF_CALL_POINTS("checkpoint"),
    LEASEPROOF_CALL_POINTS("complete"),
    LEASEPROOF_CALL_POINTS("fail"),
    LEASEPROOF_CALL_POINTS("retry"),
    LEASEPROOF_CALL_POINTS("cancel"),
    LEASEPROOF_CALL_POINTS("context_put"),
    LEASEPROOF_CALL_POINTS("context_revoke"),
    LEASEPROOF_CALL_POINTS("request_approval"),
    LEASEPROOF_CALL_POINTS("decide"),
    LEASEPROOF_CALL_POINTS("dispatch"),
    LEASEPROOF_CALL_POINTS("reconcile"),
    LEASEPROOF_CALL_POINTS("close"),
    "effect/before_call",
    "effect/after_call",
    "observer/notify",
    "vfs/open",
    "vfs/read",
    "vfs/write",
    "vfs/sync",
    "vfs/truncate",
    "vfs/delete",
    "vfs/lock",
    "vfs/shm_lock"};
#undef LEASEPROOF_CALL_POINTS

// The point with this name, or nothing when the registry does not hold it.
constexpr std::optional<Point> find_point(std::string_view name) {
  for (std::size_t i = 0; i < point_count; ++i) {
    if (point_names[i] == name) return static_cast<Point>(i);
  }
  return std::nullopt;
}

static_assert(find_point("engine/complete/committed") ==
              point_of(Call::complete, Place::committed));
static_assert(std::string_view(point_names[point_of(Call::cancel, Place::begin)]) ==
              "engine/cancel/begin");
static_assert(call_of(point_of(Call::cancel, Place::write)) == Call::cancel);
static_assert(find_point("effect/before_call") == effect_before_call);
static_assert(find_point("effect/after_call") == effect_after_call);
static_assert(find_point("observer/notify") == observer_notify);
static_assert(find_point("vfs/open") == vfs_open && find_point("vfs/shm_lock") == point_count - 1);

// Thrown by a point whose plan says `crash`: the process is gone at that point. Whoever catches it
// drops everything in memory and reopens from disk.
struct Crash {
  Point at = 0;
};

// What a point asks of the code that hits it. A crash and an interleaving never reach the code as a
// value: the one unwinds, the other has run to its end.
enum class Injected : std::uint8_t { none, busy, io_error, disk_full, observer_throw };

#ifdef LEASEPROOF_FAULT_POINTS
// Set while a plan is armed on this thread: libfiu's own lookup costs a lock and a hash, which an
// unarmed step need not pay.
extern thread_local bool armed_here;
// Turns libfiu's verdict into what the code has to do. Unwinds with `Crash` where the plan says so.
Injected act(Point point);

inline Injected hit(Point point) {
  if (!armed_here) return Injected::none;
  return fiu_fail(point_names[point]) == 0 ? Injected::none : act(point);
}
#else
constexpr Injected hit(Point) { return Injected::none; }
#endif

}  // namespace leaseproof::faults
