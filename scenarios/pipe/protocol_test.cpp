// Checks the lines between harness and program: what is sent is what TRACE 5 says, what was written
// reads back equal, and what cannot be read is told in one line. No program runs here.
#include "scenarios/pipe/protocol.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace leaseproof::scenarios {
namespace {

Json sent(const StepRequest& step) {
  const std::string line = request_line(7, step);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  auto json = parse_json(line);
  EXPECT_TRUE(json) << json.error();
  return json.value_or(Json::object());
}

StepRequest step_of(model::Action action) {
  StepRequest step;
  step.action = std::move(action);
  step.given.now_us = 31'000'000;
  return step;
}

TEST(Protocol, a_lease_is_sent_with_its_defaults_and_without_what_the_harness_expects) {
  model::Lease lease;
  lease.worker = "A";
  lease.expected_op = "a";
  EXPECT_EQ(canonical(sent(step_of(lease))),
            R"({"do":"lease","id":7,"lease_us":30000000,"now_us":31000000,"worker":"A"})");
}

TEST(Protocol, a_worker_call_carries_the_opaque_handle_and_not_our_counting) {
  model::Complete complete;
  complete.by = {"A", "a", 2};
  StepRequest step = step_of(complete);
  step.handle = "proof \"1\"";
  EXPECT_EQ(canonical(sent(step)),
            R"({"do":"complete","handle":"proof \"1\"","id":7,"now_us":31000000,"op":"a",)"
            R"("receipt":null,"result":null,"worker":"A"})");
}

TEST(Protocol, what_the_harness_learned_goes_along) {
  StepRequest reconcile = step_of(model::Reconcile{"a"});
  EXPECT_TRUE(sent(reconcile).at("found").is_null());
  reconcile.given.found = "r";
  EXPECT_EQ(sent(reconcile).at("found"), "r");
  StepRequest page = step_of(model::SnapshotsSince{"reader", 3});
  EXPECT_TRUE(sent(page).at("cursor").is_null());
  page.cursor = R"(["any","thing"])";
  EXPECT_EQ(sent(page).at("cursor").size(), 2U);
}

TEST(Protocol, a_request_reads_back_as_it_was_sent) {
  model::Ensure ensure;
  ensure.workflow = "w";
  ensure.ops.resize(1);
  ensure.ops[0].id = "a";
  ensure.ops[0].effect.emplace();
  ensure.ops[0].effect->contract = model::Contract::opaque;
  StepRequest step = step_of(ensure);
  step.die_at = faults::Place::committed;
  std::string line = request_line(3, step);
  line.pop_back();
  const auto request = read_request(line);
  ASSERT_TRUE(request) << request.error();
  EXPECT_EQ(request->id, 3);
  const auto& read = std::get<StepRequest>(request->what);
  EXPECT_EQ(read.action, model::Action(ensure));
  EXPECT_EQ(read.given, step.given);
  EXPECT_EQ(read.die_at, step.die_at);
}

TEST(Protocol, a_bad_request_is_answered_with_its_id_and_why) {
  const auto error = [](std::string_view line) {
    const auto request = read_request(line);
    EXPECT_FALSE(request) << line;
    return request ? std::string() : request.error();
  };
  EXPECT_NE(error("nonsense").find("no JSON"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "leese"})").find(R"("id":4)"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "refresh"})").find("now_us"), std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "advance", "by_us": 1, "now_us": 0})").find("never sent"),
            std::string::npos);
  EXPECT_NE(error(R"({"id": 4, "do": "hello", "protocol": "leaseproof-sut/2"})").find("sut/1"),
            std::string::npos);
}

std::string hello_with(const std::string& rest) {
  return R"({"id": 0, "outcome": "ok", "engine": "mylab 1.2", "speaks": ["ensure", "lease"], )" +
         rest + "}";
}

TEST(Protocol, a_hello_tells_what_the_program_can_do) {
  const auto hello = read_hello(hello_with(R"("oracle": "model", "die_at": ["commit"])"), 0);
  ASSERT_TRUE(hello) << hello.error();
  EXPECT_EQ(hello->engine, "mylab 1.2");
  EXPECT_TRUE(hello->speaks.contains("ensure"));
  EXPECT_FALSE(hello->speaks.contains("refresh"));
  EXPECT_FALSE(hello->int64);
  EXPECT_TRUE(hello->die_at.at(static_cast<std::size_t>(faults::Place::commit)));
  EXPECT_FALSE(hello->die_at.at(static_cast<std::size_t>(faults::Place::begin)));
}

TEST(Protocol, what_a_program_can_do_besides_is_off_unless_it_says_so) {
  const auto plain = read_hello(hello_with(R"("oracle": "model")"), 0);
  ASSERT_TRUE(plain) << plain.error();
  EXPECT_FALSE(plain->journal || plain->readings || plain->disk);
  Hello hello;
  hello.journal = true;
  hello.readings = true;
  hello.disk = true;
  hello.damage = "page 3 is torn";
  std::string line = hello_line(0, hello);
  line.pop_back();
  const auto read = read_hello(line, 0);
  ASSERT_TRUE(read) << read.error();
  EXPECT_TRUE(read->journal && read->readings && read->disk);
  EXPECT_EQ(read->damage, hello.damage);
  const auto error = [](const std::string& rest) {
    const auto refused = read_hello(hello_with(R"("oracle": "model", )" + rest), 0);
    return refused ? std::string() : refused.error();
  };
  EXPECT_NE(error(R"("journal": 1)").find("key 'journal': must be true or false"),
            std::string::npos);
  EXPECT_NE(error(R"("disc": true)").find("did you mean 'disk'"), std::string::npos);
  EXPECT_NE(error(R"("damage": "a page")").find("unknown key 'damage'"), std::string::npos)
      << "only a program with a disk can tell of it";
}

TEST(Protocol, rules_that_this_build_cannot_judge_by_are_refused) {
  const auto error = [](const std::string& rest) {
    const auto hello = read_hello(hello_with(rest), 0);
    return hello ? std::string() : hello.error();
  };
  EXPECT_NE(error(R"("oracle": "invariants")").find("not supported"), std::string::npos);
  EXPECT_NE(error(R"("oracle": "model", "recovers": "on_lease")").find("not supported"),
            std::string::npos);
  EXPECT_NE(error(R"("oracle": "modle")").find("did you mean 'model'"), std::string::npos);
  EXPECT_NE(error(R"("oracle": "model", "die_at": ["end"])").find("die_at"), std::string::npos);
}

TEST(Protocol, an_answer_without_its_fields_cannot_be_read) {
  const model::Action refresh = model::Refresh{};
  EXPECT_FALSE(read_reply(R"({"id": 1, "outcome": "ok"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"({"id": 1, "outcome": "okay"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"({"id": 2, "outcome": "busy"})", 1, refresh));
  EXPECT_FALSE(read_reply(R"([1])", 1, refresh));
  const auto busy = read_reply(R"({"id": 1, "outcome": "busy", "why": "locked"})", 1, refresh);
  ASSERT_TRUE(busy) << busy.error();
  EXPECT_EQ(busy->outcome.word, model::Word::busy);
  // The proof of a lease has to come with it.
  EXPECT_FALSE(
      read_reply(R"({"id": 1, "outcome": "leased", "op": "a", "generation": 1, "expires_us": 5})",
                 1, model::Lease{}));
}

TEST(Protocol, an_answer_reads_back_as_it_was_given) {
  properties::Reply reply;
  reply.outcome = {model::Word::leased, model::Leased{"a", 2, 5}};
  reply.handle = "proof";
  std::string line = reply_line(9, reply, model::Lease{});
  line.pop_back();
  const auto read = read_reply(line, 9, model::Lease{});
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->outcome, reply.outcome);
  EXPECT_EQ(read->handle, "proof");

  const auto page =
      read_reply(R"({"id": 1, "outcome": "ok", "workflows": ["w"], "more": true, "cursor": "c7"})",
                 1, model::SnapshotsSince{"r", 1});
  ASSERT_TRUE(page) << page.error();
  EXPECT_EQ(page->cursor, "\"c7\"");
  EXPECT_EQ(page->outcome, model::Outcome(model::Word::ok, model::Page{{"w"}, true}));
}

TEST(Protocol, what_an_observation_does_not_show_is_not_taken_for_absent) {
  const auto seen = read_seen(
      R"({"id": 1, "outcome": "ok", "ops": {"a": {"status": "running", "error": null}}})", 1);
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_TRUE(seen->unseen.workflows);
  EXPECT_FALSE(seen->unseen.ops);
  const auto& missing = seen->unseen.op_fields.at("a");
  EXPECT_TRUE(missing.test(static_cast<std::size_t>(properties::OpField::lease)));
  EXPECT_FALSE(missing.test(static_cast<std::size_t>(properties::OpField::error)));
  EXPECT_FALSE(missing.test(static_cast<std::size_t>(properties::OpField::status)));
  EXPECT_FALSE(read_seen(R"({"id": 1, "outcome": "ok", "ops": {"a": {"state": "running"}}})", 1));
}

template <class T>
T read_back(const T& what) {
  std::string line = request_line(3, RequestKind(what));
  line.pop_back();
  const auto request = read_request(line);
  EXPECT_TRUE(request) << request.error();
  return request ? std::get<T>(request->what) : T{};
}

properties::StepFault torn_power_loss() {
  properties::StepFault fault;
  fault.plan.point = faults::point_of(faults::Operation::sync);
  fault.plan.kind = faults::Kind::power_loss;
  fault.plan.hit = 2;
  fault.plan.file = faults::Role::wal;
  fault.torn_sectors = {0, 3};
  return fault;
}

TEST(Protocol, a_fault_is_sent_with_its_defaults_and_reads_back) {
  StepRequest step = step_of(model::Refresh{});
  step.fault = torn_power_loss();
  EXPECT_EQ(canonical(sent(step).at("fault")),
            R"({"at":"vfs/sync","file":"wal","hit":2,"kind":"power_loss","sticky":false,)"
            R"("times":1,"torn_sectors":[0,3]})");
  const StepRequest read = read_back(step);
  ASSERT_TRUE(read.fault);
  EXPECT_EQ(read.fault->plan.hit, 2);
  EXPECT_EQ(read.fault->plan.file, faults::Role::wal);
  EXPECT_EQ(read.fault->torn_sectors, step.fault->torn_sectors);
  EXPECT_EQ(read_back(RestartRequest{torn_power_loss()}).fault.plan.kind, faults::Kind::power_loss);
  // At a point of the engine there is no file to name, nor anything that could stay.
  step.fault->plan = {faults::point_of(faults::Call::refresh, faults::Place::commit),
                      faults::Kind::io_error};
  step.fault->torn_sectors.clear();
  EXPECT_EQ(read_back(step).fault->plan.kind, faults::Kind::io_error);
}

TEST(Protocol, a_fault_that_the_harness_plays_is_no_request) {
  const auto error = [](const std::string& rest) {
    const auto request = read_request(R"({"id": 4, "now_us": 0, "do": )" + rest + "}");
    return request ? std::string() : request.error();
  };
  EXPECT_NE(error(R"("refresh", "fault": {"at": "engine/refresh/begin", "kind": "interleave",
                     "steps": []})")
                .find("never sent"),
            std::string::npos);
  EXPECT_NE(error(R"("refresh", "fault": {"at": "vfs/snyc", "kind": "io_error"})")
                .find("did you mean 'vfs/sync'"),
            std::string::npos);
  EXPECT_NE(error(R"("restart")").find("fault"), std::string::npos);
}

TEST(Protocol, a_reset_tells_what_of_the_config_is_not_as_usual) {
  EXPECT_EQ(request_line(1, ResetRequest{}), "{\"id\": 1, \"do\": \"reset\"}\n");
  const ResetRequest reset{5, 1, properties::Synchronous::normal};
  EXPECT_EQ(read_back(reset), reset);
  EXPECT_FALSE(read_request(R"({"id": 1, "do": "reset", "busy_tries": 0})"));
  EXPECT_FALSE(read_request(R"({"id": 1, "do": "reset", "synchronous": "fully"})"));
}

TEST(Protocol, what_a_disk_saw_stands_beside_the_answer_of_a_program_that_has_one) {
  properties::Reply reply;
  reply.outcome.word = model::Word::storage_error;
  reply.fired = 2;
  reply.breach = "a checkpoint ran unlocked";
  std::string line = reply_line(1, reply, model::Lease{});
  line.pop_back();
  const auto read = read_reply(line, 1, model::Lease{}, true);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->fired, 2);
  EXPECT_EQ(read->breach, reply.breach);
  EXPECT_FALSE(read_reply(line, 1, model::Lease{}, false));
  EXPECT_FALSE(read_reply(R"({"id": 1, "outcome": "none", "fired": -1})", 1, model::Lease{}, true));

  properties::Reopened reopened;
  reopened.outcome.word = model::Word::crashed;
  reopened.fired = 1;
  reopened.lost = "no such table";
  line = reopened_line(2, reopened);
  line.pop_back();
  const auto back = read_reopened(line, 2);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->outcome, reopened.outcome);
  EXPECT_EQ(back->fired, 1);
  EXPECT_EQ(back->lost, reopened.lost);
}

// An answer to `observe` with the journal after event 2.
std::string journal_error(const std::string& last_seq, const std::string& events) {
  const auto seen =
      read_seen(R"({"id": 1, "outcome": "ok", "events": {"count": )" + last_seq +
                    R"(, "last_seq": )" + last_seq + R"(}, "journal": )" + events + "}",
                1, 2);
  return seen ? std::string() : seen.error();
}
std::string event(int seq, const std::string& rest = "") {
  return fmt::format(R"({{"seq": {}, "call": 1, "at_us": 0, "generation": 0, "kind": "k",
                         "detail": "{{}}"{}}})",
                     seq, rest);
}

TEST(Protocol, a_journal_reads_back_as_it_was_written) {
  const std::vector<properties::JournalEvent> events{
      {3, 2, -5, 0, "w \"1\"", "", "workflow_created", R"({"action": {"do": "ensure"}})"},
      {4, 2, -5, 7, "w \"1\"", "a", "op_created", "no JSON\n"},
      {5, 3, 9, 1, "", "", "queue_set", "{}"}};
  properties::Reply reply;
  model::Observation seen;
  seen.events = 5;
  seen.last_seq = 5;
  reply.outcome.detail = seen;
  std::string line = reply_line(1, reply, events);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  line.pop_back();
  const auto read = read_seen(line, 1, 2);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->observation.last_seq, 5);
  EXPECT_EQ(read->observation.events, 5);
  ASSERT_EQ(read->events.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const properties::JournalEvent& one = read->events[i];
    const properties::JournalEvent& other = events[i];
    EXPECT_EQ(std::tie(one.seq, one.call, one.at_us, one.generation, one.workflow, one.op, one.kind,
                       one.detail),
              std::tie(other.seq, other.call, other.at_us, other.generation, other.workflow,
                       other.op, other.kind, other.detail));
  }
}

TEST(Protocol, a_journal_that_goes_back_or_ends_too_early_is_refused) {
  const std::string both = "[" + event(3) + ", " + event(4) + "]";
  EXPECT_EQ(journal_error("4", both), "");
  EXPECT_EQ(journal_error("2", "[]"), "");
  EXPECT_EQ(journal_error("1", "[]"), "") << "what was lost is for the judges";
  EXPECT_EQ(journal_error("4", "[" + event(4) + "]"), "") << "and so is a gap in the journal";
  EXPECT_NE(journal_error("4", "[" + event(2) + ", " + event(4) + "]")
                .find("key 'journal[0]': event 2 cannot follow 2"),
            std::string::npos);
  EXPECT_NE(journal_error("4", "[" + event(4) + ", " + event(3) + "]").find("cannot follow 4"),
            std::string::npos);
  EXPECT_NE(journal_error("5", both).find("ends at event 4, but the last one is 5"),
            std::string::npos);
  EXPECT_NE(journal_error("4", "[]").find("ends at event 2"), std::string::npos);
  EXPECT_NE(journal_error("1", both).find("the last one is 1"), std::string::npos);
}

TEST(Protocol, an_event_is_read_as_strictly_as_all_else) {
  const auto error = [](const std::string& rest) {
    return journal_error("3", "[" + event(3, rest) + "]");
  };
  EXPECT_EQ(error(R"(, "op": null, "workflow": "w")"), "");
  EXPECT_NE(error(R"(, "opp": "a")").find("did you mean 'op'"), std::string::npos);
  EXPECT_NE(error(R"(, "op": 1)").find("journal[0].op': must be a text"), std::string::npos);
  EXPECT_NE(journal_error("3", R"([{"seq": 3}])").find("journal[0].call"), std::string::npos);
  EXPECT_NE(journal_error("3", "{}").find("must be a list"), std::string::npos);
  EXPECT_FALSE(read_seen(R"({"id": 1, "outcome": "ok"})", 1, 0)) << "it was asked for";
  EXPECT_FALSE(read_seen(R"({"id": 1, "outcome": "ok", "journal": []})", 1)) << "it was not";
}

TEST(Protocol, an_integer_of_which_a_double_is_not_sure_is_not_for_every_program) {
  model::Heartbeat heartbeat{{"A", "a", 0}, 1'000};
  EXPECT_TRUE(fits_a_double(heartbeat));
  heartbeat.lease_us = most_in_a_double;
  EXPECT_FALSE(fits_a_double(heartbeat)) << "the sum with a moment would not fit";
  EXPECT_FALSE(fits_a_double(model::Advance{INT64_MIN}));
}

}  // namespace
}  // namespace leaseproof::scenarios
