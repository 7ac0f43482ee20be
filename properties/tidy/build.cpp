#include <algorithm>
#include <set>

#include "properties/tidy/rules.hpp"
#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string without_comments(const std::string& cmake) {
  std::string code;
  for (const std::string_view line : lines_of(cmake)) {
    code += line.substr(0, line.find('#'));
    code += '\n';
  }
  return code;
}

// A file name is a word that may hold the characters of a path: `a.cpp` is not in `b/a.cpp`.
bool names_file(std::string_view cmake, std::string_view file) {
  constexpr std::string_view around = " \t\n()\";";
  for (std::size_t at = cmake.find(file); at != std::string_view::npos;
       at = cmake.find(file, at + 1)) {
    const std::size_t end = at + file.size();
    const bool begins = at == 0 || around.find(cmake[at - 1]) != std::string_view::npos;
    const bool ends = end == cmake.size() || around.find(cmake[end]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

bool scans(const SourceFile& test, const std::string& folder) {
  const Parts parts = take_apart(test.text);
  const bool walks = !find_word(parts.code, "directory_iterator").empty() ||
                     !find_word(parts.code, "recursive_directory_iterator").empty();
  return walks && std::any_of(parts.literals.begin(), parts.literals.end(), [&](const Literal& l) {
           return l.text.find(folder) != std::string::npos;
         });
}

}  // namespace

Findings sources_outside_the_build(const Files& sources, const Files& cmake_lists) {
  Findings findings;
  for (const SourceFile& source : sources) {
    if (!matches("*.cpp", source.path)) continue;
    const bool named =
        std::any_of(cmake_lists.begin(), cmake_lists.end(), [&](const SourceFile& list) {
          const std::string folder = folder_of(list.path);
          return source.path.starts_with(folder) &&
                 names_file(without_comments(list.text), source.path.substr(folder.size()));
        });
    if (!named) findings.push_back({source.path, 1, "is named by no CMakeLists.txt above it"});
  }
  return findings;
}

Findings cases_that_no_test_scans(const std::vector<std::string>& paths, const Files& tests) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (matches("scenarios/*.json", path)) folders.insert(folder_of(path));
  }
  Findings findings;
  for (const std::string& folder : folders) {
    const std::string name = folder.substr(0, folder.size() - 1);
    const bool scanned = std::any_of(tests.begin(), tests.end(), [&](const SourceFile& test) {
      return matches("scenarios/*_test.cpp", test.path) && scans(test, name);
    });
    if (!scanned) findings.push_back({name, 1, "holds cases, but no test walks through it"});
  }
  return findings;
}

Findings words_not_standing_once(const std::vector<std::string>& words, const Files& files,
                                 std::string_view where) {
  Findings findings;
  for (const std::string& word : words) {
    Findings seen;
    for (const SourceFile& file : files) {
      const std::string code = take_apart(file.text).code;
      for (const std::size_t at : find_word(code, word)) {
        seen.push_back({file.path, line_at(code, at), word + " stands here as well"});
      }
    }
    if (seen.empty()) findings.push_back({std::string(where), 1, word + " stands nowhere"});
    if (seen.size() > 1) findings.insert(findings.end(), seen.begin() + 1, seen.end());
  }
  return findings;
}

}  // namespace leaseproof::properties::tidy
