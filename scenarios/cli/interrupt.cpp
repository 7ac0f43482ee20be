#include "scenarios/cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace leaseproof::scenarios::cli {

namespace {
// The signal may be taken on any thread, and each looks.
std::atomic<bool> seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may not wait for a lock");

void on_signal(int signal, siginfo_t* from, void*) {
  if (seen.exchange(true) && from->si_code == SI_KERNEL) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}
}  // namespace

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader that went away is told by `print`, not by a silent death.
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return seen; }

}  // namespace leaseproof::scenarios::cli
