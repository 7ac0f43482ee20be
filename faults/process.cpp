#include "faults/process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace leaseproof::faults {

namespace {
constexpr int patience_ms = 60'000;
constexpr int escaped_exception = 70;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Nothing where the other side is gone.
std::optional<char> receive(int socket) {
  char word = 0;
  ssize_t got = 0;
  do {
    got = ::recv(socket, &word, 1, 0);
  } while (got < 0 && errno == EINTR);
  return got == 1 ? std::optional(word) : std::nullopt;
}

// To a side that is gone nothing can be told, which whoever listens next finds out.
void send_word(int socket, char word) {
  while (::send(socket, &word, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void live(const std::function<void(const Child::Line&)>& life,
                       const Child::Line& line) {
  int code = 0;
  try {
    life(line);
  } catch (...) {
    code = escaped_exception;
  }
  ::_exit(code);
}
}  // namespace

void die(Death death) {
  if (death == Death::exit) ::_exit(died_by_exit);
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

bool End::is(Death death) const {
  if (late) return false;
  return death == Death::signal ? signal == SIGKILL : signal == 0 && code == died_by_exit;
}

void Child::Line::tell(char word) const { send_word(socket_, word); }

char Child::Line::hear() const {
  const auto word = receive(socket_);
  if (!word) ::_exit(0);
  return *word;
}

Child::Child(const std::function<void(const Line&)>& life) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail("fork");
  }
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have gone before that was said.
    if (::getppid() != parent) ::_exit(0);
    ::close(ends[0]);
    live(life, Line(ends[1]));
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

Child::~Child() {
  kill();
  ::close(socket_);
}

bool Child::has_word(int within_ms) {
  pollfd waits{socket_, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waits, 1, within_ms);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

std::optional<char> Child::hear() {
  if (!has_word(patience_ms)) {
    late_ = true;
    kill();
    return std::nullopt;
  }
  return receive(socket_);
}

void Child::tell(char word) { send_word(socket_, word); }

End Child::kill() {
  if (!end_) ::kill(pid_, SIGKILL);
  return wait();
}

End Child::wait() {
  if (end_) return *end_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  End& end = end_.emplace();
  end.late = late_;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace leaseproof::faults
