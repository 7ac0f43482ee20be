#include "scenarios/cli/patched_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "scenarios/cli/command.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

namespace {

namespace fs = std::filesystem;

// What the program is built from: folders and files of the root.
constexpr std::array<std::string_view, 8> parts{".cmake",     "CMakeLists.txt", "CMakePresets.json",
                                                "model",      "faults",         "engine",
                                                "properties", "scenarios"};

// Of a program that searches: seconds of the processor, and memory. A search takes a few of them.
constexpr std::int64_t most_seconds = 900;
constexpr std::int64_t most_bytes = std::int64_t{4} << 30;

void check_source(const fs::path& source) {
  std::error_code problem;
  for (const std::string_view part : parts) {
    if (fs::exists(source / part, problem)) continue;
    throw InputWrong{fmt::format("--source: {} is no source tree of leaseproof: it has no {}",
                                 source.string(), part)};
  }
}

void check_work(const fs::path& work, const fs::path& source) {
  std::error_code problem;
  if (fs::exists(work, problem) && !fs::is_empty(work, problem)) {
    throw InputWrong{fmt::format("--work: {} holds something already; name a new or empty folder",
                                 work.string())};
  }
  const fs::path inside = fs::weakly_canonical(work, problem);
  const fs::path root = fs::weakly_canonical(source, problem);
  const auto ends = std::mismatch(root.begin(), root.end(), inside.begin(), inside.end());
  if (ends.first == root.end()) {
    throw InputWrong{
        fmt::format("--work: {} lies in the source tree, which is only read", work.string())};
  }
}

std::string text_of(const fs::path& path) {
  auto text = read_file(path);
  if (!text) throw EnvironmentFailed{text.error().text};
  return std::move(*text);
}

void put_text(const fs::path& path, std::string_view text) {
  if (const auto written = write_file(path, text); !written) {
    throw EnvironmentFailed{written.error().text};
  }
}

}  // namespace

PatchedCopy::PatchedCopy(const CopyOrder& order) : order_(order) {
  check_source(order.source);
  std::error_code problem;
  if (order.work.empty()) {
    folder_ = temporary_.emplace().path();
  } else {
    is_new_ = !fs::exists(order.work, problem);
    folder_ = fs::absolute(order.work, problem);
  }
  check_work(folder_, order.source);
  try {
    fs::create_directories(folder_ / "guard");
    for (const std::string_view part : parts) {
      fs::create_directories(folder_ / "source");
      fs::copy(order.source / part, folder_ / "source" / part, fs::copy_options::recursive);
    }
    // The guard removes a folder with everything in it once this process dies.
    guard_.emplace((is_new_ && !order.keep ? folder_ : folder_ / "guard").string());
  } catch (const std::system_error& failed) {
    remove();
    throw EnvironmentFailed{fmt::format("the source tree cannot be copied: {}", failed.what())};
  }
}

PatchedCopy::~PatchedCopy() {
  guard_.reset();
  if (!order_.keep) remove();
}

void PatchedCopy::remove() const {
  std::error_code ignored;
  if (is_new_) {
    fs::remove_all(folder_, ignored);
    return;
  }
  for (const char* part : {"source", "build", "found", "guard"}) {
    fs::remove_all(folder_ / part, ignored);
  }
  for (const char* file : {"build.log", "answer.json", "errors.log"}) {
    fs::remove(folder_ / file, ignored);
  }
}

bool PatchedCopy::succeeds(const std::vector<std::string>& arguments,
                           const std::string& failure) const {
  const fs::path log = folder_ / "build.log";
  const auto end = run_program({arguments, log, log, 0, 0}, *guard_);
  if (!end) return false;
  if (end->signal == 0 && end->code == 0) return true;
  throw EnvironmentFailed{fmt::format("{}: {} ended with {}", failure, arguments[0], end->text()),
                          tail("build.log")};
}

bool PatchedCopy::configure() {
  return succeeds({"cmake", "-S", (folder_ / "source").string(), "-B", (folder_ / "build").string(),
                   "--preset", "release", "-DBUILD_TESTING=OFF"},
                  "the copy cannot be configured");
}

bool PatchedCopy::build(const std::string& name, int jobs) {
  return succeeds(
      {"ninja", "-C", (folder_ / "build").string(), "-j", std::to_string(jobs), "leaseproof"},
      fmt::format("{} does not build", name));
}

void PatchedCopy::apply(const properties::PatchedBug& bug) {
  std::map<fs::path, std::string> changed;
  for (const properties::PatchedFile& file : bug.files) {
    const fs::path path = folder_ / "source" / file.path;
    std::error_code problem;
    if (!fs::is_regular_file(path, problem)) {
      throw EnvironmentFailed{fmt::format("{}.patch does not apply: there is no {}; make it anew",
                                          bug.name, file.path)};
    }
    std::string original = text_of(path);
    auto text = properties::applied(file, original);
    if (!text) {
      throw EnvironmentFailed{fmt::format("{}.patch does not apply: {}", bug.name, text.error())};
    }
    changed.emplace(path, std::move(*text));
    originals_.emplace(path, std::move(original));
  }
  for (const auto& [path, text] : changed) put_text(path, text);
}

// The time of a file is left as it falls: a source that seemed older than its object would not be
// built again.
void PatchedCopy::revert() {
  for (const auto& [path, text] : originals_) put_text(path, text);
  originals_.clear();
}

std::optional<ProgramEnd> PatchedCopy::run(std::vector<std::string> arguments,
                                           const fs::path& answer) const {
  arguments.insert(arguments.begin(), (folder_ / "build" / "leaseproof").string());
  return run_program(
      {std::move(arguments), folder_ / answer, folder_ / "errors.log", most_seconds, most_bytes},
      *guard_);
}

std::vector<std::string> PatchedCopy::tail(const fs::path& file) const {
  constexpr std::size_t most_lines = 15;
  const auto text = read_file(folder_ / file);
  std::vector<std::string> lines;
  if (!text) return lines;
  std::string_view rest = *text;
  while (!rest.empty() && lines.size() < most_lines) {
    if (rest.back() == '\n') rest.remove_suffix(1);
    const std::size_t begin = rest.rfind('\n') + 1;
    lines.emplace_back(rest.substr(begin));
    rest = rest.substr(0, begin);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace leaseproof::scenarios::cli
