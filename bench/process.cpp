#include "bench/process.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace leaseproof::bench {

void Process::Line::tell(const void* bytes, std::size_t size) const {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::runtime_error("a process of the bench is gone");
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void Process::Line::hear(void* bytes, std::size_t size) const {
  auto* into = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t heard = ::recv(socket_, into, size, 0);
    if (heard < 0 && errno == EINTR) continue;
    if (heard <= 0) throw std::runtime_error("a process of the bench is gone");
    into += heard;
    size -= static_cast<std::size_t>(heard);
  }
}

void Process::Line::hear_go() const {
  char word = 0;
  hear(&word, 1);
}

Process::Process(const std::function<void(const Line&)>& life) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    try {
      life(Line(ends[1]));
    } catch (const std::exception& problem) {
      std::cerr << "a process of the bench: " << problem.what() << "\n";
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  line_ = Line(socket_);
}

Process::~Process() {
  kill();
  ::close(socket_);
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace leaseproof::bench
