#include "faults/plan.hpp"

#include <fiu-control.h>
#include <fiu.h>

#include <mutex>
#include <optional>
#include <utility>

namespace leaseproof::faults {

thread_local bool armed_here = false;

namespace {
thread_local Armed* current = nullptr;

// While interleaved steps run, the plan of the call that stands still neither counts nor fires.
class Asleep {
 public:
  Asleep() : sleeper_(current) {
    current = nullptr;
    armed_here = false;
  }
  ~Asleep() {
    current = sleeper_;
    armed_here = true;
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  Armed* sleeper_;
};
}  // namespace

// libfiu asks here for each hit of an armed point. It only decides; what a decision does happens in
// `act`, because unwinding and nested engine calls must not pass through libfiu's C frames and
// lock. The decision stays in this thread's `Armed`: libfiu keeps one failnum a point for all
// threads.
int on_hit(const char* name, int* /*failnum*/, void** /*failinfo*/, unsigned int* /*flags*/) {
  Armed* armed = current;
  if (armed == nullptr) return 0;
  const bool watched =
      armed->watched_ < point_count && std::string_view(point_names[armed->watched_]) == name;
  armed->fires_now_ = false;
  if (armed->has_plan_ && std::string_view(point_names[armed->plan_.point]) == name) {
    ++armed->hits_;
    const std::int64_t past = armed->hits_ - armed->plan_.hit;
    armed->fires_now_ = past >= 0 && past < armed->plan_.times;
  }
  return watched || armed->fires_now_ ? 1 : 0;
}

Injected act(Point point) {
  Armed* armed = current;
  if (armed == nullptr) return Injected::none;
  const bool fires = armed->fires_now_;
  Injected injected = Injected::none;
  if (fires) {
    ++armed->fired_;
    switch (armed->plan_.kind) {
      case Kind::crash:
      case Kind::power_loss:
        throw Crash{point};
      case Kind::busy:
        injected = Injected::busy;
        break;
      case Kind::io_error:
        injected = Injected::io_error;
        break;
      case Kind::disk_full:
        injected = Injected::disk_full;
        break;
      case Kind::throw_:
        injected = Injected::observer_throw;
        break;
      case Kind::interleave:
        if (armed->interleave_) {
          const Asleep asleep;
          armed->interleave_();
        }
        break;
      case Kind::cannot_open:
      case Kind::read_only:
        break;
    }
  }
  // After the interleaved steps: the clock moves while this call waits for the lock, which it asks
  // for only when they have ended.
  if (armed->watched_ == point && armed->seen_) armed->seen_();
  return injected;
}

namespace {
std::optional<IoKind> io_kind_of(Kind kind) {
  switch (kind) {
    case Kind::crash:
    case Kind::power_loss:
      return IoKind::power_loss;
    case Kind::busy:
      return IoKind::busy;
    case Kind::io_error:
      return IoKind::io_error;
    case Kind::disk_full:
      return IoKind::disk_full;
    case Kind::cannot_open:
      return IoKind::cannot_open;
    case Kind::read_only:
      return IoKind::read_only;
    case Kind::throw_:
    case Kind::interleave:
      return std::nullopt;
  }
  return std::nullopt;
}
}  // namespace

std::optional<IoPlan> io_plan_of(const Plan& plan) {
  const auto operation = operation_of(plan.point);
  const auto kind = io_kind_of(plan.kind);
  if (!operation || !kind) return std::nullopt;
  const IoPlan io{*operation, plan.file, *kind, plan.hit, plan.sticky, plan.times};
  return allows(io) ? std::optional(io) : std::nullopt;
}

bool allows(Point point, Kind kind) {
  if (is_at_disk(point)) {
    Plan plan;
    plan.point = point;
    plan.kind = kind;
    return io_plan_of(plan).has_value();
  }
  if (point == observer_notify) return kind == Kind::throw_ || kind == Kind::crash;
  if (is_at_service(point)) return kind == Kind::crash || kind == Kind::interleave;
  switch (kind) {
    case Kind::crash:
    case Kind::power_loss:
    case Kind::busy:
    case Kind::interleave:
      return true;
    case Kind::io_error:
    case Kind::disk_full:
      return place_of(point) != Place::committed;
    case Kind::throw_:
    case Kind::cannot_open:
    case Kind::read_only:
      return false;
  }
  return false;
}

Armed::Armed() : has_plan_(false), outer_(current) {
  static std::once_flag once;
  std::call_once(once, [] {
    fiu_init(0);
    for (const char* name : point_names) fiu_enable_external(name, 1, nullptr, 0, on_hit);
  });
  current = this;
  armed_here = true;
}

Armed::Armed(const Plan& plan, std::function<void()> interleave) : Armed() {
  plan_ = plan;
  has_plan_ = true;
  interleave_ = std::move(interleave);
}

void Armed::watch(Point point, std::function<void()> seen) {
  watched_ = point;
  seen_ = std::move(seen);
}

Armed::~Armed() {
  current = outer_;
  armed_here = current != nullptr;
}

}  // namespace leaseproof::faults
