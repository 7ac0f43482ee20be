// Checks that a patch file is read exactly or refused in one line that names its place, that its
// hunks are applied where they stand or not at all, and that each file under mutants/ is good for
// the tree as it is. Whether a search catches them is seen by `leaseproof mutants --kind patches`.
#include "properties/patched_bug.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "properties/mutants.hpp"
#include "properties/storage_bugs.hpp"

namespace leaseproof::properties {
namespace {

const std::string head =
    "Name: a_bug\n"
    "Suffers: somebody\n"
    "Source: a report\n"
    "Caught-by: no_stale_commit, budgets\n";
const std::string diff =
    "--- a/engine/store/work.cpp\n"
    "+++ b/engine/store/work.cpp\n"
    "@@ -2,3 +2,3 @@ void f() {\n"
    " two\n"
    "-three\n"
    "+THREE\n"
    " four\n";
const std::string good = head + "\n" + diff;

std::string with(const std::string& old, const std::string& fresh) {
  std::string text = good;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

std::string complaint(const std::string& text, const std::string& file = "m/a_bug.patch") {
  const auto bug = read_patched_bug(file, text);
  return bug ? "none" : bug.error();
}

TEST(APatchFile, is_read_whole) {
  const auto bug = read_patched_bug("m/a_bug.patch", good);
  ASSERT_TRUE(bug) << bug.error();
  EXPECT_EQ(bug->name, "a_bug");
  EXPECT_EQ(bug->suffering, "somebody");
  EXPECT_EQ(bug->source, "a report");
  EXPECT_EQ(bug->caught_by, (std::vector<std::string>{"no_stale_commit", "budgets"}));
  ASSERT_EQ(bug->files.size(), 1U);
  EXPECT_EQ(bug->files[0].path, "engine/store/work.cpp");
  ASSERT_EQ(bug->files[0].hunks.size(), 1U);
  const Hunk& hunk = bug->files[0].hunks[0];
  EXPECT_EQ(hunk.line, 8U);
  EXPECT_EQ(hunk.place, 2U);
  EXPECT_EQ(hunk.before, (std::vector<std::string>{"two", "three", "four"}));
  EXPECT_EQ(hunk.after, (std::vector<std::string>{"two", "THREE", "four"}));
}

TEST(APatchFile, may_be_as_git_writes_it) {
  const std::string from_git = with("--- a/",
                                    "diff --git a/engine/store/work.cpp b/engine/store/work.cpp\n"
                                    "index 1234567..89abcde 100644\n--- a/");
  EXPECT_EQ(complaint(from_git), "none");
  EXPECT_NE(complaint(with("--- a/", "new file mode 100644\n--- a/")).find("line 6: a file begins"),
            std::string::npos);
}

TEST(APatchFile, that_is_malformed_is_refused_in_one_line_with_its_place) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {complaint(""), "line 1: is empty"},
      {complaint(good.substr(0, good.size() - 1)), "line 12: ends without a line end"},
      {complaint("X\n"), "line 1: must begin with 'Name: '"},
      {complaint(with("Name: a_bug", "Name: a-bug")), "line 1: 'a-bug' is no name"},
      {complaint(good, "m/another.patch"), "line 1: a bug of this name stands in a_bug.patch"},
      {complaint(with("Suffers: somebody", "Suffer: x")), "line 2: must begin with 'Suffers: '"},
      {complaint(with("Suffers: somebody", "Suffers: ")), "line 2: Suffers says nothing"},
      {complaint(with("Source: a report", "Source:  x")), "line 3: Source says nothing, or has"},
      {complaint(with("budgets", "budget")), "line 4: there is no invariant 'budget'; there are "},
      {complaint(with(", budgets", ",budgets")), "line 4: there is no invariant 'no_stale_commit,"},
      {complaint(with("budgets", "no_stale_commit")), "line 4: no_stale_commit stands here twice"},
      {complaint(head), "line 5: an empty line stands between"},
      {complaint(head + diff), "line 5: an empty line stands between"},
      {complaint(head + "\n"), "line 6: the diff is missing"},
      {complaint(with("--- a/engine", "--- engine")), "line 6: a file begins with '--- a/engine/"},
      {complaint(with("a/engine/store/work.cpp", "a/model/world.cpp")),
       "line 6: 'model/world.cpp' is no source of the engine"},
      {complaint(with("a/engine/store/work.cpp", "a/engine/../model/world.cpp")),
       "line 6: 'engine/../model/world.cpp' is no source of the engine"},
      {complaint(with("a/engine/store/work.cpp", "a/engine/engine_test.cpp")),
       "line 6: 'engine/engine_test.cpp' is no source of the engine"},
      {complaint(with("a/engine/store/work.cpp", "a/engine/store/catalog.cpp")),
       "line 6: 'engine/store/catalog.cpp' holds SQL"},
      {complaint(with("b/engine/store/work.cpp", "b/engine/work.cpp")),
       "line 7: must be '+++ b/engine/store/work.cpp'"},
      {complaint(with("@@ -2,3", "@ -2,3")), "line 8: a hunk begins with '@@ -'"},
      {complaint(with("@@ -2,3 +2,3 @@", "@@ -2;3 +2,3 @@")), "line 8: is no '@@ -place,lines"},
      {complaint(with("-2,3 +2,3", "-0,0 +1,1")), "line 8: replaces nothing"},
      {complaint(with("-2,3 +2,3", "-2,4 +2,4")), "line 13: the file ends within a hunk"},
      {complaint(with("-2,3 +2,3", "-2,2 +2,2")), "line 12: a file begins with '--- a/engine/"},
      {complaint(with("-2,3 +2,3", "-2,1 +2,3")), "line 8: the counts are not those"},
      {complaint(with("-three\n+THREE", " three")), "line 8: the hunk changes nothing"},
      {complaint(with(" four", "four")), "line 12: a line of a hunk begins with"},
      {complaint(with(" four", "")), "line 12: a line of a hunk begins with"},
      {complaint(good + diff), "line 13: 'engine/store/work.cpp' was patched above"},
  };
  for (const auto& [why, part] : rows) {
    EXPECT_EQ(why.find("m/"), 0U) << why;
    EXPECT_NE(why.find(": " + part), std::string::npos) << part << "\n" << why;
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  }
}

TEST(APatch, is_applied_where_it_stands_or_has_moved_to_and_nowhere_else) {
  const PatchedFile patch = read_patched_bug("a_bug.patch", good)->files.at(0);
  EXPECT_EQ(applied(patch, "one\ntwo\nthree\nfour\nfive\n"), "one\ntwo\nTHREE\nfour\nfive\n");
  EXPECT_EQ(applied(patch, "0\none\ntwo\nthree\nfour\n"), "0\none\ntwo\nTHREE\nfour\n");
  const auto nowhere = applied(patch, "one\ntwo\nthree \nfour\n");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error(),
            "the hunk in line 8 stands nowhere in engine/store/work.cpp; make the patch anew");
  const auto twice = applied(patch, "two\nthree\nfour\ntwo\nthree\nfour\n");
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().find("stands in several places"), std::string::npos);
  EXPECT_FALSE(applied(patch, ""));
}

// A hunk is looked for behind the one before it only.
TEST(APatch, is_applied_in_the_order_of_its_hunks) {
  const PatchedFile patch{"engine/a.cpp", {{1, 3, {"c"}, {"C"}}, {2, 1, {"a"}, {"A"}}}};
  EXPECT_FALSE(applied(patch, "a\nb\nc\n"));
  EXPECT_EQ(applied(patch, "a\nb\nc\na\n"), "a\nb\nC\nA\n");
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(ThePatches, each_apply_to_the_tree_have_a_name_of_their_own_and_name_what_must_catch_them) {
  const std::filesystem::path root = LEASEPROOF_SOURCE_DIR;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root / "properties/mutants")) {
    const auto bug = read_patched_bug(entry.path().string(), text_of(entry.path()));
    ASSERT_TRUE(bug) << bug.error();
    EXPECT_TRUE(names.insert(bug->name).second) << bug->name;
    EXPECT_EQ(find_mutant(bug->name), nullptr) << bug->name;
    EXPECT_EQ(find_storage_bug(bug->name), nullptr) << bug->name;
    for (const PatchedFile& file : bug->files) {
      const std::string source = text_of(root / file.path);
      const auto patched = applied(file, source);
      ASSERT_TRUE(patched) << bug->name << ": " << patched.error();
      EXPECT_NE(*patched, source) << bug->name;
    }
  }
  EXPECT_GE(names.size(), 14U);
}

}  // namespace
}  // namespace leaseproof::properties
