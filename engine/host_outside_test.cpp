// Checks runners that write to the outside world: that a permit comes through their attempt, and
// that whoever may have written is never said to have failed. Does not check the guards of
// dispatch themselves (outside_test.cpp).
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/effects/service.hpp"
#include "engine/host_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::FailKind;
using model::Word;

class AWriter : public HostTest {};

class Accepts final : public effects::Service {
 public:
  model::Outcome write(const effects::Request&) override {
    ++writes;
    return {Word::receipt, model::Receipt{"receipt-1", true}};
  }
  std::optional<std::string> find(std::string_view) override { return std::nullopt; }
  int writes = 0;
};

model::OpSpec publication(model::Contract contract, bool approval = false) {
  model::OpSpec spec;
  spec.id = "a";
  spec.effect = model::EffectSpec{};
  spec.effect->contract = contract;
  spec.effect->approval = approval;
  if (approval) {
    spec.effect->scope = "team";
    spec.effect->requester = "paul";
  }
  return spec;
}

TEST_F(AWriter, writes_outside_once_it_has_an_approval) {
  Accepts service;
  start_op(
      [&](Attempt& attempt) -> Answer {
        auto dispatched = attempt.dispatch("\"draft\"");
        if (dispatched.outcome.word == Word::approval_required) {
          const auto asked = attempt.request_approval("\"draft\"");
          EXPECT_EQ(Word::waiting, asked.word);
          return Waits{};
        }
        if (!dispatched.permit) return Failed{FailKind::permanent, "no permit"};
        const auto answer = dispatched.permit->call(service, time_);
        return Completed{"1", {}, {}, std::get<model::Receipt>(answer.detail).receipt, {}};
      },
      publication(model::Contract::queryable, true));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::waiting_approval));
  EXPECT_EQ(0, told(op_lease_lost));
  model::Decide decide;
  decide.op = "a";
  decide.actor = {"rita", {"reviewer"}, {"team"}};
  ASSERT_EQ(Word::ok, host().engine().decide(decide).word);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ(1, service.writes);
  EXPECT_EQ("receipt-1", seen("a").effect->receipt);
}

TEST_F(AWriter, that_throws_after_a_dispatch_leaves_it_open_whether_it_wrote) {
  start_op(
      [](Attempt& attempt) -> Answer {
        EXPECT_EQ(Word::dispatching, attempt.dispatch("1").outcome.word);
        throw std::runtime_error("the line is dead");
      },
      publication(model::Contract::opaque));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::reconciling));
  EXPECT_EQ("the line is dead", seen("a").error);
}

TEST_F(AWriter, whose_second_dispatch_is_refused_may_still_have_written_by_the_first) {
  start_op(
      [](Attempt& attempt) -> Answer {
        EXPECT_EQ(Word::dispatching, attempt.dispatch("1").outcome.word);
        EXPECT_FALSE(attempt.dispatch("1").permit);
        throw std::runtime_error("the line is dead");
      },
      publication(model::Contract::opaque));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::reconciling));
}

TEST_F(AWriter, whose_dispatch_is_not_known_to_stand_may_have_written) {
  std::filesystem::path file = path();
  start_op(
      [&](Attempt& attempt) -> Answer {
        lose_file_at_commit(host().engine(), file);
        EXPECT_EQ(Word::commit_unknown, attempt.dispatch("1").outcome.word);
        give_file_back(file);
        throw std::runtime_error("the line is dead");
      },
      publication(model::Contract::opaque));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::reconciling));
}

TEST_F(AWriter, that_completes_without_a_receipt_leaves_it_open_whether_it_wrote) {
  start_op(
      [](Attempt& attempt) -> Answer {
        EXPECT_EQ(Word::dispatching, attempt.dispatch("1").outcome.word);
        return Completed{};
      },
      publication(model::Contract::opaque));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::reconciling));
}

TEST_F(AWriter, that_never_dispatched_and_has_no_receipt_has_failed_for_good) {
  start_op([](Attempt&) -> Answer { return Completed{}; }, publication(model::Contract::opaque));
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
}

TEST_F(AWriter, whose_deadline_passed_after_a_dispatch_is_counted_as_reconciling) {
  auto spec = publication(model::Contract::opaque);
  spec.deadline_us = 5 * second_us;
  start_op(
      [&](Attempt& attempt) -> Answer {
        EXPECT_EQ(Word::dispatching, attempt.dispatch("1").outcome.word);
        time_.advance(6 * second_us);
        EXPECT_EQ(Word::deadline_exceeded, attempt.checkpoint("step", "1").word);
        return Completed{};
      },
      spec);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::reconciling));
}

}  // namespace
}  // namespace leaseproof::engine
