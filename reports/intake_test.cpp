// Checks which files are found, in which order, and that what cannot be read is named with its
// mend. What fits the schema is for schema_test.cpp.
#include "reports/intake.hpp"

#include <gtest/gtest.h>

#include "reports/results_folder_test.hpp"
#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

std::string refusal(const std::string& text) {
  try {
    read_result(text, "runs/result.json");
  } catch (const InputRefused& refused) {
    return refused.text;
  }
  return "taken";
}

TEST(Intake, takes_a_result) { EXPECT_EQ(refusal(sample::gate().dump()), "taken"); }

TEST(Intake, names_line_and_column_of_what_is_no_json) {
  EXPECT_EQ(refusal("{\n  \"format\": leaseproof\n}"),
            "runs/result.json: line 2, column 13: is no JSON; let the command write it again");
  EXPECT_EQ(refusal(""),
            "runs/result.json: line 1, column 1: is no JSON; let the command write it again");
}

TEST(Intake, names_the_format_that_it_does_not_read) {
  Json other = sample::check();
  other["format"] = "leaseproof-result/2";
  EXPECT_EQ(refusal(other.dump()),
            "runs/result.json: /format: is \"leaseproof-result/2\", and this program reads "
            "\"leaseproof-result/1\"; let the command write it again with this leaseproof");
  EXPECT_NE(refusal("[]").find("/format: is null"), std::string::npos);
  EXPECT_NE(refusal("{}").find("/format: is null"), std::string::npos);
}

TEST(Intake, names_the_field_that_is_missing) {
  Json lacking = sample::crash();
  lacking["points"]["vfs/write wal"].erase("kills");
  EXPECT_EQ(refusal(lacking.dump()),
            "runs/result.json: /points/vfs~1write wal: 'kills' is missing; let the command write "
            "it again with this leaseproof");
}

std::string refusal_of(const std::vector<std::filesystem::path>& folders) {
  try {
    static_cast<void>(read_results(folders));
  } catch (const InputRefused& refused) {
    return refused.text;
  }
  return "taken";
}

TEST(Intake, refuses_a_folder_that_is_not_there_or_holds_no_result) {
  const ResultsFolder folder;
  folder.write("other/notes.txt", "nothing");
  EXPECT_NE(refusal_of({folder.path() / "none"}).find("there is no such folder"),
            std::string::npos);
  EXPECT_NE(refusal_of({folder.path() / "other"}).find("holds no result.json; name the --out"),
            std::string::npos);
}

TEST(Intake, finds_the_same_files_in_the_same_order_however_folders_are_named) {
  const ResultsFolder folder;
  folder.write(sample::green());
  const auto names = [](const std::vector<Source>& sources) {
    std::vector<std::string> all;
    for (const Source& one : sources) all.push_back(one.id + " " + one.file);
    return all;
  };
  const auto base = folder.path();
  const auto once = names(read_results({base}));
  ASSERT_EQ(once.size(), sample::green().size());
  EXPECT_EQ(once.front(), "A " + (base / "bench" / "result.json").string());
  EXPECT_EQ(names(read_results({base / "stress", base, base / "gate" / "result.json"})), once);
  EXPECT_EQ(names(read_results({base / "." / "gate" / "..", base / "crash"})), once);
}

}  // namespace
}  // namespace leaseproof::reports
