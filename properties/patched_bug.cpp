#include "properties/patched_bug.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "properties/invariants.hpp"

namespace leaseproof::properties {

namespace {

using Text = std::string_view;

std::vector<Text> split_lines(Text text) {
  std::vector<Text> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_name(Text name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Why a patch may not touch this file; empty when it may.
std::string complaint_about(Text path) {
  if (!path.starts_with("engine/") || !path.ends_with(".cpp") || path.ends_with("_test.cpp") ||
      path.find("..") != Text::npos) {
    return fmt::format("'{}' is no source of the engine; a patch changes engine/….cpp alone", path);
  }
  if (path.find("catalog") != Text::npos) {
    return fmt::format("'{}' holds SQL; a bug of a statement is a row of mutants.cpp", path);
  }
  return {};
}

// "-12,3" or "+12": the place and how many lines.
struct Range {
  std::size_t place = 0;
  std::size_t count = 1;
};

bool take(Text& text, Text word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_number(Text& text, std::size_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_range(Text& text, Text sign, Range& range) {
  if (!take(text, sign) || !take_number(text, range.place)) return false;
  return !take(text, ",") || take_number(text, range.count);
}

class Reader {
 public:
  Reader(Text file, Text text) : file_(file), lines_(split_lines(text)) {
    if (!text.ends_with('\n')) lack_of_end_ = true;
  }

  tl::expected<PatchedBug, std::string> read() {
    if (!read_all()) return tl::unexpected(std::move(why_));
    return std::move(bug_);
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ == lines_.size(); }
  [[nodiscard]] Text line() const { return at_end() ? Text() : lines_[at_]; }

  bool complain(std::string_view why) {
    why_ = fmt::format("{}: line {}: {}", file_, at_ + 1, why);
    return false;
  }

  bool read_all() {
    if (lines_.empty()) return complain("is empty; it begins with 'Name: '");
    if (lack_of_end_) {
      at_ = lines_.size() - 1;
      return complain("ends without a line end; add one");
    }
    if (!read_head()) return false;
    if (!line().empty() || at_end()) return complain("an empty line stands between head and diff");
    ++at_;
    if (at_end()) return complain("the diff is missing; it begins with '--- a/engine/'");
    while (!at_end()) {
      if (!read_file()) return false;
    }
    return true;
  }

  bool read_key(Text key, std::string& value) {
    const std::string begin = fmt::format("{}: ", key);
    Text text = line();
    if (!take(text, begin)) return complain(fmt::format("must begin with '{}'", begin));
    if (text.empty() || text.front() == ' ' || text.back() == ' ') {
      return complain(fmt::format("{} says nothing, or has a space too many", key));
    }
    value = text;
    ++at_;
    return true;
  }

  bool read_head() {
    if (!read_key("Name", bug_.name)) return false;
    --at_;
    if (!is_name(bug_.name)) {
      return complain(fmt::format("'{}' is no name; use a-z, 0-9 and _", bug_.name));
    }
    const std::string called = bug_.name + ".patch";
    if (file_.substr(file_.rfind('/') + 1) != called) {
      return complain(fmt::format("a bug of this name stands in {}; rename one of them", called));
    }
    ++at_;
    std::string caught_by;
    return read_key("Suffers", bug_.suffering) && read_key("Source", bug_.source) &&
           read_key("Caught-by", caught_by) && read_invariants(caught_by);
  }

  bool read_invariants(Text list) {
    --at_;
    while (true) {
      const std::size_t end = std::min(list.find(", "), list.size());
      const std::string name(list.substr(0, end));
      if (!find_invariant(name)) {
        std::vector<Text> known;
        for (const Invariant& row : invariants) known.push_back(row.name);
        return complain(
            fmt::format("there is no invariant '{}'; there are {}", name, fmt::join(known, ", ")));
      }
      if (std::count(bug_.caught_by.begin(), bug_.caught_by.end(), name) > 0) {
        return complain(fmt::format("{} stands here twice; name it once", name));
      }
      bug_.caught_by.push_back(name);
      if (end == list.size()) break;
      list.remove_prefix(end + 2);
    }
    ++at_;
    return true;
  }

  bool read_file() {
    // What git says above the two names says nothing more.
    if (line().starts_with("diff --git a/")) ++at_;
    if (line().starts_with("index ")) ++at_;
    Text before = line();
    if (!take(before, "--- a/")) return complain("a file begins with '--- a/engine/…'");
    if (std::string why = complaint_about(before); !why.empty()) return complain(why);
    const bool again = std::any_of(bug_.files.begin(), bug_.files.end(),
                                   [&](const PatchedFile& file) { return file.path == before; });
    if (again) return complain(fmt::format("'{}' was patched above; join the two", before));
    ++at_;
    if (line() != fmt::format("+++ b/{}", before)) {
      return complain(fmt::format("must be '+++ b/{}': files keep their names", before));
    }
    ++at_;
    PatchedFile& file = bug_.files.emplace_back();
    file.path = before;
    if (!line().starts_with("@@ ")) return complain("a hunk begins with '@@ -'");
    while (line().starts_with("@@ ")) {
      if (!read_hunk(file)) return false;
    }
    return true;
  }

  bool read_hunk(PatchedFile& file) {
    Hunk hunk;
    hunk.line = at_ + 1;
    Text rest = line();
    Range before;
    Range after;
    const bool has_ranges =
        take_range(rest, "@@ -", before) && take_range(rest, " +", after) && take(rest, " @@");
    if (!has_ranges) return complain("is no '@@ -place,lines +place,lines @@'");
    if (before.place == 0 || before.count == 0) {
      return complain("replaces nothing; leave lines around what is new");
    }
    hunk.place = before.place;
    ++at_;
    bool changes = false;
    while (hunk.before.size() < before.count || hunk.after.size() < after.count) {
      if (at_end()) return complain("the file ends within a hunk; mend the counts after '@@'");
      const char sign = line().empty() ? '\0' : line().front();
      if (sign != ' ' && sign != '-' && sign != '+') {
        return complain("a line of a hunk begins with ' ', '-' or '+'; or mend its counts");
      }
      const std::string text(line().substr(1));
      if (sign != '+') hunk.before.push_back(text);
      if (sign != '-') hunk.after.push_back(text);
      changes = changes || sign != ' ';
      ++at_;
    }
    if (changes && hunk.before.size() == before.count && hunk.after.size() == after.count) {
      file.hunks.push_back(std::move(hunk));
      return true;
    }
    at_ = hunk.line - 1;
    return complain(changes ? "the counts are not those of the lines that follow"
                            : "the hunk changes nothing; remove it");
  }

  Text file_;
  std::vector<Text> lines_;
  bool lack_of_end_ = false;
  std::size_t at_ = 0;
  PatchedBug bug_;
  std::string why_;
};

bool stands_at(const std::vector<Text>& lines, std::size_t at, const Hunk& hunk) {
  return at <= lines.size() && hunk.before.size() <= lines.size() - at &&
         std::equal(hunk.before.begin(), hunk.before.end(),
                    lines.begin() + static_cast<std::ptrdiff_t>(at));
}

// Where the hunk stands, from `from` on; lines count from 0.
tl::expected<std::size_t, std::string> place_of(const std::vector<Text>& lines, std::size_t from,
                                                const Hunk& hunk) {
  const std::size_t said = hunk.place - 1;
  if (said >= from && stands_at(lines, said, hunk)) return said;
  std::vector<std::size_t> found;
  for (std::size_t at = from; at < lines.size(); ++at) {
    if (stands_at(lines, at, hunk)) found.push_back(at);
  }
  if (found.size() == 1) return found.front();
  return tl::unexpected(std::string(found.empty() ? "stands nowhere" : "stands in several places"));
}

}  // namespace

tl::expected<PatchedBug, std::string> read_patched_bug(std::string_view file,
                                                       std::string_view text) {
  return Reader(file, text).read();
}

tl::expected<std::string, std::string> applied(const PatchedFile& patch, std::string_view source) {
  const std::vector<Text> lines = split_lines(source);
  std::string text;
  std::size_t done = 0;
  const auto keep_until = [&](std::size_t end) {
    for (; done < end; ++done) fmt::format_to(std::back_inserter(text), "{}\n", lines[done]);
  };
  for (const Hunk& hunk : patch.hunks) {
    const auto place = place_of(lines, done, hunk);
    if (!place) {
      return tl::unexpected(fmt::format("the hunk in line {} {} in {}; make the patch anew",
                                        hunk.line, place.error(), patch.path));
    }
    keep_until(*place);
    for (const std::string& line : hunk.after) text += line + '\n';
    done += hunk.before.size();
  }
  keep_until(lines.size());
  return text;
}

}  // namespace leaseproof::properties
