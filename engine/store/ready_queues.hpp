// Which queues had ready ops when a lease looked at all of them, for the other leases of its
// transaction.
//
// Promise: names alone. No queue is missing that has ready ops, for as long as only calls have run
// that make none ready; one that is known may have run dry.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults/point.hpp"

namespace leaseproof::engine::store {

class ReadyQueues {
 public:
  using Names = std::vector<std::pair<std::string, std::string>>;  // site, queue

  // Those of a site, or of all; null when they are not known.
  [[nodiscard]] const Names* of(const std::optional<std::string>& site) const {
    return known_ && site_ == site ? &names_ : nullptr;
  }
  void know(const std::optional<std::string>& site, Names names) {
    known_ = true;
    site_ = site;
    names_ = std::move(names);
  }
  void forget() { known_ = false; }
  // Before a call that may make an op ready.
  void before(faults::Call call) {
    const bool makes_none_ready = call == faults::Call::lease || call == faults::Call::heartbeat ||
                                  call == faults::Call::checkpoint ||
                                  call == faults::Call::complete;
    if (!makes_none_ready) forget();
  }

 private:
  bool known_ = false;
  std::optional<std::string> site_;
  Names names_;
};

}  // namespace leaseproof::engine::store
