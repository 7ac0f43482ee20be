// Checks a worker beside an engine, a service and a provider that are set by hand: what it refuses
// to do, and what it says of each answer. Whole processes are checked in experiment_test.cpp.
#include "scenarios/lab/worker.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/effects/service_double.hpp"
#include "scenarios/cli/engines.hpp"
#include "scenarios/lab/provider_double.hpp"

namespace leaseproof::scenarios::lab {
namespace {

using model::OpStatus;
using model::Word;

// Stands still, or jumps at its n-th reading.
class SteppingClock final : public engine::Clock {
 public:
  std::int64_t now_us() override {
    if (++reads == jump_at_read) time_us = jump_to_us;
    return time_us;
  }
  void wait_us(std::int64_t /*duration_us*/) override {}
  std::int64_t time_us = 0;
  std::int64_t reads = 0;
  std::int64_t jump_at_read = 0;
  std::int64_t jump_to_us = 0;
};

class ProviderByHand final : public Provider {
 public:
  tl::expected<Draft, NoDraft> draft(const Assignment& assignment, const Bounds& bounds) override {
    ++calls;
    within_us = bounds.within_us;
    if (none) return tl::unexpected(*none);
    return ProviderDouble().draft(assignment, bounds);
  }
  std::optional<NoDraft> none;
  int calls = 0;
  std::int64_t within_us = 0;
};

class WorkerTest : public testing::Test {
 protected:
  static constexpr std::int64_t deadline_us = 600'000'000;

  void SetUp() override {
    engine::Options options;
    options.path = (folder_.path() / "lab.sqlite").string();
    options.clock = &clock_;
    engine_ = std::move(*engine::Engine::open(std::move(options)));
    service_ = std::move(*engine::effects::ServiceDouble::open(
        (folder_.path() / "publisher.sqlite").string(), clock_));
    submission_.scope = "team";
    submission_.sources = built_in_sources();
  }
  void submit() {
    const auto made = engine_->ensure(workflow_of(submission_, "j", deadline_us, false));
    ASSERT_EQ(made.word, Word::created) << made.why;
  }
  Worked work(std::int64_t lease_us = model::default_lease_us) {
    WorkerOptions options;
    options.job = "j";
    options.worker = "A";
    options.lease_us = lease_us;
    options.tell = [this](std::string_view line) { told_ += line; };
    return Worker(*engine_, *service_, clock_, provider_, submission_, std::move(options)).run();
  }
  // A claim by another hand that commits these and dies.
  void committed(const std::vector<std::pair<std::string, std::string>>& steps) {
    engine_->refresh();
    model::Lease lease;
    lease.worker = "B";
    const std::string token = engine_->lease(lease).token;
    for (const auto& [step, payload] : steps) {
      model::Checkpoint action;
      action.by.op = "j";
      action.step = step;
      action.payload = payload;
      ASSERT_EQ(engine_->checkpoint(token, action).word, Word::ok);
    }
    clock_.time_us += model::default_lease_us;
  }
  model::OpView op() { return std::get<model::Observation>(engine_->observe().detail).ops.at("j"); }
  void expect_failed(const std::string& error) {
    EXPECT_EQ(op().status, OpStatus::failed);
    EXPECT_EQ(op().error.value_or("").substr(0, error.size()), error);
    EXPECT_EQ(service_->ledger()->size(), 0U);
  }

  cli::Folder folder_;
  SteppingClock clock_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::effects::ServiceDouble> service_;
  ProviderByHand provider_;
  Submission submission_;
  std::string told_;
};

TEST_F(WorkerTest, a_committed_draft_is_judged_again_before_it_is_published) {
  for (const auto& [draft, error] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"summary":"s","citations":["S9"]})", "unknown_citation"},
           {R"({"summary":"","citations":["S1"]})", "bad_shape"}}) {
    engine_.reset();
    service_.reset();
    std::filesystem::remove(folder_.path() / "lab.sqlite");
    SetUp();
    submit();
    committed({{"collect", "{}"}, {"draft", draft}});
    EXPECT_EQ(work().last.word, Word::failed);
    expect_failed(error);
    EXPECT_EQ(provider_.calls, 0);
  }
}

TEST_F(WorkerTest, a_source_that_is_not_the_submitted_text_ends_the_job) {
  submission_.sources[1].text += " And more.";
  submit();
  EXPECT_EQ(work().last.word, Word::failed);
  expect_failed("source_changed");
}

TEST_F(WorkerTest, no_model_is_asked_after_the_deadline) {
  submit();
  committed({{"collect", "{}"}});
  // Refresh, lease, heartbeat, and then the worker's own look.
  clock_.reads = 0;
  clock_.jump_at_read = 4;
  clock_.jump_to_us = deadline_us;
  work(2 * deadline_us);
  expect_failed("deadline_exceeded");
  EXPECT_EQ(provider_.calls, 0);
}

TEST_F(WorkerTest, a_call_is_bounded_by_the_lease_and_by_the_deadline) {
  submit();
  provider_.none = {model::FailKind::retryable, "http_503: no", std::nullopt};
  work(40'000'000);
  EXPECT_EQ(provider_.within_us, 40'000'000);
  clock_.time_us = deadline_us - 5'000'000;
  work(40'000'000);
  EXPECT_EQ(provider_.within_us, 5'000'000);
}

TEST_F(WorkerTest, a_pause_is_not_waited_for_when_no_claim_is_left) {
  submit();
  provider_.none = {model::FailKind::retryable, "http_429: no", 8'000'000};
  committed({});
  committed({});
  EXPECT_EQ(work().last.word, Word::failed);
  EXPECT_EQ(told_, "");
  expect_failed("http_429");
}

TEST_F(WorkerTest, a_pause_shorter_than_the_policys_own_is_not_waited_for) {
  submit();
  provider_.none = {model::FailKind::retryable, "http_429: no", 2'000'000};
  EXPECT_EQ(work().last.word, Word::retry_scheduled);
  EXPECT_EQ(told_, "");
  EXPECT_EQ(op().next_attempt_us, 2'000'000);
}

TEST_F(WorkerTest, a_pause_that_ends_at_the_deadline_is_too_long) {
  submit();
  provider_.none = {model::FailKind::retryable, "http_429: no", deadline_us};
  work();
  expect_failed("http_429: no; it asks for a pause of 600 s, which is past");
}

TEST_F(WorkerTest, a_refused_report_may_be_sent_again_and_a_conflicting_one_stays_unknown) {
  submit();
  service_->tell(model::ServiceMode::refuse);
  EXPECT_EQ(work().last.word, Word::retry_scheduled);
  EXPECT_EQ(op().error, "publish_refused");
  EXPECT_EQ(op().effect->status, model::EffectStatus::refused);
  service_->write({*op().effect->key, R"("another report")", model::Contract::idempotent, 0});
  clock_.time_us += 2'000'000;
  work();
  EXPECT_EQ(op().error, "publish_payload_conflict");
  EXPECT_EQ(op().effect->status, model::EffectStatus::dispatching);
  clock_.time_us += 4'000'000;
  work();
  EXPECT_EQ(op().status, OpStatus::reconciling) << "the last claim is used, and nobody knows";
}

TEST_F(WorkerTest, an_approval_that_ran_out_before_the_dispatch_publishes_nothing) {
  submission_.workflow = approved_workflow;
  submit();
  const Worked asked = work();
  ASSERT_EQ(asked.last.word, Word::waiting);
  model::Decide decision;
  decision.op = "j";
  decision.hash = std::get<model::Waiting>(asked.last.detail).hash;
  decision.actor = {"reviewer", {"reviewer"}, {"team"}};
  ASSERT_EQ(engine_->decide(decision).word, Word::ok);
  clock_.time_us += model::default_approval_ttl_us;
  EXPECT_EQ(work().last.word, Word::approval_expired_before_dispatch);
  expect_failed("approval_expired_before_dispatch");
}

TEST_F(WorkerTest, no_model_is_asked_under_a_lost_lease) {
  submit();
  committed({{"collect", "{}"}});
  clock_.jump_at_read = clock_.reads + 3;  // refresh, lease, then the sign of life comes too late
  clock_.jump_to_us = clock_.time_us + model::default_lease_us;
  const Worked worked = work();
  EXPECT_EQ(worked.last.word, Word::lease_lost);
  EXPECT_TRUE(worked.steps.empty());
  EXPECT_EQ(provider_.calls, 0);
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
