// Checks the course that is made of a journal: whose calls it shows up to an event, under which
// names, at what time, which leases stand, and what the model answers where the journal is wrong.
#include "scenarios/journal_course.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/fixture_test.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/interleaving.hpp"

namespace leaseproof::scenarios {
namespace {

using model::Word;

class AJournalsCourse : public engine::EngineTest {
 protected:
  static constexpr std::int64_t second = 1'000'000;
  static constexpr std::int64_t today_us = 1'790'000'000 * second;

  // A leases a and is taken for dead; B takes over, while C works on b.
  void work() {
    clock_.time_us = today_us;
    start("w", {op("a"), op("b")});
    engine().refresh();
    lease("A");
    clock_.time_us += 20 * second;
    of_c_ = lease("C");
    clock_.time_us += 11 * second;
    engine().refresh();
    of_b_ = lease("B");
    clock_.time_us += second;
    ASSERT_EQ(Word::ok, complete(of_b_, "a").word);
  }
  void beat(const std::string& token, const std::string& op) {
    model::Heartbeat beat;
    beat.by.op = op;
    ASSERT_EQ(Word::extended, engine().heartbeat(token, beat).word);
  }
  void edit(const std::string& sql) {
    ASSERT_EQ(SQLITE_OK,
              sqlite3_exec(engine().connection().handle(), sql.c_str(), nullptr, nullptr, nullptr));
  }
  std::int64_t seq_of(const std::string& kind) {
    sqlite3_stmt* found = nullptr;
    const std::string sql = "SELECT MAX(seq) FROM event WHERE kind = '" + kind + "'";
    sqlite3_prepare_v2(engine().connection().handle(), sql.c_str(), -1, &found, nullptr);
    sqlite3_step(found);
    const std::int64_t seq = sqlite3_column_int64(found, 0);
    sqlite3_finalize(found);
    return seq;
  }
  Course course(std::int64_t seq) {
    cli::ReadOnlyDatabase database(path());
    Course made = course_to(database.connection(), 0, seq);
    database.check_fault();
    return made;
  }
  // A line for each frame: its name, when, by whom, and what was answered.
  static std::vector<std::string> told(const Course& course) {
    std::vector<std::string> lines;
    for (const Frame& frame : course.frames) {
      lines.push_back(frame.name + " at " + std::to_string(frame.top.common_us / second) + " " +
                      frame.top.lane.name + ": " +
                      std::string(model::do_word(frame.top.step.action)) + " " +
                      std::string(model::word(frame.top.outcome.word)));
    }
    return lines;
  }

  std::string of_b_;
  std::string of_c_;
};

TEST_F(AJournalsCourse, leads_to_the_event_by_the_calls_of_its_op_and_those_just_before_it) {
  work();
  for (int i = 0; i < 10; ++i) beat(of_c_, "b");
  clock_.time_us += second;
  complete(of_c_, "b");
  // Of those that are not of its op, only the last are shown.
  const Course shown = course(seq_of("op_succeeded"));
  std::vector<std::string> lines{"1 at 0 host: start created", "4 at 0 host: refresh ok",
                                 "7 at 20 C: lease leased"};
  for (int seq = 11; seq <= 20; ++seq) {
    lines.push_back(std::to_string(seq) + " at 32 C: heartbeat extended");
  }
  lines.emplace_back("21 at 33 C: complete ok");
  EXPECT_EQ(lines, told(shown));
  const std::vector<Lane> lanes{{Lane::Kind::worker, "C"}, {Lane::Kind::host, "host"}};
  EXPECT_EQ(lanes, shown.lanes);
  const auto takeover = told(course(10));
  EXPECT_EQ("6 at 0 A: lease leased", takeover[2]);
  EXPECT_EQ("8 at 31 host: refresh ok", takeover[4]);
  EXPECT_EQ("10 at 32 B: complete ok", takeover.back());
}

TEST_F(AJournalsCourse, has_the_leases_that_it_has_seen_granted_for_as_long_as_they_stand) {
  work();
  const Course shown = course(seq_of("op_succeeded"));
  const auto leases = [&](std::size_t frame) {
    std::vector<std::string> all;
    for (const auto& [id, lease] : shown.frames[frame].top.leases) {
      all.push_back(id + " " + lease.owner + " until " + std::to_string(lease.expires_us / second));
    }
    return all;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ((Lines{"a A until 30"}), leases(2));
  EXPECT_EQ((Lines{"a A until 30", "b C until 50"}), leases(3));
  EXPECT_EQ((Lines{"b C until 50"}), leases(4));
  EXPECT_EQ((Lines{"a B until 61", "b C until 50"}), leases(5));
  EXPECT_EQ((Lines{"b C until 50"}), leases(6));
  const Json picture = interleaving_json(shown, shown.frames.size() - 1);
  EXPECT_EQ("10", picture["moments"].back()["path"]);
  EXPECT_EQ(true, picture["moments"].back()["broken"]);
  EXPECT_EQ(3U, picture["leases"].size());
}

TEST_F(AJournalsCourse, ends_at_the_call_that_the_model_does_not_follow) {
  work();
  edit(
      "UPDATE event SET detail = replace(detail, '\"outcome\":\"ok\"', "
      "'\"outcome\":\"already_completed\"') WHERE kind = 'op_succeeded'");
  const Course shown = course(seq_of("op_succeeded"));
  const Happening& last = shown.frames.back().top;
  EXPECT_EQ(Word::already_completed, last.outcome.word);
  ASSERT_TRUE(last.expected.has_value());
  EXPECT_EQ(Word::ok, last.expected->word);
  EXPECT_EQ("B", last.lane.name);
}

TEST_F(AJournalsCourse, says_why_the_model_answers_otherwise) {
  work();
  edit(
      "UPDATE event SET detail = json_set(detail, '$.action.token', printf('%064d', 0)) "
      "WHERE kind = 'op_succeeded'");
  const Course shown = course(seq_of("op_succeeded"));
  EXPECT_EQ("the caller", shown.frames.back().top.lane.name);
  const Json picture = interleaving_json(shown, shown.frames.size() - 1);
  const std::string beside = picture["moments"].back()["beside"];
  EXPECT_TRUE(beside.starts_with("lease_lost, because ")) << beside;
}

TEST_F(AJournalsCourse, follows_what_is_bound_to_a_moment_of_the_journals_own_clock) {
  clock_.time_us = today_us;
  model::OpSpec writes = op("a");
  writes.effect = {model::Contract::idempotent, true, 0, "reports", "team", "ann"};
  writes.deadline_us = today_us + 900 * second;
  start("w", {writes});
  engine().refresh();
  model::RequestApproval request;
  request.by.op = "a";
  ASSERT_EQ(Word::waiting, engine().request_approval(lease("A"), request).word);
  model::Decide decide;
  decide.op = "a";
  decide.actor = {"rita", {"reviewer"}, {"team"}};
  ASSERT_EQ(Word::ok, engine().decide(decide).word);
  model::Dispatch dispatch;
  dispatch.by.op = "a";
  ASSERT_EQ(Word::dispatching, engine().dispatch(lease("A"), dispatch).outcome.word);
  const Course shown = course(seq_of("op_dispatched"));
  EXPECT_EQ(7U, shown.frames.size());
  for (const Frame& frame : shown.frames) EXPECT_FALSE(frame.top.expected.has_value());
  const auto& given = std::get<model::Dispatching>(shown.frames.back().top.outcome.detail);
  EXPECT_EQ(30 * second, given.call_before_us);
  const auto& made = std::get<model::Start>(shown.frames.front().top.step.action);
  EXPECT_EQ(900 * second, made.ops.front().deadline_us);
}

TEST_F(AJournalsCourse, is_short_and_shows_no_lease_whose_grant_it_has_not_seen) {
  work();
  for (int i = 0; i < 100; ++i) beat(of_c_, "b");
  const Course shown = course(seq_of("op_extended"));
  EXPECT_EQ(20U, shown.frames.size());
  EXPECT_TRUE(shown.frames.back().top.leases.empty());
}

TEST_F(AJournalsCourse, leads_to_what_is_of_no_op_by_what_was_just_before_it) {
  work();
  engine().set_queue({"default", "default", 7, 0, 0});
  const std::vector<std::string> lines{"7 at 20 C: lease leased", "8 at 31 host: refresh ok",
                                       "9 at 31 B: lease leased", "10 at 32 B: complete ok",
                                       "11 at 32 host: queue ok"};
  EXPECT_EQ(lines, told(course(11)));
}

TEST_F(AJournalsCourse, counts_a_call_once_however_much_it_changes) {
  work();
  start("v", {op("c"), op("d"), op("e"), op("f"), op("g"), op("h")});
  const auto lines = told(course(seq_of("op_created")));
  EXPECT_EQ(5U, lines.size());
  EXPECT_EQ("11 at 32 host: start created", lines.back());
}

TEST_F(AJournalsCourse, ends_before_what_cannot_be_read) {
  work();
  edit("UPDATE event SET detail = 'no call' WHERE kind = 'op_succeeded'");
  EXPECT_EQ("9 at 31 B: lease leased", told(course(seq_of("op_succeeded"))).back());
}

TEST_F(AJournalsCourse, ends_where_the_model_does_not_follow_though_nobody_asked_for_that_call) {
  work();
  for (int i = 0; i < 100; ++i) beat(of_c_, "b");
  edit(
      "UPDATE event SET detail = replace(detail, '\"recovered\":1', '\"recovered\":2') "
      "WHERE kind = 'op_recovered'");
  const Course shown = course(seq_of("op_extended"));
  ASSERT_EQ(1U, shown.frames.size());
  EXPECT_EQ("8 at 31 host: refresh ok", told(shown).back());
  EXPECT_TRUE(shown.frames.back().top.expected.has_value());
}

TEST_F(AJournalsCourse, to_an_event_that_there_is_not_is_empty) {
  work();
  EXPECT_TRUE(course(1000).frames.empty());
  EXPECT_TRUE(course(0).frames.empty());
}

}  // namespace
}  // namespace leaseproof::scenarios
