// Which queues had ready ops when a lease looked at all of them, for the other leases of its
// transaction.
//
// Promise: names alone. No queue is missing that has ready ops, for as long as no call has made an
// op ready; one that is known may have run dry.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

 private:
  bool known_ = false;
  std::optional<std::string> site_;
  Names names_;
};

}  // namespace leaseproof::engine::store
