#include "scenarios/lab/fault.hpp"

#include <unistd.h>

#include <algorithm>

namespace leaseproof::scenarios::lab {

std::optional<Fault> fault_from_word(std::string_view word) {
  const auto found = std::find(fault_words.begin(), fault_words.end(), word);
  if (found == fault_words.end()) return std::nullopt;
  return static_cast<Fault>(found - fault_words.begin());
}

void pass(Fault here, const std::optional<Fault>& chosen) {
  if (chosen == here) ::_exit(fault_exit);
}

}  // namespace leaseproof::scenarios::lab
