// Checks from outside what a program behind a pipe can do besides: its journal is judged, its disk
// is hit, and nothing is asked of one that does not say so. The lines are checked in
// protocol_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/json.hpp"
#include "scenarios/pipe/check_fixture_test.hpp"

namespace leaseproof::scenarios {
namespace {

class CheckBesides : public CheckSut {};

TEST_F(CheckBesides, a_journal_is_judged_where_it_is_shown) {
  const std::string bug = " --bug event_without_its_time";
  const Ended found = run("check --runs 200 --seed 20 --out found " + served(bug));
  EXPECT_EQ(found.exit, 1) << found.out << found.err;
  EXPECT_NE(found.out.find("VIOLATION of journal_is_truth"), std::string::npos) << found.out;
  const Ended blind = run(
      "check --runs 40 --seed 20 --out found " +
      served(bug + R"( | sed -u 's/"die_at":\[[^]]*\],//; s/"journal":true/"journal":false/')"));
  EXPECT_TRUE(blind.exit == 0 || blind.exit == 4) << blind.out << blind.err;
}

TEST_F(CheckBesides, a_journal_that_leaves_the_protocol_is_no_violation) {
  const auto told = [this](const std::string& change) {
    const Ended ended = run("check --runs 20 --seed 3 --faults off --out found " +
                            served(" | sed -u 's/\"die_at\":\\[[^]]*\\],//; " + change + "'"));
    EXPECT_EQ(ended.exit, 3) << change << ended.out << ended.err;
    EXPECT_NE(ended.err.find("when asked for 'observe'"), std::string::npos) << ended.err;
    return ended.err.substr(0, ended.err.find('\n'));
  };
  EXPECT_NE(told(R"(s/"journal":\[{"seq":[0-9]*/"journal":[{"seq":0/)").find("cannot follow"),
            std::string::npos);
  EXPECT_NE(told(R"(s/"journal":\[.*\]/"journal":[]/)").find("ends at event 0"), std::string::npos);
  EXPECT_NE(told(R"(s/"generation":0,"workflow"/"generation":"0","workflow"/)").find("generation"),
            std::string::npos);
}

TEST_F(CheckBesides, only_what_a_program_can_do_besides_is_asked_of_it) {
  const auto is_asked = [this](const std::string& options, const std::string& answers) {
    EXPECT_TRUE(shell("rm -f requests"));
    const std::string program = fmt::format("tee -a requests | {} serve-sut{} | sed -u '{}'",
                                            LEASEPROOF_PROGRAM, options, answers);
    const Ended ended = run("check --runs 15 --seed 1 --sut " + shell_word(program));
    EXPECT_TRUE(ended.exit == 0 || ended.exit == 4) << ended.out << ended.err;
    std::vector<std::string> asked;
    for (const char* word : {"journal_after", "readings", "busy_tries", "fault"}) {
      if (shell(fmt::format("grep -q '\"{}\"' requests", word))) asked.emplace_back(word);
    }
    return asked;
  };
  using Words = std::vector<std::string>;
  const std::string by_the_harness = R"(s/"die_at":\[[^]]*\],//)";
  EXPECT_EQ(is_asked("", by_the_harness), (Words{"journal_after", "readings"}));
  EXPECT_EQ(is_asked("", by_the_harness + R"(; s/"journal":true,//; s/"readings":true,//)"),
            Words{});
  EXPECT_EQ(is_asked(" --disk simulated", by_the_harness + R"(; s/"readings":true,//)"),
            (Words{"journal_after", "busy_tries", "fault"}));
}

TEST_F(CheckBesides, power_is_lost_in_a_call_that_stands_by_itself_and_in_no_other) {
  const auto story = [this](const std::string& refresh) {
    write("story.json", R"({"format": "leaseproof-trace/1", "name": "story", "steps": [
      {"do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}]}, )" +
                            refresh + "]}");
    const Ended ended = run("replay " + served(" --disk simulated") + " story.json");
    EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
    return ended.out.find("did not fire") == std::string::npos;
  };
  const std::string struck =
      R"({"do": "refresh", "fault": {"at": "vfs/write", "kind": "power_loss"}})";
  EXPECT_TRUE(story(struck));
  EXPECT_FALSE(story(R"({"do": "lease", "worker": "A", "fault": {"at": "engine/lease/begin",
      "kind": "interleave", "steps": [)" +
                     struck + "]}}"));
}

TEST_F(CheckBesides, a_program_with_a_disk_is_hit_there_and_holds) {
  const Ended ended =
      run("check --runs 100 --seed 4 --jobs 2 --json " + served(" --disk simulated"));
  EXPECT_TRUE(ended.exit == 0 || ended.exit == 4) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\"violation\": null"), std::string::npos) << ended.out;
  // How often each kind of fault struck at a sync.
  const std::size_t at = ended.out.find("\"vfs/sync\": {");
  ASSERT_NE(at, std::string::npos) << ended.out;
  const std::size_t begin = ended.out.find('{', at);
  const auto fired = parse_json(ended.out.substr(begin, ended.out.find('}', at) + 1 - begin));
  ASSERT_TRUE(fired) << fired.error();
  EXPECT_GT(fired->at("power_loss"), 0);
  EXPECT_GT(fired->at("io_error"), 0);
}

TEST_F(CheckBesides, a_bug_of_the_storage_is_found_over_the_pipe) {
  for (const char* bug : {"sync_skipped", "commit_error_ignored", "unlocked_checkpoint"}) {
    const Ended ended =
        run("check --runs 500 --seed 1 --out found " + served(std::string(" --bug ") + bug));
    EXPECT_EQ(ended.exit, 1) << bug << ended.out << ended.err;
  }
}

}  // namespace
}  // namespace leaseproof::scenarios
