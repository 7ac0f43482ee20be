#include "properties/stress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/effects/service_double.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "properties/file_judgement.hpp"
#include "properties/stress_roles.hpp"

namespace leaseproof::properties {

using faults::Child;
using model::OpStatus;

namespace {

// Between two looks at those who work.
constexpr std::int64_t look_us = 20'000;

class Crowd {
 public:
  explicit Crowd(const StressPlan& plan) : plan_(plan), lots_(plan.seed, "kills") {}

  // What went wrong while they worked, or empty.
  std::string run(StressEnd& end) {
    bringer_ = std::make_unique<Child>([&](const Child::Line& line) { bring_work(plan_, line); });
    if (bringer_->hear() != says_ready)
      return "the database cannot be opened by who brings the work";
    for (int i = 0; i < plan_.processes; ++i) {
      lives_.push_back(0);
      workers_.push_back(nullptr);
      if (!begin(i)) return "a worker cannot open the database";
    }
    const std::int64_t begun_us = clock_.now_us();
    std::int64_t next_kill_us = begun_us + plan_.kill_every_us;
    while (!bringer_->has_word(0)) {
      const std::int64_t now_us = clock_.now_us();
      const bool works = now_us - begun_us < plan_.work_us && !(plan_.stop && plan_.stop());
      if (works) end.worked_us = now_us - begun_us;
      if (works && plan_.kill_every_us > 0 && now_us >= next_kill_us) {
        const auto victim = static_cast<int>(lots_.draw(plan_.processes));
        const faults::End killed = workers_[static_cast<std::size_t>(victim)]->kill();
        if (!killed.is(faults::Death::signal)) return "a worker ended before it was killed";
        ++end.kills;
        if (!begin(victim)) return "a worker cannot open the database after a kill";
        next_kill_us = now_us + plan_.kill_every_us;
      }
      clock_.wait_us(std::min(look_us, std::max<std::int64_t>(plan_.kill_every_us, 1'000)));
    }
    const std::optional<char> word = bringer_->hear();
    end.settled_us = clock_.now_us() - begun_us;
    for (const auto& worker : workers_) worker->tell('q');
    std::string why;
    for (const auto& worker : workers_) {
      const faults::End ended = worker->wait();
      if (ended.signal != 0 || ended.code != 0) why = "a worker did not end when it was told to";
    }
    if (word == says_unsettled) return "ops are left unsettled";
    if (word != says_settled) return "who brings the work has died";
    return why;
  }

 private:
  bool begin(int worker) {
    auto& place = workers_[static_cast<std::size_t>(worker)];
    const std::int64_t life = ++lives_[static_cast<std::size_t>(worker)];
    place = std::make_unique<Child>(
        [&, life](const Child::Line& line) { work(plan_, worker, life, line); });
    return place->hear() == says_ready;
  }

  const StressPlan& plan_;
  engine::SystemClock clock_;
  Lots lots_;
  std::unique_ptr<Child> bringer_;
  std::vector<std::unique_ptr<Child>> workers_;
  std::vector<std::int64_t> lives_;
};

// What those who took part have left behind.
struct Left {
  std::vector<std::pair<std::int64_t, std::string>> acknowledged;
  std::vector<std::pair<std::int64_t, std::string>> too_early;
  std::map<std::string, std::int64_t> lost;  // by op
  std::int64_t runs = 0;
  std::int64_t overlap = 0;
  bool idle = false;  // workers, while ops were ready
};

void read_record(const std::filesystem::path& file, Left& left) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    const std::string_view rest =
        std::string_view(line).substr(std::min<std::size_t>(2, line.size()));
    std::int64_t number = 0;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), number).ptr;
    switch (line.empty() ? ' ' : line.front()) {
      case 'a':
      case 'e':
        (line.front() == 'a' ? left.acknowledged : left.too_early)
            .emplace_back(number, std::string(end + 1, rest.data() + rest.size()));
        break;
      case 'w':
        left.idle = true;
        break;
      case 'o':
        left.overlap = std::max(left.overlap, number);
        break;
      case 'l':
        ++left.lost[std::string(rest)];
        break;
      default:
        ++left.runs;
    }
  }
}

class Verdict {
 public:
  Verdict(const StressPlan& plan, const JournalDecoder& decode, StressEnd& end)
      : plan_(plan), decode_(decode), end_(end) {}

  void reach() {
    for (int i = 0; i < plan_.processes; ++i) {
      read_record(plan_.folder / fmt::format("record-worker-{}", i), left_);
    }
    read_record(plan_.folder / "record-bringer", left_);
    end_.acknowledged = static_cast<std::int64_t>(left_.acknowledged.size());
    end_.runs = left_.runs;
    end_.overlap = left_.overlap;
    for (const auto& [op, times] : left_.lost) end_.lost += times;
    engine::SystemClock clock;
    // Whether the journal is legal is for others to say.
    const FileJudgement file = judge_file(database_of(plan_).string(), clock, {});
    if (!file.why.empty()) return wrong("all_or_nothing", file.why);
    for (const JournalEvent& event : file.events) newest_[event.op] = event.seq;
    count(file.state);
    journal(file.events);
    service(file.events);
    overlap();
  }

 private:
  // `seq`: of the event in which it shows, 0 where it shows in none.
  void wrong(std::string_view invariant, std::string why, std::int64_t seq = 0) {
    if (!end_.invariant.empty()) return;
    end_.invariant = invariant;
    end_.why = std::move(why);
    end_.seq = seq;
  }

  void count(const model::Observation& state) {
    end_.workflows = static_cast<std::int64_t>(state.workflows.size());
    end_.ops = static_cast<std::int64_t>(state.ops.size());
    for (const auto& [id, op] : state.ops) {
      if (is_done(op.status)) ++end_.succeeded;
      if (!is_settled(op.status)) {
        wrong("no_blocked_left", fmt::format("{} is left {}", id, model::word(op.status)),
              newest_[id]);
      }
    }
  }

  // What an observer was told of stands, and the moments are in the order of the commits.
  void journal(const std::vector<JournalEvent>& events) {
    std::map<std::string, std::int64_t> taken;  // leases that were, by op
    std::int64_t at_us = INT64_MIN;
    for (const JournalEvent& event : events) {
      if (event.kind == "op_recovered") ++end_.takeovers;
      if (event.kind == "op_retry_scheduled") ++end_.retries;
      // The ends that a holder need not have brought about itself.
      for (const char* kind : {"op_recovered", "op_canceled", "op_unknown", "op_failed"}) {
        if (event.kind == kind) ++taken[event.op];
      }
      if (plan_.skew_us == 0 && event.at_us < at_us) {
        wrong("time_is_numeric",
              fmt::format("event {} is dated {}, the one before it {}: its moment was read before "
                          "it had the lock",
                          event.seq, event.at_us, at_us),
              event.seq);
      }
      at_us = event.at_us;
    }
    for (const auto& [call, verb] : left_.too_early) {
      wrong("observed_after_commit",
            fmt::format("an observer was told of {} as call {} before another connection saw it",
                        verb, call),
            call);
    }
    for (const auto& [call, verb] : left_.acknowledged) {
      if (call < 1 || call > static_cast<std::int64_t>(events.size())) {
        return wrong("journal_is_truth",
                     fmt::format("{} was acknowledged as call {}, and is lost", verb, call));
      }
      const auto decoded = decode_(events[static_cast<std::size_t>(call) - 1]);
      if (!decoded || !decoded->call || model::do_word(decoded->call->action) != verb) {
        return wrong("journal_is_truth",
                     fmt::format("{} was acknowledged as call {}, where the journal tells of "
                                 "something else",
                                 verb, call),
                     call);
      }
    }
    for (const auto& [op, times] : left_.lost) {
      if (times > taken[op]) {
        wrong("no_stale_commit",
              fmt::format("{} was told {} times that its lease is lost, which it lost {} "
                          "times: a call under its token came after its own end",
                          op, times, taken[op]),
              newest_[op]);
      }
    }
  }

  void service(const std::vector<JournalEvent>& events) {
    engine::SystemClock clock;
    auto service = engine::effects::ServiceDouble::open_to_read(service_of(plan_), clock);
    if (!service) return;  // nothing was ever written there
    const auto ledger = (*service)->ledger();
    if (!ledger) return wrong("no_duplicate_effect", ledger.error().sentence);
    std::map<std::string, std::int64_t> writes;
    for (const auto& written : *ledger) {
      ++end_.writes;
      if (++writes[written.key] > 1) {
        wrong("no_duplicate_effect",
              fmt::format("the service holds two writes under {}", written.key),
              newest_of_key(events, written.key));
      }
    }
  }

  // Of the op that dispatched under it.
  std::int64_t newest_of_key(const std::vector<JournalEvent>& events, const std::string& key) {
    for (const JournalEvent& event : events) {
      if (event.kind != "op_dispatched" || event.detail.find(key) == std::string::npos) continue;
      return newest_[event.op];
    }
    return 0;
  }

  void overlap() {
    if (left_.overlap > plan_.workers) {
      wrong("bounded_overlap", fmt::format("{} ops ran at once in a process with {} workers",
                                           left_.overlap, plan_.workers));
    }
    if (left_.overlap < plan_.workers && left_.idle) {
      wrong("full_overlap",
            fmt::format("never more than {} ops ran at once in a process with {} workers, though "
                        "others were ready for {} ms",
                        left_.overlap, plan_.workers, plan_.lease_us / 1'000));
    }
    const auto never = [&](bool is, std::string_view what) {
      if (!is) return;
      end_.never += end_.never.empty() ? "" : ", ";
      end_.never += what;
    };
    never(left_.overlap < plan_.workers, "as many ops at once as there are workers");
    never(end_.succeeded == 0, "an op that succeeds");
    never(end_.takeovers == 0 && plan_.kill_every_us > 0, "a takeover");
  }

  const StressPlan& plan_;
  const JournalDecoder& decode_;
  StressEnd& end_;
  Left left_;
  std::map<std::string, std::int64_t> newest_;  // by op, its last event
};

}  // namespace

std::int64_t clock_slack_of(const StressPlan& plan) { return 2 * plan.skew_us; }

std::filesystem::path database_of(const StressPlan& plan) { return plan.folder / "engine.sqlite"; }

StressEnd stress(const StressPlan& plan, const JournalDecoder& decode) {
  StressEnd end;
  const std::string trouble = Crowd(plan).run(end);
  Verdict(plan, decode, end).reach();
  if (end.invariant.empty() && !trouble.empty()) {
    end.invariant = "no_blocked_left";
    end.why = trouble;
  }
  return end;
}

}  // namespace leaseproof::properties
