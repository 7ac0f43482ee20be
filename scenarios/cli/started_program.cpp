#include "scenarios/cli/started_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/interrupt.hpp"

// glibc 2.36 declares it for C alone.
extern "C" {
#include <sys/pidfd.h>
}

extern char** environ;

namespace leaseproof::scenarios::cli {

namespace {

// What posix_spawn is told, as long as it is told.
class StartSettings {
 public:
  explicit StartSettings(const StartOrder& order) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    constexpr int fresh = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    constexpr mode_t mode = 0666;
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, order.output.c_str(), fresh, mode);
    ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, order.errors.c_str(), fresh, mode);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    // What this process ignores is nothing to the program.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, signal);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    constexpr int flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~StartSettings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  StartSettings(const StartSettings&) = delete;
  StartSettings& operator=(const StartSettings&) = delete;

  [[nodiscard]] pid_t start(std::vector<std::string> arguments) const {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_t pid = -1;
    const int problem =
        ::posix_spawnp(&pid, pointers[0], &files_, &attributes_, pointers.data(), environ);
    if (problem != 0) {
      throw EnvironmentFailed{
          fmt::format("{}: cannot be started: {}", arguments[0], std::strerror(problem))};
    }
    return pid;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

bool ends_within(int program, int ms) {
  pollfd waits{program, POLLIN, 0};
  return ::poll(&waits, 1, ms) > 0;
}

// False when the user interrupted before it had ended. It is then asked to end what it started: a
// build has groups of its own for its compilers.
bool wait_for_end(pid_t pid, int program) {
  constexpr int look_ms = 100;
  constexpr int ending_ms = 5'000;
  while (!ends_within(program, look_ms)) {
    if (!interrupted()) continue;
    ::kill(-pid, SIGTERM);
    ends_within(program, ending_ms);
    return false;
  }
  return true;
}

void limit(pid_t pid, int what, std::int64_t most) {
  const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  ::prlimit(pid, static_cast<__rlimit_resource>(what), &both, nullptr);
}

}  // namespace

std::optional<ProgramEnd> run_program(const StartOrder& order, const ProcessGuard& guard) {
  const pid_t pid = StartSettings(order).start(order.arguments);
  guard.watch(pid);
  if (order.most_seconds > 0) limit(pid, RLIMIT_CPU, order.most_seconds);
  if (order.most_bytes > 0) limit(pid, RLIMIT_AS, order.most_bytes);
  const int program = ::pidfd_open(pid, 0);
  const int problem = errno;
  const bool ended = program >= 0 && wait_for_end(pid, program);
  if (program >= 0) ::close(program);
  // The leader is reaped last: until then no other group can have its number. What has ended keeps
  // its status; this is for what it left behind.
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  guard.watch(0);
  if (program < 0) {
    throw EnvironmentFailed{
        fmt::format("{}: cannot be waited for: {}", order.arguments[0], std::strerror(problem))};
  }
  if (!ended) return std::nullopt;
  return WIFSIGNALED(status) ? ProgramEnd{WTERMSIG(status), 0} : ProgramEnd{0, WEXITSTATUS(status)};
}

}  // namespace leaseproof::scenarios::cli
