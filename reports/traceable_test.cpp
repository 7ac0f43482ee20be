// Checks that each figure on a page, in Markdown and in report.json comes from where it says: its
// pointers are resolved in the results, the value is worked out again here, and no digit stands
// where no figure is. Whether a page looks right is not checked here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "reports/elements_test.hpp"
#include "reports/html.hpp"
#include "reports/markdown.hpp"
#include "reports/report_json.hpp"
#include "reports/sample_results_test.hpp"

namespace leaseproof::reports {
namespace {

bool has_digit(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What is the same on a page that breaks lines.
std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0 || c < 0x20; });
  return text;
}

std::int64_t whole(const Json& value) {
  return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<std::int64_t>();
}

// The value of a figure by its places alone.
Json worked_out(const std::string& by, const std::vector<Json>& values,
                const std::vector<std::string>& keys) {
  if (by == "itself" || by == "beside") return values.at(0);
  if (by == "key") return keys.at(0);
  if (by == "count") return values.size();
  if (by == "size") return values.at(0).size();
  std::int64_t sum = 0;
  for (const Json& value : values) {
    const std::int64_t number = whole(value);
    sum += by == "sum" ? number : number > 0 ? 1 : 0;
  }
  EXPECT_TRUE(by == "sum" || by == "positive") << by;
  return sum;
}

// Whether this is how the value is shown; a fraction may be rounded in its last place.
bool shows(const std::string& shown, const Json& value) {
  if (value.is_null()) return shown == "–";
  if (value.is_boolean()) return shown == (value.get<bool>() ? "yes" : "no");
  if (value.is_string()) return without_spaces(shown) == without_spaces(value.get<std::string>());
  if (!value.is_number_float()) return shown == value.dump();
  const std::size_t point = shown.find('.');
  double unit = 1;
  for (std::size_t i = point; i != std::string::npos && i + 1 < shown.size(); ++i) unit /= 10;
  return std::abs(std::strtod(shown.c_str(), nullptr) - value.get<double>()) <= 0.5001 * unit;
}

using Documents = std::map<std::string, Json>;

// A hostile name: of a worker, an op, a reason.
constexpr const char* hostile =
    "a1|<script>alert(1)</script>\"'&amp; `x` *y* ]]> --> \n# 9 [l](http://z) \x01\xEF\xBF\xBE $2$";

Documents red() {
  Documents all = sample::green();
  all["check"] = sample::broken_check(hostile);
  all["check"]["violation"]["replay_with"] = "leaseproof replay --sut '<b> 3'";
  all["check"]["violation"]["file"] = "no stale's 4.json";
  all["mutants"]["mutants"][0]["end"] = "survived";
  all["mutants"]["mutants"][0]["name"] = hostile;
  all["check"]["tally"]["goals"][hostile] = 0;
  all["check"]["tally"]["faults_fired"][hostile] = {{"crash", 2}};
  all["bench"]["benchmarks"][0]["name"] = hostile;
  all["bench"]["benchmarks"][0]["regressed"] = true;
  all["gate"]["phases_left_out"] = {hostile};
  return all;
}

std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

class Page {
 public:
  explicit Page(const Documents& documents)
      : sources_(sample::sources(documents)), report_(make_report(sources_)) {}

  [[nodiscard]] const Report& report() const { return report_; }

  [[nodiscard]] const Source& source(const std::string& id_or_file) const {
    const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const Source& one) {
      return one.id == id_or_file || one.file == id_or_file;
    });
    EXPECT_NE(found, sources_.end()) << id_or_file;
    return *found;
  }

  // By what stands in `data-from`.
  void expect_traced(const Element& one) const {
    std::istringstream from(one.attributes.at("data-from"));
    const auto by = one.attributes.find("data-by");
    std::vector<Json> values;
    std::vector<std::string> keys;
    std::string origin;
    std::string file;
    std::string folder;
    while (from >> origin) {
      const std::size_t hash = origin.find('#');
      const Source& where = source(origin.substr(0, hash));
      const std::string pointer = percent_decoded(origin.substr(hash + 1));
      ASSERT_TRUE(where.document.contains(Json::json_pointer(pointer))) << origin;
      values.push_back(where.document.at(Json::json_pointer(pointer)));
      keys.push_back(last_key(pointer));
      file = where.file;
      folder = where.folder;
    }
    const auto kept = one.attributes.find("data-whole");
    const std::string shown = kept == one.attributes.end() ? one.text : kept->second;
    expect_shown(shown, by == one.attributes.end() ? "itself" : by->second, values, keys, file,
                 folder);
  }

  static void expect_shown(const std::string& shown, const std::string& by,
                           const std::vector<Json>& values, const std::vector<std::string>& keys,
                           const std::string& file, const std::string& folder) {
    ASSERT_FALSE(values.empty()) << shown;
    if (by == "file") {
      EXPECT_EQ(shown, file);
      return;
    }
    const Json value = worked_out(by, values, keys);
    if (by == "beside") {
      // In a shell's quotes, where it needs them.
      std::string bare = shown;
      for (std::size_t at = bare.find("'\\''"); at != std::string::npos; at = bare.find("'\\''")) {
        bare.replace(at, 4, "\1");
      }
      std::erase(bare, '\'');
      std::replace(bare.begin(), bare.end(), '\1', '\'');
      EXPECT_EQ(bare, folder + "/" + value.get<std::string>());
      return;
    }
    EXPECT_TRUE(shows(printed(shown), printed(value))) << shown << " is not " << value << " " << by;
  }

 private:
  // What XML cannot hold is shown as a sign for that.
  static std::string printed(std::string text) {
    for (const char* sign : {"\xEF\xBF\xBD", "\xEF\xBF\xBE"}) {
      for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign)) {
        text.erase(at, 3);
      }
    }
    return text;
  }
  static Json printed(const Json& value) {
    return value.is_string() ? Json(printed(value.get<std::string>())) : value;
  }

  std::vector<Source> sources_;
  Report report_;
};

bool is_inside(const Element& one, const std::string& name) {
  return std::find(one.inside.begin(), one.inside.end(), name) != one.inside.end();
}

void expect_traceable_page(const Documents& documents) {
  const Page page(documents);
  const std::string text = html(page.report());
  std::size_t traced = 0;
  for (const Element& one : elements_of(text)) {
    if (one.attributes.contains("data-from")) {
      page.expect_traced(one);
      ++traced;
      continue;
    }
    // Heads of tables are names of ours, the scale of a plot is no figure.
    const bool ours = one.name == "style" || one.name == "th" || is_inside(one, "thead") ||
                      is_inside(one, "g") || one.name == "g";
    const bool leaf = one.name == "td" || one.name == "li" || one.name == "p" || one.name == "h1" ||
                      one.name == "h2" || one.name == "h3" || one.name == "pre" ||
                      one.name == "text" || one.name == "tspan" || one.name == "title";
    const bool of_a_figure = (one.name == "tspan" || one.name == "title") && is_inside(one, "text");
    if (ours || !leaf || of_a_figure) continue;
    EXPECT_FALSE(has_digit(one.bare)) << one.name << ": " << one.bare;
  }
  EXPECT_GT(traced, 100U);
}

TEST(Traceable, each_figure_of_a_green_page_stands_in_its_result) {
  expect_traceable_page(sample::green());
}

TEST(Traceable, each_figure_of_a_red_page_with_hostile_names_stands_in_its_result) {
  expect_traceable_page(red());
}

TEST(Traceable, a_page_that_is_forged_is_found_out) {
  const Page page(sample::green());
  Element forged{"span", {{"data-from", "B#/tally/steps"}}, {}, "130002", ""};
  EXPECT_FALSE(shows(forged.text, page.source("B").document["tally"]["steps"]));
  EXPECT_FALSE(shows("1.24", Json(1.25001)));
  EXPECT_TRUE(shows("1.25", Json(1.25001)));
}

// The figures of a text in report.json, and that nothing else in it has a digit.
void expect_traced_text(const Page& page, const Json& text) {
  std::string rest = text["text"];
  for (const Json& one : text["figures"]) {
    std::vector<Json> values;
    std::vector<std::string> keys;
    std::string file;
    std::string folder;
    for (const Json& from : one["from"]) {
      const Source& source = page.source(from["file"]);
      const std::string pointer = from["pointer"];
      values.push_back(source.document.at(Json::json_pointer(pointer)));
      keys.push_back(last_key(pointer));
      file = source.file;
      folder = source.folder;
    }
    const std::string shown = one["shown"];
    Page::expect_shown(shown, one["by"], values, keys, file, folder);
    const std::size_t at = rest.find(shown);
    ASSERT_NE(at, std::string::npos);
    rest.erase(at, shown.size());
  }
  EXPECT_FALSE(has_digit(rest)) << text;
}

void each_text(const Json& value, const std::function<void(const Json&)>& see) {
  if (value.is_object() && value.contains("figures")) {
    see(value);
  } else if (value.is_structured()) {
    for (const Json& one : value) each_text(one, see);
  }
}

TEST(Traceable, each_figure_of_report_json_stands_in_its_result) {
  for (const Documents& documents : {sample::green(), red()}) {
    const Page page(documents);
    std::size_t traced = 0;
    each_text(Json::parse(report_json(page.report())), [&](const Json& text) {
      expect_traced_text(page, text);
      ++traced;
    });
    EXPECT_GT(traced, 100U);
  }
}

// "a\|b" as it reads.
std::string read_markdown(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && line[i - 1] != '\\') {
      cells.push_back(read_markdown(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

TEST(Traceable, markdown_says_in_its_tables_what_report_json_says) {
  for (const Documents& documents : {sample::green(), red()}) {
    const Page page(documents);
    std::vector<std::vector<std::string>> told;
    const Json report = Json::parse(report_json(page.report()));
    for (const Json& table : report["tables"]) {
      for (const Json& row : table["rows"]) {
        std::vector<std::string>& cells = told.emplace_back();
        for (const Json& cell : row) cells.push_back(without_spaces(cell["text"]));
      }
    }
    std::istringstream lines(markdown(page.report()));
    std::string line;
    std::size_t next = 0;
    std::string before;
    bool in_body = false;
    while (std::getline(lines, line)) {
      const bool is_row = line.starts_with("|");
      if (is_row && in_body) {
        std::vector<std::string> cells = cells_of(line);
        for (std::string& cell : cells) cell = without_spaces(cell);
        ASSERT_LT(next, told.size());
        EXPECT_EQ(cells, told[next++]);
      }
      in_body = is_row && (in_body || line.starts_with("| ---"));
    }
    EXPECT_EQ(next, told.size());
  }
}

// Outside of tables: each sentence stands in report.json, whose texts were traced.
TEST(Traceable, markdown_says_in_its_lists_what_report_json_says) {
  const Page page(red());
  std::set<std::string> told;
  each_text(Json::parse(report_json(page.report())),
            [&](const Json& text) { told.insert(without_spaces(text["text"])); });
  std::istringstream lines(markdown(page.report()));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("|") || !has_digit(line)) continue;
    const std::string item = line.substr(std::min(line.find_first_not_of(" -`"), line.size()));
    const std::string said = without_spaces(read_markdown(item));
    const bool whole = std::any_of(told.begin(), told.end(), [&](const std::string& one) {
      return !one.empty() && said.find(one) != std::string::npos;
    });
    EXPECT_TRUE(whole) << line;
  }
}

}  // namespace
}  // namespace leaseproof::reports
