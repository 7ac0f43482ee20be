// Checks that each rule of the source tree reports invented bad input, and lets good input pass.
// Does not look at the tree itself: properties/tidy_test.cpp does.
#include "properties/tidy/rules.hpp"

#include <gtest/gtest.h>

#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

// Each is one line, so that a finding's line is the number of the include.
Findings includes(const std::string& path, const std::string& line) {
  return forbidden_includes({path, line + "\n"});
}

std::size_t banned(const std::string& path, const std::string& code) {
  return banned_words({path, code}).size();
}

std::size_t sql(const std::string& path, const std::string& code) {
  return sql_outside_the_catalogue({path, code}).size();
}

TEST(Text, comments_and_literals_are_not_code) {
  const Parts parts = take_apart("a // b\n/* c\nd */ e \"f\\\"g\" 'h' 1'000 R\"x(i\")x\" j");
  EXPECT_EQ(parts.code, "a     \n    \n     e            1'000 R         j");
  ASSERT_EQ(parts.literals.size(), 2U);
  EXPECT_EQ(parts.literals[0].text, "f\\\"g");
  EXPECT_EQ(parts.literals[0].line, 3U);
  EXPECT_EQ(parts.literals[1].text, "i\"");
}

TEST(Text, an_unclosed_literal_or_comment_ends_with_its_line_or_file) {
  EXPECT_EQ(take_apart("\"a\nb").code, "  \nb");
  EXPECT_EQ(take_apart("/* a").code, "    ");
  EXPECT_EQ(take_apart("R\"(a").code, "R   ");
  EXPECT_EQ(take_apart("\"a\\").code, "   ");
}

TEST(Text, a_word_is_found_only_whole) {
  EXPECT_EQ(find_word("time mtime time_us (time)", "time").size(), 2U);
}

TEST(Text, a_star_stands_for_any_characters) {
  EXPECT_TRUE(matches("a/*_test.cpp", "a/b/c_test.cpp"));
  EXPECT_TRUE(matches("a", "a"));
  EXPECT_FALSE(matches("a/*", "b/a/"));
  EXPECT_FALSE(matches("*.hpp", "a.hpp.cpp"));
}

TEST(Includes, the_model_sees_only_itself_and_the_standard_library) {
  EXPECT_TRUE(includes("model/a.cpp", "#include \"model/b.hpp\"").empty());
  EXPECT_TRUE(includes("model/a.cpp", "#include <vector>").empty());
  EXPECT_EQ(includes("model/a.cpp", "#include \"engine/engine.hpp\"").size(), 1U);
  EXPECT_EQ(includes("model/a.cpp", "#include <sqlite3.h>").size(), 1U);
  EXPECT_EQ(includes("model/a.cpp", "#include <nlohmann/json.hpp>").size(), 1U);
  EXPECT_EQ(includes("model/a.cpp", "#include <time.h>").size(), 1U);
}

TEST(Includes, the_engine_does_not_see_the_rules_of_the_model) {
  EXPECT_TRUE(includes("engine/engine.cpp", "#include \"model/vocabulary.hpp\"").empty());
  EXPECT_EQ(includes("engine/engine.cpp", "#include \"model/step.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/engine_test.cpp", "#include \"model/step.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/engine.cpp", "#include \"faults/plan.hpp\"").size(), 1U);
  EXPECT_TRUE(includes("engine/engine_test.cpp", "#include \"faults/plan.hpp\"").empty());
  EXPECT_EQ(includes("engine/engine.cpp", "#include \"properties/sut.hpp\"").size(), 1U);
}

TEST(Includes, the_layers_of_the_engine_look_down_only) {
  EXPECT_TRUE(includes("engine/store/a.cpp", "#include \"engine/sqlite/b.hpp\"").empty());
  EXPECT_TRUE(includes("engine/engine.cpp", "#include \"engine/scheduler/b.hpp\"").empty());
  EXPECT_EQ(includes("engine/values/a.cpp", "#include \"engine/sqlite/b.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/sqlite/a.cpp", "#include \"engine/store/b.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/store/a.cpp", "#include \"engine/engine.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/effects/a.cpp", "#include \"engine/scheduler/b.hpp\"").size(), 1U);
  EXPECT_EQ(includes("engine/scheduler/a.cpp", "#include \"engine/effects/b.hpp\"").size(), 1U);
}

TEST(Includes, test_libraries_stay_in_tests) {
  EXPECT_TRUE(includes("properties/a_test.cpp", "#include <gtest/gtest.h>").empty());
  EXPECT_TRUE(includes("engine/fixture_test.hpp", "#include <gtest/gtest.h>").empty());
  EXPECT_TRUE(includes("engine/store/a_test.cpp", "#include \"engine/fixture_test.hpp\"").empty());
  EXPECT_EQ(includes("engine/store/a.cpp", "#include \"engine/fixture_test.hpp\"").size(), 1U);
  EXPECT_EQ(includes("properties/a.cpp", "#include <gtest/gtest.h>").size(), 1U);
  EXPECT_EQ(includes("engine/a.cpp", "#include <rapidcheck.h>").size(), 1U);
  EXPECT_EQ(includes("bench/a.cpp", "#include <gtest/gtest.h>").size(), 1U);
}

TEST(Includes, rapidcheck_does_not_leave_its_folder_through_a_header) {
  const Files properties{{"properties/a.hpp", "#include \"properties/b.hpp\"\n"},
                         {"properties/b.hpp", "#include <rapidcheck/Gen.h>\n"},
                         {"properties/c.cpp", "#include \"properties/a.hpp\"\n"}};
  EXPECT_TRUE(rapidcheck_leaking_out(properties).empty());
  Files with_leak = properties;
  with_leak.push_back({"scenarios/d.cpp", "\n#include \"properties/a.hpp\"\n"});
  const Findings findings = rapidcheck_leaking_out(with_leak);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "scenarios/d.cpp");
  EXPECT_EQ(findings[0].line, 2U);
}

TEST(Includes, the_network_is_reached_from_the_lab_alone) {
  EXPECT_TRUE(includes("scenarios/lab/a.cpp", "#include <curl/curl.h>").empty());
  EXPECT_EQ(includes("scenarios/cli/a.cpp", "#include <curl/curl.h>").size(), 1U);
  EXPECT_EQ(includes("engine/a.cpp", "#include <curl/curl.h>").size(), 1U);
  EXPECT_TRUE(includes("scenarios/lab/a_test.cpp", "#include <httplib.h>").empty());
  EXPECT_EQ(includes("scenarios/lab/a.cpp", "#include <httplib.h>").size(), 1U);
  EXPECT_EQ(includes("scenarios/lab/a.cpp", "#include <CLI/CLI.hpp>").size(), 1U);
}

TEST(Includes, json_starts_at_the_scenarios) {
  EXPECT_TRUE(includes("scenarios/a.cpp", "#include <nlohmann/json.hpp>").empty());
  EXPECT_EQ(includes("properties/a.cpp", "#include <nlohmann/json.hpp>").size(), 1U);
  EXPECT_EQ(includes("engine/a.cpp", "#include <nlohmann/json.hpp>").size(), 1U);
}

TEST(Includes, the_reports_see_none_of_the_other_folders) {
  EXPECT_TRUE(includes("reports/a.cpp", "#include <nlohmann/json.hpp>").empty());
  EXPECT_EQ(includes("reports/a.cpp", "#include \"model/vocabulary.hpp\"").size(), 1U);
}

TEST(Includes, the_bench_does_not_see_the_codec) {
  EXPECT_TRUE(includes("bench/a.cpp", "#include \"properties/sut.hpp\"").empty());
  EXPECT_EQ(includes("bench/a.cpp", "#include \"scenarios/codec.hpp\"").size(), 1U);
}

TEST(Includes, our_headers_are_quoted_and_spelled_from_the_root) {
  EXPECT_EQ(includes("model/a.cpp", "#include \"b.hpp\"").size(), 1U);
  EXPECT_EQ(includes("model/a.cpp", "#include \"../model/b.hpp\"").size(), 1U);
  EXPECT_EQ(includes("model/a.cpp", "#include <model/b.hpp>").size(), 1U);
  EXPECT_EQ(includes("engine/a.cpp", "#include \"tl/expected.hpp\"").size(), 1U);
}

TEST(Includes, a_finding_names_the_line) {
  const Findings findings =
      forbidden_includes({"model/a.cpp", "// x\n\n  #  include \"engine/b.hpp\"\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 3U);
}

TEST(Includes, a_commented_include_does_not_count) {
  EXPECT_TRUE(includes("model/a.cpp", "// #include \"engine/b.hpp\"").empty());
  EXPECT_TRUE(includes("model/a.cpp", "/* #include \"engine/b.hpp\" */").empty());
}

TEST(Includes, a_file_outside_the_folders_is_reported) {
  EXPECT_EQ(includes("lib/a.cpp", "").size(), 1U);
}

TEST(Cycles, a_cycle_is_reported_once_with_its_chain) {
  const Findings findings = include_cycles({{"model/a.hpp", "#include \"model/b.hpp\"\n"},
                                            {"model/b.hpp", "\n#include \"model/c.hpp\"\n"},
                                            {"model/c.hpp", "\n\n#include \"model/a.hpp\"\n"}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "model/c.hpp");
  EXPECT_EQ(findings[0].line, 3U);
  EXPECT_EQ(findings[0].why,
            "include cycle: model/a.hpp > model/b.hpp > model/c.hpp > model/a.hpp");
}

TEST(Cycles, a_diamond_is_no_cycle) {
  EXPECT_TRUE(include_cycles({{"a.hpp", "#include \"b.hpp\"\n#include \"c.hpp\"\n"},
                              {"b.hpp", "#include \"d.hpp\"\n"},
                              {"c.hpp", "#include \"d.hpp\"\n"}})
                  .empty());
}

TEST(Words, a_wall_clock_stands_only_behind_the_seam) {
  EXPECT_EQ(banned("engine/store/a.cpp", "std::chrono::system_clock::now()"), 1U);
  EXPECT_EQ(banned("model/a.cpp", "std::time(nullptr)"), 1U);
  EXPECT_EQ(banned("properties/a.cpp", "steady_clock::now()"), 1U);
  EXPECT_EQ(banned("scenarios/a.cpp", "clock_gettime(CLOCK_MONOTONIC, &t)"), 1U);
  EXPECT_EQ(banned("engine/scheduler/system_clock.cpp", "std::chrono::system_clock::now()"), 0U);
}

TEST(Words, a_name_that_only_contains_the_word_passes) {
  EXPECT_EQ(banned("model/a.cpp", "run_time(1); int time = 0; x.time(); y->time();"), 0U);
  EXPECT_EQ(banned("model/a.cpp", "// system_clock\nauto s = \"system_clock\";"), 0U);
}

TEST(Words, chance_comes_from_the_seed) {
  EXPECT_EQ(banned("properties/a.cpp", "std::random_device device;"), 1U);
  EXPECT_EQ(banned("scenarios/a.cpp", "rand() + std::rand()"), 2U);
  EXPECT_EQ(banned("engine/scheduler/a.cpp", "std::random_device device;"), 1U);
}

TEST(Words, a_test_does_not_sleep) {
  EXPECT_EQ(banned("engine/a_test.cpp", "std::this_thread::sleep_for(1s);"), 1U);
  EXPECT_EQ(banned("scenarios/a_test.cpp", "usleep(5); ::sleep(1);"), 2U);
  EXPECT_EQ(banned("engine/scheduler/a.cpp", "std::this_thread::sleep_for(1s);"), 0U);
}

TEST(Words, threads_live_in_the_scheduler) {
  EXPECT_EQ(banned("engine/store/a.cpp", "std::thread t;"), 1U);
  EXPECT_EQ(banned("engine/scheduler/a.cpp", "std::thread t;"), 0U);
}

TEST(Words, an_assertion_that_vanishes_is_reported) {
  EXPECT_EQ(banned("engine/a.cpp", "assert(x);"), 1U);
  EXPECT_EQ(banned("engine/a.cpp", "static_assert(x);"), 0U);
}

TEST(Sql, a_statement_outside_the_catalogue_is_reported) {
  for (const char* text :
       {"SELECT 1", "select a\\n from b", "INSERT INTO ops VALUES (1)", "insert or ignore into x",
        "UPDATE ops SET status = 1", "DELETE FROM ops", "CREATE TABLE x (y)", "DROP TABLE x",
        "ALTER TABLE x ADD y", "EXPLAIN QUERY PLAN x", "WITH RECURSIVE t AS (x)"}) {
    const std::string code = "auto s = \"" + std::string(text) + "\";";
    EXPECT_EQ(sql("properties/a.cpp", code), 1U) << text;
    EXPECT_EQ(sql("engine/scheduler/a.cpp", code), 1U) << text;
    EXPECT_EQ(sql("engine/store/catalog.hpp", code), 0U) << text;
    EXPECT_EQ(sql("engine/store/a_test.cpp", code), 0U) << text;
  }
}

TEST(Sql, a_raw_literal_over_several_lines_is_one_statement) {
  EXPECT_EQ(sql("engine/engine.cpp", "auto s = R\"(\n  UPDATE ops\n     SET a = 1)\";"), 1U);
}

TEST(Sql, prose_is_no_statement) {
  EXPECT_EQ(sql("scenarios/a.cpp", "\"update the row\" \"selected from\" \"a set of selects\""),
            0U);
}

TEST(Shape, columns_are_characters_and_the_limit_is_inclusive) {
  std::string arrows;
  for (std::size_t i = 0; i < longest_line; ++i) arrows += "→";
  EXPECT_TRUE(long_lines({"a.cpp", arrows}).empty());
  const Findings findings = long_lines({"a.cpp", "\n" + arrows + "x\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 2U);
}

TEST(Shape, a_trace_quoted_in_a_test_may_run_over) {
  const std::string wide(longest_line, 'x');
  const std::string quoted = "f(R\"(a\n" + wide + "y)\");\n" + wide + "z\n";
  const Findings in_test = long_lines({"a_test.cpp", quoted});
  ASSERT_EQ(in_test.size(), 1U);
  EXPECT_EQ(in_test[0].line, 3U);
  EXPECT_EQ(long_lines({"a.cpp", quoted}).size(), 2U);
}

TEST(Shape, a_new_file_may_not_be_long_and_an_old_one_may_not_grow) {
  const SourceFile ok{"a.cpp", std::string(longest_file, '\n')};
  const SourceFile big{"b.cpp", std::string(longest_file + 10, '\n')};
  EXPECT_TRUE(long_files({ok}, {}).empty());
  EXPECT_EQ(long_files({ok, big}, {}).size(), 1U);
  EXPECT_TRUE(long_files({big}, {{"b.cpp", longest_file + 10}}).empty());
  EXPECT_EQ(long_files({big}, {{"b.cpp", longest_file + 9}}).size(), 1U);
}

TEST(Shape, a_ratchet_row_that_is_no_longer_needed_must_go) {
  EXPECT_EQ(long_files({{"b.cpp", "\n"}}, {{"b.cpp", 500}}).size(), 1U);
  EXPECT_EQ(long_files({}, {{"gone.cpp", 500}}).size(), 1U);
}

TEST(Shape, headers_and_tests_open_with_a_promise) {
  EXPECT_TRUE(missing_promise({"a.hpp", "// Promise.\n#pragma once\n"}).empty());
  EXPECT_EQ(missing_promise({"a.hpp", "#pragma once\n"}).size(), 2U);
  EXPECT_EQ(missing_promise({"a.hpp", "// Promise.\nint x;\n"}).size(), 1U);
  EXPECT_EQ(missing_promise({"a_test.cpp", "#include <vector>\n"}).size(), 1U);
  EXPECT_TRUE(missing_promise({"a.cpp", "#include <vector>\n"}).empty());
}

TEST(Shape, a_name_without_a_subject_is_reported) {
  EXPECT_EQ(shapeless_name("engine/util/a.cpp").size(), 1U);
  EXPECT_EQ(shapeless_name("engine/helpers.hpp").size(), 1U);
  EXPECT_EQ(shapeless_name("engine/store/lease_manager.cpp").size(), 1U);
  EXPECT_TRUE(shapeless_name("engine/store/commonality.cpp").empty());
}

TEST(Shape, what_git_ignores_is_listed_without_slashes_and_comments) {
  EXPECT_EQ(ignored_names("build/\n\n# made\nlab.sqlite*"),
            (std::vector<std::string>{"build", "lab.sqlite*"}));
}

TEST(Shape, the_top_level_holds_the_listed_names_only) {
  EXPECT_TRUE(unknown_top_level({"engine", "README.md", ".git", "leaseproof"}).empty());
  EXPECT_EQ(unknown_top_level({"engine", "scripts", "Makefile"}).size(), 2U);
}

TEST(Shape, each_folder_has_its_page) {
  EXPECT_EQ(folders_without_readme({"engine/a.cpp"}).size(), 1U);
  EXPECT_TRUE(folders_without_readme({"engine/a.cpp", "engine/README.md"}).empty());
}

TEST(Build, a_source_that_no_list_names_is_reported) {
  const Files sources{{"engine/store/a.cpp", ""}, {"engine/store/a.hpp", ""}};
  EXPECT_TRUE(
      sources_outside_the_build(sources, {{"engine/CMakeLists.txt", "x(store/a.cpp)"}}).empty());
  EXPECT_TRUE(sources_outside_the_build(sources, {{"engine/store/CMakeLists.txt", "x(a.cpp\n b)"}})
                  .empty());
  for (const SourceFile& list : Files{{"engine/CMakeLists.txt", "x(a.cpp)"},
                                      {"engine/CMakeLists.txt", "# store/a.cpp"},
                                      {"engine/CMakeLists.txt", "x(store/aa.cpp store/a.cpp.in)"},
                                      {"model/CMakeLists.txt", "x(store/a.cpp)"}}) {
    EXPECT_EQ(sources_outside_the_build(sources, {list}).size(), 1U) << list.text;
  }
}

TEST(Build, a_case_in_a_folder_that_no_test_walks_is_reported) {
  const std::vector<std::string> paths{"scenarios/corpus/a.json", "scenarios/corpus/b.json"};
  const std::string walk = "for (auto& e : fs::directory_iterator(root / \"scenarios/corpus\"))";
  EXPECT_TRUE(cases_that_no_test_scans(paths, {{"scenarios/corpus_test.cpp", walk}}).empty());
  EXPECT_EQ(cases_that_no_test_scans(paths, {{"scenarios/corpus_test.cpp", "// " + walk}}).size(),
            1U);
  EXPECT_EQ(cases_that_no_test_scans(paths, {{"model/corpus_test.cpp", walk}}).size(), 1U);
  EXPECT_EQ(
      cases_that_no_test_scans({"scenarios/old/a.json"}, {{"scenarios/a_test.cpp", walk}}).size(),
      1U);
}

TEST(Build, a_fault_point_stands_once) {
  const SourceFile once{"engine/a.cpp", "hit(Place::begin); // Place::begin"};
  const SourceFile twice{"engine/b.cpp", "hit(faults::Place::begin);"};
  EXPECT_TRUE(words_not_standing_once({"Place::begin"}, {once}, "engine").empty());
  EXPECT_EQ(words_not_standing_once({"Place::begin"}, {once, twice}, "engine").size(), 1U);
  EXPECT_EQ(words_not_standing_once({"Place::commit"}, {once}, "engine").size(), 1U);
}

}  // namespace
}  // namespace leaseproof::properties::tidy
