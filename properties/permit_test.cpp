// Checks the engine's own permit and service double where the harness plays its stand-in for them:
// a worker that dies on either side of its call, and random stories in which both have to give the
// same answers. What the engine makes of an answer is the search's subject.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/outside_fixture_test.hpp"
#include "engine/values/binding.hpp"
#include "faults/plan.hpp"
#include "properties/dice.hpp"
#include "properties/outside.hpp"

namespace leaseproof::properties {
namespace {

using engine::operation_key;
using model::Contract;
using model::Outcome;
using model::ServiceMode;
using model::Word;

class PermitOfTheEngine : public engine::EngineAndServiceTest {
 protected:
  static model::OpSpec publication(const std::string& id, Contract contract,
                                   std::int64_t retention_us) {
    model::OpSpec spec = op(id);
    spec.max_attempts = 1'000;
    spec.retry.delays_us = {1};
    spec.effect.emplace();
    spec.effect->contract = contract;
    spec.effect->retention_us = retention_us;
    return spec;
  }
  engine::Dispatched dispatch(const std::string& token, const std::string& op,
                              const std::string& payload) {
    return engine().dispatch(token, {{"A", op, 0}, payload});
  }
};

TEST_F(PermitOfTheEngine, lets_a_worker_die_before_its_request_leaves_and_after_it_was_answered) {
  for (const auto point : {faults::effect_before_call, faults::effect_after_call}) {
    const std::string name = faults::point_names[point];
    start(name, {publication(name, Contract::queryable, 0)});
    engine().refresh();
    auto sent = dispatch(lease("A"), name, "1");
    const faults::Armed armed(faults::Plan{point, faults::Kind::crash, 1, 1});
    EXPECT_THROW(sent.permit->call(*service_, clock_), faults::Crash) << name;
    EXPECT_EQ(service_->writes(operation_key(name)), point == faults::effect_after_call ? 1 : 0);
  }
}

// One op: its leases, its permits and both services.
class Story {
 public:
  Story(engine::Engine& engine, engine::effects::ServiceDouble& service, engine::HandClock& clock,
        Dice& dice, std::string op, model::EffectSpec effect)
      : engine_(engine),
        service_(service),
        clock_(clock),
        dice_(dice),
        op_(std::move(op)),
        effect_(std::move(effect)) {}

  void lease() {
    engine_.refresh();
    model::Lease request;
    request.worker = "A";
    auto granted = engine_.lease(request);
    const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail);
    if (leased == nullptr) return;
    generation_ = leased->generation;
    token_ = granted.token;
  }
  void dispatch() {
    // A second dispatch of another payload ends the story, so mostly each lease has its own.
    const bool other = (generation_ % 2 == 0) != dice_.chance(10);
    const model::Dispatch action{{"A", op_, 0}, other ? "2" : "1"};
    auto sent = engine_.dispatch(token_, action);
    hear(action, sent.outcome);
    if (sent.permit) permits_.insert_or_assign(generation_, std::move(*sent.permit));
  }
  void fail() {
    // Workers lie here: only so does the service get to see another payload under a known key.
    const auto kind = dice_.of<model::FailKind>(
        {model::FailKind::unknown, model::FailKind::retryable, model::FailKind::retryable});
    const model::Fail action{{"A", op_, 0}, kind, "lost"};
    const Outcome outcome = engine_.fail(token_, action);
    hear(action, outcome);
    ++clock_.time_us;
    lease();
    dispatch();
  }
  void call() {
    if (permits_.empty()) return;
    auto at = std::prev(permits_.end());
    if (dice_.chance(40))
      at = std::next(permits_.begin(), dice_.between(0, std::ssize(permits_) - 1));
    const auto mode =
        dice_.of<ServiceMode>({ServiceMode::ok, ServiceMode::ok, ServiceMode::timeout_before,
                               ServiceMode::timeout_after, ServiceMode::refuse, ServiceMode::late});
    // What the double is told waits for the next request, which a permit that is over never sends.
    const Permit* permit = outside_.permit("A", op_, at->first);
    const bool over = outside_.is_over("A", op_, at->first) || permit->expired ||
                      clock_.time_us >= permit->call_before_us || (permit->once && permit->sent);
    if (!over) service_.tell(mode);
    const Outcome said = at->second.call(service_, clock_);
    const Outcome expected = outside_.call({{"A", op_, 0}, mode, std::nullopt}, at->first,
                                           clock_.time_us, clock_.time_us);
    ASSERT_EQ(said.word, expected.word) << op_ << ", " << model::word(mode);
    answers_.insert(said.word);
    const auto* receipt = std::get_if<model::Receipt>(&said.detail);
    if (receipt == nullptr) return;
    const auto& stands = std::get<model::Receipt>(expected.detail);
    ASSERT_EQ(receipt->fresh, stands.fresh);
    ASSERT_EQ(names_.try_emplace(receipt->receipt, stands.receipt).first->second, stands.receipt);
  }
  void deliver() {
    ASSERT_EQ(service_.deliver(operation_key(op_)),
              outside_.deliver(op_, clock_.time_us).word == Word::ok);
  }
  void compare() {
    const auto key = operation_key(op_);
    ASSERT_EQ(service_.writes(key), outside_.writes(op_)) << op_;
    ASSERT_EQ(service_.find(key).has_value(), outside_.find(op_, clock_.time_us).has_value())
        << op_;
  }
  [[nodiscard]] const std::set<Word>& answers() const { return answers_; }

 private:
  void hear(const model::Action& action, const Outcome& outcome) {
    model::Given given;
    given.now_us = clock_.time_us;
    given.lease_generation = generation_;
    outside_.hear(action, given, outcome, &effect_, false);
  }

  engine::Engine& engine_;
  engine::effects::ServiceDouble& service_;
  engine::HandClock& clock_;
  Dice& dice_;
  std::string op_;
  model::EffectSpec effect_;
  Outside outside_;
  std::int64_t generation_ = 0;
  std::string token_;
  std::map<std::int64_t, engine::effects::Permit> permits_;
  std::map<std::string, std::string> names_;  // a receipt of the double → the harness's word for it
  std::set<Word> answers_;
};

TEST_F(PermitOfTheEngine, and_the_double_answer_what_the_harness_answers_in_their_place) {
  constexpr std::int64_t lease_us = model::default_lease_us;
  std::set<Word> answers;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Dice dice{rc::Random(seed)};
    const auto contract = dice.of<Contract>(
        {Contract::idempotent, Contract::idempotent, Contract::queryable, Contract::opaque});
    const std::int64_t retention_us =
        contract == Contract::idempotent ? dice.of<std::int64_t>({0, 3 * lease_us}) : 0;
    const std::string name = "op" + std::to_string(seed);
    const model::OpSpec spec = publication(name, contract, retention_us);
    start(name, {spec});
    Story story(engine(), *service_, clock_, dice, name, *spec.effect);
    story.lease();
    for (int i = 0; i < 60; ++i) {
      switch (dice.below(8)) {
        case 0:
          clock_.time_us += dice.of<std::int64_t>({1, lease_us / 9, lease_us / 3});
          break;
        case 1:
          story.lease();
          break;
        case 2:
        case 3:
          story.dispatch();
          break;
        case 4:
          story.deliver();
          break;
        case 5:
          if (dice.chance(60)) story.fail();
          break;
        default:
          story.call();
      }
      story.compare();
      if (HasFatalFailure()) return;
    }
    answers.insert(story.answers().begin(), story.answers().end());
    // The next story has the database's queue to itself.
    engine().cancel({name});
  }
  for (const Word word : {Word::receipt, Word::timeout, Word::refused, Word::permit_expired,
                          Word::permit_used, Word::payload_conflict}) {
    EXPECT_TRUE(answers.contains(word)) << model::word(word) << ": the stories were too tame";
  }
}

}  // namespace
}  // namespace leaseproof::properties
