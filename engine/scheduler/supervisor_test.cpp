// Checks when a supervisor beats and that `end` and `pause` join the beat that is under way; the
// last of these also with the bug of not joining in its place. Does not check what a beat asks of
// the engine.
#include "engine/scheduler/supervisor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/scheduler/scheduler_fixture_test.hpp"
#include "engine/scheduler/time_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

class BeatenOp final : public LeasedOp {
 public:
  explicit BeatenOp(std::int64_t beat_us = 100) : beat_us_(beat_us) {}
  [[nodiscard]] std::int64_t beat_us() const override { return beat_us_; }
  void run(Supervisor&) override {}
  Beat extend() override {
    ++beats;
    beaten.set();
    if (while_beating) while_beating();
    return answer;
  }
  Ended finish() override { return {}; }
  void request_stop() override {}
  void close() override {}

  std::atomic<int> beats = 0;
  std::atomic<Beat> answer = Beat::extended;
  Signal beaten;
  std::function<void()> while_beating;

 private:
  std::int64_t beat_us_;
};

class Beats : public testing::Test {
 protected:
  HandTime time_;
  std::shared_ptr<BeatenOp> op_ = std::make_shared<BeatenOp>();
};

TEST_F(Beats, come_one_interval_after_the_beginning_and_after_each_other) {
  Supervisor supervisor(time_, time_);
  time_.await_sleepers(never_us);
  time_.advance(5);
  supervisor.begin(op_);
  time_.await_sleepers(105);
  time_.advance(99);
  EXPECT_EQ(0, op_->beats);
  time_.advance(1);
  time_.await_sleepers(205);
  EXPECT_EQ(1, op_->beats);
  // The clock jumps: a beat that was missed is made once.
  time_.advance(1000);
  time_.await_sleepers(1205);
  EXPECT_EQ(2, op_->beats);
}

TEST_F(Beats, end_with_their_op) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  supervisor.end();
  const auto next = std::make_shared<BeatenOp>(300);
  supervisor.begin(next);
  time_.advance(100);
  // The thread that slept for the first op looks up and waits for the second one.
  time_.await_sleepers(300);
  time_.advance(200);
  time_.await_sleepers(600);
  EXPECT_EQ(0, op_->beats);
  EXPECT_EQ(1, next->beats);
}

TEST_F(Beats, end_without_another_op_too) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  supervisor.end();
  time_.advance(100);
  time_.await_sleepers(never_us);
  EXPECT_EQ(0, op_->beats);
}

TEST_F(Beats, wake_up_for_an_op_that_is_due_earlier) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(std::make_shared<BeatenOp>(1000));
  time_.await_sleepers(1000);
  supervisor.end();
  supervisor.begin(op_);
  time_.await_sleepers(100);
}

TEST_F(Beats, that_are_not_heard_come_again_soon) {
  op_->answer = Beat::unheard;
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  time_.advance(100);
  time_.await_sleepers(112);
  EXPECT_EQ(1, op_->beats);
}

TEST_F(Beats, do_not_follow_a_lost_lease) {
  op_->answer = Beat::over;
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  time_.advance(100);
  time_.await_sleepers(never_us);
  EXPECT_EQ(1, op_->beats);
}

TEST_F(Beats, that_fall_due_in_a_pause_come_after_it) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  supervisor.pause();
  time_.advance(100);
  time_.await_sleepers(never_us);
  EXPECT_EQ(0, op_->beats);
  supervisor.resume();
  time_.await_sleepers(200);
  EXPECT_EQ(1, op_->beats);
}

// As an op does that a call of its own ends.
TEST_F(Beats, come_for_an_op_after_one_that_ended_in_a_pause) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(std::make_shared<BeatenOp>(1000));
  supervisor.pause();
  supervisor.end();
  supervisor.begin(op_);
  time_.await_sleepers(100);
}

TEST_F(Beats, are_not_put_off_by_pauses) {
  Supervisor supervisor(time_, time_);
  supervisor.begin(op_);
  time_.await_sleepers(100);
  for (int i = 0; i < 4; ++i) {
    supervisor.pause();
    time_.advance(25);
    supervisor.resume();
  }
  time_.await_sleepers(200);
  EXPECT_EQ(1, op_->beats);
}

// Whether `leave` returned before the beat that was under way as it began.
bool leaves_a_beat_behind(bool joins, const std::function<void(Supervisor&)>& leave) {
  HandTime time;
  const auto op = std::make_shared<BeatenOp>();
  Signal go_on;
  std::atomic<bool> over = false;
  op->while_beating = [&] {
    go_on.await("the end of the beat");
    over = true;
  };
  WatchedSupervisor supervisor(time, time, joins);
  supervisor.begin(op);
  time.await_sleepers(100);
  time.advance(100);
  op->beaten.await("the beat");
  std::atomic<bool> left_behind = false;
  Signal left;
  std::thread leaver([&] {
    leave(supervisor);
    left_behind = !over;
    left.set();
  });
  supervisor.joining.await("the end of supervision");
  // Who does not join leaves without the beat; who does cannot, however often he gets a turn.
  if (!joins) left.await("the leaver");
  for (int i = 0; i < 100 && !left.is_set(); ++i) std::this_thread::yield();
  go_on.set();
  leaver.join();
  return left_behind;
}

TEST(ABeatUnderWay, is_joined_by_the_end_and_by_a_pause) {
  EXPECT_FALSE(leaves_a_beat_behind(true, [](Supervisor& s) { s.end(); }));
  EXPECT_FALSE(leaves_a_beat_behind(true, [](Supervisor& s) { s.pause(); }));
}

TEST(ABeatUnderWay, is_seen_to_be_left_behind_by_who_does_not_join_it) {
  EXPECT_TRUE(leaves_a_beat_behind(false, [](Supervisor& s) { s.end(); }));
}

}  // namespace
}  // namespace leaseproof::engine
