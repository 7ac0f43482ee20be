// Work under faults of the C library, and its judgement without them: the two halves of
// .ci/posix-faults, which runs the first one under `fiu-run`. Not among the commands that the help
// names.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <sstream>

#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "properties/file_judgement.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/file.hpp"
#include "scenarios/journal_codec.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct PosixFaults {
  std::string folder;
  std::int64_t workflows = 150;
};

// What faults make fail now and then is tried so often.
constexpr int tries = 1'000;

std::unique_ptr<engine::Engine> open_at_last(const std::string& path) {
  std::string why;
  for (int tried = 0; tried < tries; ++tried) {
    engine::Options options;
    options.path = path;
    auto opened = engine::Engine::open(std::move(options));
    if (opened) return std::move(*opened);
    why = opened.error().sentence;
  }
  throw EnvironmentFailed{why};
}

// `write` fails here as everything does.
void write_at_last(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  for (int tried = 0; file >= 0 && tried < tries && !text.empty(); ++tried) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file >= 0) ::close(file);
  if (!text.empty()) throw EnvironmentFailed{path + " cannot be written"};
}

// Makes workflows of one op and does them, once each, and notes what was answered.
class Work {
 public:
  explicit Work(const PosixFaults& options) : engine_(open_at_last(options.folder + "/db")) {
    for (std::int64_t i = 0; i < options.workflows; ++i) make(fmt::format("w{}", i));
    write_at_last(options.folder + "/answers", answers_);
  }

 private:
  void note(std::string_view what, const model::Outcome& outcome) {
    answers_ += fmt::format("{} {}\n", what, model::word(outcome.word));
  }
  void make(const std::string& workflow) {
    model::Start start;
    start.workflow = workflow;
    start.ops.emplace_back().id = workflow + "-op";
    note(workflow, engine_->start(start));
    engine_->refresh();
    model::Lease lease;
    lease.worker = "A";
    const auto granted = engine_->lease(lease);
    const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail);
    if (leased == nullptr) return;
    model::Complete complete;
    complete.by = {"A", leased->op, 0};
    note(leased->op, engine_->complete(granted.token, complete));
  }

  std::unique_ptr<engine::Engine> engine_;
  std::string answers_;
};

// What an answer says about the thing it names; nothing where it leaves that open.
std::optional<bool> says_it_is_there(std::string_view answer) {
  if (answer == "created" || answer == "ok") return true;
  if (answer == "storage_error" || answer == "busy" || answer == "not_found") return false;
  return std::nullopt;
}

bool is_there(const model::Observation& state, const std::string& what) {
  if (const auto op = state.ops.find(what); op != state.ops.end()) {
    return op->second.status == model::OpStatus::succeeded;
  }
  return state.workflows.contains(what);
}

Exit judge(const PosixFaults& options) {
  engine::SystemClock clock;
  const auto found = properties::judge_file(options.folder + "/db", clock, decode_journal);
  if (!found.why.empty()) {
    print(fmt::format("VIOLATION {}\n", found.why));
    return Exit::violation;
  }
  const auto text = read_file(options.folder + "/answers");
  if (!text) throw InputWrong{text.error().text};
  std::istringstream lines(*text);
  std::map<std::string, int> counts;
  for (std::string what, answer; lines >> what >> answer;) {
    ++counts[answer];
    const auto there = says_it_is_there(answer);
    if (!there || *there == is_there(found.state, what)) continue;
    print(fmt::format("VIOLATION {} was answered {}, and is {}there\n", what, answer,
                      *there ? "not " : ""));
    return Exit::violation;
  }
  for (const auto& [answer, count] : counts) print(fmt::format("{} {}\n", count, answer));
  const bool both = counts["created"] > 0 && counts["ok"] > 0 && counts["storage_error"] > 0;
  return both ? Exit::held : Exit::inconclusive;
}

}  // namespace

void add_posix_faults(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<PosixFaults>();
  CLI::App* command = app.add_subcommand("posix-faults", "Halves of .ci/posix-faults")->group("");
  command->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& what, Command run) {
    CLI::App* half = command->add_subcommand(name, what);
    half->add_option("FOLDER", options->folder, "Of the database and the answers")->required();
    half->add_option("--workflows", options->workflows, "To make and do")->check(is_count);
    half->callback([&chosen, run = std::move(run)] { chosen = run; });
  };
  add("work", "Works, and writes down what was answered", [options] {
    const Work work(*options);
    return Exit::held;
  });
  add("judge", "Judges by the file what was answered", [options] { return judge(*options); });
}

}  // namespace leaseproof::scenarios::cli
