#include "scenarios/pipe/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

// glibc 2.36 declares it for C alone.
extern "C" {
#include <sys/pidfd.h>
}

extern char** environ;

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t longest_line = 16U << 20U;
constexpr std::size_t kept_errors = 16U << 10U;
// More than this beside one answer is no log any more.
constexpr std::size_t flood_bytes = 1U << 20U;
constexpr std::size_t log_lines = 10;
// What was killed is gone at once; only a process that hangs in the kernel takes longer.
constexpr int patience_ms = 2'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// The two ends of a pipe that no other program inherits.
struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_fd(read);
    close_fd(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static int keep(int& fd) { return std::exchange(fd, -1); }
};

void make_impatient(int fd) {
  if (::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) fail("fcntl");
}

// In the guard's own process, which has no thread but this and calls nothing that could wait for
// one.
[[noreturn]] void stand_guard(int line, const char* folder) {
  ::setpgid(0, 0);
  ::close_range(0, static_cast<unsigned>(line) - 1, 0);
  ::close_range(static_cast<unsigned>(line) + 1, ~0U, 0);
  pid_t group = 0;
  for (;;) {
    pid_t told = 0;
    const ssize_t got = ::read(line, &told, sizeof told);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof told) break;
    group = told;
  }
  if (group <= 0) ::_exit(0);
  ::kill(-group, SIGKILL);
  ::execl("/bin/rm", "rm", "-rf", "--", folder, nullptr);
  ::_exit(0);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

class SpawnOrders {
 public:
  SpawnOrders(int input, int output, int errors) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    // What this process ignores or blocks is nothing to the program.
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, signal);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    constexpr int flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnOrders() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;

  [[nodiscard]] pid_t spawn(std::string command, const std::string& folder) const {
    std::string shell = "sh";
    std::string option = "-c";
    std::array<char*, 4> arguments{shell.data(), option.data(), command.data(), nullptr};
    constexpr std::string_view name = "LEASEPROOF_DIR=";
    std::string setting = std::string(name) + folder;
    std::vector<char*> environment{setting.data()};
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (std::string_view(*entry).substr(0, name.size()) != name) environment.push_back(*entry);
    }
    environment.push_back(nullptr);
    pid_t pid = -1;
    errno =
        ::posix_spawn(&pid, "/bin/sh", &files_, &attributes_, arguments.data(), environment.data());
    if (errno != 0) fail("/bin/sh");
    return pid;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

ProcessGuard::ProcessGuard(const std::string& folder) {
  Pipe line;
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) stand_guard(line.read, folder.c_str());
  line_ = Pipe::keep(line.write);
}

ProcessGuard::~ProcessGuard() {
  close_fd(line_);
  wait_for(pid_);
}

void ProcessGuard::watch(pid_t group) const {
  while (::write(line_, &group, sizeof group) < 0 && errno == EINTR) {
  }
}

bool ProgramEnd::is_kill() const { return signal == SIGKILL || code == 128 + SIGKILL; }

namespace {
std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}
}  // namespace

std::string ProgramEnd::text() const {
  if (signal != 0) return signal_name(signal);
  // So a shell tells of its child.
  if (code > 128) return fmt::format("exit code {}, {}", code, signal_name(code - 128));
  return fmt::format("exit code {}", code);
}

Program::Program(const std::string& command, const std::string& folder, const ProcessGuard& guard)
    : guard_(guard) {
  // A program that is gone is told by `exchange`, not by the death of this process.
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe err;
  pid_ = SpawnOrders(in.read, out.write, err.write).spawn(command, folder);
  guard_.watch(pid_);
  sources_[input] = Pipe::keep(in.write);
  sources_[output] = Pipe::keep(out.read);
  sources_[errors] = Pipe::keep(err.read);
  sources_[process] = ::pidfd_open(pid_, 0);
  sources_[timer] = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (sources_[process] < 0 || sources_[timer] < 0) {
    const int problem = errno;
    reap();
    errno = problem;
    fail("pidfd_open or timerfd_create");
  }
  for (const Source source : {input, output, errors}) make_impatient(sources_[source]);
}

Program::~Program() {
  kill();
  for (int& fd : sources_) close_fd(fd);
}

void Program::close_input() {
  unsent_.clear();
  close_fd(sources_[input]);
}

// The leader is reaped last: until then no other group can have its number.
void Program::reap() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  const int status = wait_for(pid_);
  pid_ = -1;
  guard_.watch(0);
  end_ = WIFSIGNALED(status) ? ProgramEnd{WTERMSIG(status), 0} : ProgramEnd{0, WEXITSTATUS(status)};
}

void Program::kill() {
  if (pid_ < 0) return;
  // An end of its input would let the program end by itself before it is killed.
  reap();
  close_input();
  // Whoever of the group still has the folder's files open has its output open, too.
  // What got away from it and still writes is not waited for.
  std::array<char, 65536> rest{};
  for (int tries = 0; tries < 64; ++tries) {
    pollfd waits{sources_[output], POLLIN, 0};
    if (::poll(&waits, 1, patience_ms) <= 0) break;
    const ssize_t got = ::read(sources_[output], rest.data(), rest.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  read_errors();
}

void Program::send_more() {
  while (!unsent_.empty()) {
    const ssize_t sent = ::write(sources_[input], unsent_.data(), unsent_.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    // Where nobody reads any more, whoever waits for the answer finds out why.
    if (sent < 0) return close_input();
    unsent_.erase(0, static_cast<std::size_t>(sent));
  }
}

void Program::read_errors() {
  std::array<char, 65536> buffer{};
  while (sources_[errors] >= 0 && flood_ <= flood_bytes) {
    const ssize_t got = ::read(sources_[errors], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      close_fd(sources_[errors]);
      break;
    }
    flood_ += static_cast<std::size_t>(got);
    errors_.append(buffer.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kept_errors) errors_.erase(0, errors_.size() - kept_errors);
  }
}

// False where nothing can come any more.
bool Program::read_output() {
  std::array<char, 65536> buffer{};
  ssize_t got = 0;
  do {
    got = ::read(sources_[output], buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN;
  heard_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool Program::take_line(Heard& heard) {
  const std::size_t end = heard_.find('\n', looked_);
  looked_ = end == std::string::npos ? heard_.size() : end + 1;
  if (end == std::string::npos) return false;
  heard.what = Heard::What::line;
  heard.line = std::string_view(heard_).substr(taken_, end - taken_);
  taken_ = end + 1;
  return true;
}

bool Program::turn(Heard& heard) {
  std::array<pollfd, source_count> waits{};
  for (std::size_t i = 0; i < source_count; ++i) waits[i] = {sources_[i], POLLIN, 0};
  waits[input] = {unsent_.empty() ? -1 : sources_[input], POLLOUT, 0};
  if (::poll(waits.data(), waits.size(), -1) < 0) return errno == EINTR;
  const auto is_ready = [&waits](Source source) { return waits[source].revents != 0; };
  if (is_ready(errors)) read_errors();
  if (flood_ > flood_bytes) {
    heard.what = Heard::What::flood;
    return false;
  }
  if (is_ready(output)) {
    const bool open = read_output();
    if (take_line(heard)) return false;
    if (heard_.size() - taken_ > longest_line) {
      heard.what = Heard::What::endless_line;
      return false;
    }
    if (!open) {
      // Most often it ends in the same moment, and how it ended says more.
      pollfd end{sources_[process], POLLIN, 0};
      heard.what = ::poll(&end, 1, patience_ms) > 0 ? Heard::What::ended : Heard::What::closed;
      return false;
    }
    return true;
  }
  if (is_ready(process)) {
    heard.what = Heard::What::ended;
    return false;
  }
  if (is_ready(timer)) {
    heard.what = Heard::What::late;
    return false;
  }
  if (is_ready(input)) send_more();
  return true;
}

Heard Program::listen(int within_ms) {
  Heard heard;
  heard_.erase(0, taken_);
  looked_ -= taken_;
  taken_ = 0;
  flood_ = 0;
  itimerspec limit{};
  limit.it_value = {within_ms / 1000, (within_ms % 1000) * 1'000'000L};
  ::timerfd_settime(sources_[timer], 0, &limit, nullptr);
  send_more();
  if (take_line(heard)) return heard;
  while (turn(heard)) {
  }
  if (heard.what == Heard::What::line) return heard;
  kill();
  heard.end = end_;
  return heard;
}

Heard Program::exchange(std::string_view line, int within_ms) {
  unsent_.append(line);
  return listen(within_ms);
}

Heard Program::wait(int within_ms) { return listen(within_ms); }

Heard Program::finish(int within_ms) {
  close_input();
  return listen(within_ms);
}

std::vector<std::string> Program::log() {
  read_errors();
  std::vector<std::string> lines;
  std::size_t end = errors_.size();
  while (end > 0 && errors_[end - 1] == '\n') --end;
  while (end > 0 && lines.size() < log_lines) {
    const std::size_t before = errors_.rfind('\n', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    lines.push_back(errors_.substr(begin, end - begin));
    end = before == std::string::npos ? 0 : before;
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace leaseproof::scenarios
