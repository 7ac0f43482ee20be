#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/values/binding.hpp"
#include "faults/plan.hpp"
#include "faults/process.hpp"
#include "properties/file_judgement.hpp"
#include "properties/kill_rounds.hpp"

namespace leaseproof::properties {

using engine::effects::ServiceDouble;
using model::Contract;
using model::OpStatus;
using model::Outcome;
using model::Word;

namespace {

class HandSetClock final : public engine::Clock {
 public:
  std::int64_t now_us() override { return time_us; }
  void wait_us(std::int64_t) override {}
  std::int64_t time_us = 1;
};

// What is not as it must be, and ends the round.
struct Broken {
  std::string why;
};

void expect(const Outcome& outcome, Word word, std::string_view what) {
  if (outcome.word == word) return;
  throw Broken{fmt::format("{} answered {}{}{}", what, model::word(outcome.word),
                           outcome.why.empty() ? "" : ": ", outcome.why)};
}

// An engine and the service beside it, as one process has them.
class Process {
 public:
  Process(const std::filesystem::path& folder, HandSetClock& clock) : clock_(clock) {
    engine::Options options;
    options.path = folder / "engine.sqlite";
    options.clock = &clock;
    auto opened = engine::Engine::open(std::move(options));
    if (!opened) throw Broken{opened.error().sentence};
    engine_ = std::move(*opened);
    auto service = ServiceDouble::open(folder / "service.sqlite", clock);
    if (!service) throw Broken{service.error().sentence};
    service_ = std::move(*service);
  }
  engine::Engine& engine() { return *engine_; }
  ServiceDouble& service() { return *service_; }

  engine::effects::Permit dispatch(const std::string& op) {
    expect(engine_->refresh(), Word::ok, "refresh");
    model::Lease lease;
    lease.worker = "A";
    auto granted = engine_->lease(lease);
    expect(granted.outcome, Word::leased, "lease");
    token_ = std::move(granted.token);
    auto sent = engine_->dispatch(token_, {{"A", op, 0}, R"("once")"});
    expect(sent.outcome, Word::dispatching, "dispatch");
    return std::move(*sent.permit);
  }
  // Takes the op to its end as a worker that nothing happens to.
  void finish(const std::string& op) {
    auto permit = dispatch(op);
    const Outcome said = permit.call(*service_, clock_);
    expect(said, Word::receipt, "the service");
    model::Complete complete;
    complete.by = {"A", op, 0};
    expect(engine_->complete(token_, complete, {}, std::get<model::Receipt>(said.detail).receipt),
           Word::ok, "complete");
  }

 private:
  HandSetClock& clock_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<ServiceDouble> service_;
  std::string token_;
};

model::OpSpec publication(const std::string& id, Contract contract) {
  model::OpSpec spec;
  spec.id = id;
  spec.effect.emplace();
  spec.effect->contract = contract;
  return spec;
}

void expect_writes(const std::filesystem::path& folder, HandSetClock& clock, const std::string& op,
                   std::int64_t writes, std::string_view when) {
  auto ledger = ServiceDouble::open_to_read(folder / "service.sqlite", clock);
  if (!ledger) throw Broken{ledger.error().sentence};
  const std::int64_t found = (*ledger)->writes(engine::operation_key(op));
  if (found != writes) {
    throw Broken{
        fmt::format("{} the ledger holds {} writes of {}, not {}", when, found, op, writes)};
  }
}

// What becomes of an unknown effect: sent again where the service would know it, else asked about,
// else told by a person who looked.
void recover(const std::filesystem::path& folder, HandSetClock& clock, const std::string& op,
             Contract contract, bool written) {
  Process process(folder, clock);
  clock.time_us += model::default_lease_us + 1;
  expect(process.engine().refresh(), Word::ok, "refresh");
  if (contract == Contract::idempotent) {
    process.finish(op);
    return;
  }
  const auto found = process.service().find(engine::operation_key(op));
  const Outcome asked = process.engine().reconcile({op}, found);
  if (contract == Contract::queryable && written) {
    expect(asked, Word::confirmed, "reconcile");
    return;
  }
  expect(asked, Word::unknown, "reconcile");
  model::Close close;
  close.op = op;
  close.happened = written;
  close.evidence = "looked it up";
  close.actor = {"olga", {"operator"}, {}};
  expect(process.engine().close(close), Word::ok, "close");
  if (written) return;
  expect(process.engine().retry({op, std::nullopt}), Word::ok, "retry");
  process.finish(op);
}

}  // namespace

KillRoundEnd kill_at_service(faults::Point point, const KillRound& round) {
  constexpr std::array contracts{Contract::idempotent, Contract::queryable, Contract::opaque};
  const auto turn = static_cast<std::size_t>(round.turn);
  const Contract contract = contracts[turn % contracts.size()];
  const faults::Death death = turn % 2 == 0 ? faults::Death::signal : faults::Death::exit;
  const bool written = point == faults::effect_after_call;
  const std::string op = fmt::format("publish-{}", round.seed % 1000);
  HandSetClock clock;
  KillRoundEnd end;
  try {
    faults::Child worker([&](const faults::Child::Line& line) {
      Process process(round.folder, clock);
      model::Start start;
      start.workflow = "w";
      start.ops = {publication(op, contract)};
      expect(process.engine().start(start), Word::created, "start");
      auto permit = process.dispatch(op);
      const faults::Armed armed(faults::Plan{point, faults::Kind::interleave, 1, 1},
                                [&] { faults::die(death); });
      permit.call(process.service(), clock);
      line.tell('m');
    });
    const auto said = worker.hear();
    const faults::End ended = worker.wait();
    if (said || !ended.is(death)) {
      throw Broken{fmt::format("the worker's process did not die at its call: signal {}, code {}",
                               ended.signal, ended.code)};
    }
    ++(death == faults::Death::signal ? end.kills.by_signal : end.kills.by_exit);

    expect_writes(round.folder, clock, op, written ? 1 : 0, "after the kill");
    const std::string database = round.folder / "engine.sqlite";
    const FileJudgement left = judge_file(database, clock, round.decode);
    if (!left.why.empty()) throw Broken{left.why};
    const model::OpView& view = left.state.ops.at(op);
    if (view.status != OpStatus::running || !view.effect ||
        view.effect->status != model::EffectStatus::dispatching) {
      throw Broken{"the dispatch was answered and is not on disk"};
    }
    recover(round.folder, clock, op, contract, written);
    expect_writes(round.folder, clock, op, 1, "in the end");
    const FileJudgement found = judge_file(database, clock, round.decode);
    if (!found.why.empty()) throw Broken{found.why};
    const OpStatus status = found.state.ops.at(op).status;
    if (status != OpStatus::succeeded && status != OpStatus::effect_confirmed) {
      throw Broken{fmt::format("in the end {} is {}", op, model::word(status))};
    }
  } catch (const Broken& broken) {
    end.why = broken.why;
  }
  return end;
}

}  // namespace leaseproof::properties
