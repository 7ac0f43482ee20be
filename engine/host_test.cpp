// Checks what a runner is given, what becomes of what it answers or throws, and that nothing is
// tried under a lease that is gone. Real engine, threads and files; time passes by hand. Does not
// check runners that write outside (host_outside_test.cpp), nor when a service wakes up
// (host_service_test.cpp).
#include "engine/host.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/host_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::FailKind;
using model::OpStatus;
using model::Word;

class ARunner : public HostTest {
 protected:
  // Runs one cycle while `meanwhile` runs beside it.
  Cycle cycle_beside(const std::function<void()>& meanwhile) {
    Cycle cycle;
    std::thread runs([&] { cycle = host().run_cycle(); });
    meanwhile();
    runs.join();
    return cycle;
  }
};

Answer done() { return Completed{}; }

TEST_F(ARunner, is_given_what_its_op_carries_and_what_earlier_attempts_stored) {
  model::ContextPut put;
  put.scope = "memory";
  put.payload = "\"known\"";
  put.ttl_us = 3600 * second_us;
  ASSERT_EQ(Word::ok, host().engine().put_context(put).word);
  auto spec = op("a");
  spec.context = "memory";
  spec.input = "{ \"page\": 7 }";
  std::vector<Work> given;
  start_op(
      [&](Attempt& attempt) -> Answer {
        given.push_back(attempt.work());
        EXPECT_EQ("a", attempt.op());
        if (given.size() == 2) return Completed{"[1, 2]", {{"name", "text"}}, {}, {}, {}};
        EXPECT_EQ(Word::ok, attempt.checkpoint("half", "{\"n\": 1}").word);
        return Failed{FailKind::retryable, "half of it"};
      },
      spec);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::retried));
  EXPECT_EQ("half of it", seen("a").error);
  time_.advance(2 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));

  ASSERT_EQ(2U, given.size());
  EXPECT_EQ("w", given[0].workflow);
  EXPECT_EQ("task", given[0].kind);
  EXPECT_EQ("{\"page\":7}", given[0].input);
  EXPECT_EQ("\"known\"", given[0].context);
  EXPECT_EQ(1, given[0].attempts);
  EXPECT_EQ(1, given[0].generation);
  EXPECT_TRUE(given[0].checkpoints.empty());
  EXPECT_EQ(2, given[1].attempts);
  using Step = std::pair<std::string, std::string>;
  EXPECT_EQ((std::vector<Step>{{"half", "{\"n\":1}"}}), given[1].checkpoints);
  EXPECT_EQ("[1,2]", seen("a").result);
}

TEST_F(ARunner, emits_ops_that_the_next_cycle_admits) {
  start_op([](Attempt& attempt) -> Answer {
    Completed completed;
    if (attempt.op() == "a") completed.emit = {op("child")};
    return completed;
  });
  EXPECT_EQ(1, host().run_cycle().counts.processed());
  EXPECT_EQ(OpStatus::pending, seen("child").status);
  EXPECT_EQ(1, host().run_cycle().counts.processed());
  EXPECT_EQ(OpStatus::succeeded, seen("child").status);
}

TEST_F(ARunner, that_throws_has_failed_retryably_with_a_text) {
  int attempt_no = 0;
  start_op([&](Attempt&) -> Answer {
    ++attempt_no;
    if (attempt_no == 1) throw std::runtime_error("it broke");
    if (attempt_no == 2) throw 7;
    throw std::runtime_error("\xff not UTF-8");
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::retried));
  EXPECT_EQ("it broke", seen("a").error);
  time_.advance(10 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::retried));
  EXPECT_EQ("the runner threw something that is no std::exception", seen("a").error);
  time_.advance(10 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
  EXPECT_EQ("the runner failed; its text is not valid UTF-8", seen("a").error);
}

TEST_F(ARunner, that_is_missing_fails_its_op_for_good_unless_the_host_says_otherwise) {
  start_ops({op("a")});
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
  EXPECT_EQ("no runner is registered for kind \"task\"", seen("a").error);
  host_.reset();
  auto options = host_options();
  options.unknown_kind = UnknownKind::fail_retryable;
  host_ = open(options);
  ASSERT_EQ(Word::ok, host().engine().retry({"a", {}}).word);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::retried));
}

TEST_F(ARunner, whose_result_is_refused_has_failed_for_good) {
  start_op([](Attempt&) -> Answer { return Completed{"{", {}, {}, {}, {}}; });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
  EXPECT_EQ(0U, seen("a").error->find("the result is refused: "));
}

TEST_F(ARunner, that_waits_for_what_it_did_not_request_has_failed_for_good) {
  start_op([](Attempt&) -> Answer { return Waits{}; });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
}

TEST_F(ARunner, is_given_ops_of_the_sites_and_queues_that_its_host_serves_alone) {
  auto options = host_options();
  options.scheduler.queues = {{"here", "fast"}};
  options.worker = "paula";
  host_ = open(options);
  host().on("task", [&](Attempt& attempt) -> Answer {
    EXPECT_EQ("mine", attempt.op());
    EXPECT_EQ("paula", seen("mine").lease->owner);
    return Completed{};
  });
  auto elsewhere = op("elsewhere");
  elsewhere.site = "there";
  elsewhere.queue = "fast";
  auto slow = op("slow");
  slow.site = "here";
  slow.queue = "slow";
  auto mine = op("mine");
  mine.site = "here";
  mine.queue = "fast";
  start_ops({elsewhere, slow, mine});
  EXPECT_EQ(1, host().work_off().counts.of(End::succeeded));
  EXPECT_EQ(OpStatus::ready, seen("elsewhere").status);
  EXPECT_EQ(OpStatus::ready, seen("slow").status);
}

// Heartbeats.

TEST_F(ARunner, keeps_its_lease_for_as_long_as_it_runs) {
  Signal go_on;
  start_op([&](Attempt&) {
    go_on.await();
    return done();
  });
  const Cycle cycle = cycle_beside([&] {
    for (int beat = 1; beat <= 10; ++beat) {
      time_.await_sleepers(beat * 10 * second_us);
      time_.advance(10 * second_us);
    }
    time_.await_sleepers(110 * second_us);
    go_on.set();
  });
  EXPECT_EQ(1, cycle.counts.of(End::succeeded));
  EXPECT_EQ(10, told("heartbeat"));
  EXPECT_EQ(1, seen("a").generation);
}

TEST_F(ARunner, is_beaten_for_at_the_interval_that_the_host_sets) {
  auto options = host_options();
  options.scheduler.heartbeat_us = 7 * second_us;
  host_ = open(options);
  Signal go_on;
  start_op([&](Attempt&) {
    go_on.await();
    return done();
  });
  cycle_beside([&] {
    time_.await_sleepers(7 * second_us);
    go_on.set();
  });
}

TEST_F(ARunner, that_lost_its_lease_is_told_to_stop_and_tries_nothing_more) {
  Signal begun;
  start_op([&](Attempt& attempt) {
    watch_calls();
    begun.set();
    Signal stopped;
    const std::stop_callback told_to_stop(attempt.stop_token(), [&] { stopped.set(); });
    stopped.await("the request to stop");
    EXPECT_EQ(Word::lease_lost, attempt.checkpoint("step", "1").word);
    EXPECT_EQ(Word::lease_lost, attempt.dispatch("1").outcome.word);
    EXPECT_EQ(Word::lease_lost, attempt.request_approval("1").word);
    return done();
  });
  const Cycle cycle = cycle_beside([&] {
    begun.await("the op");
    time_.await_sleepers(10 * second_us);
    // As if the process had been suspended.
    time_.advance(30 * second_us);
  });
  EXPECT_EQ(1, cycle.counts.of(End::lost));
  EXPECT_EQ(1, calls_) << "the heartbeat that found it lost, and no other call";
  ASSERT_EQ(1, told(op_lease_lost));
  EXPECT_EQ("a", notices_.back().op);
  EXPECT_EQ(0, notices_.back().call);
  EXPECT_EQ(Word::lease_lost, notices_.back().outcome.word);
  EXPECT_EQ(OpStatus::running, seen("a").status);
}

TEST_F(ARunner, whose_lease_was_taken_over_before_it_ended_is_counted_as_lost) {
  start_op([&](Attempt&) {
    time_.advance(30 * second_us);
    return done();
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::lost));
  EXPECT_EQ(1, told(op_lease_lost));
  EXPECT_EQ(0, told("complete"));
}

TEST_F(ARunner, whose_op_a_guard_ended_is_not_said_to_have_lost_its_lease) {
  auto spec = op("a");
  spec.deadline_us = 5 * second_us;
  start_op(
      [&](Attempt& attempt) {
        time_.advance(6 * second_us);
        EXPECT_EQ(Word::deadline_exceeded, attempt.checkpoint("step", "1").word);
        EXPECT_TRUE(attempt.stop_token().stop_requested());
        watch_calls();
        EXPECT_EQ(Word::lease_lost, attempt.checkpoint("step", "1").word);
        // Whoever still kept the lease alive would do it now.
        time_.advance(20 * second_us);
        time_.await_sleepers(never_us);
        return done();
      },
      spec);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
  EXPECT_EQ(0, calls_);
  EXPECT_EQ(0, told(op_lease_lost));
}

TEST_F(ARunner, whose_completion_comes_after_the_deadline_has_failed_and_lost_nothing) {
  auto spec = op("a");
  spec.deadline_us = 5 * second_us;
  start_op(
      [&](Attempt&) {
        time_.advance(6 * second_us);
        return done();
      },
      spec);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
  EXPECT_EQ(0, told(op_lease_lost));
}

// An engine that is not heard.

TEST_F(ARunner, has_its_end_told_again_until_the_engine_hears_it) {
  start_op([](Attempt&) { return done(); });
  LockHolder holder(path());
  int waits = 0;
  time_.while_waiting = [&] {
    if (++waits == 3) holder.let_go();
  };
  host().on("task", [&](Attempt&) {
    EXPECT_TRUE(holder.take());
    return done();
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ(3, waits) << "one wait in each asking that was in vain, and one between them";
}

TEST_F(ARunner, whose_end_is_never_heard_leaves_its_lease_to_expire_and_runs_again) {
  LockHolder holder(path());
  bool first = true;
  start_op([&](Attempt&) {
    EXPECT_TRUE(!std::exchange(first, false) || holder.take());
    return done();
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::lost));
  EXPECT_EQ(Word::busy, host().scheduler().trouble().word);
  EXPECT_LE(time_.now_us(), 31 * second_us);
  holder.let_go();
  time_.advance(31 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ(2, seen("a").generation);
}

TEST_F(ARunner, has_its_end_told_no_more_once_its_lease_is_over) {
  auto options = host_options();
  options.scheduler.lease_us = second_us;
  host_ = open(options);
  LockHolder holder(path());
  int waits = 0;
  time_.while_waiting = [&] { ++waits; };
  start_op([&](Attempt&) {
    EXPECT_TRUE(holder.take());
    return done();
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::lost));
  EXPECT_EQ(6 + 5, waits) << "one in each asking, and 50, 100, 200, 400 and the rest between them";
}

TEST_F(ARunner, whose_completion_stands_though_nobody_could_say_so_has_succeeded) {
  std::filesystem::path file = path();
  start_op([&](Attempt&) {
    lose_file_at_commit(host().engine(), file);
    return done();
  });
  // Between the two askings the file is back.
  time_.while_waiting = [&] {
    if (!std::filesystem::is_directory(file)) return;
    give_file_back(file);
  };
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ(OpStatus::succeeded, seen("a").status);
}

// Observers.

TEST_F(ARunner, is_done_before_an_observer_hears_of_it) {
  LockHolder other(path());
  host().observe([&](const Notice& notice) {
    if (notice.verb != "complete") return;
    EXPECT_TRUE(other.take()) << "told inside the transaction";
    other.let_go();
  });
  start_op([](Attempt&) { return done(); });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ(1, told("complete"));
}

TEST_F(ARunner, is_not_touched_by_an_observer_that_throws) {
  host().observe([](const Notice&) { throw 1; });
  start_op([](Attempt&) { return done(); });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_GT(host().engine().observer_failures(), 0);
}

TEST(AHost, refuses_settings_that_cannot_work) {
  HostOptions options;
  options.engine.path = "never-opened.sqlite";
  options.scheduler.max_workers = 0;
  const auto opened = Host::open(options);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(std::string::npos, opened.error().sentence.find("max_workers"));
  options.scheduler.max_workers = 1;
  options.worker = "";
  const auto nameless = Host::open(options);
  ASSERT_FALSE(nameless.has_value());
  EXPECT_NE(std::string::npos, nameless.error().sentence.find("worker"));
}

TEST(AHost, names_the_file_that_it_cannot_open) {
  HostOptions options;
  options.engine.path = "no such folder/jobs.db";
  const auto opened = Host::open(options);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(std::string::npos, opened.error().sentence.find("no such folder/jobs.db"));
}

}  // namespace
}  // namespace leaseproof::engine
