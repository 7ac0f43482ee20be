#include <algorithm>
#include <array>
#include <set>

#include "properties/tidy/rules.hpp"
#include "properties/tidy/text.hpp"

namespace leaseproof::properties::tidy {
namespace {

// A column is a character, not a byte: UTF-8 continuation bytes do not count.
std::size_t width(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string number(std::size_t n) { return std::to_string(n); }

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// A trace in a test is quoted as it would stand in a file; broken over lines it reads worse.
std::set<std::size_t> lines_of_quoted_traces(const SourceFile& file) {
  std::set<std::size_t> lines;
  if (!matches("*_test.cpp", file.path)) return lines;
  for (const Literal& literal : take_apart(file.text).literals) {
    if (!literal.raw) continue;
    for (std::size_t i = 0; i < lines_of(literal.text).size(); ++i) lines.insert(literal.line + i);
  }
  return lines;
}

constexpr std::array<std::string_view, 7> folders{"engine",    "model", "faults", "properties",
                                                  "scenarios", "bench", "reports"};

}  // namespace

Findings long_lines(const SourceFile& file) {
  const std::set<std::size_t> quoted = lines_of_quoted_traces(file);
  Findings findings;
  std::size_t at = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++at;
    if (width(line) > longest_line && !quoted.contains(at)) {
      findings.push_back(
          {file.path, at,
           number(width(line)) + " columns, " + number(longest_line) + " are allowed"});
    }
  }
  return findings;
}

Findings long_files(const Files& files, const Ratchet& ratchet) {
  Findings findings;
  std::set<std::string> used;
  for (const SourceFile& file : files) {
    const std::size_t length = lines_of(file.text).size();
    const auto entry = ratchet.find(file.path);
    const std::size_t allowed = entry == ratchet.end() ? longest_file : entry->second;
    if (length > longest_file) used.insert(file.path);
    if (length > allowed) {
      findings.push_back({file.path, allowed + 1,
                          number(length) + " lines, " + number(allowed) +
                              " are allowed: does it have two subjects?"});
    }
  }
  for (const auto& [path, length] : ratchet) {
    if (used.contains(path)) continue;
    findings.push_back({path, 1, "needs its place in the ratchet no more: remove the row"});
  }
  return findings;
}

Findings missing_promise(const SourceFile& file) {
  const bool header = matches("*.hpp", file.path);
  if (!header && !matches("*_test.cpp", file.path)) return {};
  Findings findings;
  if (!file.text.starts_with("//")) {
    findings.push_back({file.path, 1,
                        header ? "a header opens with its promise"
                               : "a test opens with what it checks, and what not"});
  }
  if (header && file.text.find("\n#pragma once\n") == std::string::npos) {
    findings.push_back({file.path, 1, "a header needs #pragma once"});
  }
  return findings;
}

Findings shapeless_name(std::string_view path) {
  static constexpr std::array<std::string_view, 10> banned{
      "util",    "utils", "utility", "common", "helper",
      "helpers", "misc",  "manager", "base",   "stuff"};
  Findings findings;
  for (const std::string_view part : parts_of(path)) {
    const std::string_view stem = part.substr(0, part.find('.'));
    for (const std::string_view word : banned) {
      const std::string suffix = "_" + std::string(word);
      if (stem == word || matches("*" + suffix, stem)) {
        findings.push_back({std::string(path), 1, std::string(word) + " names no subject"});
      }
    }
  }
  return findings;
}

std::vector<std::string> ignored_names(std::string_view gitignore) {
  std::vector<std::string> names;
  while (!gitignore.empty()) {
    const std::size_t end = std::min(gitignore.find('\n'), gitignore.size());
    std::string_view line = gitignore.substr(0, end);
    gitignore.remove_prefix(std::min(end + 1, gitignore.size()));
    if (line.ends_with('/')) line.remove_suffix(1);
    if (!line.empty() && line.front() != '#') names.emplace_back(line);
  }
  return names;
}

Findings unknown_top_level(const std::vector<std::string>& names) {
  static constexpr std::array<std::string_view, 5> files{"CMakeLists.txt", "CMakePresets.json",
                                                         "README.md", "LICENSE", "leaseproof"};
  Findings findings;
  for (const std::string& name : names) {
    const bool known = name.starts_with(".") ||
                       std::find(files.begin(), files.end(), name) != files.end() ||
                       std::find(folders.begin(), folders.end(), name) != folders.end();
    if (!known) findings.push_back({name, 1, "is none of the names that ARCHITECTURE lists"});
  }
  return findings;
}

Findings folders_without_readme(const std::vector<std::string>& paths) {
  Findings findings;
  for (const std::string_view folder : folders) {
    const std::string readme = std::string(folder) + "/README.md";
    const bool exists = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return path.starts_with(std::string(folder) + "/");
    });
    if (exists && std::find(paths.begin(), paths.end(), readme) == paths.end()) {
      findings.push_back({readme, 1, "is missing: promise, map, how to add"});
    }
  }
  return findings;
}

}  // namespace leaseproof::properties::tidy
