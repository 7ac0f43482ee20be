// Checks that a migrated database is a database like any other: its workers, readers and operators
// go on through the engine's own calls. What each old row becomes: store/migration_test.cpp.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/engine.hpp"
#include "engine/store/migration_fixture_test.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;
using store::OldOp;
using store::OldWorkflow;

constexpr std::int64_t second = 1'000'000;

class Migrated : public testing::Test {
 protected:
  Migrated() {
    at("2026-07-20T18:00:01.5Z");
    old_.add(OldWorkflow{});
  }

  void at(const std::string& time_text) { old_.clock.now = us_of_rfc3339(time_text).value(); }
  Engine& engine() {
    if (engine_ == nullptr) {
      Options options;
      options.path = old_.path();
      options.clock = &old_.clock;
      options.synchronous = Synchronous::off;
      auto opened = Engine::open(std::move(options));
      EXPECT_TRUE(opened.has_value()) << opened.error().sentence;
      engine_ = std::move(*opened);
    }
    return *engine_;
  }
  Granted lease() {
    model::Lease action;
    action.worker = "new";
    return engine().lease(action);
  }
  model::Observation observe() { return std::get<model::Observation>(engine().observe().detail); }

  store::OldDatabase old_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(Migrated, the_worker_of_a_running_op_goes_on_under_its_old_token) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:02Z", "worker:1784570400", "worker");
  model::Heartbeat heartbeat;
  heartbeat.by.op = "a";
  EXPECT_EQ(engine().heartbeat("worker", heartbeat).word, Word::lease_lost);
  EXPECT_EQ(engine().heartbeat("worker:1784570400", heartbeat).word, Word::extended);
  at("2026-07-20T18:00:31Z");
  model::Complete complete;
  complete.by.op = "a";
  complete.result = "7";
  EXPECT_EQ(engine().complete("worker:1784570400", complete).word, Word::ok);
  EXPECT_EQ(engine().complete("worker:1784570400", complete).word, Word::already_completed);
  EXPECT_EQ(observe().ops.at("a").result, "7");
}

TEST_F(Migrated, a_worker_whose_lease_is_over_by_instant_cannot_complete) {
  old_.add(OldOp{"a", "running"});
  // As texts the expiry is the larger one.
  old_.add_lease("a", "2026-07-20T18:00:01Z", "token");
  model::Complete complete;
  complete.by.op = "a";
  EXPECT_EQ(engine().complete("token", complete).word, Word::lease_lost);
}

TEST_F(Migrated, old_attempts_count_against_the_budget) {
  OldOp op{"a", "running"};
  op.retry = R"({"MaxAttempts":2})";
  op.state = R"({"Attempt":1})";
  old_.add(op);
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  engine().refresh();
  const auto view = observe().ops.at("a");
  EXPECT_EQ(view.status, model::OpStatus::failed);
  EXPECT_EQ(view.error, "deadline_or_attempt_budget");
  EXPECT_EQ(view.attempts, 2);
}

TEST_F(Migrated, a_ready_op_whose_old_budget_is_used_up_fails_when_it_would_be_leased) {
  OldOp op{"a", "ready"};
  op.retry = R"({"MaxAttempts":2})";
  op.state = R"({"Attempt":2})";
  old_.add(op);
  EXPECT_EQ(lease().outcome.word, Word::none);
  const auto view = observe().ops.at("a");
  EXPECT_EQ(view.status, model::OpStatus::failed);
  EXPECT_EQ(view.error, "deadline_or_attempt_budget");
}

TEST_F(Migrated, an_op_is_leased_at_its_old_due_time_and_fails_by_its_old_policy) {
  OldOp op{"a"};
  op.retry = R"({"MaxAttempts":4,"BackoffKind":"exponential","InitialBackoff":2000000000,)"
             R"("Multiplier":1.5})";
  op.state = R"({"Attempt":1,"LastError":"HTTP 503"})";
  // As texts the due time has come.
  op.next_attempt_at = "2026-07-20T17:00:02-01:00";
  old_.add(op);
  EXPECT_EQ(lease().outcome.word, Word::none);
  at("2026-07-20T18:00:02Z");
  const Granted granted = lease();
  ASSERT_EQ(granted.outcome.word, Word::leased);
  EXPECT_EQ(std::get<model::Leased>(granted.outcome.detail).generation, 2);
  model::Fail fail;
  fail.by.op = "a";
  fail.kind = model::FailKind::retryable;
  EXPECT_EQ(engine().fail(granted.token, fail).word, Word::retry_scheduled);
  EXPECT_EQ(observe().ops.at("a").next_attempt_us, old_.clock.now + 3 * second);
}

TEST_F(Migrated, a_retry_reopens_what_the_old_system_left_blocked_behind_a_failure) {
  old_.add(OldOp{"a", "failed"});
  old_.add(OldOp{"b", "pending"});
  old_.add(OldOp{"c", "pending"});
  old_.add_dependency("b", "a");
  old_.add_dependency("c", "b");
  engine().refresh();
  EXPECT_EQ(observe().ops.at("c").status, model::OpStatus::blocked);
  model::Retry retry;
  retry.op = "a";
  EXPECT_EQ(engine().retry(retry).word, Word::ok);
  EXPECT_EQ(observe().ops.at("c").status, model::OpStatus::pending);
}

TEST_F(Migrated, a_reader_is_told_each_workflow_once_though_all_share_a_microsecond) {
  for (const char* id : {"b", "c", "a"}) old_.add(OldWorkflow{id});
  std::vector<std::string> told;
  std::int64_t cursor = 0;
  for (bool more = true; more;) {
    const PageRead read = engine().snapshots_since(cursor, 1);
    const auto& page = std::get<model::Page>(read.outcome.detail);
    told.insert(told.end(), page.workflows.begin(), page.workflows.end());
    cursor = read.cursor;
    more = page.more;
  }
  EXPECT_EQ(told, (std::vector<std::string>{"a", "b", "c", "w"}));
}

TEST_F(Migrated, a_reader_may_start_from_a_time_before_the_migration) {
  old_.add(OldWorkflow{"v", "shop", "running", "null", "2026-07-20T17:00:00Z",
                       "2026-07-20T17:30:00.5Z"});
  const std::int64_t cursor = engine().cursor_at(us_of_rfc3339("2026-07-20T17:30:00.25Z").value());
  const PageRead read = engine().snapshots_since(cursor, 9);
  EXPECT_EQ(std::get<model::Page>(read.outcome.detail).workflows, std::vector<std::string>{"v"});
}

TEST_F(Migrated, an_old_workflow_has_no_identity_to_attach_to) {
  model::Ensure ensure;
  ensure.workflow = "w";
  ensure.package = "shop";
  ensure.identity = R"({"input":1})";
  EXPECT_EQ(engine().ensure(ensure).word, Word::identity_conflict);
}

TEST_F(Migrated, what_a_canceled_workflow_is_and_what_its_ops_left_can_be_observed) {
  old_.run("UPDATE workflows SET status = 'canceled'");
  old_.add(OldOp{"a", "succeeded"});
  old_.add(OldOp{"b", "canceled"});
  old_.add_result("a", R"({"n":1})");
  old_.add(store::OldArtifact{"1", "a", "page"});
  const auto state = observe();
  EXPECT_EQ(state.workflows.at("w").status, model::WorkflowStatus::canceled);
  EXPECT_TRUE(state.workflows.at("w").cancel_requested);
  EXPECT_EQ(state.ops.at("a").result, R"({"n":1})");
  EXPECT_EQ(state.ops.at("a").artifacts.at("page"), sha256_hex(std::string("\0\xff", 2)));
  EXPECT_EQ(state.events, 1);
}

}  // namespace
}  // namespace leaseproof::engine
