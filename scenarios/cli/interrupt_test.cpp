// What Ctrl-C does and what a signal of another program does, to a process of its own on a terminal
// of its own.
#include "scenarios/cli/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace leaseproof::scenarios::cli {
namespace {

class AnInterrupt : public testing::Test {
 protected:
  void SetUp() override {
    child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    ASSERT_NE(child_, -1);
    if (child_ == 0) listen_until_asked_twice();
    ASSERT_TRUE(hears('r'));
  }
  void TearDown() override { close(terminal_); }

  // Says 'r' once it listens and 'i' once it has seen an interrupt, and ends with 7 when it reads a
  // line. Signals come only while it waits: one that came between a look and a read would be seen
  // by neither.
  [[noreturn]] static void listen_until_asked_twice() {
    alarm(60);
    sigset_t held;
    sigset_t open;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &open);
    listen_for_interrupts();
    bool told = write(STDOUT_FILENO, "r", 1) != 1;
    for (;;) {
      pollfd line{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      const int ready = ppoll(&line, 1, nullptr, &open);
      if (ready == 1) _exit(7);
      if (errno != EINTR) _exit(8);
      if (!told && interrupted()) told = write(STDOUT_FILENO, "i", 1) == 1;
    }
  }
  [[nodiscard]] bool hears(char expected) const {
    char byte = 0;
    while (read(terminal_, &byte, 1) == 1) {
      if (byte == expected) return true;
    }
    return false;
  }
  void press(char key) const { ASSERT_EQ(write(terminal_, &key, 1), 1); }
  [[nodiscard]] int end() const {
    int status = 0;
    return waitpid(child_, &status, 0) == child_ ? status : -1;
  }

  pid_t child_ = -1;
  int terminal_ = -1;
};
constexpr char ctrl_c = '\x03';

TEST_F(AnInterrupt, by_ctrl_c_asks_once_and_then_kills) {
  // The terminal prints a C for it, never an i.
  press(ctrl_c);
  ASSERT_TRUE(hears('i'));
  press(ctrl_c);
  const int status = end();
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST_F(AnInterrupt, by_another_program_only_asks_however_often) {
  ASSERT_EQ(kill(child_, SIGINT), 0);
  ASSERT_TRUE(hears('i'));
  for (const int signal : {SIGINT, SIGTERM, SIGINT}) ASSERT_EQ(kill(child_, signal), 0);
  press('\n');
  const int status = end();
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace leaseproof::scenarios::cli
