// Checks cycles: what one admits, in which order, how much of it overlaps, and what it counts. Does
// not check what the scheduler does by itself (service_test.cpp) nor what the engine makes of it.
#include "engine/scheduler/scheduler.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/scheduler/scheduler_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::Word;
using Order = std::vector<std::string>;

class ACycle : public ScheduledOps {};

// I16, bounded_overlap.
class Workers : public ACycle, public testing::WithParamInterface<int> {};

TEST_P(Workers, overlap_all_of_them_and_never_more) {
  const int workers = GetParam();
  Overlap overlap(workers);
  for (int i = 0; i < 3 * workers; ++i) {
    source_.add("q", std::to_string(i))->while_running = [&](FakeOp&, Supervisor&) {
      overlap.enter();
    };
  }
  const auto scheduled = scheduler(workers);
  for (int cycle = 0; cycle < 3; ++cycle) {
    EXPECT_EQ(workers, scheduled->run_cycle().counts.processed());
  }
  EXPECT_EQ(workers, overlap.most());
  EXPECT_EQ(0, scheduled->run_cycle().counts.processed());
}

TEST_P(Workers, of_a_service_overlap_all_of_them_and_never_more) {
  const int workers = GetParam();
  Overlap overlap(workers);
  std::vector<std::shared_ptr<FakeOp>> ops;
  for (int i = 0; i < 5 * workers; ++i) {
    ops.push_back(source_.add("q", std::to_string(i)));
    ops.back()->while_running = [&](FakeOp&, Supervisor&) { overlap.enter(); };
  }
  const auto scheduled = scheduler(workers);
  scheduled->start();
  for (const auto& op : ops) ASSERT_TRUE(op->returned.await("the end of an op"));
  scheduled->drain();
  EXPECT_EQ(workers, overlap.most());
  EXPECT_EQ(5 * workers, scheduled->counts().of(End::succeeded));
}

INSTANTIATE_TEST_SUITE_P(AsManyAs, Workers, testing::Values(1, 2, 8));

TEST_F(ACycle, begins_with_refresh_and_goes_round_the_queues_by_name) {
  for (const std::string queue : {"b", "a", "c"}) {
    for (const std::string number : {"1", "2", "3"}) source_.add(queue, queue + number);
  }
  const auto scheduled = scheduler(7);
  scheduled->run_cycle();
  EXPECT_EQ((Order{"refresh", "a1", "b1", "c1", "a2", "b2", "c2", "a3"}), source_.order());
  scheduled->run_cycle();
  EXPECT_EQ((Order{"refresh", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "refresh", "b3", "c3"}),
            source_.order());
}

TEST_F(ACycle, with_one_worker_serves_each_queue_in_turn) {
  for (const std::string queue : {"a", "b", "c"}) {
    source_.add(queue, queue + "1");
    source_.add(queue, queue + "2");
  }
  const auto scheduled = scheduler(1);
  for (int cycle = 0; cycle < 6; ++cycle) scheduled->run_cycle();
  Order leased = source_.order();
  std::erase(leased, "refresh");
  EXPECT_EQ((Order{"a1", "b1", "c1", "a2", "b2", "c2"}), leased);
}

TEST_F(ACycle, leases_only_of_the_queues_that_it_serves) {
  source_.add("a", "a1");
  source_.add("b", "b1");
  SchedulerSettings settings;
  settings.queues = {{"s", "b"}, {"elsewhere", "a"}};
  const auto scheduled = scheduler(4, settings);
  EXPECT_EQ(1, scheduled->run_cycle().counts.processed());
  EXPECT_EQ((Order{"refresh", "b1"}), source_.order());
  // What it does not serve is no reason to stay.
  EXPECT_EQ(0, scheduled->work_off().counts.processed());
}

TEST_F(ACycle, admits_what_an_op_of_it_makes_ready_in_the_next_one) {
  const auto parent = source_.add("a", "parent");
  parent->while_running = [&](FakeOp&, Supervisor&) {
    source_.add("a", "child");
    source_.add("b", "other");
  };
  // The first op that a crew is given has a supervisor made for it.
  int leases_before_it_runs = 0;
  auto watched = seam();
  watched.supervisor = [&](Alarms& alarms, Clock& clock) {
    leases_before_it_runs = source_.leases;
    return std::make_unique<Supervisor>(alarms, clock);
  };
  Scheduler scheduled(source_, time_, {}, watched);
  EXPECT_EQ(1, scheduled.run_cycle().counts.processed());
  EXPECT_EQ(source_.leases, leases_before_it_runs) << "all are asked for before anything runs";
  EXPECT_EQ((Order{"refresh", "parent"}), source_.order());
  EXPECT_EQ(2, scheduled.run_cycle().counts.processed());
}

TEST_F(ACycle, counts_each_op_once_where_it_ended) {
  const std::map<End, int> wanted{{End::succeeded, 3},        {End::retried, 2},
                                  {End::failed, 1},           {End::lost, 2},
                                  {End::waiting_approval, 1}, {End::reconciling, 1}};
  for (const auto& [end, count] : wanted) {
    for (int i = 0; i < count; ++i) source_.add("q", "op")->end = end;
  }
  const auto scheduled = scheduler(10);
  const Cycle cycle = scheduled->run_cycle();
  for (const auto& [end, count] : wanted) EXPECT_EQ(count, cycle.counts.of(end));
  EXPECT_EQ(10, cycle.counts.processed());
  EXPECT_EQ(0, scheduled->run_cycle().counts.processed());
  EXPECT_EQ(10, scheduled->counts().processed());
}

TEST_F(ACycle, ends_where_refresh_is_not_heard) {
  source_.add("q", "op");
  source_.refresh_trouble = Word::busy;
  const auto scheduled = scheduler(4);
  EXPECT_EQ(Word::busy, scheduled->run_cycle().trouble.word);
  EXPECT_EQ(0, source_.leases);
  EXPECT_EQ(Word::busy, scheduled->trouble().word);
  source_.refresh_trouble = Word::ok;
  EXPECT_EQ(1, scheduled->run_cycle().counts.processed());
}

TEST_F(ACycle, that_has_trouble_ends_the_working_off) {
  source_.refresh_trouble = Word::busy;
  EXPECT_EQ(Word::busy, scheduler(1)->work_off().trouble.word);
}

// Leases of one pass are asked for together, so it is the next pass that is left out.
TEST_F(ACycle, leases_no_more_where_a_lease_is_not_heard_and_runs_what_it_has) {
  source_.add("a", "a1");
  source_.add("b", "b1");
  for (const std::string id : {"c1", "c2", "c3"}) source_.add("c", id);
  source_.while_leasing = [&] {
    source_.lease_trouble = source_.leases == 2 ? Word::storage_error : Word::ok;
  };
  const auto scheduled = scheduler(4);
  const Cycle cycle = scheduled->run_cycle();
  EXPECT_EQ(Word::storage_error, cycle.trouble.word);
  EXPECT_EQ(2, cycle.counts.of(End::succeeded)) << "a1 and c1";
  EXPECT_EQ(4, source_.leases);
}

TEST_F(ACycle, tells_the_first_trouble_of_several) {
  for (const std::string queue : {"a", "b", "c"}) source_.add(queue, queue + "1");
  source_.while_leasing = [&] {
    source_.lease_trouble = source_.leases == 1 ? Word::busy : Word::storage_error;
  };
  EXPECT_EQ(Word::busy, scheduler(3)->run_cycle().trouble.word);
}

TEST_F(ACycle, goes_on_behind_the_last_queue_that_it_asked) {
  source_.add("a", "a1");
  for (const std::string id : {"1", "2", "3"}) {
    source_.add("b", "b" + id);
    source_.add("c", "c" + id);
  }
  scheduler(5)->run_cycle();
  const std::vector<std::string> expected{"refresh", "a1", "b1", "c1", "b2", "c2"};
  EXPECT_EQ(expected, source_.order()) << "a has nothing more, and the pass had come to b";
}

TEST_F(ACycle, runs_what_it_has_before_the_first_lease_is_old) {
  source_.add("a", "a1");
  for (const std::string id : {"1", "2", "3", "4"}) source_.add("q", id);
  source_.while_leasing = [&] { time_.advance(model::default_lease_us / 12); };
  EXPECT_EQ(4, scheduler(6)->run_cycle().counts.processed()) << "the pass after would lease op 4";
}

TEST_F(ACycle, takes_a_first_lease_however_long_the_queues_before_it_took_to_give_none) {
  source_.add("a", "a1");
  source_.add("b", "b1");
  source_.while_leasing = [&] {
    source_.gives_nothing = source_.leases == 1;
    if (source_.gives_nothing) time_.advance(model::default_lease_us);
  };
  EXPECT_EQ(1, scheduler(1)->run_cycle().counts.processed());
}

// Says when a scheduler is woken, as it is by whoever drains it, once he has said so.
class TellingAlarms final : public Alarms {
 public:
  explicit TellingAlarms(HandTime& time) : time_(time) {}
  std::shared_ptr<Alarm> make() override { return std::make_shared<Telling>(*this, time_.make()); }
  Signal woken;

 private:
  class Telling final : public Alarm {
   public:
    Telling(TellingAlarms& alarms, std::shared_ptr<Alarm> alarm)
        : alarms_(alarms), alarm_(std::move(alarm)) {}
    void wait_until(std::int64_t due_us) override { alarm_->wait_until(due_us); }
    void wake() override {
      alarms_.woken.set();
      alarm_->wake();
    }

   private:
    TellingAlarms& alarms_;
    const std::shared_ptr<Alarm> alarm_;
  };
  HandTime& time_;
};

TEST_F(ACycle, leases_no_more_once_it_drains_and_is_waited_for) {
  const auto op = source_.add("a", "a1");
  for (const std::string id : {"b1", "b2", "b3"}) source_.add("b", id);
  const auto alarms = std::make_shared<TellingAlarms>(time_);
  SchedulerSeam telling;
  telling.alarms = alarms;
  Scheduler scheduled(source_, time_, {}, telling);
  std::thread drains;
  Signal drained;
  source_.while_leasing = [&] {
    if (source_.leases > 1) return;
    drains = std::thread([&] {
      scheduled.drain();
      EXPECT_EQ(1, op->finished);
      drained.set();
    });
    alarms->woken.await("the drain");
    for (int i = 0; i < 2'000 && !drained.is_set(); ++i) std::this_thread::yield();
  };
  EXPECT_EQ(3, scheduled.run_cycle().counts.processed()) << "all of the pass, and b3 never";
  drains.join();
  EXPECT_EQ(4, source_.leases);
}

TEST_F(ACycle, tells_of_an_op_that_was_left_because_the_engine_was_not_heard) {
  const auto op = source_.add("q", "op");
  op->end = End::lost;
  op->last = Word::commit_unknown;
  const auto scheduled = scheduler(1);
  EXPECT_EQ(Word::ok, scheduled->run_cycle().trouble.word);
  EXPECT_EQ(Word::commit_unknown, scheduled->trouble().word);
}

TEST_F(ACycle, has_no_trouble_with_an_op_that_another_has) {
  const auto op = source_.add("q", "op");
  op->end = End::lost;
  op->last = Word::lease_lost;
  const auto scheduled = scheduler(1);
  EXPECT_EQ(1, scheduled->run_cycle().counts.of(End::lost));
  EXPECT_EQ(Word::ok, scheduled->trouble().word);
}

TEST_F(ACycle, works_off_what_is_due_later_as_well) {
  source_.add("q", "now");
  source_.add("r", "later")->due_us = 500;
  const auto scheduled = scheduler(4);
  std::thread host([&] { EXPECT_EQ(2, scheduled->work_off().counts.processed()); });
  time_.await_sleepers(500);
  time_.advance(500);
  host.join();
}

// Whether a final transition begins while a heartbeat of its op is under way.
bool finishes_during_a_beat(bool joins) {
  HandTime time;
  FakeSource source(time);
  Signal beating;
  Signal go_on;
  Signal finished;
  std::atomic<bool> over = false;
  std::atomic<bool> early = false;
  const auto op = source.add("q", "op");
  op->while_running = [&](FakeOp&, Supervisor&) { beating.await("the beat"); };
  op->while_beating = [&] {
    beating.set();
    go_on.await("the end of the beat");
    over = true;
  };
  op->while_finishing = [&] {
    early = !over;
    finished.set();
  };
  WatchedSupervisor* supervisor = nullptr;
  SchedulerSeam seam;
  seam.alarms = std::shared_ptr<Alarms>(std::shared_ptr<void>(), &time);
  seam.supervisor = [&](Alarms& alarms, Clock& clock) {
    auto made = std::make_unique<WatchedSupervisor>(alarms, clock, joins);
    supervisor = made.get();
    return made;
  };
  Scheduler scheduler(source, time, {}, seam);
  std::thread host([&] { scheduler.run_cycle(); });
  time.await_sleepers(op->beat_us());
  time.advance(op->beat_us());
  supervisor->joining.await("the end of supervision");
  if (!joins) finished.await("the final transition");
  for (int i = 0; i < 100 && !finished.is_set(); ++i) std::this_thread::yield();
  go_on.set();
  host.join();
  return early;
}

TEST(AFinalTransition, begins_when_no_heartbeat_is_under_way) {
  EXPECT_FALSE(finishes_during_a_beat(true));
}

TEST(AFinalTransition, is_seen_to_begin_too_early_where_the_heartbeat_is_not_joined) {
  EXPECT_TRUE(finishes_during_a_beat(false));
}

TEST(SchedulerSettings, that_cannot_work_are_refused_with_a_sentence) {
  EXPECT_FALSE(complaint_about({}).has_value());
  SchedulerSettings settings;
  settings.max_workers = 0;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("max_workers"));
  settings = {};
  settings.heartbeat_us = settings.lease_us;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("heartbeat_us"));
  settings = {};
  settings.heartbeat_us = -1;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("heartbeat_us"));
  // A third of it, at which a beat comes by default, would be nothing.
  settings = {};
  settings.lease_us = 2;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("lease_us"));
  settings = {};
  settings.grace_us = -1;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("grace_us"));
  settings = {};
  settings.longest_pause_us = 0;
  EXPECT_NE(std::string::npos, complaint_about(settings)->find("longest_pause_us"));
}

}  // namespace
}  // namespace leaseproof::engine
