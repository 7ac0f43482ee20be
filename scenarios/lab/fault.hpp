// Where the worker's process may be told to leave, as a crash would make it leave.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace leaseproof::scenarios::lab {

// In the order in which a run passes them.
enum class Fault {
  after_claim,
  after_collect,
  after_draft,
  after_verify,
  after_request,  // the request for approval is committed
  before_effect,  // the dispatch is committed, the service was not called
  after_effect,   // the service has answered, nothing of that is committed
  after_publish   // the completion is committed
};
inline constexpr std::array<std::string_view, 8> fault_words{
    "after_claim",   "after_collect", "after_draft",  "after_verify",
    "after_request", "before_effect", "after_effect", "after_publish"};

inline constexpr int fault_exit = 75;

std::optional<Fault> fault_from_word(std::string_view word);

// Leaves by `_exit(75)` when `here` is the chosen point: no destructor runs, nothing is flushed.
void pass(Fault here, const std::optional<Fault>& chosen);

}  // namespace leaseproof::scenarios::lab
