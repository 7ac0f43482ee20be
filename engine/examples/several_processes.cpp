// Several processes on one database: each op runs in whichever leases it, and succeeds once.
//
//   several_processes DATABASE [PROCESSES [OPS]]
//
// Each run of an op leaves one line in DATABASE.log, so that the outcome can be checked against
// something that the engine does not write. The database must not exist yet.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/host.hpp"

namespace {

namespace engine = leaseproof::engine;
namespace model = leaseproof::model;
using engine::Host;

constexpr const char* workflow = "shared";

std::unique_ptr<Host> open(const std::string& path, const std::string& worker) {
  engine::HostOptions options;
  options.engine.path = path;
  options.worker = worker;
  options.scheduler.max_workers = 2;
  // What another process has finished is seen at the latest after so long.
  options.scheduler.longest_pause_us = 20'000;
  auto opened = Host::open(std::move(options));
  if (!opened) {
    std::cerr << opened.error().sentence << "\n";
    return nullptr;
  }
  return std::move(*opened);
}

// Lines of one write each are never mixed.
bool append(const std::string& path, const std::string& line) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return close(file) == 0 && written;
}

int work(const std::string& path, const std::string& worker) {
  const auto host = open(path, worker);
  if (host == nullptr) return 3;
  host->on("task", [log = path + ".log", worker](engine::Attempt& attempt) -> engine::Answer {
    if (!append(log, attempt.op() + " " + worker + "\n")) {
      return engine::Failed{model::FailKind::retryable, "the log cannot be written"};
    }
    return engine::Completed{"\"" + worker + "\"", {}, {}, {}, {}};
  });
  const engine::Cycle worked = host->work_off();
  if (worked.trouble.word == model::Word::ok) return 0;
  std::cerr << worker << ": " << worked.trouble.why << "\n";
  return 1;
}

// Every op needs the one before the last, so that processes wait for each other.
bool ensure(const std::string& path, int ops) {
  const auto host = open(path, "parent");
  if (host == nullptr) return false;
  model::Ensure ensure;
  ensure.workflow = workflow;
  ensure.identity = std::to_string(ops);
  for (int i = 0; i < ops; ++i) {
    model::OpSpec spec;
    spec.id = "op-" + std::to_string(i);
    if (i >= 8) spec.needs.push_back({"op-" + std::to_string(i - 8)});
    ensure.ops.push_back(std::move(spec));
  }
  const auto outcome = host->engine().ensure(std::move(ensure));
  if (outcome.word == model::Word::created) return true;
  std::cerr << path << ": " << model::word(outcome.word) << " " << outcome.why
            << "; give a database that does not exist yet\n";
  return false;
}

bool is_right(const std::string& path, int ops) {
  std::map<std::string, int> runs;
  std::set<std::string> workers;
  std::ifstream log(path + ".log");
  std::string op;
  std::string worker;
  while (log >> op >> worker) {
    ++runs[op];
    workers.insert(worker);
  }
  const auto host = open(path, "parent");
  if (host == nullptr) return false;
  const auto observed = host->engine().observe();
  const auto* state = std::get_if<model::Observation>(&observed.detail);
  if (state == nullptr) return false;
  bool right = static_cast<int>(state->ops.size()) == ops;
  for (const auto& [id, view] : state->ops) {
    if (view.status == model::OpStatus::succeeded && view.generation == 1 && runs[id] == 1)
      continue;
    std::cerr << id << " is " << model::word(view.status) << " after " << runs[id] << " runs\n";
    right = false;
  }
  std::cout << ops << " ops, " << workers.size()
            << " processes took part: " << (right ? "each succeeded once" : "wrong") << "\n";
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc > 2 ? std::atoi(argv[2]) : 4;
  const int ops = argc > 3 ? std::atoi(argv[3]) : 200;
  if (argc < 2 || argc > 4 || processes < 1 || ops < 1) {
    std::cerr << "usage: several_processes DATABASE [PROCESSES [OPS]]\n";
    return 2;
  }
  const std::string path = argv[1];
  // No database is open across a fork: SQLite's locks do not survive one.
  if (!ensure(path, ops)) return 3;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(work(path, "worker-" + std::to_string(i)));
    if (child > 0) children.push_back(child);
  }
  bool right = static_cast<int>(children.size()) == processes;
  for (const pid_t child : children) {
    int status = 0;
    right = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
            right;
  }
  return is_right(path, ops) && right ? 0 : 1;
}
