#include "faults/plan.hpp"

#include <fiu-control.h>
#include <fiu.h>

#include <mutex>
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
        throw Crash{point};
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
    }
  }
  // After the interleaved steps: the clock moves while this call waits for the lock, which it asks
  // for only when they have ended.
  if (armed->watched_ == point && armed->seen_) armed->seen_();
  return injected;
}

bool allows(Point point, Kind kind) {
  if (point == observer_notify) return kind == Kind::throw_;
  if (is_at_service(point)) return kind == Kind::crash || kind == Kind::interleave;
  switch (kind) {
    case Kind::crash:
    case Kind::busy:
    case Kind::interleave:
      return true;
    case Kind::io_error:
    case Kind::disk_full:
      return place_of(point) != Place::committed;
    case Kind::power_loss:
    case Kind::throw_:
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
