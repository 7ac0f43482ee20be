// Checks runners and observers that do what nobody asked of them: throw anything, answer nonsense,
// call back into their host. No op may be lost, no thread may hang, and the text of a failure must
// say what happened. Does not check what a host promises to runners that behave (host_test.cpp).
#include "engine/runner.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/host_fixture_test.hpp"

namespace leaseproof::engine {
namespace {

using model::FailKind;
using model::OpStatus;
using model::Word;

struct Silent final : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

class AWildRunner : public HostTest {
 protected:
  // The text of the failure of an op whose only attempt is this.
  std::string error_of(Runner runner) {
    auto spec = op("a");
    spec.max_attempts = 1;
    start_op(std::move(runner), spec);
    EXPECT_EQ(1, host().run_cycle().counts.of(End::failed));
    return seen("a").error.value_or("");
  }
  std::string error_of_also(const std::function<std::string(sqlite3*)>& also) {
    return error_of([also](Attempt&) -> Answer { return Completed{"1", {}, {}, {}, also}; });
  }
};

constexpr const char* no_exception = "the runner threw something that is no std::exception";
constexpr const char* no_text = "the runner threw an exception without a text";

TEST_F(AWildRunner, may_throw_an_object_of_any_type) {
  struct Own {};
  EXPECT_EQ(no_exception, error_of([](Attempt&) -> Answer { throw Own{}; }));
}
TEST_F(AWildRunner, may_throw_a_string) {
  EXPECT_EQ(no_exception, error_of([](Attempt&) -> Answer { throw std::string("text"); }));
}
TEST_F(AWildRunner, may_throw_a_null_pointer) {
  EXPECT_EQ(no_exception, error_of([](Attempt&) -> Answer { throw nullptr; }));
}
TEST_F(AWildRunner, that_throws_an_empty_text_is_said_to_have_thrown) {
  EXPECT_EQ(no_text, error_of([](Attempt&) -> Answer { throw std::runtime_error(""); }));
}
TEST_F(AWildRunner, that_throws_no_text_at_all_is_said_to_have_thrown) {
  EXPECT_EQ(no_text, error_of([](Attempt&) -> Answer { throw Silent(); }));
}
TEST_F(AWildRunner, may_throw_a_text_of_a_megabyte) {
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(text, error_of([&](Attempt&) -> Answer { throw std::runtime_error(text); }));
}
TEST_F(AWildRunner, may_fail_with_a_text_that_holds_a_nul) {
  const std::string text("before\0after", 12);
  EXPECT_EQ(text, error_of([&](Attempt&) -> Answer { return Failed{FailKind::permanent, text}; }));
}
TEST_F(AWildRunner, that_is_empty_is_no_runner) {
  EXPECT_EQ("no runner is registered for kind \"task\"", error_of(Runner()));
}

TEST_F(AWildRunner, whose_result_is_not_valid_utf8_is_told_so) {
  const auto error = error_of([](Attempt&) -> Answer {
    return Completed{"\"\xff\"", {}, {}, {}, {}};
  });
  EXPECT_EQ(0U, error.find("the result is refused: ")) << error;
}
TEST_F(AWildRunner, whose_artifact_has_a_name_that_is_not_valid_utf8_is_told_so) {
  const auto error = error_of([](Attempt&) -> Answer {
    return Completed{"1", {{"\xff", "x"}}, {}, {}, {}};
  });
  EXPECT_EQ(0U, error.find("the result is refused: ")) << error;
}
TEST_F(AWildRunner, whose_emitted_op_has_an_id_that_is_not_valid_utf8_is_told_so) {
  const auto error = error_of([](Attempt&) -> Answer {
    return Completed{"1", {}, {op("\xff")}, {}, {}};
  });
  EXPECT_EQ(0U, error.find("the result is refused: ")) << error;
}
TEST_F(AWildRunner, whose_emitted_op_is_itself_is_told_so) {
  const auto error = error_of([](Attempt&) -> Answer {
    return Completed{"1", {}, {op("a")}, {}, {}};
  });
  EXPECT_EQ(0U, error.find("the result is refused: ")) << error;
}

TEST_F(AWildRunner, whose_own_rows_throw_has_failed_with_their_text) {
  EXPECT_EQ(
      "the result is refused: the writer of the caller's own rows threw: the disk is gone",
      error_of_also([](sqlite3*) -> std::string { throw std::runtime_error("the disk is gone"); }));
}
TEST_F(AWildRunner, whose_own_rows_throw_anything_has_failed) {
  EXPECT_EQ("the result is refused: the writer of the caller's own rows threw",
            error_of_also([](sqlite3*) -> std::string { throw 7; }));
}
TEST_F(AWildRunner, whose_own_rows_refuse_with_what_is_not_valid_utf8_has_failed) {
  EXPECT_EQ("the runner failed; its text is not valid UTF-8",
            error_of_also([](sqlite3*) -> std::string { return "\xff"; }));
}

TEST_F(AWildRunner, that_throws_when_its_lease_is_lost_changes_nothing) {
  start_op([&](Attempt& attempt) -> Answer {
    time_.advance(31 * second_us);
    EXPECT_EQ(Word::lease_lost, attempt.checkpoint("step", "1").word);
    watch_calls();
    throw std::runtime_error("late");
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::lost));
  EXPECT_EQ(0, calls_);
  EXPECT_EQ(OpStatus::running, seen("a").status);
  host().on("task", [](Attempt&) -> Answer { return Completed{}; });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
}

// Its registration.

TEST_F(AWildRunner, that_registers_another_in_its_place_ends_as_itself) {
  const auto owned = std::make_shared<int>(7);
  start_op([this, owned](Attempt&) -> Answer {
    host().on("task", [](Attempt&) -> Answer { return Completed{"\"new\"", {}, {}, {}, {}}; });
    return Failed{FailKind::retryable, std::to_string(*owned)};
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::retried));
  EXPECT_EQ("7", seen("a").error);
  time_.advance(2 * second_us);
  EXPECT_EQ(1, host().run_cycle().counts.of(End::succeeded));
  EXPECT_EQ("\"new\"", seen("a").result);
  EXPECT_EQ(1, owned.use_count()) << "what was replaced is gone";
}

// What no assertion sees, a build with the thread sanitizer does.
TEST_F(AWildRunner, is_registered_while_others_run) {
  const Runner runner = [](Attempt&) -> Answer { return Completed{}; };
  host().on("task", runner);
  std::vector<model::OpSpec> ops;
  for (int i = 0; i < 20; ++i) ops.push_back(op(std::to_string(i)));
  start_ops(ops);
  std::thread registers([&] {
    for (int i = 0; i < 200; ++i) {
      host().on("task", runner);
      host().on(std::to_string(i), runner);
    }
  });
  EXPECT_EQ(20, host().work_off().counts.of(End::succeeded));
  registers.join();
}

// Calls of its own host.

TEST_F(AWildRunner, that_stops_its_host_is_committed_and_leaves_the_rest_to_the_next) {
  host().on("task", [&](Attempt& attempt) -> Answer {
    host().stop();
    EXPECT_TRUE(attempt.stop_token().stop_requested());
    return Completed{"\"kept\"", {}, {}, {}, {}};
  });
  start_ops({op("a"), op("b", {{"a"}})});
  EXPECT_EQ(1, host().work_off().counts.of(End::succeeded));
  EXPECT_EQ("\"kept\"", seen("a").result);
  host_ = nullptr;
  host().on("task", [](Attempt&) -> Answer { return Completed{}; });
  EXPECT_EQ(1, host().work_off().counts.of(End::succeeded));
  EXPECT_EQ(OpStatus::succeeded, seen("b").status);
}

TEST_F(AWildRunner, that_works_off_its_own_host_is_told_that_it_cannot) {
  Cycle within;
  start_op([&](Attempt&) -> Answer {
    within = host().work_off();
    return Completed{};
  });
  EXPECT_EQ(1, host().work_off().counts.of(End::succeeded));
  EXPECT_EQ(Word::invalid, within.trouble.word);
}

TEST_F(AWildRunner, that_cancels_its_own_workflow_has_lost_its_lease) {
  start_op([&](Attempt& attempt) -> Answer {
    EXPECT_EQ(Word::ok, host().engine().cancel({"w"}).word);
    EXPECT_EQ(Word::lease_lost, attempt.checkpoint("step", "1").word);
    return Completed{};
  });
  EXPECT_EQ(1, host().run_cycle().counts.of(End::lost));
  EXPECT_EQ(OpStatus::canceled, seen("a").status);
}

TEST_F(AWildRunner, that_starts_workflows_has_them_run) {
  start_op([&](Attempt& attempt) -> Answer {
    if (attempt.op() != "a") return Completed{};
    model::Start action;
    action.workflow = "v";
    action.ops = {op("b")};
    EXPECT_EQ(Word::created, host().engine().start(action).word);
    return Completed{};
  });
  EXPECT_EQ(2, host().work_off().counts.of(End::succeeded));
}

// Observers.

// Calls back at the first notice with this verb, on whichever thread hears of it.
class AWildObserver : public AWildRunner, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    AWildRunner::SetUp();
    host().on("task", [](Attempt&) -> Answer { return Completed{}; });
  }
  void then(std::function<void()> call) {
    host().observe([this, call = std::move(call)](const Notice& notice) {
      if (notice.verb == GetParam() && !called_.exchange(true)) call();
    });
  }
  void run() {
    start_ops({op("a"), op("b", {{"a"}})});
    host().work_off();
    EXPECT_TRUE(called_);
  }
  void expect_that_the_next_host_loses_nothing() {
    host_ = nullptr;
    host().on("task", [](Attempt&) -> Answer { return Completed{}; });
    host().work_off();
    EXPECT_EQ(OpStatus::succeeded, seen("b").status);
  }
  std::atomic<bool> called_ = false;
};

TEST_P(AWildObserver, may_stop_its_host) {
  then([&] { host().stop(); });
  run();
  EXPECT_NE(OpStatus::succeeded, seen("b").status);
  expect_that_the_next_host_loses_nothing();
}

TEST_P(AWildObserver, may_drain_its_host) {
  then([&] { host().drain(); });
  run();
  EXPECT_NE(OpStatus::succeeded, seen("b").status);
  expect_that_the_next_host_loses_nothing();
}

TEST_P(AWildObserver, may_stop_a_host_that_serves) {
  Signal stopped;
  then([&] {
    host().stop();
    stopped.set();
  });
  host().start();
  start_ops({op("a"), op("b", {{"a"}})});
  stopped.await("the stop");
  expect_that_the_next_host_loses_nothing();
}

TEST_P(AWildObserver, may_work_off_its_host_or_is_told_that_it_cannot) {
  Cycle within;
  then([&] { within = host().work_off(); });
  run();
  EXPECT_EQ(OpStatus::succeeded, seen("b").status);
  const bool outside = GetParam() == std::string_view("start");
  EXPECT_EQ(outside ? Word::ok : Word::invalid, within.trouble.word);
}

TEST_P(AWildObserver, may_register_runners_and_observers_and_start_workflows) {
  int heard = 0;
  then([&] {
    host().observe([&](const Notice& notice) { heard += notice.verb == "complete" ? 1 : 0; });
    host().on("task", [](Attempt&) -> Answer { return Completed{}; });
    model::Start action;
    action.workflow = "v";
    action.ops = {op("c")};
    EXPECT_EQ(Word::created, host().engine().start(action).word);
  });
  run();
  EXPECT_EQ(OpStatus::succeeded, seen("c").status);
  EXPECT_EQ(GetParam() == std::string_view("complete") ? 2 : 3, heard);
}

INSTANTIATE_TEST_SUITE_P(At, AWildObserver,
                         testing::Values("start", "refresh", "lease", "complete"));

}  // namespace
}  // namespace leaseproof::engine
