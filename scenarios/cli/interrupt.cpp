#include "scenarios/cli/interrupt.hpp"

#include <csignal>

namespace leaseproof::scenarios::cli {

namespace {
volatile std::sig_atomic_t seen = 0;
}

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { seen = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader that went away is told by `print`, not by a silent death.
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return seen != 0; }

}  // namespace leaseproof::scenarios::cli
