#include "properties/killed_sut.hpp"

#include <atomic>
#include <optional>
#include <system_error>
#include <utility>

#include "properties/judgement.hpp"

namespace leaseproof::properties {

using faults::Death;
using faults::Place;
using model::Word;

namespace {
// What a child says when its call has ended.
constexpr char missed_the_point = 'm';
constexpr char came_by = 'c';

std::string fresh_vfs_name() {
  static std::atomic<std::int64_t> made{0};
  return "leaseproof-files-" + std::to_string(++made);
}

// As IoFaults counts for a plan of this kind.
bool counts(const faults::Plan& plan, faults::Operation operation, faults::Role role) {
  if (faults::operation_of(plan.point) != operation) return false;
  return plan.file ? *plan.file == role
                   : faults::allows(operation, role, faults::IoKind::power_loss);
}

// Where the change of the call stands, and only the caller has not heard of it.
bool is_committed(faults::Point point) {
  return faults::place_of(point) == Place::committed || point == faults::observer_notify;
}
}  // namespace

void Kills::add(const Kills& other) {
  by_signal += other.by_signal;
  by_exit += other.by_exit;
  after_answer += other.after_answer;
  missed += other.missed;
}

Kills Kills::since(const Kills& earlier) const {
  return {by_signal - earlier.by_signal, by_exit - earlier.by_exit,
          after_answer - earlier.after_answer, missed - earlier.missed};
}

// The database's files as they were before a child, in case it does what nobody asks for: a call
// whose operations at the disk are too few for its fault.
class KilledSut::Files {
 public:
  explicit Files(const std::filesystem::path& folder) : folder_(folder), kept_(folder / "kept") {
    std::filesystem::remove_all(kept_);
    std::filesystem::create_directory(kept_);
    copy(folder_, kept_);
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(kept_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void put_back() const {
    remove(folder_);
    copy(kept_, folder_);
  }
  static void remove(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_regular_file()) std::filesystem::remove(entry.path());
    }
  }

 private:
  static void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      if (entry.is_regular_file()) {
        std::filesystem::copy_file(entry.path(), to / entry.path().filename());
      }
    }
  }

  const std::filesystem::path folder_;
  const std::filesystem::path kept_;
};

KilledSut::KilledSut(SimClock& clock, KilledSutOptions options)
    : folder_(options.folder),
      before_kill_(std::move(options.before_kill)),
      vfs_(fresh_vfs_name()),
      clock_(clock) {
  EngineSutOptions inner;
  inner.folder = options.folder;
  inner.name = "leaseproof engine on real files";
  inner.statements = std::move(options.statements);
  inner.file_vfs = vfs_.name();
  inner_ = std::make_unique<EngineSut>(clock, std::move(inner));
}

KilledSut::~KilledSut() = default;

// What a case left is not built upon: it may be damaged.
void KilledSut::reset(const Config& config) {
  vfs_.wait_for_disk(false);
  inner_->let_go();
  Files::remove(folder_);
  gone_ = false;
  strange_.clear();
  if (creation_) die_in_creation(*std::exchange(creation_, std::nullopt));
  inner_->reset(config);
}

// What is left of a creation has to be opened and gone on with.
void KilledSut::die_in_creation(const faults::Plan& plan) {
  kill_in(
      plan, [] {}, [&] { static_cast<void>(inner_->wake_up()); });
  gone_ = false;
  Reopened reopened = inner_->restart(nullptr);
  if (reopened.lost.empty()) reopened.lost = inner_->damage();
  vfs_.wait_for_disk(false);
  if (reopened.lost.empty()) return;
  strange_ = "of a creation that was killed: " + reopened.lost;
  Files::remove(folder_);
}

bool KilledSut::can_be_hit(faults::Point point, faults::Kind kind) const {
  if (kind == faults::Kind::crash) return faults::allows(point, kind);
  return inner_->can_be_hit(point, kind);
}

// A call inside another one dies as it does in this process: the outer one holds a connection.
bool KilledSut::kills_at(const StepFault* fault) const {
  return fault != nullptr && fault->plan.kind == faults::Kind::crash && !inner_->stands_still();
}

KilledSut::Way KilledSut::next_way(const faults::Plan& plan) const {
  const std::uint64_t ways = is_committed(plan.point) ? 3 : 2;
  return static_cast<Way>(children_ % ways);
}

bool KilledSut::kill_in(const faults::Plan& plan, const std::function<void()>& ready,
                        const std::function<void()>& life) {
  const Way way = next_way(plan);
  ++children_;
  inner_->let_go();
  vfs_.wait_for_disk(true);
  faults::Child child([&](const faults::Child::Line& line) {
    inner_->draw_ids_as(children_);
    ready();
    bool reached = false;
    const auto strike = [&] {
      if (way == Way::after_answer) {
        reached = true;
      } else {
        faults::die(way == Way::signal ? Death::signal : Death::exit);
      }
    };
    std::optional<faults::Armed> armed;
    std::int64_t hits = 0;
    if (faults::is_at_disk(plan.point)) {
      vfs_.watch([&](faults::Operation operation, faults::Role role) {
        if (counts(plan, operation, role) && ++hits == plan.hit) strike();
      });
    } else {
      // What an interleaving does at the point is up to us.
      armed.emplace(faults::Plan{plan.point, faults::Kind::interleave, plan.hit, 1}, strike);
    }
    life();
    line.tell(reached ? came_by : missed_the_point);
    // Told by nobody: only the kill ends this.
    static_cast<void>(line.hear());
  });
  const std::optional<char> answer = child.hear();
  const faults::End end = child.kill();
  if (answer == missed_the_point) {
    ++kills_.missed;
    return false;
  }
  gone_ = count(way, answer == came_by, end);
  return gone_;
}

bool KilledSut::count(Way way, bool answered, const faults::End& end) {
  const bool as_told = answered == (way == Way::after_answer) &&
                       end.is(way == Way::exit ? Death::exit : Death::signal);
  if (!as_told) {
    strange_ = "the engine's process ended by itself: signal " + std::to_string(end.signal) +
               ", exit code " + std::to_string(end.code) + (end.late ? ", after a silence" : "");
    return true;
  }
  switch (way) {
    case Way::signal:
      ++kills_.by_signal;
      break;
    case Way::exit:
      ++kills_.by_exit;
      break;
    case Way::after_answer:
      ++kills_.after_answer;
      break;
  }
  return true;
}

Reply KilledSut::apply(const CallFrame& frame) {
  if (!strange_.empty() && !gone_) {
    Reply reply;
    reply.outcome = Word::storage_error;
    reply.outcome.why = std::exchange(strange_, {});
    return reply;
  }
  if (!kills_at(frame.fault)) {
    if (!inner_->stands_still()) vfs_.wait_for_disk(false);
    return inner_->apply(frame);
  }
  if (before_kill_) before_kill_();
  inner_->let_go();
  // Elsewhere a call whose point is not reached changes nothing.
  std::optional<Files> files;
  if (faults::is_at_disk(frame.fault->plan.point) && !is_read(*frame.action)) {
    files.emplace(folder_);
  }
  CallFrame alone = frame;
  alone.fault = nullptr;
  alone.lock_wait_us = 0;
  const bool killed = kill_in(
      frame.fault->plan, [&] { static_cast<void>(inner_->wake_up()); },
      [&] {
        clock_.time_us = saturating_add(clock_.time_us, frame.lock_wait_us);
        inner_->apply(alone);
      });
  if (killed) {
    Reply reply;
    reply.outcome = Word::crashed;
    reply.fired = 1;
    return reply;
  }
  if (files) files->put_back();
  CallFrame without = frame;
  without.fault = nullptr;
  return inner_->apply(without);
}

Reopened KilledSut::restart(const StepFault* fault) {
  bool killed = std::exchange(gone_, false);
  bool fired = false;
  if (kills_at(fault)) {
    if (before_kill_) before_kill_();
    fired = kill_in(
        fault->plan, [&] { static_cast<void>(inner_->wake_up()); },
        [&] { inner_->restart(nullptr); });
    killed = std::exchange(gone_, false) || killed;
  }
  Reopened reopened = inner_->restart(nullptr);
  if (reopened.lost.empty() && killed) reopened.lost = inner_->damage();
  if (!strange_.empty()) reopened.lost = std::exchange(strange_, {});
  if (fired) {
    reopened.fired = 1;
    reopened.outcome = Word::crashed;
  }
  return reopened;
}

MakeRig killed_engine(std::string parent) {
  return [parent = std::move(parent)] {
    static std::atomic<std::int64_t> made{0};
    const std::filesystem::path folder =
        std::filesystem::path(parent) / ("killed-" + std::to_string(++made));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    Rig rig;
    rig.clock = std::make_unique<SimClock>();
    rig.sut = std::make_unique<KilledSut>(*rig.clock, KilledSutOptions{folder.string(), {}, {}});
    return rig;
  };
}

}  // namespace leaseproof::properties
