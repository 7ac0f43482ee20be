// Checks the shapes of what is written: XML that xmllint takes, whatever names hold, what JUnit
// counts, where mutants stand in their statements, and that the same results give the same bytes.
// Where figures come from is for traceable_test.cpp.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "reports/elements_test.hpp"
#include "reports/escape.hpp"
#include "reports/markup.hpp"
#include "reports/results_folder_test.hpp"
#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

constexpr const char* nasty = "a<b>&\"'</td></svg></style>]]>--> \x02\n|`";

std::map<std::string, Json> nasty_results() {
  std::map<std::string, Json> all = sample::green();
  all["check"] = sample::broken_check(nasty);
  all["mutants"]["mutants"][0]["name"] = nasty;
  all["mutants"]["mutants"][0]["end"] = "survived";
  all["explore"]["worlds"][0]["world"] = nasty;
  all["explore"]["worlds"][0]["complete"] = false;
  all["bench"]["benchmarks"][0]["name"] = nasty;
  all["crash"]["points"][nasty] = all["crash"]["points"]["vfs/write wal"];
  return all;
}

std::map<std::string, std::string> files_for(const std::map<std::string, Json>& documents) {
  const std::vector<Source> sources = sample::sources(documents);
  std::map<std::string, std::string> files;
  for (auto& [name, text] : files_of(make_report(sources))) files[name] = text;
  return files;
}

bool is_well_formed(const std::string& xml) {
  const ResultsFolder folder;
  folder.write("it.xml", xml);
  const std::string command =
      "xmllint --noout --nonet '" + (folder.path() / "it.xml").string() + "' 2>/dev/null";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 127) << "xmllint is missing";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Formats, xmllint_refuses_what_is_not_well_formed) {
  EXPECT_TRUE(is_well_formed("<a><b/></a>"));
  EXPECT_FALSE(is_well_formed("<a><b></a>"));
}

TEST(Formats, the_page_explains_pictures_where_there_is_one) {
  const auto explains = [](const std::map<std::string, Json>& documents) {
    return files_for(documents).at("report.html").find("Time runs down") != std::string::npos;
  };
  std::map<std::string, Json> all = sample::green();
  EXPECT_FALSE(explains(all));
  all["stress"]["violation"] = {{"invariant", "full_overlap"}, {"why", "one at a time"}};
  EXPECT_FALSE(explains(all));
  all["check"] = sample::broken_check("an invariant");
  EXPECT_TRUE(explains(all));
}

TEST(Formats, the_page_and_junit_are_well_formed_whatever_names_hold) {
  for (const auto& documents : {sample::green(), nasty_results()}) {
    const auto files = files_for(documents);
    EXPECT_TRUE(is_well_formed(files.at("report.html")));
    EXPECT_TRUE(is_well_formed(files.at("junit.xml")));
  }
}

TEST(Formats, the_page_holds_no_element_that_a_name_brought_and_fetches_nothing) {
  const std::string page = files_for(nasty_results()).at("report.html");
  for (const Element& one : elements_of(page)) {
    EXPECT_NE(one.name, "b>") << one.text;
    EXPECT_TRUE(one.name != "script" && one.name != "img" && one.name != "link" &&
                one.name != "iframe")
        << one.name;
    for (const auto& [key, value] : one.attributes) {
      EXPECT_TRUE(key != "src" && key != "href" && !key.starts_with("on")) << key;
    }
  }
  EXPECT_EQ(page.find("url("), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
}

std::size_t count_of_elements(const std::string& xml, const std::string& name) {
  std::size_t count = 0;
  for (const Element& one : elements_of(xml)) count += one.name == name ? 1 : 0;
  return count;
}

TEST(Formats, junit_counts_what_it_holds) {
  for (const auto& documents : {sample::green(), nasty_results()}) {
    const std::string xml = files_for(documents).at("junit.xml");
    const Element all = elements_of(xml).back();
    ASSERT_EQ(all.name, "testsuites");
    EXPECT_EQ(all.attributes.at("tests"), std::to_string(count_of_elements(xml, "testcase")));
    EXPECT_EQ(all.attributes.at("failures"), std::to_string(count_of_elements(xml, "failure")));
    EXPECT_EQ(all.attributes.at("skipped"), std::to_string(count_of_elements(xml, "skipped")));
  }
}

TEST(Formats, junit_fails_what_was_found_and_skips_what_came_to_no_verdict) {
  std::string xml = files_for(sample::green()).at("junit.xml");
  EXPECT_EQ(count_of_elements(xml, "failure"), 0U);
  // An equivalent mutant, and a benchmark that the baseline does not know.
  EXPECT_EQ(count_of_elements(xml, "skipped"), 2U);
  xml = files_for(nasty_results()).at("junit.xml");
  // Two rules, the run, its invariant, the mutant.
  EXPECT_EQ(count_of_elements(xml, "failure"), 5U);
}

// As a viewer would show it: the text with the replacement in place.
std::string with_mutant(const std::string& source, const Json& mutant) {
  const auto offset = [&](const Json& position) {
    std::size_t at = 0;
    for (int line = 1; line < position["line"]; ++line) at = source.find('\n', at) + 1;
    return at + position["column"].get<std::size_t>() - 1;
  };
  const std::size_t begin = offset(mutant["location"]["start"]);
  const std::size_t end = offset(mutant["location"]["end"]);
  return source.substr(0, begin) + mutant["replacement"].get<std::string>() + source.substr(end);
}

TEST(Formats, a_mutant_stands_where_it_changes_its_statement) {
  const Json report = Json::parse(files_for(sample::green()).at("mutation.json"));
  EXPECT_EQ(report["schemaVersion"], "1.0");
  const Json& file = report["files"]["statements/own_to_complete.sql"];
  EXPECT_EQ(file["source"], sample::statement());
  std::map<std::string, std::string> status;
  for (const Json& mutant : file["mutants"]) {
    EXPECT_EQ(with_mutant(file["source"], mutant), "drop the lease\nif op = ?1");
    EXPECT_EQ(mutant["location"]["start"]["line"], 2);
    status[mutant["id"]] = mutant["status"];
  }
  EXPECT_EQ(status["completion_without_ownership"], "Killed");
  EXPECT_EQ(status["own_to_complete/drop/2"], "Killed");
  EXPECT_EQ(status["own_to_complete/drop/1"], "Ignored");
}

TEST(Formats, a_mutant_that_survived_anywhere_survived) {
  for (const char* survivor : {"gate", "another"}) {
    std::map<std::string, Json> all = sample::green();
    all["another"] = sample::gate();
    all[survivor]["phases"]["mutants"]["planted"]["mutants"]["completion_without_ownership"] =
        sample::planted(false);
    const Json report = Json::parse(files_for(all).at("mutation.json"));
    for (const Json& mutant : report["files"]["statements/own_to_complete.sql"]["mutants"]) {
      if (mutant["id"] != "completion_without_ownership") continue;
      EXPECT_EQ(mutant["status"], "Survived");
    }
  }
}

TEST(Formats, a_bug_that_changes_no_statement_has_a_line_of_its_own) {
  std::map<std::string, Json> all = sample::green();
  Json& one = all["mutants"]["mutants"][0];
  one.update({{"kind", "storage"}, {"statement", nullptr}, {"mutated", nullptr}});
  const Json report = Json::parse(files_for(all).at("mutation.json"));
  const Json& file = report["files"]["storage.txt"];
  EXPECT_EQ(file["source"], "token = ?2 -> 1\n");
  EXPECT_EQ(file["mutants"][0]["location"]["end"]["column"], 16);
}

TEST(Formats, the_same_results_give_the_same_bytes) {
  EXPECT_EQ(files_for(nasty_results()), files_for(nasty_results()));
}

TEST(Markdown, ends_no_cell_and_begins_nothing) {
  EXPECT_EQ(markdown_text("a|b\nc"), "a\\|b c");
  EXPECT_EQ(markdown_text("<b> *x* _y_ `z` [l](u) & $m$ ~"),
            "\\<b\\> \\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) \\& \\$m\\$ \\~");
  EXPECT_EQ(markdown_text("# head"), "\\# head");
  EXPECT_EQ(markdown_text("12. item"), "12\\. item");
  EXPECT_EQ(markdown_text("1.5 s"), "1\\.5 s");
  EXPECT_EQ(markdown_text("a-b #c 1.5"), "a-b #c 1.5");
}

TEST(Markup, escapes_texts_and_replaces_what_xml_cannot_hold) {
  EXPECT_EQ(xml_text("<a b=\"c\" d='e'>&\n\x01\xEF\xBF\xBF\x7F."),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp; \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD.");
}

TEST(Markup, breaks_lines_at_spaces_and_long_words_anywhere) {
  EXPECT_EQ(broken("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(broken("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(broken("µµµµ", 2), (std::vector<std::string>{"µµ", "µµ"}));
  EXPECT_TRUE(broken("", 5).empty());
}

TEST(Pointer, is_written_as_a_fragment_and_read_back) {
  EXPECT_EQ(stair("a/b~c"), "a~1b~0c");
  EXPECT_EQ(last_key("/x/a~1b~0c"), "a/b~c");
  EXPECT_EQ(last_key(""), "");
  EXPECT_EQ(fragment("/vfs~1write wal/µ\"%"), "/vfs~1write%20wal/%C2%B5%22%25");
}

}  // namespace
}  // namespace leaseproof::reports
