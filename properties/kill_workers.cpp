#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "faults/draw.hpp"
#include "faults/process.hpp"
#include "properties/file_judgement.hpp"
#include "properties/kill_rounds.hpp"
#include "properties/shared_service.hpp"

namespace leaseproof::properties {

using engine::effects::ServiceDouble;
using faults::Child;
using model::OpStatus;
using model::Outcome;
using model::Word;

namespace {

constexpr std::size_t workers = 3;
constexpr std::int64_t lease_us = 60'000;
constexpr std::int64_t killing_us = 700'000;      // while processes are killed
constexpr std::int64_t settling_us = 20'000'000;  // and then, at most, until all is done
constexpr char all_done = 'd';
constexpr char no_database = 'e';
constexpr char no_ledger = 'l';

std::unique_ptr<engine::Engine> engine_of(const KillRound& round) {
  engine::Options options;
  options.path = round.folder / "engine.sqlite";
  auto engine = engine::Engine::open(std::move(options));
  return engine ? std::move(*engine) : nullptr;
}

// A chain, a fan and its join; some of the ops write to the outside service.
model::Start workflow(int number) {
  model::Start start;
  start.workflow = fmt::format("w{}", number);
  const auto add = [&](std::string_view name, std::vector<std::string_view> needs, bool effect) {
    model::OpSpec& spec = start.ops.emplace_back();
    spec.id = fmt::format("w{}-{}", number, name);
    for (const std::string_view need : needs) {
      spec.needs.push_back({fmt::format("w{}-{}", number, need), true});
    }
    // A kill costs an attempt; here none may run out of them.
    spec.max_attempts = 100'000;
    spec.retry.delays_us = {1'000};
    if (effect) spec.effect.emplace();
  };
  add("plan", {}, false);
  add("left", {"plan"}, true);
  add("right", {"plan"}, false);
  add("join", {"left", "right"}, true);
  return start;
}
constexpr int workflows = 6;

class Worker {
 public:
  Worker(const KillRound& round, std::string name)
      : name_(std::move(name)),
        engine_(engine_of(round)),
        service_(open_shared_service(round.folder / "service.sqlite", clock_)) {}

  // Until it is killed.
  void live(const Child::Line& line) {
    if (engine_ == nullptr || service_ == nullptr) {
      line.tell(engine_ == nullptr ? no_database : no_ledger);
      return;
    }
    for (;;) {
      engine_->refresh();
      model::Lease ask;
      ask.worker = name_;
      ask.lease_us = lease_us;
      const auto granted = engine_->lease(ask);
      if (const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail)) {
        work(granted.token, leased->op);
      } else if (is_done()) {
        line.tell(all_done);
        static_cast<void>(line.hear());
      } else {
        clock_.wait_us(2'000);
      }
    }
  }

 private:
  void work(const std::string& token, const std::string& op) {
    const model::WorkerHandle by{name_, op, 0};
    engine_->checkpoint(token, {by, "begun", "true"});
    engine_->heartbeat(token, {by, lease_us});
    model::Complete complete;
    complete.by = by;
    auto sent = engine_->dispatch(token, {by, R"("once")"});
    if (!sent.permit) {
      engine_->complete(token, complete);
      return;
    }
    const Outcome said = sent.permit->call(*service_, clock_);
    if (const auto* receipt = std::get_if<model::Receipt>(&said.detail)) {
      engine_->complete(token, complete, {}, receipt->receipt);
    } else {
      engine_->fail(token, {by, model::FailKind::unknown, "no answer"});
    }
  }
  bool is_done() {
    const Outcome seen = engine_->observe();
    const auto* state = std::get_if<model::Observation>(&seen.detail);
    if (state == nullptr) return false;
    for (const auto& [id, op] : state->ops) {
      if (op.status != OpStatus::succeeded) return false;
    }
    return true;
  }

  std::string name_;
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<ServiceDouble> service_;
};

class Crew {
 public:
  explicit Crew(const KillRound& round) : round_(round), draw_(round.seed) {
    for (auto& worker : crew_) hire(worker);
  }

  std::string run(Kills& kills) {
    const std::int64_t began_us = clock_.now_us();
    for (;;) {
      const std::int64_t passed_us = clock_.now_us() - began_us;
      if (passed_us > killing_us + settling_us) return "not all ops came to an end";
      const bool kills_now = passed_us < killing_us;
      auto& worker = crew_[draw_.below(workers)];
      const int wait_ms = static_cast<int>(1 + draw_.below(kills_now ? 12 : 50));
      if (worker->has_word(wait_ms)) {
        const auto word = worker->hear();
        if (word == all_done) return {};
        if (word == no_database) return "a worker cannot open the database";
        return word == no_ledger ? "a worker cannot open the ledger" : "a worker died by itself";
      }
      if (!kills_now) continue;
      const faults::End end = worker->kill();
      if (!end.is(faults::Death::signal)) return "a worker died by itself";
      ++kills.by_signal;
      hire(worker);
    }
  }

 private:
  void hire(std::unique_ptr<Child>& worker) {
    worker.reset();
    const std::string name = fmt::format("worker-{}", ++hired_);
    worker =
        std::make_unique<Child>([&](const Child::Line& line) { Worker(round_, name).live(line); });
  }

  const KillRound& round_;
  faults::Draw draw_;
  engine::SystemClock clock_;
  std::array<std::unique_ptr<Child>, workers> crew_;
  int hired_ = 0;
};

std::string judge_ledger(const KillRound& round, engine::Clock& clock) {
  auto opened = ServiceDouble::open_to_read(round.folder / "service.sqlite", clock);
  if (!opened) return opened.error().sentence;
  const auto ledger = (*opened)->ledger();
  if (!ledger) return ledger.error().sentence;
  std::map<std::string, int> writes;
  for (const auto& written : *ledger) {
    if (++writes[written.key] > 1) return "the ledger holds two writes under " + written.key;
  }
  constexpr std::size_t effects_a_workflow = 2;
  if (writes.size() == workflows * effects_a_workflow) return {};
  return fmt::format("the ledger holds {} writes for {} effects", writes.size(),
                     workflows * effects_a_workflow);
}

}  // namespace

KillRoundEnd kill_workers(const KillRound& round) {
  KillRoundEnd end;
  engine::SystemClock clock;
  {
    const auto engine = engine_of(round);
    for (int i = 0; engine != nullptr && i < workflows; ++i) engine->start(workflow(i));
    // So that the workers need not race for who makes it.
    if (!ServiceDouble::open(round.folder / "service.sqlite", clock)) {
      end.why = "a fresh ledger cannot be made";
      return end;
    }
  }
  end.why = Crew(round).run(end.kills);
  if (!end.why.empty()) return end;
  const FileJudgement found = judge_file(round.folder / "engine.sqlite", clock, round.decode);
  end.why = found.why;
  if (end.why.empty()) end.why = judge_ledger(round, clock);
  for (const auto& [id, op] : found.state.ops) {
    if (end.why.empty() && op.status != OpStatus::succeeded) {
      end.why = fmt::format("{} is {}", id, model::word(op.status));
    }
  }
  return end;
}

}  // namespace leaseproof::properties
