#include "engine/host.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/leased_attempt.hpp"
#include "engine/refusals.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {
namespace {

// An engine as the scheduler asks it.
class EngineOps final : public OpSource {
 public:
  EngineOps(Engine& engine, Clock& clock, std::shared_ptr<const Runners> runners,
            std::string worker, LeaseTerms terms)
      : engine_(&engine),
        clock_(&clock),
        runners_(std::move(runners)),
        worker_(std::move(worker)),
        terms_(terms) {}

  model::Outcome refresh() override { return engine_->refresh(); }
  model::Outcome next_due(store::Due& due) override { return engine_->next_due(due); }
  std::vector<Leasing> lease(const std::vector<QueueName>& queues) override {
    std::vector<model::Lease> actions;
    for (const QueueName& queue : queues) {
      model::Lease& action = actions.emplace_back();
      action.worker = worker_;
      action.site = queue.site;
      action.queue = queue.queue;
      action.lease_us = terms_.lease_us;
    }
    std::vector<Leasing> leasings;
    for (Granted& granted : engine_->lease(actions)) {
      Leasing& leasing = leasings.emplace_back();
      if (const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail)) {
        leasing.op = std::make_shared<LeasedAttempt>(*engine_, *clock_, runners_, terms_, *leased,
                                                     std::move(granted.token));
      }
      leasing.outcome = std::move(granted.outcome);
    }
    return leasings;
  }

 private:
  Engine* engine_;
  Clock* clock_;
  const std::shared_ptr<const Runners> runners_;
  const std::string worker_;
  const LeaseTerms terms_;
};

// After the others a scheduler has nothing to do that it did not have before, or knows by itself.
bool makes_work(std::string_view verb) {
  static constexpr std::array<std::string_view, 6> quiet{"refresh",    "lease",    "heartbeat",
                                                         "checkpoint", "dispatch", op_lease_lost};
  return std::find(quiet.begin(), quiet.end(), verb) == quiet.end();
}

}  // namespace

// In the order in which they need each other: the scheduler goes first, and stops.
struct Host::Parts {
  SystemClock wall_time;
  Clock* clock = &wall_time;
  std::shared_ptr<Runners> runners;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<OpSource> source;
  std::unique_ptr<Scheduler> scheduler;
};

Host::Host(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Host::~Host() = default;

tl::expected<std::unique_ptr<Host>, OpenError> Host::open(HostOptions options) {
  const auto why = first_complaint([&] { return check_name("worker", options.worker); },
                                   [&] { return complaint_about(options.scheduler); });
  if (why) return tl::unexpected(OpenError{sqlite::Fault::other, *why});
  auto parts = std::make_unique<Parts>();
  if (options.engine.clock != nullptr) parts->clock = options.engine.clock;
  auto opened = Engine::open(std::move(options.engine));
  if (!opened) return tl::unexpected(opened.error());
  parts->engine = std::move(*opened);
  parts->runners = std::make_shared<Runners>(options.unknown_kind == UnknownKind::fail_retryable
                                                 ? model::FailKind::retryable
                                                 : model::FailKind::permanent);
  const SchedulerSettings& settings = options.scheduler;
  const LeaseTerms terms{settings.lease_us,
                         settings.heartbeat_us > 0 ? settings.heartbeat_us : settings.lease_us / 3};
  parts->source = std::make_unique<EngineOps>(*parts->engine, *parts->clock, parts->runners,
                                              std::move(options.worker), terms);
  parts->scheduler =
      std::make_unique<Scheduler>(*parts->source, *parts->clock, settings, std::move(options.seam));
  Scheduler& scheduler = *parts->scheduler;
  parts->engine->add_observer([&scheduler](const Notice& notice) {
    if (makes_work(notice.verb)) scheduler.wake();
  });
  return std::unique_ptr<Host>(new Host(std::move(parts)));
}

void Host::on(std::string kind, Runner runner) {
  parts_->runners->put(std::move(kind), std::move(runner));
}

void Host::observe(Observer observer) { parts_->engine->add_observer(std::move(observer)); }

Engine& Host::engine() { return *parts_->engine; }
Scheduler& Host::scheduler() { return *parts_->scheduler; }

Cycle Host::run_cycle() { return parts_->scheduler->run_cycle(); }
Cycle Host::work_off() { return parts_->scheduler->work_off(); }
void Host::start() { parts_->scheduler->start(); }
void Host::drain() { parts_->scheduler->drain(); }
void Host::stop() { parts_->scheduler->stop(); }

}  // namespace leaseproof::engine
