#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "engine/host.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "engine/store/catalog.hpp"
#include "properties/shared_service.hpp"
#include "properties/stress_plant.hpp"
#include "properties/stress_roles.hpp"

namespace leaseproof::properties {

using engine::Answer;
using engine::Completed;
using engine::Failed;
using engine::effects::ServiceDouble;
using model::FailKind;
using model::ServiceMode;
using model::Word;

StressLog::StressLog(const StressPlan& plan, std::string_view name)
    : file_(::open((plan.folder / fmt::format("record-{}", name)).c_str(),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
StressLog::~StressLog() {
  if (file_ >= 0) ::close(file_);
}
void StressLog::line(std::string_view text) const {
  const std::string whole = std::string(text) + "\n";
  // What cannot be written is missed afterwards, by the counts.
  static_cast<void>(!::write(file_, whole.data(), whole.size()));
}

namespace {
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}
}  // namespace

Lots::Lots(std::uint64_t seed, std::string_view name) : draw_(seed ^ hash_of(name)) {}

std::filesystem::path service_of(const StressPlan& plan) { return plan.folder / "service.sqlite"; }

engine::Options engine_options(const StressPlan& plan, engine::Clock& clock) {
  engine::Options options;
  options.path = database_of(plan);
  options.synchronous = plan.synchronous;
  options.clock = &clock;
  options.clock_slack_us = clock_slack_of(plan);
  // Whoever waits longer than a lease has lost it anyway.
  options.busy.tries = 2'000;
  return options;
}

namespace {

// What the ops of one process are made by. Several threads.
class Shop {
 public:
  Shop(const StressPlan& plan, engine::Clock& clock, const StressLog& record,
       engine::Engine& engine, std::unique_ptr<ServiceDouble> service)
      : plan_(plan),
        clock_(clock),
        record_(record),
        engine_(engine),
        service_(std::move(service)) {}

  Answer task(engine::Attempt& attempt) {
    const Running running(*this, attempt.op());
    wait_for_others(attempt);
    Lots lots = lots_of(attempt);
    if (lots.chance(10)) attempt.checkpoint("half", "\"" + std::string(300, 'x') + "\"");
    // Now and then longer than a lease lasts: only heartbeats keep it.
    const bool is_long = lots.chance(2);
    wait(attempt, is_long ? plan_.lease_us * 3 / 2 : lots.draw(lots.chance(20) ? 20'000 : 3'000));
    if (lots.chance(5)) return Failed{FailKind::retryable, "another time"};
    if (lots.chance(2)) return Failed{FailKind::permanent, "never"};
    if (lots.chance(2)) throw std::runtime_error("a runner that throws");
    Completed done{fmt::format("\"{}\"", attempt.op()), {}, {}, {}, {}};
    if (lots.chance(10)) done.artifacts.push_back({"page", attempt.op()});
    if (lots.chance(5) && attempt.op().find("-more") == std::string::npos) {
      model::OpSpec more;
      more.id = attempt.op() + "-more";
      more.kind = "task";
      done.emit.push_back(std::move(more));
    }
    return done;
  }

  Answer publish(engine::Attempt& attempt) {
    const Running running(*this, attempt.op());
    wait_for_others(attempt);
    Lots lots = lots_of(attempt);
    const std::string payload = fmt::format("\"{}\"", attempt.op());
    engine::Dispatched dispatched = attempt.dispatch(payload);
    if (dispatched.outcome.word == Word::approval_required) {
      constexpr std::int64_t long_us = 600'000'000;
      if (attempt.request_approval(payload, long_us).word == Word::waiting) return engine::Waits{};
      return Failed{FailKind::retryable, "no request"};
    }
    if (!dispatched.permit) return Failed{FailKind::retryable, "no permit"};
    const model::Outcome answer = send(*dispatched.permit, lots);
    wait(attempt, lots.draw(2'000));
    if (const auto* receipt = std::get_if<model::Receipt>(&answer.detail)) {
      return Completed{"null", {}, {}, receipt->receipt, {}};
    }
    if (answer.word == Word::refused) return Failed{FailKind::retryable, "refused"};
    return Failed{FailKind::unknown, "no answer"};
  }

 private:
  // A run of somebody's code, from its beginning to its end.
  class Running {
   public:
    Running(Shop& shop, const std::string& op) : shop_(shop) {
      shop_.record_.line("r " + op);
      const std::int64_t at_once = ++shop_.running_;
      std::int64_t most = shop_.most_;
      while (at_once > most && !shop_.most_.compare_exchange_weak(most, at_once)) {
      }
      if (at_once > most) shop_.record_.line(fmt::format("o {}", at_once));
    }
    ~Running() { --shop_.running_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Shop& shop_;
  };

  // Nobody goes on before as many have been here at once as there are workers, unless for a while
  // no other one comes; that is tried once in a life.
  void wait_for_others(const engine::Attempt& attempt) {
    constexpr std::int64_t step_us = 1'000;
    std::int64_t here = running_;
    std::int64_t since_us = clock_.now_us();
    while (waits_ && most_ < plan_.workers && !attempt.stop_token().stop_requested()) {
      clock_.wait_us(step_us);
      const std::int64_t now_us = clock_.now_us();
      const std::int64_t before = std::exchange(here, running_);
      if (here != before) since_us = now_us;
      if (now_us - since_us < plan_.lease_us) continue;
      if (waits_.exchange(false) && is_one_ready()) record_.line("w");
    }
  }

  bool is_one_ready() {
    engine::Due due;
    if (engine_.next_due(due).word != Word::ok) return false;
    const std::int64_t now_us = clock_.now_us();
    return std::ranges::any_of(due.queues,
                               [&](const auto& queue) { return queue.due_us <= now_us; });
  }

  Lots lots_of(const engine::Attempt& attempt) const {
    return {plan_.seed, fmt::format("{} {}", attempt.op(), attempt.work().generation)};
  }

  void wait(const engine::Attempt& attempt, std::int64_t duration_us) {
    constexpr std::int64_t step_us = 5'000;
    for (std::int64_t left = duration_us; left > 0 && !attempt.stop_token().stop_requested();
         left -= step_us) {
      clock_.wait_us(std::min(left, step_us));
    }
  }

  model::Outcome send(engine::effects::Permit& permit, Lots& lots) {
    const std::lock_guard lock(service_mutex_);
    const std::int64_t lot = lots.draw(100);
    if (lot < 8) service_->tell(ServiceMode::timeout_before);
    if (lot >= 8 && lot < 16) service_->tell(ServiceMode::timeout_after);
    if (lot >= 16 && lot < 20) service_->tell(ServiceMode::refuse);
    return permit.call(*service_, clock_);
  }

  const StressPlan& plan_;
  engine::Clock& clock_;
  const StressLog& record_;
  engine::Engine& engine_;
  std::mutex service_mutex_;
  std::unique_ptr<ServiceDouble> service_;
  std::atomic<std::int64_t> running_ = 0;
  std::atomic<std::int64_t> most_ = 0;
  std::atomic<bool> waits_ = true;
};

// What an observer is told of, another connection sees. One notice at a time.
class OtherReader {
 public:
  explicit OtherReader(const StressPlan& plan) : texts_(engine::store::catalog_texts()) {
    engine::sqlite::Fault fault{};
    db_ = engine::sqlite::Connection::open({database_of(plan), {}, true, false}, texts_, fault);
  }
  // Now and then it looks; where it cannot, it has seen nothing wrong.
  bool misses(std::int64_t call) {
    constexpr std::int64_t notices = 8;
    if (db_ == nullptr || ++told_ % notices != 0) return false;
    db_->clear_fault();
    auto rows = db_->query(index(engine::store::Sql::last_event));
    return rows.next() && rows.integer(0) < call;
  }

 private:
  const engine::sqlite::StatementTexts texts_;
  std::unique_ptr<engine::sqlite::Connection> db_;
  std::int64_t told_ = 0;
};

}  // namespace

void work(const StressPlan& plan, int worker, std::int64_t life, const faults::Child::Line& line) {
  const std::string name = fmt::format("worker-{}", worker);
  engine::SystemClock system;
  Lots lots(plan.seed, fmt::format("{} {}", name, life));
  const std::int64_t off_us =
      plan.skew_us == 0 ? 0 : lots.draw(2 * plan.skew_us + 1) - plan.skew_us;
  OffClock clock(system, off_us);
  const StressLog record(plan, name);
  engine::HostOptions options;
  StressPlant plant(plan.bug, clock, database_of(plan));
  options.engine = engine_options(plan, clock);
  plant.bend(options.engine);
  options.seam = plant.seam();
  options.worker = name;
  options.scheduler.max_workers = plan.workers;
  options.scheduler.lease_us = plan.lease_us;
  // Some beat so often that a beat and the end of its run meet.
  if (lots.chance(50))
    options.scheduler.heartbeat_us = plan.lease_us / (lots.chance(50) ? 300 : 60);
  // Others bring the work, and nobody tells of it.
  options.scheduler.longest_pause_us = 5'000;
  auto opened = engine::Host::open(std::move(options));
  auto service = open_shared_service(service_of(plan), clock);
  if (!opened || service == nullptr) return line.tell(says_unable);
  engine::Host& host = **opened;
  const auto shop = std::make_shared<Shop>(plan, clock, record, host.engine(), std::move(service));
  host.on("task", plant.around([shop](engine::Attempt& attempt) { return shop->task(attempt); }));
  host.on("publish",
          plant.around([shop](engine::Attempt& attempt) { return shop->publish(attempt); }));
  OtherReader reader(plan);
  plant.observe(host.engine(), [&](const engine::Notice& notice) {
    if (notice.call == 0) return record.line("l " + notice.op);
    record.line(fmt::format("a {} {}", notice.call, notice.verb));
    if (reader.misses(notice.call)) record.line(fmt::format("e {} {}", notice.call, notice.verb));
  });
  host.start();
  line.tell(says_ready);
  static_cast<void>(line.hear());
  host.stop();
}

}  // namespace leaseproof::properties
