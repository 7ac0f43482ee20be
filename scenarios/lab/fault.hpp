// Where the worker's process may be told to leave, as a crash would make it leave.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/words.hpp"

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
inline constexpr int fault_exit = 75;

// Leaves by `_exit(75)` when `here` is the chosen point: no destructor runs, nothing is flushed.
void pass(Fault here, const std::optional<Fault>& chosen);

}  // namespace leaseproof::scenarios::lab

namespace leaseproof::model {

template <>
struct Words<scenarios::lab::Fault> {
  static constexpr std::array<std::string_view, 8> all{
      "after_claim",   "after_collect", "after_draft",  "after_verify",
      "after_request", "before_effect", "after_effect", "after_publish"};
};

}  // namespace leaseproof::model
