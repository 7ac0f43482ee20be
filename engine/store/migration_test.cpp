// Checks what workflows, ops, leases and needs of a version-2 database become: the rules of
// SEMANTICS 8, on databases as the older system wrote them. Results and artifacts:
// migration_products_test.cpp; refusals: migration_refusal_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/store/migration_fixture_test.hpp"
#include "engine/store/migration_graph.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

using Lines = std::vector<std::string>;

class Migration : public testing::Test {
 protected:
  Migration() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.add(OldWorkflow{});
  }

  void migrate() {
    ASSERT_TRUE(old_.migrate()) << old_.refusal;
    EXPECT_EQ(old_.unsound(), Lines{});
  }

  std::string of_op(const std::string& column, const std::string& id) {
    return old_.one("SELECT " + column + " FROM op WHERE id = '" + id + "'");
  }

  OldDatabase old_;
};

TEST_F(Migration, an_op_keeps_what_it_had) {
  OldOp op{"a"};
  op.input = R"( {"b" : 1, "a" : [true]} )";
  op.retry = R"({"MaxAttempts":5,"BackoffKind":"exponential","InitialBackoff":1500000000,)"
             R"("MaxBackoff":60000000000,"Multiplier":3})";
  op.state = R"({"Attempt":2,"NextAttemptAt":"2026-07-20T18:00:09Z","LastError":"HTTP 503"})";
  op.next_attempt_at = "2026-07-20T18:00:09Z";
  old_.add(op);
  migrate();
  EXPECT_EQ(
      old_.ask("SELECT o.id, w.id, kind, site, queue, o.input, max_attempts, deadline_us, status, "
               "generation, attempts, next_attempt_us, error, o.created_us FROM op AS o JOIN "
               "workflow AS w ON w.row = o.workflow"),
      Lines{"a|w|fetch|shop|slow|{\"a\":[true],\"b\":1}|5|NULL|ready|2|2|" +
            us("2026-07-20T18:00:09Z") + "|HTTP 503|" + us("2026-07-20T17:00:00Z")});
  EXPECT_EQ(old_.ask("SELECT retry_policy, retry_delays_us, retry_base_us, retry_multiplier, "
                     "retry_cap_us FROM op"),
            Lines{"exponential||1500000|3|60000000"});
}

TEST_F(Migration, what_is_empty_has_its_default) {
  OldOp op{"a"};
  op.site = op.queue = op.kind = op.input = op.retry = op.state = "";
  op.next_attempt_at = "";
  old_.add(op);
  old_.run("UPDATE workflows SET site = NULL, input_json = NULL");
  migrate();
  EXPECT_EQ(old_.ask("SELECT site, queue, kind, input, max_attempts, retry_policy, "
                     "retry_delays_us, attempts, next_attempt_us, error FROM op"),
            Lines{"default|default|task|null|3|fixed|2000000,4000000|0|NULL|NULL"});
  EXPECT_EQ(old_.ask("SELECT package, digest, input FROM workflow"), Lines{"default|NULL|null"});
}

TEST_F(Migration, attempts_count_the_run_under_way_and_the_one_that_ended) {
  const std::string two = R"({"Attempt":2,"LastError":"no"})";
  for (const char* status : {"pending", "ready", "running", "succeeded", "failed", "canceled"}) {
    OldOp op{status, status};
    op.state = two;
    old_.add(op);
    op.id += " never failed";
    op.state = "{}";
    old_.add(op);
  }
  // A lease row left behind: this one was canceled in the middle of a run.
  OldOp cut{"canceled in a run", "canceled"};
  cut.state = two;
  old_.add(cut);
  for (const char* op : {"running", "running never failed", "canceled in a run"}) {
    old_.add_lease(op, "2026-07-20T19:00:00Z");
  }
  migrate();
  EXPECT_EQ(old_.ask("SELECT id, attempts, generation FROM op ORDER BY id"),
            (Lines{"canceled|2|2", "canceled in a run|3|3", "canceled never failed|0|0",
                   "failed|2|2", "failed never failed|1|1", "pending|2|2",
                   "pending never failed|0|0", "ready|2|2", "ready never failed|0|0", "running|3|3",
                   "running never failed|1|1", "succeeded|3|3", "succeeded never failed|1|1"}));
  EXPECT_EQ(old_.ask("SELECT id FROM op WHERE error IS NOT NULL ORDER BY id"),
            (Lines{"canceled", "canceled in a run", "failed", "pending", "ready", "running"}));
}

TEST_F(Migration, a_running_op_keeps_its_lease_and_its_token_proves_it) {
  OldOp op{"a", "running"};
  op.state = R"({"Attempt":1})";
  op.next_attempt_at = "2026-07-20T17:59:00Z";
  old_.add(op);
  old_.add_lease("a", "2026-07-20T18:00:30.25Z", "worker-7:1784570400000000000", "worker-7");
  migrate();
  EXPECT_EQ(old_.ask("SELECT token_hash, owner, generation, acquired_us, expires_us FROM lease"),
            Lines{sha256_hex("worker-7:1784570400000000000") + "|worker-7|2|" +
                  us("2026-07-20T18:00:00Z") + "|" + us("2026-07-20T18:00:30.25Z")});
  EXPECT_EQ(of_op("next_attempt_us", "a"), "NULL");
}

TEST_F(Migration, leases_of_ops_that_do_not_run_stay_behind) {
  for (const char* status : {"pending", "ready", "succeeded", "failed", "canceled"}) {
    old_.add(OldOp{status, status});
    old_.add_lease(status, "2026-07-20T19:00:00Z");
  }
  old_.add_lease("nobody", "2026-07-20T19:00:00Z");
  migrate();
  EXPECT_EQ(old_.ask("SELECT * FROM lease"), Lines{});
  EXPECT_EQ(old_.one("SELECT COUNT(*) FROM leases"), "6");
}

TEST_F(Migration, a_running_op_without_a_lease_is_due_again_and_its_event_says_so) {
  OldOp op{"a", "running"};
  op.state = R"({"Attempt":1})";
  op.next_attempt_at = "2026-07-20T19:00:00Z";
  old_.add(op);
  migrate();
  EXPECT_EQ(old_.ask("SELECT status, attempts, next_attempt_us FROM op"), Lines{"ready|2|NULL"});
  EXPECT_EQ(old_.ask("SELECT detail FROM event"),
            Lines{R"({"migrated":{"changed":[{"from":"running","op":"a","to":"ready"}],)"
                  R"("from_version":2}})"});
}

TEST_F(Migration, only_a_ready_op_waits_for_a_due_time) {
  for (const char* status : {"pending", "ready", "running", "succeeded", "failed", "canceled"}) {
    OldOp op{status, status};
    op.next_attempt_at = "2026-07-20T19:00:00Z";
    old_.add(op);
  }
  old_.add_lease("running", "2026-07-20T19:00:00Z");
  migrate();
  EXPECT_EQ(old_.ask("SELECT id, next_attempt_us FROM op WHERE next_attempt_us IS NOT NULL"),
            Lines{"ready|" + us("2026-07-20T19:00:00Z")});
}

TEST_F(Migration, a_ready_op_whose_need_is_undone_waits_for_it) {
  old_.add(OldOp{"need", "failed"});
  old_.add(OldOp{"other", "failed"});
  old_.add(OldOp{"a", "ready"});
  old_.add(OldOp{"b", "running"});
  old_.add(OldOp{"c", "running"});
  old_.add(OldOp{"d", "ready"});
  for (const char* op : {"a", "b", "c"}) old_.add_dependency(op, "need");
  old_.add_dependency("d", "other", 0);
  old_.add_lease("c", "2026-07-20T19:00:00Z");
  migrate();
  EXPECT_EQ(
      old_.ask("SELECT id, status FROM op ORDER BY id"),
      (Lines{"a|pending", "b|pending", "c|running", "d|ready", "need|failed", "other|failed"}));
  old_.refresh();
  EXPECT_EQ(of_op("status", "a"), "blocked");
}

TEST_F(Migration, needs_are_kept_required_or_optional) {
  for (const char* id : {"a", "b", "c"}) old_.add(OldOp{id, "pending"});
  old_.add_dependency("c", "a");
  old_.add_dependency("c", "b", 0);
  old_.add_dependency("gone", "a");
  migrate();
  EXPECT_EQ(old_.ask("SELECT o.id, n.id, d.required FROM need AS d JOIN op AS o ON o.row = d.op "
                     "JOIN op AS n ON n.row = d.need ORDER BY 1, 2"),
            (Lines{"c|a|1", "c|b|0"}));
}

TEST_F(Migration, an_op_that_a_failed_need_canceled_stays_canceled) {
  old_.add(OldOp{"need", "failed"});
  old_.add(OldOp{"a", "canceled"});
  old_.add(OldOp{"b", "pending"});
  old_.add_dependency("a", "need");
  old_.add_dependency("b", "need");
  migrate();
  old_.refresh();
  EXPECT_EQ(of_op("status", "a"), "canceled");
  EXPECT_EQ(of_op("status", "b"), "blocked");
}

// Rule (4) of refresh. A later program of the older system could block and crash before it
// reopened.
TEST_F(Migration, an_op_blocked_by_a_need_that_was_repaired_reopens_at_the_first_refresh) {
  old_.add(OldOp{"need", "succeeded"});
  old_.add(OldOp{"a", "blocked"});
  old_.add(OldOp{"b", "blocked"});
  old_.add_dependency("a", "need");
  old_.add_dependency("b", "a");
  migrate();
  EXPECT_EQ(of_op("status", "a"), "blocked");
  EXPECT_EQ(std::get<model::Refreshed>(old_.refresh().detail).unblocked, 2);
  EXPECT_EQ(of_op("status", "a"), "ready");
  EXPECT_EQ(of_op("status", "b"), "pending");
}

TEST_F(Migration, only_a_canceled_workflow_was_asked_to_cancel) {
  for (const char* status : {"pending", "running", "succeeded", "failed", "canceled"}) {
    old_.add(OldWorkflow{status, "shop", status});
  }
  migrate();
  EXPECT_EQ(old_.ask("SELECT id FROM workflow WHERE cancel_requested = 1"), Lines{"canceled"});
}

TEST_F(Migration, a_workflow_keeps_its_package_input_and_times) {
  old_.run("UPDATE workflows SET input_json = '{\"z\":1.50,\"a\":2}'");
  migrate();
  EXPECT_EQ(old_.ask("SELECT id, package, digest, input, created_us, updated_us FROM workflow"),
            Lines{"w|shop|NULL|{\"z\":1.50,\"a\":2}|" + us("2026-07-20T17:00:00Z") + "|" +
                  us("2026-07-20T17:30:00Z")});
}

TEST_F(Migration, one_event_tells_of_each_workflow_in_the_order_of_their_last_change) {
  old_.run("DELETE FROM workflows");
  old_.add(OldWorkflow{"b", "shop", "running", "null", "2026-07-20T17:00:00Z",
                       "2026-07-20T17:30:00.5Z"});
  old_.add(
      OldWorkflow{"c", "shop", "running", "null", "2026-07-20T17:00:00Z", "2026-07-20T17:30:00Z"});
  old_.add(OldWorkflow{"a", "shop", "running", "null", "2026-07-20T17:00:00Z",
                       "2026-07-20T17:30:00.50Z"});
  migrate();
  const std::string tail =
      "|1|NULL|" + us("2026-07-20T18:00:01.5Z") + R"(|0|migrated|{"migrated":{"from_version":2}})";
  EXPECT_EQ(old_.ask("SELECT e.seq, w.id, call, op, at_us, generation, kind, detail FROM event AS "
                     "e JOIN workflow AS w ON w.row = e.workflow ORDER BY e.seq"),
            (Lines{"1|c" + tail, "2|a" + tail, "3|b" + tail}));
  EXPECT_EQ(old_.ask("SELECT id, last_seq FROM workflow ORDER BY id"),
            (Lines{"a|2", "b|3", "c|1"}));
}

}  // namespace
}  // namespace leaseproof::engine::store
