// Which ops of a state a call looks for, kept while the state is played through many calls: a
// journal is replayed in a time that does not grow with the ops that are left standing.
//
// Promise: it changes no answer, only what an answer costs: `lease` and `refresh` look at every op
// of a state that keeps none, and come to the same. It is derived from the ops and from what
// happened to them, takes no part in `==` and in hashes, and a copy of a state keeps none. Only
// change.hpp writes to it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/observation.hpp"
#include "model/words.hpp"

namespace leaseproof::model {

struct Op;

class Roster {
 public:
  // In the order of everything.
  struct Entry {
    std::int64_t created_us = 0;
    std::string id;
    auto operator<=>(const Entry&) const = default;
  };
  using Entries = std::set<Entry>;

  // Ready ops, due or not; a queue without any is not listed.
  std::map<SiteQueue, Entries> ready;
  Entries running;
  Entries waiting_approval;
  // Every pending or blocked op of which a refresh could make something else: since the last, it
  // was made, or an op that it needs has become settled or ceased to be. May hold others.
  Entries unsure;

  void add(const Op& op);
  void add_need(const Op& op, const std::string& needed);
  // `op` has its new status.
  void move(const Op& op, OpStatus from);
  // It left the state, with all that need it.
  void forget(const Op& op);

 private:
  std::unordered_map<std::string, std::vector<Entry>> needed_by_;
};

// A roster, or none.
class KeptRoster {
 public:
  KeptRoster() = default;
  KeptRoster(const KeptRoster& /*other*/) noexcept {}
  KeptRoster(KeptRoster&&) noexcept = default;
  KeptRoster& operator=(const KeptRoster& /*other*/) noexcept {
    roster_.reset();
    return *this;
  }
  KeptRoster& operator=(KeptRoster&&) noexcept = default;
  ~KeptRoster() = default;

  // From now on. The state that it belongs to must have no ops yet.
  void keep() { roster_ = std::make_unique<Roster>(); }
  explicit operator bool() const { return roster_ != nullptr; }
  Roster* operator->() { return roster_.get(); }
  const Roster& operator*() const { return *roster_; }
  const Roster* operator->() const { return roster_.get(); }

 private:
  std::unique_ptr<Roster> roster_;
};

}  // namespace leaseproof::model
