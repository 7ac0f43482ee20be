#include "scenarios/cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace leaseproof::scenarios::cli {

namespace {
// The signal may be taken on any thread, and each looks.
std::atomic<bool> seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may not wait for a lock");
}  // namespace

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { seen = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader that went away is told by `print`, not by a silent death.
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return seen; }

}  // namespace leaseproof::scenarios::cli
