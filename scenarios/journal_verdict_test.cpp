// Checks that a journal of real work is found sound, large payloads, threads and migrations
// included; that one of which any row is removed, moved or changed is refused; and that what is
// said about the first wrong event names the guard. That engines write such journals is judged by
// invariant I11 in every run.
#include "scenarios/journal_verdict.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/fixture_test.hpp"
#include "properties/journal_reading.hpp"
#include "properties/mutants.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios {
namespace {

using End = JournalVerdict::End;
using model::Word;

class AJournal : public engine::EngineTest {
 protected:
  static constexpr std::int64_t second = 1'000'000;

  static std::string large(char c) { return '"' + std::string(400, c) + '"'; }

  // What every kind of event comes of: needs, a retry, an expiry, an approval, a write, a context,
  // artifacts and values that are too large to stand in the journal.
  void work() {
    engine().put_context({"team", large('c'), 100 * second});
    model::Queue limits;
    limits.max_in_flight = 2;
    engine().set_queue(limits);
    model::OpSpec writes = op("b", {{"a"}});
    writes.kind = "publish";
    writes.input = large('i');
    writes.context = "team";
    writes.effect = {model::Contract::idempotent, true, 0, "reports", "team", "ann"};
    model::OpSpec last = op("c", {{"b"}});
    ASSERT_EQ(Word::created, start("w", {last, writes, op("a")}).word);
    engine().refresh();
    std::string token = lease("A");
    clock_.time_us += 31 * second;
    engine().refresh();
    token = lease("B");
    model::Heartbeat beat;
    beat.by.op = "a";
    engine().heartbeat(token, beat);
    model::Checkpoint step;
    step.by.op = "a";
    step.step = "page";
    step.payload = large('p');
    engine().checkpoint(token, step);
    model::Fail fail;
    fail.by.op = "a";
    engine().fail(token, fail);
    clock_.time_us += 10 * second;
    token = lease("A");
    model::Complete done;
    done.by.op = "a";
    done.result = large('r');
    done.artifacts = {{"text", std::string(500, 't')}, {"short", "s"}};
    ASSERT_EQ(Word::ok, engine().complete(token, done).word);
    engine().refresh();
    token = lease("A");
    model::RequestApproval request;
    request.by.op = "b";
    request.payload = large('q');
    ASSERT_EQ(Word::waiting, engine().request_approval(token, request).word);
    model::Decide decide;
    decide.op = "b";
    decide.actor = {"rita", {"reviewer"}, {"team"}};
    ASSERT_EQ(Word::ok, engine().decide(decide).word);
    token = lease("B");
    model::Dispatch dispatch;
    dispatch.by.op = "b";
    dispatch.payload = large('q');
    ASSERT_EQ(Word::dispatching, engine().dispatch(token, dispatch).outcome.word);
    model::Complete published;
    published.by.op = "b";
    ASSERT_EQ(Word::ok, engine().complete(token, published, {}, "receipt").word);
    engine().cancel({"w"});
    start("v", {op("d"), op("e", {{"d"}})});
    engine().refresh();
    fail.by.op = "d";
    fail.kind = model::FailKind::permanent;
    engine().fail(lease("A"), fail);
    engine().refresh();
    model::Retry retry;
    retry.op = "d";
    ASSERT_EQ(Word::ok, engine().retry(retry).word);
    engine_.reset();
  }

  JournalVerdict verdict() {
    cli::ReadOnlyDatabase database(path());
    JournalVerdict found = verify_journal(database.connection(), 0);
    database.check_fault();
    return found;
  }

  // What a program says that edits the file.
  void edit(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open(path().c_str(), &db));
    char* why = nullptr;
    EXPECT_EQ(SQLITE_OK, sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why)) << why << sql;
    sqlite3_close(db);
  }
  // Why the journal is refused after that, which is then undone.
  std::string refusal(const std::string& sql) {
    const std::filesystem::path kept = folder_ / "kept";
    std::filesystem::copy_file(path(), kept, std::filesystem::copy_options::overwrite_existing);
    edit("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; " + sql);
    const JournalVerdict found = verdict();
    EXPECT_EQ(End::wrong, found.end) << sql;
    std::filesystem::copy_file(kept, path(), std::filesystem::copy_options::overwrite_existing);
    return found.why;
  }
  void expect_refused(const std::string& sql) { EXPECT_NE("", refusal(sql)) << sql; }
};

TEST_F(AJournal, of_real_work_is_sound) {
  work();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::sound, found.end) << found.why << found.explanation;
  EXPECT_GT(found.events, 25);
  EXPECT_GT(found.events, found.calls);
}

// Whatever this engine writes is read in the quick way.
TEST_F(AJournal, of_real_work_is_plain) {
  work();
  cli::ReadOnlyDatabase database(path());
  std::int64_t rows = 0;
  properties::each_event(database.connection(), 0, [&](const properties::JournalEvent& event) {
    EXPECT_TRUE(decode_plain_journal(event)) << event.detail;
    ++rows;
    return true;
  });
  EXPECT_GT(rows, 25);
}

TEST_F(AJournal, with_a_row_removed_is_refused) {
  work();
  const std::int64_t last = verdict().events;
  for (std::int64_t seq = 1; seq <= last; ++seq) {
    const std::string at = std::to_string(seq);
    expect_refused("DELETE FROM event WHERE seq = " + at);
    // By somebody who closes the gap.
    expect_refused("DELETE FROM event WHERE seq = " + at +
                   "; UPDATE event SET seq = -seq, call = CASE WHEN call > " + at +
                   " THEN call - 1 ELSE call END WHERE seq > " + at +
                   "; UPDATE event SET seq = -seq - 1 WHERE seq < 0");
  }
}

TEST_F(AJournal, with_two_rows_swapped_is_refused) {
  work();
  const std::int64_t last = verdict().events;
  for (std::int64_t seq = 1; seq < last; ++seq) {
    const std::string a = std::to_string(seq);
    const std::string b = std::to_string(seq + 1);
    expect_refused("UPDATE event SET seq = 9999 WHERE seq = " + a + "; UPDATE event SET seq = " +
                   a + " WHERE seq = " + b + "; UPDATE event SET seq = " + b + " WHERE seq = 9999");
  }
}

TEST_F(AJournal, with_a_row_changed_is_refused) {
  work();
  const std::int64_t last = verdict().events;
  const std::vector<std::string> changes{
      "call = call + 1",
      "workflow = CASE WHEN workflow IS 1 THEN 2 ELSE 1 END",
      "op = CASE WHEN op IS 1 THEN 2 ELSE 1 END",
      "at_us = at_us + 1",
      "generation = generation + 1",
      "kind = kind || 's'",
      "detail = detail || ' x'",
      "detail = '{}'",
      "detail = json_set(detail, '$.from', 'nowhere')",
      "detail = json_set(detail, '$.to', 'nowhere')",
      "detail = json_set(detail, '$.for_a_person', json('{\"reconciling\":7}'))",
      "detail = json_set(detail, '$.more', 1)",
      "detail = json_set(detail, '$.action', json('{\"do\":\"refresh\"}'))"};
  for (std::int64_t seq = 1; seq <= last; ++seq) {
    for (const std::string& change : changes) {
      // A call that is named after a later event is no row of this table.
      if (change == "call = call + 1" && seq == 1) continue;
      expect_refused("UPDATE event SET " + change + " WHERE seq = " + std::to_string(seq));
    }
  }
  // The call itself: in the first event of each.
  for (const char* change :
       {"json_set(detail, '$.action.now_us', 7)",
        "json_set(detail, '$.action.outcome.outcome', 'none')",
        "json_set(detail, '$.action.do', 'close')", "json_remove(detail, '$.action')"}) {
    for (std::int64_t seq = 1; seq <= last; ++seq) {
      const std::string at = std::to_string(seq);
      expect_refused("UPDATE event SET detail = " + std::string(change) +
                     " WHERE seq = (SELECT call "
                     "FROM event WHERE seq = " +
                     at + ")");
    }
  }
  expect_refused(
      "UPDATE event SET detail = replace(detail, '\"lease_us\":30000000', "
      "'\"lease_us\":30000001') WHERE kind = 'op_extended'");
}

TEST_F(AJournal, with_a_digest_changed_is_refused) {
  work();
  for (const char* kind :
       {"op_checkpointed", "approval_requested", "op_dispatched", "op_succeeded"}) {
    expect_refused(std::string("UPDATE event SET detail = replace(detail, 'sha256\":\"', "
                               "'sha256\":\"0') WHERE kind = '") +
                   kind + "' AND detail LIKE '%sha256%'");
    expect_refused(
        std::string("UPDATE event SET detail = replace(detail, substr(detail, instr(detail, "
                    "'sha256\":\"') + 9, 4), '0000') WHERE seq = (SELECT min(seq) FROM event "
                    "WHERE kind = '") +
        kind + "' AND detail LIKE '%sha256%')");
  }
}

TEST_F(AJournal, beside_tables_that_say_otherwise_is_refused) {
  work();
  expect_refused("UPDATE op SET generation = generation + 1 WHERE id = 'a'");
  expect_refused("UPDATE result SET data = '1' WHERE op = (SELECT row FROM op WHERE id = 'a')");
  expect_refused("DELETE FROM checkpoint");
}

// So many workflows end that the replay has let the first of them go, one without any op too.
TEST_F(AJournal, in_which_an_ended_workflow_happens_again_is_refused) {
  start("empty", {});
  for (int i = 0; i < 70; ++i) {
    const std::string id = std::to_string(i);
    start("w" + id, {op("op-" + id)});
    engine().refresh();
    ASSERT_EQ(Word::ok, complete(lease("A"), "op-" + id).word);
  }
  engine_.reset();
  ASSERT_EQ(End::sound, verdict().end);
  const std::string again =
      "INSERT INTO event SELECT seq + 351, call + 351, workflow, op, at_us, generation, kind, "
      "detail FROM event WHERE seq ";
  EXPECT_NE(std::string::npos, refusal(again + "= 1").find("makes workflow empty a second time"));
  EXPECT_NE(std::string::npos,
            refusal("DELETE FROM event WHERE seq = 1; UPDATE event SET seq = seq - 1, call = call "
                    "- 1; INSERT INTO event SELECT seq + 350, call + 350, workflow, op, at_us, "
                    "generation, kind, detail FROM event WHERE seq <= 5")
                .find("makes workflow w0 a second time"));
  EXPECT_NE(std::string::npos,
            refusal("UPDATE event SET detail = replace(detail, '\"op-69\"', '\"op-0\"') WHERE kind "
                    "= 'workflow_created'")
                .find("makes op op-0 a second time"));
  expect_refused("UPDATE workflow SET cancel_requested = 1 WHERE id = 'w0'");
}

// Ids of workflows and of ops are apart, also those of workflows that the replay has let go.
TEST_F(AJournal, in_which_an_op_bears_the_id_of_an_ended_workflow_and_the_reverse_is_sound) {
  for (int i = 0; i < 70; ++i) {
    const std::string id = std::to_string(i);
    start("w" + id, {op("op-" + id)});
    engine().refresh();
    ASSERT_EQ(Word::ok, complete(lease("A"), "op-" + id).word);
  }
  start("op-0", {op("w0")});
  engine_.reset();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::sound, found.end) << found.why;
}

TEST_F(AJournal, of_many_canceled_workflows_is_sound) {
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i);
    start("w" + id, {op("a-" + id), op("b-" + id, {{"a-" + id}})});
    engine().cancel({"w" + id});
  }
  start("w", {op("a"), op("b", {{"a"}})});
  engine().refresh();
  ASSERT_EQ(Word::ok, complete(lease("A"), "a").word);
  engine().refresh();
  ASSERT_EQ(Word::ok, complete(lease("A"), "b").word);
  engine_.reset();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::sound, found.end) << found.why;
}

// A value that only looks like the digest of one is not taken for it.
TEST_F(AJournal, keeps_a_value_apart_from_what_stands_for_one) {
  const std::string digest = R"({"sha256":")" + std::string(64, 'a') + R"("})";
  start("w", {op("a")});
  engine().refresh();
  const std::string token = lease("A");
  model::Complete done;
  done.by.op = "a";
  done.result = digest;
  done.artifacts = {{"text", digest}};
  ASSERT_EQ(Word::ok, engine().complete(token, done).word);
  engine_.reset();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::sound, found.end) << found.why;
}

TEST_F(AJournal, of_a_stale_commit_names_the_guard) {
  engine::Options options = this->options();
  options.statements = properties::mutated(*properties::find_mutant("commit_at_expiry_accepted"));
  engine_ = std::move(*engine::Engine::open(options));
  start("w", {op("a")});
  engine().refresh();
  const std::string token = lease("A");
  clock_.time_us += 30 * second;
  ASSERT_EQ(Word::ok, complete(token, "a").word);
  engine_.reset();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::wrong, found.end);
  EXPECT_EQ(5, found.seq) << found.why;
  EXPECT_NE(std::string::npos, found.explanation.find("allowed      lease_lost"))
      << found.explanation;
  EXPECT_NE(std::string::npos, found.explanation.find("lease of a ended at 30 s; it is 30 s"))
      << found.explanation;
}

// Whatever the order was, it is the journal's.
TEST_F(AJournal, of_many_threads_is_sound) {
  std::vector<model::OpSpec> ops;
  for (int i = 0; i < 60; ++i) ops.push_back(op("op-" + std::to_string(i)));
  start("w", ops);
  engine().refresh();
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&, worker] {
      for (;;) {
        model::Lease action;
        action.worker = "W" + std::to_string(worker);
        const auto granted = engine().lease(action);
        const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail);
        if (leased == nullptr) return;
        complete(granted.token, leased->op);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  engine_.reset();
  const JournalVerdict found = verdict();
  EXPECT_EQ(End::sound, found.end) << found.why;
  EXPECT_EQ(1 + 60 + 60 + 60 + 60, found.events);
}

}  // namespace
}  // namespace leaseproof::scenarios
