// Checks what a version-2 database becomes: every rule of SEMANTICS 8, on databases as the older
// system wrote them. Does not check what is refused (migration_refusal_test.cpp), nor the retry
// columns in every shape (legacy_retry_test.cpp).
#include "engine/store/migration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/store/catalog.hpp"
#include "engine/store/migration_database.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/time_text.hpp"

namespace leaseproof::engine::store {
namespace {

using Lines = std::vector<std::string>;

std::string us(const std::string& text) { return std::to_string(us_of_rfc3339(text).value()); }

class Migration : public testing::Test {
 protected:
  Migration() {
    old_.clock.now = us_of_rfc3339("2026-07-20T18:00:01.5Z").value();
    old_.add(OldWorkflow{});
  }

  // Migrates and checks what holds for every migrated database.
  void migrate() {
    ASSERT_TRUE(old_.migrate()) << old_.refusal;
    EXPECT_EQ(old_.one("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(old_.ask("PRAGMA foreign_key_check"), Lines{});
    EXPECT_EQ(old_.ask("SELECT op FROM lease EXCEPT SELECT row FROM op WHERE status = 'running'"),
              Lines{});
    EXPECT_EQ(old_.ask("SELECT row FROM op WHERE status = 'running' EXCEPT SELECT op FROM lease"),
              Lines{});
    EXPECT_EQ(
        old_.ask("SELECT op FROM result EXCEPT SELECT row FROM op WHERE status = 'succeeded'"),
        Lines{});
    EXPECT_EQ(
        old_.ask("SELECT row FROM op WHERE status = 'succeeded' EXCEPT SELECT op FROM result"),
        Lines{});
    EXPECT_EQ(old_.ask("SELECT id FROM op WHERE marked = 0"), Lines{});
    EXPECT_EQ(old_.ask("SELECT id FROM op WHERE generation <> attempts"), Lines{});
    EXPECT_EQ(old_.ask("SELECT o.id FROM lease AS l JOIN op AS o ON o.row = l.op WHERE "
                       "l.generation <> o.generation"),
              Lines{});
  }
  std::string of_op(const std::string& column, const std::string& id) {
    return old_.one("SELECT " + column + " FROM op WHERE id = '" + id + "'");
  }

  OldDatabase old_;
};

TEST_F(Migration, brings_an_empty_old_database_to_the_current_version) {
  migrate();
  EXPECT_EQ(old_.ask("SELECT version, name, applied_at FROM schema_migrations"),
            (Lines{"1|001_engine_core.sql|2026-03-01T10:00:00.123456789Z",
                   "2|002_engine_runtime.sql|2026-03-01T10:00:00.2Z",
                   "3|integer_times|2026-07-20T18:00:01.500000Z",
                   "4|leaseproof_tables|2026-07-20T18:00:01.500000Z"}));
  EXPECT_EQ(old_.ask("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 1"
                     " ORDER BY name"),
            (Lines{"artifact", "checkpoint", "event", "lease", "need", "op", "queue", "result",
                   "workflow"}));
}

TEST_F(Migration, has_the_tables_of_a_new_database) {
  migrate();
  OldDatabase fresh;
  fresh.run(
      "DROP TABLE workflows; DROP TABLE ops; DROP TABLE op_dependencies; DROP TABLE leases;"
      "DROP TABLE queue_limit_state; DROP TABLE results; DROP TABLE artifacts;"
      "DROP TABLE schema_migrations");
  ASSERT_TRUE(fresh.migrate()) << fresh.refusal;
  for (const auto& line : fresh.ask("SELECT name, sql FROM sqlite_master WHERE name <> "
                                    "'schema_migrations' AND sql IS NOT NULL")) {
    const std::string name = line.substr(0, line.find('|'));
    EXPECT_EQ(old_.one("SELECT name || '|' || sql FROM sqlite_master WHERE name = '" + name + "'"),
              line);
  }
}

TEST_F(Migration, times_of_any_precision_and_offset_become_their_instant) {
  old_.add(OldWorkflow{"v", "shop", "running", "null", "2026-07-20T20:00:01.123456789+02:00",
                       "1969-12-31T23:59:59.9999999Z"});
  OldOp op{"a"};
  op.workflow = "v";
  op.next_attempt_at = "2026-07-21T03:30:00.5+09:30";
  op.created_at = "2026-07-20T18:00:01.1Z";
  op.updated_at = "2026-07-20T18:00:01.12Z";
  old_.add(op);
  old_.run("INSERT INTO queue_limit_state VALUES ('shop', 'slow', 0.5, '2026-07-20T18:00:01z')");
  old_.add(OldArtifact{"x", "a", "page", "x''", "2026-07-20T18:00:01.000001999Z"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT created_at_us, updated_at_us FROM workflows WHERE id = 'v'"),
            Lines{us("2026-07-20T18:00:01.123456Z") + "|-1"});
  EXPECT_EQ(old_.ask("SELECT next_attempt_at_us, created_at_us, updated_at_us FROM ops"),
            Lines{us("2026-07-20T18:00:00.5Z") + "|" + us("2026-07-20T18:00:01.1Z") + "|" +
                  us("2026-07-20T18:00:01.12Z")});
  EXPECT_EQ(old_.one("SELECT last_refill_at_us FROM queue_limit_state"),
            us("2026-07-20T18:00:01Z"));
  EXPECT_EQ(old_.one("SELECT created_at_us FROM artifacts"), us("2026-07-20T18:00:01.000001Z"));
  EXPECT_EQ(old_.ask("SELECT created_us, updated_us FROM workflow WHERE id = 'v'"),
            Lines{us("2026-07-20T18:00:01.123456Z") + "|-1"});
  EXPECT_EQ(of_op("next_attempt_us", "a"), us("2026-07-20T18:00:00.5Z"));
}

// The first seed's probe. Compared as texts, the lease would never expire.
TEST_F(Migration, a_lease_expires_by_instant_where_text_order_says_the_opposite) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  const auto expired_as_text =
      "SELECT op_id FROM leases WHERE expires_at <= '2026-07-20T18:00:01.5Z'";
  ASSERT_EQ(old_.ask(expired_as_text), Lines{});
  migrate();
  EXPECT_EQ(
      old_.ask("SELECT op_id FROM leases WHERE expires_at_us <= " + us("2026-07-20T18:00:01.5Z")),
      Lines{"a"});
  const auto outcome = old_.refresh();
  EXPECT_EQ(std::get<model::Refreshed>(outcome.detail).recovered, 1);
  EXPECT_EQ(of_op("status", "a"), "ready");
  EXPECT_EQ(old_.ask("SELECT * FROM lease"), Lines{});
}

// The other way round: as a text this lease is over half a second before it is.
TEST_F(Migration, a_lease_lives_by_instant_where_text_order_says_the_opposite) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T17:00:02-01:00");
  ASSERT_EQ(old_.ask("SELECT op_id FROM leases WHERE expires_at <= '2026-07-20T18:00:01.5Z'"),
            Lines{"a"});
  migrate();
  old_.refresh();
  EXPECT_EQ(of_op("status", "a"), "running");
}

TEST_F(Migration, ops_stand_in_the_order_of_instants_where_text_order_says_the_opposite) {
  OldOp early{"b"};
  early.created_at = "2026-07-20T17:00:01Z";
  OldOp late{"a"};
  late.created_at = "2026-07-20T17:00:01.5Z";
  old_.add(late);
  old_.add(early);
  ASSERT_EQ(old_.ask("SELECT id FROM ops ORDER BY created_at"), (Lines{"a", "b"}));
  migrate();
  EXPECT_EQ(old_.ask("SELECT id FROM op ORDER BY created_us, id"), (Lines{"b", "a"}));
  EXPECT_EQ(old_.ask("SELECT id FROM op ORDER BY row"), (Lines{"b", "a"}));
}

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

TEST_F(Migration, results_exist_exactly_for_succeeded_ops) {
  for (const char* status : {"pending", "ready", "running", "succeeded", "failed", "canceled"}) {
    old_.add(OldOp{status, status});
    // The older system wrote a row for each failure too.
    old_.add_result(status, R"({"b":1,"a":2})", "2026-07-20T17:20:00.5Z");
  }
  old_.add(OldOp{"silent", "succeeded"});
  old_.add_lease("running", "2026-07-20T19:00:00Z");
  old_.add_result("nobody", "1");
  migrate();
  EXPECT_EQ(old_.ask("SELECT o.id, r.data, r.completed_at_us, r.token_hash FROM result AS r JOIN "
                     "op AS o ON o.row = r.op ORDER BY o.id"),
            (Lines{"silent|null|" + us("2026-07-20T17:30:00Z") + "|NULL",
                   "succeeded|{\"a\":2,\"b\":1}|" + us("2026-07-20T17:20:00.5Z") + "|NULL"}));
}

TEST_F(Migration, a_result_stays_valid_json) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"b":1,"a":[null,true]})", R"({"a":[null,true],"b":1})"},
      {R"({"b":1.50,"a":1e3})", R"({"b":1.50,"a":1e3})"},
      {"12345678901234567890", "12345678901234567890"},
      {"", "null"},
      {"not json", R"("not json")"},
      {R"({"a":1,"a":2})", R"("{\"a\":1,\"a\":2}")"},
      {R"("\ud800")", R"("\"\\ud800\"")"},
      {std::string(300, '['), "\"" + std::string(300, '[') + "\""},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string id = std::to_string(i);
    old_.add(OldOp{id, "succeeded"});
    old_.add_result(id, cases[i].first);
  }
  migrate();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(old_.one("SELECT data FROM result AS r JOIN op AS o ON o.row = r.op WHERE o.id = '" +
                       std::to_string(i) + "'"),
              cases[i].second);
  }
}

TEST_F(Migration, an_artifact_is_known_by_the_hash_of_its_body) {
  old_.add(OldOp{"a", "succeeded"});
  old_.add(OldArtifact{"1", "a", "blob", "x'00ff00'"});
  old_.add(OldArtifact{"2", "a", "text", "'Größe'"});
  old_.add(OldArtifact{"3", "a", "empty", "x''"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT name, hash, typeof(body), hex(body) FROM artifact ORDER BY name"),
            (Lines{"blob|" + sha256_hex(std::string("\0\xff\0", 3)) + "|blob|00FF00",
                   "empty|" + sha256_hex("") + "|blob|",
                   "text|" + sha256_hex("Größe") + "|text|4772C3B6C39F65"}));
}

TEST_F(Migration, the_second_and_later_artifact_of_a_name_gets_its_id_appended) {
  old_.add(OldOp{"a", "succeeded"});
  old_.add(OldOp{"b", "succeeded"});
  // By text the one with the fraction came first; by instant it is the last.
  old_.add(OldArtifact{"1", "a", "page", "x'01'", "2026-07-20T17:20:00.5Z"});
  old_.add(OldArtifact{"2", "a", "page", "x'02'", "2026-07-20T17:20:00Z"});
  old_.add(OldArtifact{"4", "a", "page", "x'04'", "2026-07-20T17:20:00.4Z"});
  old_.add(OldArtifact{"3", "a", "page", "x'03'", "2026-07-20T17:20:00.40Z"});
  // The first of its own name keeps it, though it came later than the page that would take it.
  old_.add(OldArtifact{"5", "a", "page1", "x'05'", "2026-07-20T17:25:00Z"});
  old_.add(OldArtifact{"6", "b", "page", "x'06'", "2026-07-20T17:25:00Z"});
  old_.add(OldArtifact{"7", "b", "", "x'07'", "2026-07-20T17:25:00Z"});
  ASSERT_EQ(old_.one("SELECT id FROM artifacts WHERE op_id = 'a' ORDER BY created_at"), "4");
  migrate();
  EXPECT_EQ(old_.ask("SELECT o.id, a.name, hex(a.body) FROM artifact AS a JOIN op AS o ON o.row = "
                     "a.op ORDER BY 1, 3"),
            (Lines{"a|page11|01", "a|page|02", "a|page3|03", "a|page4|04", "a|page1|05",
                   "b|page|06", "b|7|07"}));
}

TEST_F(Migration, artifacts_of_ops_that_are_not_done_stay_behind) {
  for (const char* status : {"ready", "failed", "canceled"}) {
    old_.add(OldOp{status, status});
    old_.add(OldArtifact{status, status, "page"});
  }
  old_.add(OldArtifact{"x", "nobody", "page"});
  migrate();
  EXPECT_EQ(old_.ask("SELECT * FROM artifact"), Lines{});
  EXPECT_EQ(old_.one("SELECT COUNT(*) FROM artifacts"), "4");
}

TEST_F(Migration, old_tables_and_columns_stay_as_they_were) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  old_.add(OldOp{"b", "succeeded"});
  old_.add_result("b", "1.5");
  old_.add_dependency("a", "b");
  old_.add(OldArtifact{"x", "b", "page"});
  old_.run("INSERT INTO queue_limit_state VALUES ('shop', 'slow', 0.25, '2026-07-20T18:00:01Z')");
  const std::vector<std::string> queries{
      "SELECT id, site, name, status, input_json, metadata_json, created_at, updated_at FROM "
      "workflows",
      "SELECT id, workflow_id, parent_id, site, kind, queue_key, dedup_key, input_json, "
      "retry_json, metadata_json, status, retry_state_json, next_attempt_at, created_at, "
      "updated_at FROM ops",
      "SELECT op_id, worker_id, token, acquired_at, expires_at FROM leases",
      "SELECT workflow_id, op_id, depends_on_op_id, required FROM op_dependencies",
      "SELECT site, queue_key, tokens, last_refill_at FROM queue_limit_state",
      "SELECT op_id, workflow_id, data_json, records_json, emitted_json, emitted_ids_json, "
      "error_json, completed_at FROM results",
      "SELECT id, workflow_id, op_id, name, kind, content_type, metadata_json, hex(body), "
      "created_at FROM artifacts"};
  std::vector<Lines> before;
  for (const auto& query : queries) before.push_back(old_.ask(query));
  migrate();
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(old_.ask(queries[i]), before[i]);
  // Its limits are not in the file, so a bucket is made by the next `queue` call, and starts full.
  EXPECT_EQ(old_.ask("SELECT * FROM queue"), Lines{});
}

TEST_F(Migration, opening_again_changes_nothing) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  migrate();
  const std::string once = old_.dump();
  old_.clock.now += 1'000'000;
  migrate();
  EXPECT_EQ(old_.dump(), once);
}

// The step to version 3 alone, as a program leaves it that dies between the two.
void only_the_first_step(const OldDatabase& old) {
  sqlite::Fault fault = sqlite::Fault::none;
  const auto texts = catalog_texts();
  auto db = sqlite::Connection::open({old.path(), "", false, false}, texts, fault);
  ASSERT_NE(db, nullptr);
  db->run_script("BEGIN IMMEDIATE");
  ASSERT_EQ(migrate_to_3(*db, 0), "");
  db->run_script("INSERT INTO schema_migrations VALUES (3, 'integer_times', 'then'); COMMIT");
  ASSERT_EQ(db->fault(), sqlite::Fault::none);
}

TEST_F(Migration, goes_on_after_a_crash_between_the_versions) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  only_the_first_step(old_);
  EXPECT_EQ(old_.one("SELECT expires_at_us FROM leases"), us("2026-07-20T18:00:01Z"));
  EXPECT_EQ(old_.one("SELECT COUNT(*) FROM sqlite_master WHERE name = 'op'"), "0");
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:01Z"));
}

TEST_F(Migration, what_an_older_program_wrote_between_the_versions_counts) {
  old_.add(OldOp{"a", "running"});
  old_.add_lease("a", "2026-07-20T18:00:01Z");
  only_the_first_step(old_);
  old_.run("UPDATE leases SET expires_at = '2026-07-20T18:00:31Z'");
  old_.add(OldWorkflow{"v"});
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:31Z"));
  EXPECT_EQ(old_.one("SELECT created_us FROM workflow WHERE id = 'v'"), us("2026-07-20T17:00:00Z"));
}

TEST_F(Migration, integer_columns_added_by_hand_are_filled) {
  old_.run("ALTER TABLE leases ADD COLUMN expires_at_us INTEGER");
  old_.add(OldOp{"a", "running"});
  old_.run(
      "INSERT INTO leases (op_id, worker_id, token, acquired_at, expires_at) VALUES ('a', "
      "'w', 't', '2026-07-20T18:00:00Z', '2026-07-20T18:00:01Z')");
  migrate();
  EXPECT_EQ(old_.one("SELECT expires_us FROM lease"), us("2026-07-20T18:00:01Z"));
}

TEST_F(Migration, a_database_in_utf_16_hashes_the_same_bytes) {
  OldDatabase wide("PRAGMA encoding = 'UTF-16le';");
  wide.add(OldWorkflow{});
  wide.add(OldOp{"a", "succeeded"});
  wide.add(OldArtifact{"1", "a", "blob", "x'00ff00'"});
  wide.add(OldArtifact{"2", "a", "text", "'Größe'"});
  ASSERT_TRUE(wide.migrate()) << wide.refusal;
  EXPECT_EQ(
      wide.ask("SELECT name, hash FROM artifact ORDER BY name"),
      (Lines{"blob|" + sha256_hex(std::string("\0\xff\0", 3)), "text|" + sha256_hex("Größe")}));
}

}  // namespace
}  // namespace leaseproof::engine::store
