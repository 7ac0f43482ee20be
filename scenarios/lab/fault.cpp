#include "scenarios/lab/fault.hpp"

#include <unistd.h>

namespace leaseproof::scenarios::lab {

void pass(Fault here, const std::optional<Fault>& chosen) {
  if (chosen == here) ::_exit(fault_exit);
}

}  // namespace leaseproof::scenarios::lab
