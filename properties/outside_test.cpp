// Checks the outside service that the harness owns: the three contracts, permits and receipts
// (SEMANTICS 6), late requests, and what counts as the truth about a write. Then that the runner
// hands each worker and the engine exactly what they hold or are told. Which engine calls give a
// permit is the model's and the engine's business.
#include "properties/outside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "properties/generators.hpp"
#include "properties/planted.hpp"
#include "properties/walk.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using model::Contract;
using model::FailKind;
using model::OpStatus;
using model::Outcome;
using model::ServiceMode;
using model::Word;

// Workers A and B, each with a lease of op `a` of its own generation, and a service.
class Service {
 public:
  explicit Service(Contract contract, std::int64_t retention_us = 0) {
    effect_.contract = contract;
    effect_.retention_us = retention_us;
  }
  void dispatch(const std::string& worker, const std::string& payload = "1",
                std::int64_t call_before_us = 100, const std::string& key = "key") {
    hear(model::Dispatch{{worker, "a", 0}, payload},
         {Word::dispatching, model::Dispatching{key, call_before_us}});
  }
  void hear(const model::Action& action, const Outcome& outcome, bool unheard = false) {
    model::Given given;
    given.lease_generation = generation_of(handle_of(action));
    given.now_us = now_us;
    outside.hear(action, given, outcome, &effect_, unheard);
  }
  Outcome call(const std::string& worker, ServiceMode mode = ServiceMode::ok,
               std::optional<std::string> payload = std::nullopt) {
    const model::Call call{{worker, "a", 0}, mode, std::move(payload)};
    return outside.call(call, generation_of(&call.by), now_us, now_us);
  }
  Outcome deliver() { return outside.deliver("a", now_us); }
  [[nodiscard]] std::optional<std::string> find() const { return outside.find("a", now_us); }

  Outside outside;
  std::int64_t now_us = 0;

 private:
  static std::int64_t generation_of(const model::WorkerHandle* by) {
    return by == nullptr ? 0 : by->worker == "A" ? 1 : 2;
  }

  model::EffectSpec effect_;
};

Outcome receipt(const std::string& text, bool fresh) {
  return {Word::receipt, model::Receipt{text, fresh}};
}

TEST(Contract, idempotent_answers_the_second_request_with_the_first_receipt) {
  Service service(Contract::idempotent);
  service.dispatch("A");
  service.dispatch("B");
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", true));
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", false));
  EXPECT_EQ(service.call("B"), receipt("receipt-a-1", false));
  EXPECT_EQ(service.outside.writes("a"), 1);
}

TEST(Contract, idempotent_refuses_another_payload_under_a_known_key) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1");
  service.dispatch("B", "2");
  EXPECT_EQ(service.call("A").word, Word::receipt);
  EXPECT_EQ(service.call("B").word, Word::payload_conflict);
  EXPECT_FALSE(service.outside.receipt("B", "a"));
  EXPECT_EQ(service.outside.writes("a"), 1);
}

TEST(Contract, idempotent_forgets_a_key_when_its_retention_is_over) {
  Service service(Contract::idempotent, 10);
  service.dispatch("A");
  service.call("A");
  service.now_us = 9;
  EXPECT_EQ(service.find(), "receipt-a-1");
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", false));
  service.now_us = 10;
  EXPECT_FALSE(service.find());
  EXPECT_EQ(service.call("A"), receipt("receipt-a-2", true));
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Contract, queryable_writes_each_request_and_can_be_asked) {
  Service service(Contract::queryable);
  EXPECT_FALSE(service.find());
  service.dispatch("A");
  service.dispatch("B");
  EXPECT_FALSE(service.find());
  service.call("A");
  EXPECT_EQ(service.call("B"), receipt("receipt-a-2", true));
  EXPECT_EQ(service.find(), "receipt-a-2");
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Contract, opaque_answers_no_query) {
  Service service(Contract::opaque);
  service.dispatch("A");
  EXPECT_EQ(service.call("A").word, Word::receipt);
  EXPECT_FALSE(service.find());
  EXPECT_EQ(service.outside.receipt("A", "a"), "receipt-a-1");
}

TEST(Mode, says_on_which_side_of_the_write_a_call_times_out) {
  for (const Contract contract : {Contract::idempotent, Contract::queryable, Contract::opaque}) {
    for (const auto& [mode, word, writes] :
         {std::tuple{ServiceMode::timeout_before, Word::timeout, 0},
          std::tuple{ServiceMode::timeout_after, Word::timeout, 1},
          std::tuple{ServiceMode::refuse, Word::refused, 0},
          std::tuple{ServiceMode::late, Word::timeout, 0}}) {
      Service service(contract);
      service.dispatch("A");
      EXPECT_EQ(service.call("A", mode).word, word);
      EXPECT_EQ(service.outside.writes("a"), writes);
      EXPECT_FALSE(service.outside.receipt("A", "a"));
      EXPECT_EQ(service.outside.is_late("a"), mode == ServiceMode::late);
    }
  }
}

TEST(Late, requests_arrive_one_by_one_in_the_order_in_which_they_were_sent) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1");
  service.dispatch("B", "2");
  service.call("B", ServiceMode::late);
  service.call("A", ServiceMode::late);
  service.now_us = 1000;  // long after the permits
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.records().at("key").payload, "2");
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.writes("a"), 1);
  EXPECT_EQ(service.deliver().word, Word::invalid);
}

TEST(Late, a_queryable_service_writes_them_all) {
  Service service(Contract::queryable);
  service.dispatch("A");
  service.dispatch("B");
  service.call("A", ServiceMode::late);
  service.call("B");
  service.deliver();
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Late, a_request_that_would_come_after_the_key_is_forgotten_is_lost) {
  Service service(Contract::idempotent, 10);
  service.dispatch("A");
  service.call("A", ServiceMode::late);
  service.call("A");
  service.now_us = 10;
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.writes("a"), 1);
  EXPECT_FALSE(service.outside.is_late("a"));
}

TEST(APermit, is_needed_and_sends_its_own_payload_only) {
  Service service(Contract::opaque);
  EXPECT_EQ(service.call("A").word, Word::invalid);
  service.dispatch("A", "1");
  EXPECT_EQ(service.call("B").word, Word::invalid);
  EXPECT_EQ(service.call("A", ServiceMode::ok, "2").word, Word::invalid);
  EXPECT_EQ(service.call("A", ServiceMode::ok, "1").word, Word::receipt);
}

TEST(APermit, ends_at_its_microsecond_and_stays_so_though_a_clock_steps_back) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1", 100);
  service.now_us = 99;
  EXPECT_EQ(service.call("A", ServiceMode::refuse).word, Word::refused);
  service.now_us = 100;
  EXPECT_EQ(service.call("A").word, Word::permit_expired);
  service.now_us = 0;
  EXPECT_EQ(service.call("A").word, Word::permit_expired);
  EXPECT_EQ(service.outside.writes("a"), 0);
}

TEST(APermit, can_be_used_once_where_the_service_does_not_deduplicate) {
  for (const Contract contract : {Contract::queryable, Contract::opaque}) {
    Service service(contract);
    service.dispatch("A");
    EXPECT_EQ(service.call("A", ServiceMode::timeout_before).word, Word::timeout);
    EXPECT_EQ(service.call("A").word, Word::permit_used);
    EXPECT_EQ(service.outside.writes("a"), 0);
  }
}

TEST(APermit, is_ended_by_a_fail_or_complete_that_was_not_refused) {
  const model::Fail fail{{"A", "a", 0}, FailKind::unknown, std::nullopt};
  model::Complete complete;
  complete.by = {"A", "a", 0};
  const std::vector<std::pair<model::Action, Word>> ends{{fail, Word::retry_scheduled},
                                                         {fail, Word::failed},
                                                         {fail, Word::reconciling},
                                                         {complete, Word::ok}};
  for (const auto& [action, word] : ends) {
    Service service(Contract::idempotent);
    service.dispatch("A");
    service.hear(action, word);
    EXPECT_EQ(service.call("A").word, Word::permit_used);
  }
  const std::vector<std::pair<model::Action, Word>> refused{{fail, Word::lease_lost},
                                                            {complete, Word::lease_lost},
                                                            {complete, Word::receipt_required},
                                                            {complete, Word::invalid}};
  for (const auto& [action, word] : refused) {
    Service service(Contract::idempotent);
    service.dispatch("A");
    service.hear(action, word);
    EXPECT_EQ(service.call("A").word, Word::receipt);
  }
}

TEST(APermit, dies_with_its_worker_and_is_never_given_unheard) {
  Service service(Contract::idempotent);
  service.dispatch("A");
  service.call("A");
  service.outside.forget("A");
  EXPECT_EQ(service.call("A").word, Word::invalid);
  EXPECT_FALSE(service.outside.receipt("A", "a"));
  EXPECT_EQ(service.outside.writes("a"), 1);
  service.hear(model::Dispatch{{"B", "a", 0}, "1"}, Word::crashed, true);
  EXPECT_EQ(service.call("B").word, Word::invalid);
}

TEST(Truth, a_worker_who_calls_refused_what_was_not_misleads) {
  for (const ServiceMode mode : {ServiceMode::refuse, ServiceMode::timeout_before}) {
    for (const FailKind kind : {FailKind::retryable, FailKind::unknown}) {
      Service service(Contract::queryable);
      service.dispatch("A");
      service.call("A", mode);
      service.hear(model::Fail{{"A", "a", 0}, kind, std::nullopt}, Word::retry_scheduled);
      const bool lie = mode == ServiceMode::timeout_before && kind == FailKind::retryable;
      EXPECT_EQ(service.outside.is_misled("a"), lie);
    }
  }
}

TEST(Truth, evidence_is_held_against_the_ledger_and_against_what_is_on_its_way) {
  Service service(Contract::queryable);
  service.dispatch("A");
  EXPECT_TRUE(service.outside.is_true("a", false));
  EXPECT_FALSE(service.outside.is_true("a", true));
  service.call("A", ServiceMode::late);
  EXPECT_FALSE(service.outside.is_true("a", false));
  EXPECT_FALSE(service.outside.is_true("a", true));
  service.deliver();
  EXPECT_TRUE(service.outside.is_true("a", true));
  service.hear(model::Close{"a", false, "searched", {}}, Word::permit_open);
  EXPECT_FALSE(service.outside.is_misled("a"));
  service.hear(model::Close{"a", false, "searched", {}}, Word::ok);
  EXPECT_TRUE(service.outside.is_misled("a"));
}

TEST(Truth, an_open_permit_is_the_engines_business_only_where_clocks_agree) {
  for (const std::int64_t skew_us : {0, 5, 6}) {
    Service service(Contract::queryable);
    service.outside.clear(5);
    service.outside.see_clock(0, skew_us);
    service.dispatch("A");
    service.hear(model::Close{"a", false, "searched", {}}, Word::ok);
    EXPECT_EQ(service.outside.is_misled("a"), skew_us == 6);
  }
  Outside back;
  back.see_clock(5, 0);
  EXPECT_TRUE(back.clocks_agree());
  back.see_clock(4, 0);
  EXPECT_FALSE(back.clocks_agree());
}

// What the top-level steps answered, and what was observed last.
struct Played {
  explicit Played(const std::vector<Step>& steps) : sut(clock) {
    RunnerOptions options;
    options.decode = sut.decoder();
    options.on_step = [this](std::size_t, const Step&, const Outcome& outcome,
                             const model::Observation&) { outcomes.push_back(outcome); };
    runner = std::make_unique<Runner>(sut, clock, std::move(options));
    const auto found = runner->run({}, steps, false);
    if (found) ADD_FAILURE() << found->invariant << " at " << found->step << ": " << found->why;
  }
  [[nodiscard]] Word word(std::size_t from_the_end) const {
    return outcomes.at(outcomes.size() - from_the_end).word;
  }
  [[nodiscard]] const model::OpView& op() const { return runner->observed().ops.at("a"); }

  SimClock clock;
  ModelSut sut;
  std::unique_ptr<Runner> runner;
  std::vector<Outcome> outcomes;
};

std::vector<Step> dispatched(Contract contract, std::vector<Step> more) {
  std::vector<Step> steps{ensure("w", {effect_op("a", contract)}), refresh(), lease("A"),
                          dispatch("A", "a")};
  for (Step& step : more) steps.push_back(std::move(step));
  return steps;
}

TEST(TheRunner, completes_with_the_receipt_that_the_worker_holds) {
  const Played without(dispatched(Contract::opaque, {complete("A", "a")}));
  EXPECT_EQ(without.word(1), Word::receipt_required);
  const Played with(dispatched(Contract::opaque, {call("A", "a"), complete("A", "a")}));
  EXPECT_EQ(with.op().status, OpStatus::succeeded);
  EXPECT_EQ(with.op().effect->receipt, "receipt-a-1");
  EXPECT_EQ(with.runner->observed().writes.begin()->second, 1);
}

TEST(TheRunner, keeps_permits_and_receipts_over_a_restart_and_not_over_a_death) {
  const Played restarted(
      dispatched(Contract::opaque, {restart(), call("A", "a"), restart(), complete("A", "a")}));
  EXPECT_EQ(restarted.word(1), Word::ok);
  const Played dead(dispatched(Contract::opaque, {forget("A"), call("A", "a")}));
  EXPECT_EQ(dead.word(1), Word::invalid);
}

TEST(TheRunner, reconciles_with_what_the_service_answers) {
  const Step unknown = fail("A", "a", FailKind::unknown);
  const Played found(dispatched(
      Contract::queryable, {call("A", "a", ServiceMode::timeout_after), unknown, reconcile("a")}));
  EXPECT_EQ(found.op().status, OpStatus::effect_confirmed);
  EXPECT_EQ(found.op().effect->receipt, "receipt-a-1");
  const Played nothing(dispatched(Contract::queryable,
                                  {call("A", "a", ServiceMode::late), unknown, reconcile("a")}));
  EXPECT_EQ(nothing.word(1), Word::unknown);
  const Played later(dispatched(Contract::queryable, {call("A", "a", ServiceMode::late), unknown,
                                                      deliver("a"), reconcile("a")}));
  EXPECT_EQ(later.word(1), Word::confirmed);
}

TEST(TheRunner, judges_a_permit_by_its_holders_clock_and_the_write_by_the_common_one) {
  Step late = call("A", "a");
  late.skew_us = lease_us;
  const Played expired(dispatched(Contract::opaque, {late, call("A", "a")}));
  EXPECT_EQ(expired.word(2), Word::permit_expired);
  EXPECT_EQ(expired.word(1), Word::permit_expired);
  Step early = call("A", "a");
  early.skew_us = -1;
  const Played sent(dispatched(Contract::opaque, {advance(lease_us), early}));
  EXPECT_EQ(sent.word(1), Word::receipt);
}

TEST(TheRunner, sends_nothing_for_an_engine_that_does_not_dispatch) {
  struct Plain : ModelSut {
    using ModelSut::ModelSut;
    [[nodiscard]] bool speaks(const model::Action& action) const override {
      return !std::holds_alternative<model::Dispatch>(action);
    }
  };
  SimClock clock;
  const Plain plain(clock);
  const ModelSut whole(clock);
  for (const Step& step : {call("A", "a"), deliver("a")}) {
    EXPECT_EQ(Runner::first_unspoken(plain, {step}), 0U);
    EXPECT_FALSE(Runner::first_unspoken(whole, {step}));
  }
}

TEST(FairSchedule, settles_requests_dispatches_and_what_is_unknown) {
  Step put = step(model::ContextPut{"c", "1", 100 * lease_us});
  const auto at = [](std::string id, Contract contract, bool approval) {
    model::OpSpec spec = effect_op(std::move(id), contract, approval);
    spec.context = "c";
    return spec;
  };
  SimClock clock;
  ModelSut sut(clock);
  Runner runner(sut, clock);
  const auto found = runner.run(
      {}, {put,
           ensure("w", {at("a", Contract::idempotent, true), at("b", Contract::queryable, false),
                        at("c", Contract::opaque, false), at("d", Contract::opaque, true),
                        at("e", Contract::queryable, false), at("f", Contract::idempotent, false)}),
           refresh(), lease("A"), lease("A"), lease("A"), lease("A"), lease("A"), lease("A"),
           request_approval("A", "a"), dispatch("A", "b"), call("A", "b", ServiceMode::late),
           dispatch("A", "c"), call("A", "c", ServiceMode::timeout_after),
           fail("A", "c", FailKind::unknown), dispatch("A", "e"), dispatch("A", "f"),
           call("A", "f", ServiceMode::timeout_after), forget("A")});
  ASSERT_FALSE(found) << found->invariant << ": " << found->why;
  const auto status = [&](const char* id) { return runner.observed().ops.at(id).status; };
  EXPECT_EQ(status("a"), OpStatus::succeeded);
  EXPECT_EQ(status("b"), OpStatus::effect_confirmed);
  EXPECT_EQ(status("c"), OpStatus::effect_confirmed);
  EXPECT_EQ(status("d"), OpStatus::succeeded);
  EXPECT_EQ(status("e"), OpStatus::failed);
  EXPECT_EQ(status("f"), OpStatus::succeeded);
}

TEST(FairSchedule, finds_an_engine_that_never_lets_go_of_what_is_unknown) {
  Bug bug;
  bug.instead = [](model::State&, const model::Action& action,
                   const model::Given&) -> std::optional<Outcome> {
    if (std::holds_alternative<model::Close>(action)) return Word::permit_open;
    return std::nullopt;
  };
  SimClock clock;
  ModelSut sut(clock, bug);
  RunnerOptions options;
  options.compare_with_model = false;
  Runner runner(sut, clock, options);
  const auto found =
      runner.run({}, dispatched(Contract::opaque, {fail("A", "a", FailKind::unknown)}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->invariant, settles_fairly);
}

// A drawn worker does not lie, and drawn evidence is true; a rival step between the drawing and the
// lock is what the ledger's own memory is for.
TEST(Generators, draw_honest_workers_and_true_evidence) {
  std::int64_t closed = 0;
  std::int64_t failed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    DrawOptions options;
    options.faults = false;
    const Case drawn = draw_case(seed, options);
    Walk walk(drawn.config);
    for (const Step& step : drawn.steps) {
      const Word word = walk.play(step).word;
      const std::string* op = op_of(step.action);
      if (op == nullptr) continue;
      ASSERT_FALSE(walk.outside().is_misled(*op)) << "seed " << seed << ", op " << *op;
      if (std::holds_alternative<model::Close>(step.action) && word == Word::ok) ++closed;
      if (std::holds_alternative<model::Fail>(step.action) && word == Word::failed) ++failed;
    }
  }
  EXPECT_GT(closed, 50);
  EXPECT_GT(failed, 50);
}

TEST(Generators, draw_nothing_of_the_outside_world_for_an_engine_that_does_not_dispatch) {
  DrawOptions options;
  options.speaks = [](const model::Action& action) {
    return !std::holds_alternative<model::Dispatch>(action);
  };
  const auto plain = [](const std::vector<model::OpSpec>& ops) {
    return std::none_of(ops.begin(), ops.end(),
                        [](const model::OpSpec& op) { return op.effect || op.context; });
  };
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Step& step : draw_case(seed, options).steps) {
      if (const auto* ensure = std::get_if<model::Ensure>(&step.action)) {
        EXPECT_TRUE(plain(ensure->ops));
      }
      const auto word = model::do_word(step.action);
      for (const char* never : {"context_put", "context_revoke", "request_approval", "approve",
                                "reject", "dispatch", "call", "deliver", "reconcile", "close"}) {
        EXPECT_NE(word, never);
      }
    }
  }
}

}  // namespace
}  // namespace leaseproof::properties
