// Ctrl-C: the first asks the running search to stop and write what it has, the second kills. What
// another program sends only asks, however often: timeout(1) sends each signal twice, to the
// process and to its group.
#pragma once

namespace leaseproof::scenarios::cli {

void listen_for_interrupts();
bool interrupted();

}  // namespace leaseproof::scenarios::cli
