// Checks the source tree against ARCHITECTURE: include edges, words that reach past a seam, sizes,
// names, and that no source, scenario or fault point lies about unused. Does not check that a fault
// point fires in some run: the gate's own count of points does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "faults/point.hpp"
#include "properties/tidy/rules.hpp"
#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

namespace fs = std::filesystem;

// Rows only ever shrink or go.
const Ratchet& long_files_of_today() {
  static const Ratchet ratchet{};
  return ratchet;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Tree {
  std::vector<std::string> top_level;
  std::vector<std::string> paths;
  Files sources;
  Files cmake_lists;
};

void add_folder(const fs::path& root, const fs::path& folder, Tree& tree) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().lexically_relative(root).generic_string();
    tree.paths.push_back(path);
    if (matches("*.cpp", path) || matches("*.hpp", path)) {
      tree.sources.push_back({path, contents(entry.path())});
    } else if (matches("*CMakeLists.txt", path)) {
      tree.cmake_lists.push_back({path, contents(entry.path())});
    }
  }
}

Tree read_tree() {
  const fs::path root = LEASEPROOF_SOURCE_DIR;
  Tree tree;
  // What a run of the program leaves in the folder that it was started in is not part of the
  // project.
  const std::vector<std::string> ignored = ignored_names(contents(root / ".gitignore"));
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (std::any_of(ignored.begin(), ignored.end(),
                    [&](const std::string& pattern) { return matches(pattern, name); })) {
      continue;
    }
    tree.top_level.push_back(name);
    if (entry.is_directory() && name.front() != '.') {
      add_folder(root, entry.path(), tree);
    }
  }
  const auto by_path = [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; };
  std::sort(tree.sources.begin(), tree.sources.end(), by_path);
  return tree;
}

const Tree& tree() {
  static const Tree read = read_tree();
  return read;
}

void expect_none(const Findings& findings) {
  for (const Finding& finding : findings) {
    ADD_FAILURE() << finding.path << ":" << finding.line << ": " << finding.why;
  }
}

template <typename Rule>
void expect_none_in_each_file(Rule rule) {
  for (const SourceFile& file : tree().sources) expect_none(rule(file));
}

TEST(Tidy, the_tree_was_found) { EXPECT_GT(tree().sources.size(), 20U); }

TEST(Tidy, includes_point_up_the_page_only) { expect_none_in_each_file(forbidden_includes); }

TEST(Tidy, no_include_comes_back_to_itself) { expect_none(include_cycles(tree().sources)); }

TEST(Tidy, rapidcheck_stays_inside_properties) {
  expect_none(rapidcheck_leaking_out(tree().sources));
}

TEST(Tidy, nothing_reaches_past_a_seam) { expect_none_in_each_file(banned_words); }

TEST(Tidy, all_sql_is_in_the_catalogue) { expect_none_in_each_file(sql_outside_the_catalogue); }

TEST(Tidy, lines_fit_the_page) { expect_none_in_each_file(long_lines); }

TEST(Tidy, files_fit_a_reading) { expect_none(long_files(tree().sources, long_files_of_today())); }

TEST(Tidy, headers_and_tests_open_with_their_promise) { expect_none_in_each_file(missing_promise); }

TEST(Tidy, names_have_a_subject) {
  for (const std::string& path : tree().paths) expect_none(shapeless_name(path));
}

TEST(Tidy, the_top_level_is_the_one_of_the_architecture) {
  expect_none(unknown_top_level(tree().top_level));
}

TEST(Tidy, each_folder_has_its_page) { expect_none(folders_without_readme(tree().paths)); }

TEST(Tidy, every_source_is_in_the_build) {
  expect_none(sources_outside_the_build(tree().sources, tree().cmake_lists));
}

TEST(Tidy, every_scenario_is_run) {
  expect_none(cases_that_no_test_scans(tree().paths, tree().sources));
}

// "engine/lease/begin" stands in the engine as Call::lease and Place::begin, each in one line;
// "observer/notify" as faults::observer_notify. Those of the disk stand in no engine.
TEST(Tidy, every_fault_point_stands_once) {
  std::set<std::string> words;
  for (std::string name : faults::point_names) {
    if (faults::is_at_disk(*faults::find_point(name))) continue;
    const std::size_t call = name.find('/');
    const std::size_t place = name.rfind('/');
    if (call == place) {
      words.insert("faults::" + name.replace(call, 1, "_"));
      continue;
    }
    words.insert("Call::" + name.substr(call + 1, place - call - 1));
    words.insert("Place::" + name.substr(place + 1));
  }
  Files engine;
  std::copy_if(tree().sources.begin(), tree().sources.end(), std::back_inserter(engine),
               [](const SourceFile& file) {
                 return matches("engine/*", file.path) && !matches("*_test.cpp", file.path);
               });
  expect_none(words_not_standing_once({words.begin(), words.end()}, engine, "engine"));
}

}  // namespace
}  // namespace leaseproof::properties::tidy
