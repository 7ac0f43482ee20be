// Checks `check` and `replay` on a program behind a pipe, from outside: our own engine is clean and
// its bugs are found, what a program does not speak or show is left alone, and each way of leaving
// the protocol is one line, exit code 3, and no process left.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/pipe/check_fixture_test.hpp"

namespace leaseproof::scenarios {
namespace {

TEST_F(CheckSut, our_own_engine_holds_and_every_goal_that_a_pipe_allows_is_reached) {
  const Ended ended = run("check --runs 1000 --seed 1 --jobs 2 " + served());
  EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("nothing found"), std::string::npos) << ended.out;
}

TEST_F(CheckSut, a_planted_bug_breaks_the_same_invariant_behind_the_pipe_as_in_process) {
  for (const char* bug : {"completion_without_ownership", "takeover_keeps_generation",
                          "queue_cap_off_by_one", "run_without_identity"}) {
    const auto invariant = [&](const std::string& engine) {
      const Ended ended = run("check --runs 1500 --seed 20 --json --out found " + engine);
      EXPECT_EQ(ended.exit, 1) << bug << ended.err;
      const std::size_t at = ended.out.find("\"invariant\": \"");
      return at == std::string::npos ? ended.out : ended.out.substr(at, 50);
    };
    const std::string behind = invariant(served(std::string(" --bug ") + bug));
    EXPECT_EQ(behind, invariant(std::string("--engine mutant:") + bug)) << bug;
  }
}

TEST_F(CheckSut, a_counterexample_replays_over_the_pipe_by_the_line_that_is_printed) {
  const Ended found =
      run("check --runs 1500 --seed 20 --out found " + served(" --bug takeover_keeps_generation"));
  ASSERT_EQ(found.exit, 1) << found.out << found.err;
  const std::size_t at = found.out.find("leaseproof replay --sut ");
  ASSERT_NE(at, std::string::npos) << found.out;
  const std::string line = found.out.substr(at + 11, found.out.find('\n', at) - at - 11);
  const Ended again = run(line);
  EXPECT_EQ(again.exit, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("occurs)"), std::string::npos) << again.out;
  const Ended mended = run("replay " + served() + " found/*.json");
  EXPECT_EQ(mended.exit, 0) << mended.out << mended.err;
}

TEST_F(CheckSut, crashes_are_done_to_a_program_that_cannot_die_by_itself) {
  // Behind the filter its death would look like its end.
  const Ended ended =
      run("check --runs 100 --seed 1 --json " + served(R"( | sed -u 's/"die_at":\[[^]]*\],//')"));
  EXPECT_TRUE(ended.exit == 0 || ended.exit == 4) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\"crash_at_committed\": "), std::string::npos);
  EXPECT_EQ(ended.out.find("\"crash_at_committed\": 0"), std::string::npos);
  EXPECT_EQ(ended.out.find("\"crash_at_write\": 0"), std::string::npos);
}

TEST_F(CheckSut, a_crash_is_a_kill_and_a_restart_is_a_close) {
  // Only a shell whose program has ended by itself comes to its next command.
  const std::string sut =
      shell_word(fmt::format("{} serve-sut && echo closed >> closes", LEASEPROOF_PROGRAM));
  const auto closes = [&](const std::string& step) {
    write("story.json", R"({"format": "leaseproof-trace/1", "name": "story", "steps": [
      {"do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a", "effect": {}}]},
      {"do": "refresh"},
      {"do": "lease", "worker": "A", "op": "a"},
      {"do": "dispatch", "worker": "A", "op": "a", "payload": 1, "expect": "dispatching"},
      )" + step + R"(, {"do": "refresh", "expect": "ok"}]})");
    EXPECT_TRUE(shell("rm -f closes"));
    const Ended ended = run("replay --sut " + sut + " story.json");
    EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
    EXPECT_EQ(ended.out.find("did not fire"), std::string::npos) << ended.out;
    return read_file(path("closes")).value_or("");
  };
  EXPECT_EQ(closes(R"({"do": "restart"})"), "closed\n");
  EXPECT_EQ(closes(R"({"do": "call", "worker": "A", "op": "a", "expect": "crashed",
      "fault": {"at": "effect/before_call", "kind": "crash"}})"),
            "");
  EXPECT_EQ(closes(R"({"do": "heartbeat", "worker": "A", "op": "a", "expect": "crashed",
      "fault": {"at": "engine/heartbeat/write", "kind": "crash"}})"),
            "");
}

TEST_F(CheckSut, what_is_not_shown_is_not_compared) {
  const Ended partial = run(
      "check --runs 100 --seed 1 " +
      served(
          R"( | sed -u 's/"die_at":\[[^]]*\],//; s/"readings":true/"readings":false/; s/"attempts":[0-9]*,//g')"));
  EXPECT_TRUE(partial.exit == 0 || partial.exit == 4) << partial.out << partial.err;
  // But what is shown is.
  const Ended wrong = run(
      "check --runs 100 --seed 1 --out found " +
      served(
          R"( | sed -u 's/"die_at":\[[^]]*\],//; s/"readings":true/"readings":false/; s/"attempts":1/"attempts":2/g')"));
  EXPECT_EQ(wrong.exit, 1) << wrong.out << wrong.err;
}

TEST_F(CheckSut, what_is_not_spoken_is_neither_drawn_nor_asked_for) {
  const Ended ended = run(
      "check --runs 100 --seed 1 --faults off " +
      served(
          R"( | sed -u 's/"die_at":\[[^]]*\],//; )"
          R"(s/"speaks":\[[^]]*\]/"speaks":["ensure","refresh","lease","complete","observe"]/')"));
  EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("no goals were asked for"), std::string::npos) << ended.out;
}

TEST_F(CheckSut, nothing_is_expected_to_settle_where_nobody_can_complete) {
  const Ended ended =
      run("check --runs 30 --seed 1 --faults off " +
          served(R"( | sed -u 's/"speaks":\[[^]]*\]/"speaks":["ensure","refresh","lease"]/')"));
  EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
}

TEST_F(CheckSut, only_a_program_with_int64_is_told_of_integers_that_a_double_does_not_hold) {
  const auto told = [this](const std::string& answers) {
    EXPECT_TRUE(shell("rm -f requests"));
    const std::string program =
        fmt::format("tee -a requests | {} serve-sut | sed -u '{}'", LEASEPROOF_PROGRAM, answers);
    const Ended ended = run("check --runs 100 --seed 1 --faults off --sut " + shell_word(program));
    EXPECT_TRUE(ended.exit == 0 || ended.exit == 4) << ended.out << ended.err;
    EXPECT_TRUE(shell("test -s requests"));
    return shell("grep -qE '[:[] ?-?[0-9]{16,}' requests");
  };
  EXPECT_TRUE(told("s/nothing//"));
  EXPECT_FALSE(told("s/\"int64\":true,//"));
}

TEST_F(CheckSut, a_violation_that_was_seen_outranks_a_program_that_does_not_start_again) {
  const Ended ended =
      run("check --runs 1500 --seed 20 --jobs 1 --out found --sut " +
          shell_word(fmt::format("grep -q shrinking err && exit 9; "
                                 "exec {} serve-sut --bug completion_without_ownership",
                                 LEASEPROOF_PROGRAM)));
  EXPECT_EQ(ended.exit, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("VIOLATION"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("exit code 9"), std::string::npos) << ended.out;
  EXPECT_TRUE(shell("test -s found/*-20-*.json"));
}

TEST_F(CheckSut, a_program_without_observe_is_judged_by_its_answers) {
  const std::string blind = R"( | sed -u 's/"die_at":\[[^]]*\],//; s/"observe",//')";
  EXPECT_EQ(run("check --runs 100 --seed 1 --faults off " + served(blind)).exit, 0);
  const Ended found = run("check --runs 1500 --seed 20 --out found " +
                          served(" --bug completion_without_ownership" + blind));
  EXPECT_EQ(found.exit, 1) << found.out << found.err;
}

TEST_F(CheckSut, a_program_that_leaves_the_protocol_is_an_environment_that_failed) {
  expect_failed("echo Segmentation fault", "is no JSON");
  expect_failed("echo '[1]'", "is no JSON object");
  expect_failed(R"(echo '{"id": 999999, "outcome": "ok"}')", "has the id 999999");
  expect_failed(R"(echo "$ok}")", "recovered");
  expect_failed("sleep 1000", "did not answer within 1 s");
  expect_failed("exit 5", "ended by itself (exit code 5)");
  expect_failed("kill -SEGV $$", "ended by itself (SIGSEGV)");
  expect_failed("exec >&-; sleep 1000", "closed its standard output");
  expect_failed("yes >&2", "floods its standard error");
  expect_failed("tr '\\0' x < /dev/zero", "line without an end");
}

TEST_F(CheckSut, a_death_is_told_also_where_a_shell_stands_in_between) {
  write_program("kill -SEGV $$");
  const Ended ended = run("check --runs 5 --seed 3 --sut 'sh sut.sh; exit $?'");
  EXPECT_EQ(ended.exit, 3);
  EXPECT_NE(ended.err.find("(exit code 139, SIGSEGV)"), std::string::npos) << ended.err;
  EXPECT_FALSE(is_anybody_left());
}

TEST_F(CheckSut, a_restart_closes_the_input_and_takes_nothing_but_a_clean_end) {
  write("restart.json", R"({"format": "leaseproof-trace/1", "name": "restart", "steps": [
    {"do": "restart"}]})");
  const auto after_the_input = [this](const std::string& deed) {
    write_program("exit 1");
    EXPECT_TRUE(shell("printf '%s\\n' " + shell_word(deed) + " >> sut.sh"));
    return run("replay --sut 'exec sh sut.sh' --sut-timeout 1 restart.json");
  };
  EXPECT_EQ(after_the_input("exit 0").exit, 0);
  const Ended late = after_the_input("sleep 1000");
  EXPECT_EQ(late.exit, 3) << late.out << late.err;
  EXPECT_NE(late.err.find("did not end within 1 s after its input was closed"), std::string::npos)
      << late.err;
  EXPECT_FALSE(is_anybody_left());
  const Ended bad = after_the_input("exit 4");
  EXPECT_EQ(bad.exit, 3) << bad.out << bad.err;
  EXPECT_NE(bad.err.find("exit code 4"), std::string::npos) << bad.err;
  const Ended loud = after_the_input("echo bye");
  EXPECT_EQ(loud.exit, 3) << loud.out << loud.err;
  EXPECT_NE(loud.err.find("'bye'"), std::string::npos) << loud.err;
}

TEST_F(CheckSut, the_last_lines_of_its_log_stand_after_the_line) {
  write_program("echo 'panic: \033[31mno table' >&2; exit 1");
  const Ended ended = run("check --runs 5 --seed 3 --sut 'sh sut.sh'");
  EXPECT_EQ(ended.exit, 3);
  EXPECT_NE(ended.err.find("leaseproof:   log: started\nleaseproof:   log: panic: \\x1b[31mno"),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("at step "), std::string::npos) << ended.err;
}

TEST_F(CheckSut, a_hello_that_cannot_be_taken_is_refused_before_anything_runs) {
  expect_failed("exit 1", "'invariants' is not supported",
                R"(, "speaks": ["refresh"], "oracle": "invariants")");
  expect_failed("exit 1", "'on_lease' is not supported",
                R"(, "speaks": ["refresh"], "oracle": "model", "recovers": "on_lease")");
  expect_failed("exit 1", "unknown word 'leese'", R"(, "speaks": ["leese"], "oracle": "model")");
  const Ended missing = run("check --runs 5 --sut ./nowhere");
  EXPECT_EQ(missing.exit, 3) << missing.err;
  EXPECT_NE(missing.err.find("exit code 127"), std::string::npos) << missing.err;
  EXPECT_NE(missing.err.find("not found"), std::string::npos) << missing.err;
}

TEST_F(CheckSut, a_log_that_stays_small_beside_each_answer_is_no_flood) {
  write_program(R"(yes | head -c 500000 >&2; echo "$ok, \"recovered\": 0, \"expired\": 0, )"
                R"(\"blocked\": 0, \"unblocked\": 0, \"readied\": 0}")");
  const Ended ended = run("check --runs 3 --seed 3 --faults off --sut 'sh sut.sh'");
  EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
  EXPECT_FALSE(is_anybody_left());
}

TEST_F(CheckSut, replay_tells_the_same_of_a_program_that_fails) {
  write_program("exit 5");
  write("good.json", R"({"format": "leaseproof-trace/1", "name": "good", "steps": [
    {"do": "refresh", "expect": "ok"}]})");
  const Ended ended = run("replay --sut 'sh sut.sh' good.json");
  EXPECT_EQ(ended.exit, 3) << ended.out << ended.err;
  EXPECT_EQ(ended.err.rfind("leaseproof: good.json: the program under test ended by itself (exit "
                            "code 5), at step 1, when asked for 'refresh'\n",
                            0),
            0U)
      << ended.err;
  EXPECT_FALSE(is_anybody_left());
  write("more.json", R"({"format": "leaseproof-trace/1", "name": "more", "steps": [
    {"do": "cancel", "workflow": "w"}]})");
  EXPECT_EQ(run("replay --sut 'sh sut.sh' more.json").exit, 4);
}

// Its own death cannot be caught: only the guard is left to do it.
TEST_F(CheckSut, no_process_outlives_the_harness) {
  for (const char* signal : {"KILL", "TERM"}) {
    write_program("sleep 1000");
    ASSERT_TRUE(shell("rm -f pids"));
    const std::string under = fmt::format(
        "stop() {{ \"$@\" & until test -s pids; do sleep 0.05; done; kill -{0} $!; "
        "test {0} = KILL || {{ sleep 0.2; kill -{0} $!; }}; wait $!; }}; stop",
        signal);
    const Ended ended = run("check --runs 5 --sut 'sh sut.sh' --sut-timeout 100", "",
                            "export TMPDIR=$PWD; " + under);
    EXPECT_NE(ended.exit, 0);
    // The guard works while nobody waits for it.
    EXPECT_TRUE(
        shell("for i in $(seq 200); do "
              "for pid in $(cat pids); do "
              "grep -qs '^State:.[^Z]' /proc/$pid/status && sleep 0.05 && continue 2; "
              "done; ls -d leaseproof-*/sut-* > /dev/null 2>&1 && sleep 0.05 && continue; "
              "exit 0; done; exit 1"))
        << signal;
  }
}

TEST_F(CheckSut, the_options_are_checked) {
  expect_one_line("check --sut ''", 2, "--sut");
  expect_one_line("check --sut-timeout 3", 2, "--sut");
  expect_one_line("check --sut x --sut-timeout 0", 2, "--sut-timeout");
  expect_one_line("check --sut x --engine disk", 2, "--sut");
  expect_one_line("check --engine sut:x", 2, "engine");
}

}  // namespace
}  // namespace leaseproof::scenarios
