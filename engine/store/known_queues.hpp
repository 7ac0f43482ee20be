// What leases have read of the queues, for those that come after.
//
// Promise: it holds for as long as nobody changes the database but the calls of this engine, and of
// those none makes an op ready or sets a queue's limits: whoever learns of one forgets it all. What
// such calls do change makes it vaguer, never wrong: a queue may have run dry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leaseproof::engine::store {

class KnownQueues {
 public:
  using Name = std::pair<std::string, std::string>;  // site, queue
  struct Facts {
    bool has_no_limits = false;
    // Before this moment no op of it is due that failed before; INT64_MAX: there is none.
    std::optional<std::int64_t> no_retry_before_us;
  };

  // Those of a site, or of all, that have ready ops; null when they are not known.
  [[nodiscard]] const std::vector<Name>* ready(const std::optional<std::string>& site) const {
    return are_ready_known_ && site_ == site ? &ready_ : nullptr;
  }
  void know_ready(const std::optional<std::string>& site, std::vector<Name> ready) {
    are_ready_known_ = true;
    site_ = site;
    ready_ = std::move(ready);
  }
  void know_dry(const Name& queue) {
    ready_.erase(std::remove(ready_.begin(), ready_.end(), queue), ready_.end());
  }
  // Stays where it is until all is forgotten, or until `keep_few`.
  Facts& facts_of(const Name& queue) { return facts_[queue]; }
  // For the beginning of a lease: whoever asks for ever new queues fills no memory.
  void keep_few() {
    constexpr std::size_t most = 1000;
    if (facts_.size() > most) facts_.clear();
  }

  void forget() {
    are_ready_known_ = false;
    ready_.clear();
    facts_.clear();
  }

 private:
  bool are_ready_known_ = false;
  std::optional<std::string> site_;
  std::vector<Name> ready_;
  std::map<Name, Facts> facts_;
};

}  // namespace leaseproof::engine::store
