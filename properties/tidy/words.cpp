#include <array>
#include <cctype>

#include "properties/tidy/rules.hpp"
#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

enum class Form { name, call };

struct Banned {
  std::string_view word;
  Form form;
  std::vector<std::string_view> where;
  std::vector<std::string_view> except;
  std::string_view why;
};

const std::vector<Banned>& banned_words() {
  // Where the world is let in. A new entry here is a new seam, and ARCHITECTURE 6 names them all.
  static const std::vector<std::string_view> clocks{
      "engine/scheduler/*clock*", "scenarios/cli/stopwatch.*", "bench/stopwatch.*"};
  static const std::vector<std::string_view> ids{"engine/values/id_source.cpp"};
  static const std::vector<std::string_view> everywhere{"*"};
  static const std::vector<std::string_view> no_sleep{"*_test.cpp", "model/*", "properties/*",
                                                      "faults/*"};
  static const std::vector<std::string_view> no_thread{"model/*", "engine/*"};
  static const std::vector<std::string_view> threads{"engine/scheduler/*", "*_test.cpp"};
  constexpr std::string_view clock = "reads a wall clock: time comes in through the clock seam";
  constexpr std::string_view chance = "draws its own chance: a run must follow from its seed";
  constexpr std::string_view sleep = "sleeps: a test that waits is slow or flaky";
  constexpr std::string_view thread = "threads and loops live in engine/scheduler alone";
  static const std::vector<Banned> rows{
      {"system_clock", Form::name, everywhere, clocks, clock},
      {"steady_clock", Form::name, everywhere, clocks, clock},
      {"high_resolution_clock", Form::name, everywhere, clocks, clock},
      {"clock_gettime", Form::name, everywhere, clocks, clock},
      {"gettimeofday", Form::name, everywhere, clocks, clock},
      {"time", Form::call, everywhere, clocks, clock},
      {"std::clock", Form::name, everywhere, clocks, clock},
      {"random_device", Form::name, everywhere, ids, chance},
      {"RAND_bytes", Form::name, everywhere, ids, chance},
      {"getrandom", Form::name, everywhere, ids, chance},
      {"rand", Form::call, everywhere, {}, chance},
      {"srand", Form::call, everywhere, {}, chance},
      {"sleep_for", Form::name, no_sleep, {}, sleep},
      {"sleep_until", Form::name, no_sleep, {}, sleep},
      {"usleep", Form::call, no_sleep, {}, sleep},
      {"nanosleep", Form::call, no_sleep, {}, sleep},
      {"sleep", Form::call, no_sleep, {}, sleep},
      {"std::thread", Form::name, no_thread, threads, thread},
      {"std::jthread", Form::name, no_thread, threads, thread},
      {"std::async", Form::name, no_thread, threads, thread},
      {"assert", Form::call, everywhere, {}, "can be compiled out: use LP_CHECK"},
  };
  return rows;
}

// A call of a free function: `x.time()` and `x->time()` are somebody's own.
bool is_free_call(std::string_view code, std::size_t at, std::size_t size) {
  const std::size_t next = code.find_first_not_of(" \n", at + size);
  if (next == std::string_view::npos || code[next] != '(') return false;
  if (at >= 1 && code[at - 1] == '.') return false;
  return at < 2 || code.substr(at - 2, 2) != "->";
}

std::string lower_case_words(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) == 0) {
      words += static_cast<char>(std::tolower(byte));
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

bool begins_a_statement(const std::string& words) {
  static constexpr std::array<std::string_view, 15> phrases{
      "insert into ",  "insert or ",   "delete from ",   "replace into ",      "create table ",
      "create index ", "create view ", "create unique ", "create trigger ",    "drop table ",
      "drop index ",   "alter table ", "explain query ", "create temp table ", "with recursive "};
  for (const std::string_view phrase : phrases) {
    if (!find_word(words, phrase.substr(0, phrase.size() - 1)).empty()) return true;
  }
  const auto select = find_word(words, "select");
  if (!select.empty() && (select.front() == 0 || !find_word(words, "from").empty())) return true;
  return words.starts_with("update ") && !find_word(words, "set").empty();
}

}  // namespace

Findings banned_words(const SourceFile& file) {
  const std::string code = take_apart(file.text).code;
  Findings findings;
  for (const Banned& row : banned_words()) {
    if (!matches_any(row.where, file.path) || matches_any(row.except, file.path)) continue;
    for (const std::size_t at : find_word(code, row.word)) {
      if (row.form == Form::call && !is_free_call(code, at, row.word.size())) continue;
      findings.push_back(
          {file.path, line_at(code, at), std::string(row.word) + " " + std::string(row.why)});
    }
  }
  return findings;
}

Findings sql_outside_the_catalogue(const SourceFile& file) {
  // Mutants are edits of the catalogue, and an edit has to quote what it replaces.
  static const std::vector<std::string_view> allowed{"engine/effects/*catalog*",
                                                     "engine/store/*catalog*",
                                                     "engine/store/*schema*",
                                                     "engine/store/*migrat*",
                                                     "properties/mutants*",
                                                     "properties/tidy/words.cpp",
                                                     "*_test.cpp"};
  Findings findings;
  if (matches_any(allowed, file.path)) return findings;
  for (const Literal& literal : take_apart(file.text).literals) {
    if (begins_a_statement(lower_case_words(literal.text))) {
      findings.push_back({file.path, literal.line, "SQL outside the catalogue of statements"});
    }
  }
  return findings;
}

}  // namespace leaseproof::properties::tidy
