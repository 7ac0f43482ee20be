// Ctrl-C: the first asks the running search to stop and write what it has, the second kills.
#pragma once

namespace leaseproof::scenarios::cli {

void listen_for_interrupts();
bool interrupted();

}  // namespace leaseproof::scenarios::cli
