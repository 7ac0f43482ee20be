// Checks the operator's commands on a database file: what they answer and list, that nothing
// changes without --yes, and that a reviewer sees what is decided on. The rules themselves:
// engine/, model/.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/schema.hpp"
#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {
namespace {

using model::Word;

class Operator : public Program {
 protected:
  std::unique_ptr<engine::Engine> engine() {
    engine::Options options;
    options.path = path("w.db");
    auto opened = engine::Engine::open(options);
    EXPECT_TRUE(opened) << opened.error().sentence;
    return std::move(*opened);
  }
  // An op that waits for a review of its payload.
  void waiting_op() {
    const auto db = engine();
    model::Start start;
    start.workflow = "w";
    start.ops.resize(1);
    start.ops[0].id = "a";
    start.ops[0].kind = "publish";
    start.ops[0].effect = {model::Contract::idempotent, true, 0, "reports", "team", "ann"};
    ASSERT_EQ(db->start(start).word, Word::created);
    db->refresh();
    model::RequestApproval request;
    request.by.op = "a";
    request.payload = R"({"page":"all of it"})";
    request.ttl_us = 3'600'000'000;
    const auto answer = db->request_approval(db->lease({"A", {}, {}, {}, {}}).token, request);
    ASSERT_EQ(answer.word, Word::waiting);
    hash_ = std::get<model::Waiting>(answer.detail).hash;
  }
  void failed_op() {
    const auto db = engine();
    model::Start start;
    start.workflow = "w";
    start.ops.resize(1);
    start.ops[0].id = "a";
    ASSERT_EQ(db->start(start).word, Word::created);
    db->refresh();
    model::Fail fail;
    fail.by.op = "a";
    fail.kind = model::FailKind::permanent;
    ASSERT_EQ(db->fail(db->lease({"A", {}, {}, {}, {}}).token, fail).word, Word::failed);
  }
  // An op whose write was dispatched, and its workflow canceled before anybody knew more.
  void unknown_op() {
    const auto db = engine();
    model::Start start;
    start.workflow = "w";
    start.ops.resize(1);
    start.ops[0].id = "a";
    start.ops[0].effect = {model::Contract::queryable, false, 0, "reports", "team", "ann"};
    ASSERT_EQ(db->start(start).word, Word::created);
    db->refresh();
    model::Dispatch dispatch;
    dispatch.by.op = "a";
    const auto token = db->lease({"A", {}, {}, {}, {}}).token;
    ASSERT_EQ(db->dispatch(token, dispatch).outcome.word, Word::dispatching);
    ASSERT_EQ(db->cancel({"w"}).word, Word::ok);
  }
  std::string status() {
    const auto document = parse_json(run("inspect --db w.db --json").out);
    return document->at("ops").at("a").at("status");
  }

  std::string hash_;
};

TEST_F(Operator, a_reviewer_sees_action_target_and_payload_and_decides_by_their_hash) {
  waiting_op();
  const Ended seen = run("inspect --db w.db");
  for (const char* part : {"publish", "reports", "ann", R"({"page":"all of it"})"}) {
    EXPECT_NE(seen.out.find(part), std::string::npos) << part << "\n" << seen.out;
  }
  EXPECT_NE(seen.out.find(hash_), std::string::npos);

  const std::string who = " --db w.db --actor rita --scope team --hash ";
  expect_one_line("approve a" + who + std::string(64, '0'), 2, "wrong_hash");
  expect_one_line("approve b" + who + hash_, 2, "not_found");
  expect_one_line("approve a --db w.db --actor rita --scope other --hash " + hash_, 2, "forbidden");
  expect_one_line("approve a --db w.db --actor ann --scope team --hash " + hash_, 2, "forbidden");
  EXPECT_EQ(status(), "waiting_approval");
  const Ended granted = run("approve a --json" + who + hash_);
  EXPECT_EQ(granted.exit, 0) << granted.err;
  EXPECT_EQ(parse_json(granted.out)->at("done"), true);
  EXPECT_EQ(status(), "ready");
  const Ended again = run("reject a --json" + who + hash_);
  EXPECT_EQ(again.exit, 2);
  EXPECT_EQ(parse_json(again.out)->at("answer").at("outcome"), "already_decided");
}

TEST_F(Operator, a_retry_of_everything_only_counts_until_it_is_told_yes) {
  failed_op();
  const Ended dry = run("retry --all-failed --db w.db");
  EXPECT_EQ(dry.exit, 0) << dry.err;
  EXPECT_NE(dry.out.find("1 failed ops; nothing was changed"), std::string::npos) << dry.out;
  EXPECT_EQ(status(), "failed");
  EXPECT_EQ(run("retry --all-failed --yes --db w.db").exit, 0);
  EXPECT_EQ(status(), "ready");
  expect_one_line("retry a --db w.db", 2, "not_failed");
  expect_one_line("retry --db w.db", 2, "name an op");
}

TEST_F(Operator, a_retry_of_everything_that_was_partly_refused_is_not_done) {
  failed_op();
  {
    const auto db = engine();
    model::Start start;
    start.workflow = "v";
    start.ops.resize(2);
    start.ops[0].id = "b";
    start.ops[1].id = "c";
    ASSERT_EQ(db->start(start).word, Word::created);
    db->refresh();
    model::Fail fail;
    fail.by.op = "b";
    fail.kind = model::FailKind::permanent;
    ASSERT_EQ(db->fail(db->lease({"A", {}, {}, {}, {}}).token, fail).word, Word::failed);
    ASSERT_EQ(db->cancel({"v"}).word, Word::ok);
  }
  const Ended told = run("retry --all-failed --yes --json --db w.db");
  EXPECT_EQ(told.exit, 2);
  const Json answers = parse_json(told.out)->at("answers");
  EXPECT_EQ(answers.at("a").at("outcome"), "ok");
  EXPECT_EQ(answers.at("b").at("outcome"), "workflow_canceled");
  const Ended again = run("retry --all-failed --yes --db w.db");
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.out.find("workflow_canceled"), std::string::npos) << again.out;
}

TEST_F(Operator, what_would_be_refused_with_yes_is_refused_without) {
  failed_op();
  expect_one_line("cancel lost --yes --db w.db", 2, "lost");
  expect_one_line("cancel lost --db w.db", 2, "lost");
  expect_one_line("cancel w --yes --db w.db", 2, "already_settled");
  expect_one_line("cancel w --db w.db", 2, "already_settled");
}

// A database of the layout before the current one, made as the engine of that time made it.
void make_older(const std::string& path) {
  using engine::store::Sql;
  const auto texts = engine::store::catalog_texts();
  auto fault = engine::sqlite::Fault::none;
  const auto db = engine::sqlite::Connection::open({path, "", false, true}, texts, fault);
  db->run_script(engine::store::schema_of_versions);
  db->run_script(engine::store::schema_v4);
  db->execute(index(Sql::record_version), 4, "leaseproof_tables", "2026-01-01T00:00:00Z");
  EXPECT_EQ(db->fault(), engine::sqlite::Fault::none) << db->message();
}

TEST_F(Operator, without_yes_an_older_database_is_told_and_left_as_it_is) {
  make_older(path("old.db"));
  const std::string before = read_file(path("old.db")).value_or("");
  for (const char* command : {"cancel w", "retry --all-failed"}) {
    expect_one_line(std::string(command) + " --db old.db", 2, "has version 4");
  }
  EXPECT_EQ(read_file(path("old.db")).value_or(""), before);
  EXPECT_EQ(run("migrate --db old.db").exit, 0);
  EXPECT_EQ(run("retry --all-failed --db old.db").exit, 0);
}

TEST_F(Operator, an_unknown_write_that_stays_unknown_is_no_wrong_input) {
  unknown_op();
  const Ended text = run("reconcile a --db w.db");
  EXPECT_EQ(text.exit, 4) << text.err;
  EXPECT_NE(text.out.find("unknown"), std::string::npos) << text.out;
  const Ended json = run("reconcile a --db w.db --json");
  EXPECT_EQ(json.exit, 4);
  EXPECT_EQ(parse_json(json.out)->at("done"), false);
  EXPECT_EQ(run("reconcile a --db w.db --found r").exit, 0);
  EXPECT_EQ(status(), "effect_confirmed");
}

TEST_F(Operator, a_bad_value_is_told_with_its_reason_in_both_forms) {
  failed_op();
  for (const char* form : {"", " --json"}) {
    expect_one_line(std::string("retry a --deadline-us=-1 --db w.db") + form, 2, "deadline_us");
  }
}

TEST_F(Operator, nothing_that_is_shown_can_pass_for_a_line_of_ours) {
  {
    const auto db = engine();
    model::Start start;
    start.workflow = "w\n  forged";
    start.ops.resize(2);
    start.ops[1].id = "b";
    start.ops[0].id = "a\n  forged";
    ASSERT_EQ(db->start(start).word, Word::created);
    db->refresh();
    model::Fail fail;
    fail.by.op = "a\n  forged";
    fail.kind = model::FailKind::permanent;
    fail.error = "e\n  forged\x1b[8m\xc2\x9b";
    ASSERT_EQ(db->fail(db->lease({"A", {}, {}, {}, {}}).token, fail).word, Word::failed);
  }
  for (const char* command : {"inspect", "snapshots", "events", "retry --all-failed",
                              "cancel 'w\n  forged'", "retry 'a\n  forged'"}) {
    const std::string out = "\n" + run(std::string(command) + " --db w.db").out;
    EXPECT_NE(out.find("\\x0a  forged"), std::string::npos) << command << out;
    EXPECT_EQ(out.find("\n  forged"), std::string::npos) << out;
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
    EXPECT_EQ(out.find("\xc2\x9b"), std::string::npos) << out;
  }
}

TEST_F(Operator, a_cancellation_only_counts_until_it_is_told_yes) {
  waiting_op();
  EXPECT_NE(run("cancel w --db w.db").out.find("1 ops would end"), std::string::npos);
  EXPECT_EQ(status(), "waiting_approval");
  EXPECT_EQ(run("cancel w --yes --db w.db").exit, 0);
  EXPECT_EQ(status(), "canceled");
  expect_one_line("cancel w --yes --db w.db", 2, "already_settled");
}

TEST_F(Operator, what_is_not_unknown_cannot_be_reconciled_or_closed) {
  failed_op();
  expect_one_line("reconcile a --db w.db --found r", 2, "not_reconciling");
  expect_one_line("close a --db w.db --actor otto --evidence e", 2, "--happened");
  expect_one_line("close a --db w.db --actor otto --evidence e --happened", 2, "not_reconciling");
}

// `count` workflows of one op each, the last one failed.
void make_workflows(engine::Engine& db, int count) {
  for (int i = 0; i < count; ++i) {
    model::Start start;
    start.workflow = "w" + std::to_string(i);
    start.ops.resize(1);
    start.ops[0].id = "a" + std::to_string(i);
    db.start(start);
  }
  db.refresh();
  std::string token;
  for (int i = 0; i < count; ++i) token = db.lease({"A", {}, {}, {}, {}}).token;
  model::Fail fail;
  fail.by.op = "a" + std::to_string(count - 1);
  fail.kind = model::FailKind::permanent;
  EXPECT_EQ(db.fail(token, fail).word, Word::failed);
}

TEST_F(Operator, snapshots_are_paged_by_their_cursor_and_filtered_by_status) {
  make_workflows(*engine(), 3);
  std::vector<std::string> told;
  std::int64_t cursor = 0;
  for (bool more = true; more;) {
    const Ended page =
        run("snapshots --db w.db --limit 1 --json --after " + std::to_string(cursor));
    ASSERT_EQ(page.exit, 0) << page.err;
    const Json document = *parse_json(page.out);
    for (const Json& row : document.at("snapshots")) told.push_back(row.at("workflow"));
    cursor = document.at("cursor");
    more = document.at("more");
  }
  EXPECT_EQ(told, (std::vector<std::string>{"w0", "w1", "w2"}));
  const Json failed = *parse_json(run("snapshots --db w.db --status failed --json").out);
  ASSERT_EQ(failed.at("snapshots").size(), 1U);
  EXPECT_EQ(failed.at("snapshots")[0].at("workflow"), "w2");
  EXPECT_EQ(failed.at("snapshots")[0].at("counts").at("failed"), 1);
  EXPECT_EQ(parse_json(run("snapshots --db w.db --since-us 9000000000000000000 --json").out)
                ->at("snapshots")
                .size(),
            0U);
  const Json last = *parse_json(run("snapshots --db w.db --status failed --limit 1 --json").out);
  EXPECT_EQ(last.at("snapshots").size(), 1U);
  EXPECT_EQ(last.at("more"), false);
  const Json first = *parse_json(run("snapshots --db w.db --status running --limit 1 --json").out);
  EXPECT_EQ(first.at("more"), true);
  const Json second =
      *parse_json(run("snapshots --db w.db --status running --limit 1 --json --after " +
                      std::to_string(first.at("cursor").get<std::int64_t>()))
                      .out);
  EXPECT_EQ(second.at("snapshots")[0].at("workflow"), "w1");
  EXPECT_EQ(second.at("more"), false) << "a workflow follows, but not of that status";
  expect_one_line("snapshots --db w.db --status lost", 2, "lost");
  expect_one_line("snapshots --db w.db --since-us 1 --after 1", 2, "--since-us");
  expect_one_line("snapshots --db missing.db", 2, "missing.db");
}

TEST_F(Operator, events_are_paged_and_filtered_by_workflow_op_and_kind) {
  make_workflows(*engine(), 2);
  const Json all = *parse_json(run("events --db w.db --json").out);
  std::int64_t seq = 0;
  for (const Json& event : all.at("events")) EXPECT_EQ(event.at("seq"), ++seq);
  EXPECT_EQ(all.at("more"), false);
  const Json first = *parse_json(run("events --db w.db --json --limit 2 --workflow w1").out);
  EXPECT_EQ(first.at("events").size(), 2U);
  EXPECT_EQ(first.at("more"), true);
  const Json rest = *parse_json(run("events --db w.db --json --workflow w1 --after " +
                                    std::to_string(first.at("cursor").get<std::int64_t>()))
                                    .out);
  for (const Json& event : rest.at("events")) EXPECT_EQ(event.at("workflow"), "w1");
  const Json failed = *parse_json(run("events --db w.db --json --op a1 --kind op_failed").out);
  EXPECT_EQ(failed.at("events").size(), 1U);
  EXPECT_NE(run("events --db w.db --kind op_leased").out.find("a0"), std::string::npos);
  expect_one_line("events --db w.db --limit 0", 2, "--limit");
}

TEST_F(Operator, inspect_shows_only_what_its_filters_name) {
  make_workflows(*engine(), 2);
  const Json one = *parse_json(run("inspect --db w.db --workflow w1 --json").out);
  EXPECT_EQ(one.at("workflows").size(), 1U);
  EXPECT_TRUE(one.at("ops").contains("a1"));
  EXPECT_FALSE(one.at("ops").contains("a0"));
  const Json failed = *parse_json(run("inspect --db w.db --status failed --json").out);
  EXPECT_EQ(failed.at("ops").size(), 1U);
  expect_one_line("inspect --db w.db --workflow lost", 2, "no workflow lost");
  expect_one_line("inspect --db w.db --status lost", 2, "lost");
}

TEST_F(Operator, a_file_that_is_missing_or_of_another_program_is_one_line) {
  expect_one_line("retry a --db missing.db", 2, "missing.db");
  write("text.db", std::string(4096, 'x'));
  for (const char* command : {"retry a", "cancel w", "reconcile a", "migrate"}) {
    expect_one_line(std::string(command) + " --db text.db", 2, "text.db");
  }
}

TEST_F(Operator, a_database_that_somebody_else_holds_is_an_environment_that_failed) {
  failed_op();
  const auto holder = engine();
  ASSERT_EQ(holder->connection().run_script("BEGIN IMMEDIATE"), engine::sqlite::Fault::none);
  expect_one_line("retry a --db w.db", 3, "w.db");
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
