// Checks our own engine behind the protocol, line by line, in this process and as a program: what
// it answers, what outlives it, and where it dies. What it is judged by is checked elsewhere.
#include "scenarios/pipe/served_engine.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/pipe/pipe_sut.hpp"

namespace leaseproof::scenarios {
namespace {

class Served : public cli::Program {
 protected:
  Json ask(const std::string& line) {
    if (engine_ == std::nullopt) engine_.emplace(ServedEngineOptions{folder_.path().string()});
    const std::string answer = engine_->answer(line);
    const auto json = parse_json(answer);
    EXPECT_TRUE(json) << answer;
    EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 1) << answer;
    return json.value_or(Json::object());
  }
  void begin() {
    EXPECT_EQ(ask(R"({"id": 1, "do": "reset"})").at("outcome"), "ok");
    ask(R"({"id": 2, "do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}],
            "now_us": 0})");
    ask(R"({"id": 3, "do": "refresh", "now_us": 0})");
  }

  std::optional<ServedEngine> engine_;
};

TEST_F(Served, says_what_it_speaks) {
  const Json hello = ask(R"({"id": 0, "do": "hello", "protocol": "leaseproof-sut/1"})");
  EXPECT_EQ(hello.at("id"), 0);
  EXPECT_EQ(hello.at("oracle"), "model");
  EXPECT_EQ(hello.at("int64"), true);
  EXPECT_EQ(hello.at("die_at").size(), 4U);
  for (const Json& word : hello.at("speaks")) EXPECT_NE(word, "call");
}

TEST_F(Served, leases_by_the_clock_of_the_request_and_takes_the_handle_back) {
  begin();
  const Json leased =
      ask(R"({"id": 4, "do": "lease", "worker": "A", "lease_us": 100, "now_us": 5})");
  ASSERT_EQ(leased.at("outcome"), "leased");
  EXPECT_EQ(leased.at("expires_us"), 105);
  const auto complete = [](const std::string& handle, int now_us) {
    return fmt::format(R"({{"id": 5, "do": "complete", "worker": "A", "op": "a", "result": 1,
                           "handle": "{}", "now_us": {}}})",
                       handle, now_us);
  };
  EXPECT_EQ(ask(complete("another", 6)).at("outcome"), "lease_lost");
  const std::string handle = leased.at("handle").get<std::string>();
  EXPECT_EQ(ask(complete(handle, 105)).at("outcome"), "lease_lost");
  EXPECT_EQ(ask(complete(handle, 104)).at("outcome"), "ok");
  const Json seen = ask(R"({"id": 6, "do": "observe", "now_us": 104})");
  EXPECT_EQ(seen.at("ops").at("a").at("status"), "succeeded");
  EXPECT_EQ(seen.at("ops").at("a").at("result"), 1);
}

TEST_F(Served, reset_empties_everything) {
  begin();
  EXPECT_EQ(ask(R"({"id": 4, "do": "reset"})").at("outcome"), "ok");
  EXPECT_TRUE(ask(R"({"id": 5, "do": "observe", "now_us": 0})").at("ops").empty());
}

TEST_F(Served, goes_on_from_its_folder_with_other_tokens) {
  begin();
  ask(R"({"id": 4, "do": "ensure", "workflow": "v", "identity": 1, "ops": [{"id": "b"}],
          "now_us": 0})");
  ask(R"({"id": 5, "do": "refresh", "now_us": 0})");
  const std::string lease =
      R"({"id": 6, "do": "lease", "worker": "A", "lease_us": 9, "now_us": 1})";
  const Json first = ask(lease);
  engine_.reset();
  const Json second = ask(lease);
  ASSERT_EQ(first.at("outcome"), "leased");
  ASSERT_EQ(second.at("outcome"), "leased");
  EXPECT_NE(first.at("op"), second.at("op"));
  EXPECT_NE(first.at("handle"), second.at("handle"));
}

TEST_F(Served, keeps_the_slack_that_reset_gave_it) {
  ask(R"({"id": 1, "do": "reset", "clock_slack_us": 50})");
  engine_.reset();
  ask(R"({"id": 2, "do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a",
          "effect": {"contract": "opaque"}}], "now_us": 0})");
  ask(R"({"id": 3, "do": "refresh", "now_us": 0})");
  const std::string handle =
      ask(R"({"id": 4, "do": "lease", "worker": "A", "lease_us": 10, "now_us": 0})")
          .at("handle")
          .get<std::string>();
  ask(fmt::format(R"({{"id": 5, "do": "dispatch", "worker": "A", "op": "a", "payload": 1,
                      "handle": "{}", "now_us": 0}})",
                  handle));
  ask(fmt::format(R"({{"id": 6, "do": "fail", "worker": "A", "op": "a", "kind": "unknown",
                      "handle": "{}", "now_us": 1}})",
                  handle));
  const auto close = [](int now_us) {
    return fmt::format(R"({{"id": 7, "do": "close", "op": "a", "happened": false, "evidence": "e",
                           "actor": {{"id": "o", "roles": ["operator"], "scopes": []}},
                           "now_us": {}}})",
                       now_us);
  };
  EXPECT_EQ(ask(close(30)).at("outcome"), "permit_open");
  EXPECT_EQ(ask(close(60)).at("outcome"), "ok");
}

TEST_F(Served, dies_where_it_is_told_to_and_only_there) {
  // What a process of its own answers; the fixture's own redirections are a comment to the shell.
  const auto told = [this](const std::string& lines) {
    write("lines", lines);
    static_cast<void>(run("serve-sut < lines > told 2> err #", "", "LEASEPROOF_DIR=."));
    return read_file(path("told")).value_or("?");
  };
  const std::string observe = "{\"id\": 2, \"do\": \"observe\", \"now_us\": 0}\n";
  const auto dying = [](const std::string& at) {
    return R"({"id": 1, "do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}], )"
           R"("now_us": 0, "die_at": ")" +
           at + "\"}\n";
  };
  for (const char* at : {"begin", "write", "commit"}) {
    EXPECT_EQ(told(dying(at) + observe), "") << at;
    EXPECT_NE(told(observe).find(R"("ops":{})"), std::string::npos) << at;
  }
  EXPECT_EQ(told(dying("committed") + observe), "");
  EXPECT_NE(told(observe).find(R"("ops":{"a")"), std::string::npos);
  // Nothing is written any more, so the point is not reached.
  EXPECT_NE(told(dying("write")).find("attached"), std::string::npos);
}

TEST_F(Served, needs_a_folder_and_knows_its_bugs) {
  expect_one_line("serve-sut", 2, "LEASEPROOF_DIR is not set");
  const auto with_folder = [this](const std::string& arguments) {
    return run(arguments, "", "LEASEPROOF_DIR=.");
  };
  EXPECT_EQ(run("serve-sut", "", "LEASEPROOF_DIR=nowhere").exit, 2);
  EXPECT_EQ(with_folder("serve-sut").exit, 0);
  EXPECT_EQ(with_folder("serve-sut --bug takeover_keeps_generation").exit, 0);
  const cli::Ended near = with_folder("serve-sut --bug takeover_keeps_generations");
  EXPECT_EQ(near.exit, 2);
  EXPECT_NE(near.err.find("did you mean 'takeover_keeps_generation'"), std::string::npos);
  const cli::Ended storage = with_folder("serve-sut --bug sync_skipped");
  EXPECT_EQ(storage.exit, 2);
  EXPECT_NE(storage.err.find("check --engine mutant:sync_skipped"), std::string::npos);
  write("engine.sqlite", std::string(4096, 'x'));
  const cli::Ended taken = with_folder("serve-sut");
  EXPECT_EQ(taken.exit, 2);
  EXPECT_NE(taken.err.find("engine.sqlite"), std::string::npos) << taken.err;
}

}  // namespace
}  // namespace leaseproof::scenarios
