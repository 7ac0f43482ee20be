#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/reconciler.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "properties/shared_service.hpp"
#include "properties/stress_plant.hpp"
#include "properties/stress_roles.hpp"

namespace leaseproof::properties {

using engine::effects::ServiceDouble;
using model::OpStatus;
using model::Word;

namespace {

model::OpSpec op(const std::string& workflow, std::string_view name) {
  model::OpSpec spec;
  spec.id = fmt::format("{}-{}", workflow, name);
  spec.kind = "task";
  // A kill costs an attempt; few may run out of them.
  spec.max_attempts = 12;
  spec.retry.delays_us = {5'000, 20'000};
  return spec;
}

// Whoever starts workflows, reviews, asks after unknown writes and closes them, cancels and
// retries.
class Bringer {
 public:
  Bringer(const StressPlan& plan, engine::Engine& engine, ServiceDouble& service,
          engine::Clock& clock)
      : plan_(plan),
        engine_(engine),
        service_(service),
        lots_(plan.seed, "bringer"),
        reconciler_(engine, service, clock, {20'000, 200'000}) {
    // Few at a time, and one a time.
    for (const auto& [name, most] :
         std::array<std::pair<const char*, std::int64_t>, 2>{{{"narrow", 3}, {"single", 1}}}) {
      model::Queue queue;
      queue.queue = name;
      queue.max_in_flight = most;
      engine_.set_queue(queue);
    }
  }

  void turn(bool brings) {
    if (brings) {
      const auto most = static_cast<std::size_t>(plan_.processes * plan_.workers);
      while (live_.size() < most) start();
    }
    for (auto at = live_.begin(); at != live_.end();) {
      at = look_after(at->first, at->second) ? std::next(at) : live_.erase(at);
    }
    reconciler_.pass();
    close_unknown();
  }
  [[nodiscard]] bool is_idle() const { return live_.empty(); }

 private:
  struct Live {
    std::vector<std::string> ops;
    std::string published;
    bool retried = false;
  };

  void start() {
    const std::string id = fmt::format("w{}", ++started_);
    model::Ensure ensure;
    ensure.workflow = id;
    ensure.identity = fmt::format("\"{}\"", id);
    ensure.ops = {op(id, "a"), op(id, "b"), op(id, "f")};
    ensure.ops[2].needs = {{ensure.ops[0].id, true}, {ensure.ops[1].id, !lots_.chance(50)}};
    for (model::OpSpec& spec : ensure.ops) {
      if (lots_.chance(40)) spec.queue = lots_.chance(60) ? "narrow" : "single";
    }
    Live live;
    if (lots_.chance(40)) {
      model::OpSpec publish = op(id, "p");
      publish.kind = "publish";
      publish.needs = {{ensure.ops[2].id, true}};
      model::EffectSpec& effect = publish.effect.emplace();
      constexpr std::array contracts{model::Contract::idempotent, model::Contract::queryable,
                                     model::Contract::opaque};
      effect.contract = contracts.at(static_cast<std::size_t>(lots_.draw(3)));
      if (lots_.chance(40)) {
        effect.approval = true;
        effect.scope = "team";
        effect.requester = "ann";
      }
      live.published = publish.id;
      ensure.ops.push_back(std::move(publish));
    }
    for (const model::OpSpec& spec : ensure.ops) live.ops.push_back(spec.id);
    const Word word = engine_.ensure(std::move(ensure)).word;
    if (word != Word::created && word != Word::attached) return;
    live_.emplace(id, std::move(live));
    if (lots_.chance(3)) engine_.cancel({id});
  }

  // False: it is settled.
  bool look_after(const std::string& id, Live& live) {
    const model::Outcome seen = engine_.snapshot({id});
    const auto* counts = std::get_if<model::StatusCounts>(&seen.detail);
    if (counts == nullptr) return true;
    const auto count = [&](OpStatus status) {
      return counts->counts[static_cast<std::size_t>(status)];
    };
    if (count(OpStatus::waiting_approval) > 0) review(live.published);
    if (count(OpStatus::failed) > 0 && !std::exchange(live.retried, true) && lots_.chance(50)) {
      for (const std::string& one : live.ops) engine_.retry({one, std::nullopt});
      return true;
    }
    return count(OpStatus::pending) + count(OpStatus::ready) + count(OpStatus::running) +
               count(OpStatus::waiting_approval) + count(OpStatus::reconciling) >
           0;
  }

  void review(const std::string& published) {
    model::Decide decide;
    decide.op = published;
    decide.approve = lots_.chance(85);
    decide.actor = {"rita", {"reviewer"}, {"team"}};
    engine_.decide(decide);
  }

  // An operator looks into the service's own books.
  void close_unknown() {
    std::vector<engine::UnknownEffect> unknown;
    engine_.unknown_effects(unknown);
    for (const engine::UnknownEffect& one : unknown) {
      // One that can be asked is given time to be found.
      if (one.contract != model::Contract::opaque && ++passes_[one.op] < 20) continue;
      model::Close close;
      close.op = one.op;
      close.happened = service_.writes(one.key) > 0;
      close.evidence = close.happened ? "it is in the books" : "it is not in the books";
      close.actor = {"otto", {"operator"}, {"team"}};
      engine_.close(close);
    }
  }

  const StressPlan& plan_;
  engine::Engine& engine_;
  ServiceDouble& service_;
  Lots lots_;
  engine::Reconciler reconciler_;
  std::int64_t started_ = 0;
  std::map<std::string, Live> live_;
  std::map<std::string, int> passes_;
};

}  // namespace

void bring_work(const StressPlan& plan, const faults::Child::Line& line) {
  engine::SystemClock clock;
  StressPlant plant(plan.bug, clock, database_of(plan));
  engine::Options options = engine_options(plan, clock);
  plant.bend(options);
  auto engine = engine::Engine::open(std::move(options));
  const auto service = open_shared_service(service_of(plan), clock);
  if (!engine || service == nullptr) return line.tell(says_unable);
  const StressLog record(plan, "bringer");
  plant.observe(**engine, [&](const engine::Notice& notice) {
    record.line(fmt::format("a {} {}", notice.call, notice.verb));
  });
  Bringer bringer(plan, **engine, *service, clock);
  line.tell(says_ready);
  constexpr std::int64_t pause_us = 4'000;
  const std::int64_t begun_us = clock.now_us();
  for (;;) {
    const std::int64_t spent_us = clock.now_us() - begun_us;
    const bool brings = spent_us < plan.work_us && !(plan.stop && plan.stop());
    bringer.turn(brings);
    if (!brings && bringer.is_idle()) return line.tell(says_settled);
    if (spent_us > plan.work_us + plan.settle_us) return line.tell(says_unsettled);
    clock.wait_us(pause_us);
  }
}

}  // namespace leaseproof::properties
