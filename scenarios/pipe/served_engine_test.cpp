// Checks our own engine behind the protocol, line by line, in this process and as a program: what
// it answers, what outlives it, and where it dies. What it is judged by is checked elsewhere.
#include "scenarios/pipe/served_engine.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "faults/disk_image.hpp"
#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/pipe/pipe_sut.hpp"

namespace leaseproof::scenarios {
namespace {

class Served : public cli::Program {
 protected:
  Json ask(const std::string& line) {
    if (engine_ == std::nullopt) engine_.emplace(options());
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

  // As the next process on the same folder.
  Json ask_next(const std::string& line) {
    engine_.reset();
    return ask(line);
  }
  [[nodiscard]] ServedEngineOptions options() const {
    ServedEngineOptions options;
    options.folder = folder_.path().string();
    options.on_simulated_disk = on_simulated_disk_;
    return options;
  }

  bool on_simulated_disk_ = false;
  std::optional<ServedEngine> engine_;
};

const std::string observation = R"({"id": 8, "do": "observe", "now_us": 0, "journal_after": 0})";
const std::string greeting = R"({"id": 0, "do": "hello", "protocol": "leaseproof-sut/1"})";
// A call that changes something, with a fault.
std::string struck(const std::string& fault, const std::string& workflow = "v") {
  return fmt::format(R"({{"id": 7, "do": "ensure", "workflow": "{0}", "identity": 1,
                         "ops": [{{"id": "of-{0}"}}], "now_us": 0, "fault": {1}}})",
                     workflow, fault);
}

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

TEST_F(Served, tells_of_the_journal_what_was_not_told_yet) {
  begin();
  const Json all = ask(observation);
  const std::int64_t last = all.at("events").at("last_seq");
  ASSERT_EQ(all.at("journal").size(), static_cast<std::size_t>(last));
  ASSERT_GE(last, 3);
  EXPECT_EQ(all.at("journal")[0].at("seq"), 1);
  EXPECT_EQ(all.at("journal")[1].at("op"), "a");
  EXPECT_FALSE(all.at("journal")[0].contains("op"));
  const Json rest = ask(R"({"id": 8, "do": "observe", "now_us": 0, "journal_after": 2})");
  EXPECT_EQ(rest.at("journal").size(), static_cast<std::size_t>(last) - 2);
  EXPECT_EQ(rest.at("journal")[0], all.at("journal")[2]);
  EXPECT_FALSE(ask(R"({"id": 9, "do": "observe", "now_us": 0})").contains("journal"));
}

TEST_F(Served, tells_what_a_worker_and_a_reader_would_read) {
  begin();
  const Json read = ask(R"({"id": 4, "do": "readings", "ops": ["a", "none"], "since_us": [0, 1]})");
  EXPECT_EQ(read.at("work").size(), 1U);
  EXPECT_EQ(read.at("work").at("a").at("workflow"), "w");
  EXPECT_FALSE(read.at("work").at("a").contains("context"));
  ASSERT_EQ(read.at("cursors").size(), 2U);
  EXPECT_LT(read.at("cursors")[0].at("seq"), read.at("cursors")[1].at("seq"));
}

TEST_F(Served, takes_no_fault_on_real_files) {
  begin();
  const Json told = ask(struck(R"({"at": "vfs/sync", "kind": "power_loss"})"));
  EXPECT_EQ(told.at("outcome"), "invalid");
  EXPECT_NE(told.at("why").get<std::string>().find("--disk simulated"), std::string::npos);
  EXPECT_EQ(ask(greeting).at("disk"), false);
}

TEST_F(Served, has_a_disk_that_fails_and_outlives_the_process) {
  on_simulated_disk_ = true;
  EXPECT_EQ(ask(greeting).at("disk"), true);
  begin();
  const Json failed = ask(struck(R"({"at": "vfs/sync", "kind": "io_error"})"));
  EXPECT_EQ(failed.at("fired"), 1);
  EXPECT_EQ(failed.at("outcome"), "storage_error");
  const Json crashed = ask(struck(R"({"at": "engine/ensure/commit", "kind": "power_loss"})"));
  EXPECT_EQ(crashed.at("outcome"), "crashed");
  EXPECT_EQ(crashed.at("fired"), 1);
  const Json missed = ask(struck(R"({"at": "vfs/write", "kind": "disk_full", "hit": 1000})", "u"));
  EXPECT_EQ(missed.at("outcome"), "created");
  EXPECT_FALSE(missed.contains("fired"));
  const Json before = ask(observation);
  EXPECT_EQ(before.at("ops").size(), 2U);
  EXPECT_EQ(ask_next(observation), before);
  EXPECT_FALSE(ask(greeting).contains("damage"));
  EXPECT_FALSE(std::filesystem::exists(path("engine.sqlite")));
}

TEST_F(Served, loses_with_the_power_what_was_not_synced_also_when_another_process_goes_on) {
  on_simulated_disk_ = true;
  ask(R"({"id": 1, "do": "reset", "synchronous": "normal"})");
  ask(struck(R"({"at": "vfs/write", "kind": "disk_full", "hit": 1000})"));
  // Written, and in no way durable yet: only the next process has its power cut.
  EXPECT_EQ(ask_next(observation).at("ops").size(), 1U);
  ask_next(struck(R"({"at": "engine/ensure/begin", "kind": "power_loss"})", "u"));
  EXPECT_EQ(ask(observation).at("ops").size(), 0U);
  EXPECT_EQ(ask_next(observation).at("ops").size(), 0U);
}

TEST_F(Served, is_closed_and_opened_under_a_fault) {
  on_simulated_disk_ = true;
  begin();
  const Json reopened =
      ask(R"({"id": 5, "do": "restart", "fault": {"at": "vfs/open", "kind": "power_loss"}})");
  EXPECT_EQ(reopened.at("outcome"), "crashed");
  EXPECT_EQ(reopened.at("fired"), 1);
  EXPECT_FALSE(reopened.contains("damage"));
  EXPECT_EQ(ask(observation).at("ops").size(), 1U);
  on_simulated_disk_ = false;
  EXPECT_EQ(ask_next(R"({"id": 5, "do": "restart",
                         "fault": {"at": "vfs/open", "kind": "power_loss"}})")
                .at("outcome"),
            "invalid");
}

TEST_F(Served, says_that_its_disk_is_damaged_until_it_is_reset) {
  on_simulated_disk_ = true;
  begin();
  engine_.reset();
  // Zeros over a page of the database, as no disk of ours leaves it.
  const auto bytes = read_file(path("disk"));
  ASSERT_TRUE(bytes);
  faults::ReadImage read = faults::read_image(*bytes);
  ASSERT_TRUE(read.disk) << read.why;
  faults::Disk& disk = *read.disk;
  const auto database = disk.find("/leaseproof/engine.sqlite");
  ASSERT_TRUE(database);
  disk.remove("/leaseproof/engine.sqlite-wal");
  const std::vector<std::byte> zeros(disk.size(*database) / 2);
  disk.write(*database, zeros.size(), zeros);
  write("disk", faults::image_of(disk));
  const Json hello = ask(greeting);
  EXPECT_FALSE(hello.value("damage", "").empty()) << hello;
  begin();
  EXPECT_FALSE(ask(greeting).contains("damage"));
  EXPECT_FALSE(ask_next(greeting).contains("damage"));
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

// On real files, and on a simulated disk.
TEST_F(Served, dies_where_it_is_told_to_and_only_there) {
  for (const std::string disk : {"files", "simulated"}) {
    std::filesystem::create_directory(path(disk));
    // What a process of its own answers; the fixture's own redirections are a comment to the shell.
    const auto told = [&](const std::string& lines) {
      write("lines", lines);
      static_cast<void>(run("serve-sut --disk " + disk + " < lines > told 2> err #", "",
                            "LEASEPROOF_DIR=" + disk));
      return read_file(path("told")).value_or("?");
    };
    const std::string observe = "{\"id\": 2, \"do\": \"observe\", \"now_us\": 0}\n";
    const auto dying = [](const std::string& at) {
      return R"({"id": 1, "do": "ensure", "workflow": "w", "identity": 1, "ops": [{"id": "a"}], )"
             R"("now_us": 0, "die_at": ")" +
             at + "\"}\n";
    };
    for (const char* at : {"begin", "write", "commit"}) {
      EXPECT_EQ(told(dying(at) + observe), "") << at << disk;
      EXPECT_NE(told(observe).find(R"("ops":{})"), std::string::npos) << at << disk;
    }
    EXPECT_EQ(told(dying("committed") + observe), "") << disk;
    EXPECT_NE(told(observe).find(R"("ops":{"a")"), std::string::npos) << disk;
    // Nothing is written any more, so the point is not reached.
    EXPECT_NE(told(dying("write")).find("attached"), std::string::npos) << disk;
  }
}

TEST_F(Served, a_disk_that_is_no_whole_image_is_an_environment_that_failed) {
  const auto start = [this] {
    const cli::Ended ended = run("serve-sut --disk simulated", "", "LEASEPROOF_DIR=.");
    EXPECT_EQ(ended.out, "");
    return ended;
  };
  EXPECT_EQ(start().exit, 0);
  const std::string bytes = read_file(path("disk")).value_or("");
  ASSERT_FALSE(bytes.empty());
  for (const std::string& wrong :
       {std::string(), bytes.substr(0, bytes.size() / 2), "x" + bytes.substr(1)}) {
    write("disk", wrong);
    const cli::Ended ended = start();
    EXPECT_EQ(ended.exit, 3) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find("./disk: "), std::string::npos) << ended.err;
  }
  write("disk", bytes);
  EXPECT_EQ(start().exit, 0);
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
  EXPECT_FALSE(std::filesystem::exists(path("disk")));
  EXPECT_EQ(with_folder("serve-sut --bug sync_skipped").exit, 0);
  EXPECT_TRUE(std::filesystem::exists(path("disk"))) << "it needs a disk that fails";
  const cli::Ended unheard = with_folder("serve-sut --bug sync_skiped");
  EXPECT_EQ(unheard.exit, 2);
  EXPECT_NE(unheard.err.find("did you mean 'sync_skipped'"), std::string::npos);
  EXPECT_EQ(with_folder("serve-sut --disk tape").exit, 2);
  write("engine.sqlite", std::string(4096, 'x'));
  const cli::Ended taken = with_folder("serve-sut");
  EXPECT_EQ(taken.exit, 2);
  EXPECT_NE(taken.err.find("engine.sqlite"), std::string::npos) << taken.err;
}

}  // namespace
}  // namespace leaseproof::scenarios
