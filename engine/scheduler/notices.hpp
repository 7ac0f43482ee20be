// Observers hear of a call after its commit, one at a time (SEMANTICS 3; the first seed, 6).
//
// Promise: an observer is told in the order of the commits, never inside a transaction, never two
// at once; what it throws is caught and counted and changes nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "model/vocabulary.hpp"

namespace leaseproof::engine {

// What an observer is told: the call's number in the journal, where its events stand, and what it
// answered. The database, not the notice, is the record.
struct Notice {
  std::int64_t call = 0;
  std::int64_t at_us = 0;
  std::string_view verb;  // the word in `do`
  model::Outcome outcome;
  std::string op;  // of `op_lease_lost`
};
// The verb of a notice that is no call's: a scheduler found that a lease of its own is gone. Its
// `call` is 0.
inline constexpr std::string_view op_lease_lost = "op_lease_lost";

using Observer = std::function<void(const Notice&)>;

class Notices {
 public:
  // From any thread, also from an observer: it hears of the calls that are told after this.
  void add(Observer observer);
  [[nodiscard]] bool wanted() const;
  // In commit order; delivers nothing yet.
  void push(Notice notice);
  // Delivers what waits, unless another delivery is under way, which then delivers it too. An
  // observer may therefore call the engine.
  void deliver();
  [[nodiscard]] std::int64_t failures() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Observer> observers_;
  std::deque<Notice> waiting_;
  bool delivering_ = false;
  std::int64_t failures_ = 0;
};

}  // namespace leaseproof::engine
