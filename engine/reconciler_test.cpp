// Checks that the background reconciler asks in growing pauses, and never takes silence for an
// answer.
#include "engine/reconciler.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/outside_fixture_test.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "engine/store/catalog.hpp"
#include "engine/values/binding.hpp"

namespace leaseproof::engine {
namespace {

using model::OpStatus;
using model::ServiceMode;
using model::Word;

class Reconciling : public EngineAndServiceTest {
 protected:
  // An op whose only request went `mode`, and whose worker is dead.
  void unknown_op(model::Contract contract, ServiceMode mode) {
    model::OpSpec spec = op("a");
    spec.effect = {contract, false, 0, "", "", ""};
    start("w", {std::move(spec)});
    engine().refresh();
    model::Dispatch dispatch;
    dispatch.by.op = "a";
    service_->tell(mode);
    engine().dispatch(lease("A"), dispatch).permit->call(*service_, clock_);
    clock_.time_us += model::default_lease_us;
    engine().refresh();
  }
  // Before the background begins.
  void watch() {
    engine().add_observer([this](const Notice& notice) {
      if (notice.outcome.word == Word::confirmed) found_.set_value();
    });
  }
  bool is_confirmed_in_time() {
    return found_.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  }

  static constexpr std::int64_t never_us = 3'600'000'000;
  std::promise<void> found_;
};

TEST_F(Reconciling, confirms_what_the_service_has) {
  unknown_op(model::Contract::queryable, ServiceMode::timeout_after);
  ForAPerson counts;
  EXPECT_EQ(engine().count_for_a_person(counts).word, Word::ok);
  EXPECT_EQ(counts.reconciling, 1);
  Reconciler reconciler(engine(), *service_, clock_);
  const auto pass = reconciler.pass();
  EXPECT_EQ(pass.confirmed, 1);
  EXPECT_FALSE(pass.next_us.has_value());
  EXPECT_EQ(observe().ops.at("a").status, OpStatus::effect_confirmed);
  engine().count_for_a_person(counts);
  EXPECT_EQ(counts.reconciling, 0);
}

// An alert can hang on the journal: each step into and out of a person's hands carries the count.
TEST_F(Reconciling, events_carry_how_many_ops_wait_for_a_person) {
  unknown_op(model::Contract::queryable, ServiceMode::timeout_after);
  Reconciler(engine(), *service_, clock_).pass();
  std::vector<std::string> told;
  auto rows = engine().connection().query(store::index(store::Sql::events_after), std::int64_t{0},
                                          std::int64_t{100});
  while (rows.next()) {
    const std::string detail = rows.string(7);
    const auto at = detail.find("\"for_a_person\"");
    if (at != std::string::npos) told.push_back(rows.string(6) + detail.substr(at + 15));
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{R"(op_unknown{"reconciling":1,"waiting_approval":0}})",
                                      R"(op_confirmed{"reconciling":0,"waiting_approval":0}})"}));
}

TEST_F(Reconciling, asks_again_after_pauses_that_double_up_to_a_cap) {
  unknown_op(model::Contract::queryable, ServiceMode::late);
  Reconciler reconciler(engine(), *service_, clock_, {10, 35});
  const std::int64_t begun_us = clock_.time_us;
  std::int64_t asked = 0;
  for (const std::int64_t after_us : {10, 20, 35, 35}) {
    const std::int64_t now_us = clock_.time_us;
    asked += reconciler.pass().asked;
    EXPECT_EQ(reconciler.pass().asked, 0) << "asked twice at one moment";
    EXPECT_EQ(reconciler.pass().next_us, now_us + after_us);
    EXPECT_EQ(observe().ops.at("a").status, OpStatus::reconciling);
    clock_.time_us = now_us + after_us;
  }
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(clock_.time_us, begun_us + 100);
  service_->deliver(operation_key("a"));
  EXPECT_EQ(reconciler.pass().confirmed, 1);
}

// The service is asked by the thread alone while it runs, and the test's clock is set before it
// does.
TEST_F(Reconciling, goes_on_by_itself_in_the_background_until_the_write_is_found) {
  unknown_op(model::Contract::queryable, ServiceMode::timeout_after);
  watch();
  BackgroundReconciler background(engine(), *service_, clock_, {}, never_us);
  EXPECT_TRUE(is_confirmed_in_time());
}

TEST_F(Reconciling, in_the_background_asks_again_when_its_question_is_due) {
  unknown_op(model::Contract::queryable, ServiceMode::timeout_after);
  watch();
  struct KnowsLater final : effects::Service {
    model::Outcome write(const effects::Request&) override { return Word::timeout; }
    std::optional<std::string> find(std::string_view) override {
      return ++asked < 3 ? std::nullopt : std::optional<std::string>("receipt");
    }
    int asked = 0;
  } service;
  // Its pauses are real time here, and an hour is what it would wait without a question.
  SystemClock clock;
  BackgroundReconciler background(engine(), service, clock, {1'000, 1'000}, never_us);
  EXPECT_TRUE(is_confirmed_in_time());
}

TEST_F(Reconciling, in_the_background_looks_again_when_it_is_woken) {
  watch();
  // The double's database belongs to this thread here.
  struct Knows final : effects::Service {
    model::Outcome write(const effects::Request&) override { return Word::timeout; }
    std::optional<std::string> find(std::string_view) override { return "receipt"; }
  } service;
  // Nothing is unknown yet, and by itself it would look again only in an hour.
  BackgroundReconciler background(engine(), service, clock_, {}, never_us);
  unknown_op(model::Contract::queryable, ServiceMode::timeout_after);
  background.wake();
  EXPECT_TRUE(is_confirmed_in_time());
}

TEST_F(Reconciling, leaves_what_cannot_be_asked_to_a_person) {
  unknown_op(model::Contract::opaque, ServiceMode::timeout_after);
  Reconciler reconciler(engine(), *service_, clock_);
  const auto pass = reconciler.pass();
  EXPECT_EQ(pass.asked, 0);
  EXPECT_FALSE(pass.next_us.has_value());
  EXPECT_EQ(observe().ops.at("a").status, OpStatus::reconciling);
}

}  // namespace
}  // namespace leaseproof::engine
