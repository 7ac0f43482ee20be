// Checks that what the lab cannot use is one line with the right exit code, from outside: a missing
// job, a foreign or locked database, sources that are no sources, an address that is not allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>

#include "engine/sqlite/connection.hpp"
#include "scenarios/lab/lab_fixture_test.hpp"

namespace leaseproof::scenarios::lab {
namespace {

class Refusal : public Lab {
 protected:
  [[nodiscard]] model::OpStatus status_of_op() const {
    const auto seen = engine()->observe();
    return std::get<model::Observation>(seen.detail).ops.at("research-001").status;
  }
};

constexpr const char* looking_commands[] = {
    "run",    "inspect",          "evaluate",        "reconcile",
    "cancel", "approve --hash h", "reject --hash h", "close --happened --evidence e"};

TEST_F(Refusal, a_wrong_command_line_is_one_line) {
  expect_one_line("lab", 2, "memory-put");
  expect_one_line("lab sumbit", 2, "did you mean 'submit'");
  expect_one_line("lab run --lease-seconds 0", 2, "--lease-seconds");
  expect_one_line("lab run --lease-seconds nan", 2, "--lease-seconds");
  expect_one_line("lab run --fault later", 2, "after_collect");
  expect_one_line("lab submit --provider other", 2, "--provider");
  expect_one_line("lab submit --model m", 2, "--provider api");
  expect_one_line("lab submit --provider api --model m", 2, "--endpoint");
  expect_one_line("lab submit --provider api --model m --endpoint http://h.example/", 2, "https");
  expect_one_line("lab submit --deadline-seconds -1", 2, "--deadline-seconds");
  expect_one_line("lab submit --job ''", 2, "is empty");
  expect_one_line("lab approve", 2, "--hash");
  expect_one_line("lab close --happened", 2, "--evidence");
}

TEST_F(Refusal, help_is_no_error) {
  for (const char* command : {"", "memory-put", "submit", "run", "inspect", "evaluate", "approve",
                              "reject", "reconcile", "close", "cancel"}) {
    const cli::Ended ended = lab(std::string(command) + " --help");
    EXPECT_EQ(ended.exit, 0) << command;
    EXPECT_NE(ended.out, "") << command;
  }
}

TEST_F(Refusal, a_job_that_is_not_there_is_one_line_and_nothing_is_made) {
  for (const char* command : looking_commands) {
    expect_one_line(std::string("lab ") + command + " --db missing.sqlite", 2, "missing.sqlite");
  }
  EXPECT_FALSE(std::filesystem::exists(path("missing.sqlite")));
  expect_exit(0, "submit");
  for (const char* command : looking_commands) {
    expect_one_line(std::string("lab ") + command + " --job other", 2, "no research job 'other'");
  }
  EXPECT_FALSE(std::filesystem::exists(path("lab.sqlite.publisher.sqlite")))
      << "looking makes no file";
}

TEST_F(Refusal, an_op_of_another_program_is_no_research_job) {
  model::Start start;
  start.workflow = "research-001";
  start.ops.resize(1);
  start.ops[0].id = "research-001";
  ASSERT_EQ(engine()->start(start).word, model::Word::created);
  for (const char* command : looking_commands) {
    expect_one_line(std::string("lab ") + command, 2, "no research job");
  }
  expect_one_line("lab submit", 2, "identity_conflict");
}

TEST_F(Refusal, a_foreign_file_is_wrong_input) {
  write("foreign.sqlite", std::string(4096, 'x'));
  for (const char* command : looking_commands) {
    expect_one_line(std::string("lab ") + command + " --db foreign.sqlite", 2, "foreign.sqlite");
  }
  expect_one_line("lab submit --db foreign.sqlite", 2, "foreign.sqlite");
  expect_one_line("lab memory-put --db foreign.sqlite", 2, "foreign.sqlite");
  EXPECT_EQ(read_file(path("foreign.sqlite")), std::string(4096, 'x'));
}

TEST_F(Refusal, a_foreign_file_in_the_services_place_is_wrong_input) {
  expect_exit(0, "submit");
  write("lab.sqlite.publisher.sqlite", std::string(4096, 'x'));
  for (const char* command : {"run", "inspect", "evaluate", "cancel"}) {
    expect_one_line(std::string("lab ") + command, 2, "publisher.sqlite");
  }
}

TEST_F(Refusal, looking_leaves_a_foreign_database_in_the_services_place_as_it_is) {
  expect_exit(0, "submit");
  const std::string publisher = path("lab.sqlite.publisher.sqlite");
  auto fault = engine::sqlite::Fault::none;
  engine::sqlite::Connection::open({publisher, "", false, true}, {}, fault)
      ->run_script("CREATE TABLE theirs (x INTEGER)");
  for (const std::string& before : {read_file(publisher).value_or(""), std::string()}) {
    write("lab.sqlite.publisher.sqlite", before);
    for (const char* command : {"inspect", "evaluate", "reconcile", "cancel"}) {
      expect_one_line(std::string("lab ") + command, 2, "publisher.sqlite");
    }
    EXPECT_EQ(read_file(publisher).value_or("?"), before);
  }
}

TEST_F(Refusal, a_foreign_database_in_the_services_place_gets_no_report) {
  expect_exit(0, "submit");
  const std::string publisher = path("lab.sqlite.publisher.sqlite");
  auto fault = engine::sqlite::Fault::none;
  engine::sqlite::Connection::open({publisher, "", false, true}, {}, fault)
      ->run_script("CREATE TABLE theirs (x INTEGER)");
  const std::string before = read_file(publisher).value_or("");
  expect_one_line("lab run", 2, "publisher.sqlite");
  EXPECT_EQ(read_file(publisher).value_or("?"), before);
  EXPECT_EQ(status_of_op(), model::OpStatus::pending) << "and takes no claim";
}

TEST_F(Refusal, a_service_that_cannot_be_read_is_not_taken_for_one_without_reports) {
  expect_exit(0, "submit");
  expect_exit(0, "run");
  constexpr std::size_t page = 4096;
  std::string bytes = read_file(path("lab.sqlite.publisher.sqlite")).value_or("");
  ASSERT_GT(bytes.size(), page);
  std::fill(bytes.begin() + page, bytes.end(), 'x');
  write("lab.sqlite.publisher.sqlite", bytes);
  for (const char* command : {"inspect", "evaluate", "reconcile"}) {
    expect_one_line(std::string("lab ") + command, 2, "publisher.sqlite");
  }
}

TEST_F(Refusal, nothing_that_is_shown_can_pass_for_a_line_of_ours) {
  const std::string forged = R"(\napproval  request 1 is approved\u001b[8m\u009b)";
  write("sources.json",
        R"([{"id": "a)" + forged + R"(", "title": "t)" + forged + R"(", "text": "x"}])");
  expect_exit(0, "submit --sources sources.json --scope 's\napproval  request 2'");
  {
    const auto db = engine();
    db->refresh();
    model::Fail fail;
    fail.by.op = "research-001";
    fail.kind = model::FailKind::retryable;
    fail.error = "e\napproval  request 1 is approved\x1b[8m\xc2\x9b";
    const auto granted = db->lease({"A", {}, "research-001", "research", {}});
    ASSERT_EQ(db->fail(granted.token, fail).word, model::Word::retry_scheduled);
  }
  for (const char* command : {"inspect", "run", "cancel"}) {
    const std::string out = "\n" + lab(command).out;
    EXPECT_EQ(out.find("\napproval  request"), std::string::npos) << out;
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
    EXPECT_EQ(out.find("\xc2\x9b"), std::string::npos) << out;
  }
  EXPECT_NE(lab("inspect").out.find("\\x0aapproval"), std::string::npos);
}

TEST_F(Refusal, a_command_to_be_copied_is_quoted) {
  expect_exit(0, "submit --job \"it's mine\"");
  EXPECT_NE(lab("inspect --job \"it's mine\"").out.find(R"(--job 'it'\''s mine')"),
            std::string::npos);
}

TEST_F(Refusal, a_locked_database_is_an_environment_that_failed_and_takes_no_claim) {
  expect_exit(0, "submit");
  {
    const auto holder = engine();
    ASSERT_EQ(holder->connection().run_script("BEGIN IMMEDIATE"), engine::sqlite::Fault::none);
    expect_one_line("lab run", 3, "lab.sqlite");
    expect_exit(0, "inspect");
  }
  EXPECT_EQ(inspected().at("attempts"), 0);
}

TEST_F(Refusal, bad_sources_are_one_line_with_file_and_place) {
  const auto refused = [this](const std::string& text, const std::string& place) {
    write("sources.json", text);
    expect_one_line("lab submit --sources sources.json", 2, "sources.json: " + place);
  };
  const std::string good = R"({"id": "a", "title": "t", "text": "x"})";
  refused("[{", "line 1");
  refused("{}", "must be a list");
  refused("[]", "holds 0 sources");
  refused("[7]", "source 1: must be an object");
  refused("[" + good + R"(, {"id": "b", "title": "t"}])", "source 2, key 'text': is missing");
  refused(R"([{"id": "", "title": "t", "text": "x"}])", "source 1, key 'id': is empty");
  refused(R"([{"id": "a", "title": 7, "text": "x"}])", "source 1, key 'title': must be text");
  refused(R"([{"id": "a", "title": "t", "text": "x", "txet": "y"}])", "source 1: unknown key");
  refused("[" + good + "," + good + "]", "source 2, key 'id': 'a' stands twice");
  refused(R"([{"id": "a", "title": "t", "text": ")" + std::string(300'000, 'x') + "\"}]",
          "its texts are");
  expect_one_line("lab submit --sources missing.json", 2, "missing.json");
  EXPECT_FALSE(std::filesystem::exists(path("lab.sqlite")));
}

TEST_F(Refusal, inspection_has_one_shape_in_every_state) {
  expect_exit(0, "submit --approval");
  const auto keys = [this] {
    std::string all;
    const Json job = inspected();
    for (const auto& entry : job.items()) all += entry.key() + " ";
    return all;
  };
  const std::string fresh = keys();
  expect_exit(0, "run");
  EXPECT_EQ(keys(), fresh);
  expect_exit(0, "approve --hash " + hash());
  expect_exit(0, "run");
  EXPECT_EQ(keys(), fresh);
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
