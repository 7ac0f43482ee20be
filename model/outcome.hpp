// What a call answers: one word of TRACE 2 and the fields that the word carries.
//
// Promise: two outcomes are equal when a caller could not tell them apart; the human sentence `why`
// of an `invalid` is not part of that.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/observation.hpp"
#include "model/words.hpp"

namespace leaseproof::model {

struct Refreshed {
  std::int64_t recovered = 0;
  std::int64_t expired = 0;
  std::int64_t blocked = 0;
  std::int64_t unblocked = 0;
  std::int64_t readied = 0;
  bool operator==(const Refreshed&) const = default;
};
struct Leased {
  std::string op;
  std::int64_t generation = 0;
  std::int64_t expires_us = 0;
  bool operator==(const Leased&) const = default;
};
struct Extended {
  std::int64_t expires_us = 0;
  bool operator==(const Extended&) const = default;
};
struct RetryScheduled {
  std::int64_t next_attempt_us = 0;
  bool operator==(const RetryScheduled&) const = default;
};
struct Reopened {
  std::int64_t reopened = 0;
  bool operator==(const Reopened&) const = default;
};
struct CancelCounts {
  std::int64_t canceled = 0;
  std::int64_t reconciling = 0;
  bool operator==(const CancelCounts&) const = default;
};
struct StatusCounts {
  std::array<std::int64_t, op_status_count> counts{};
  bool operator==(const StatusCounts&) const = default;
};
// A page of `snapshots_since`: workflow ids in the order of their last events.
struct Page {
  std::vector<std::string> workflows;
  bool more = false;
  bool operator==(const Page&) const = default;
};
struct Waiting {
  std::string hash;
  bool operator==(const Waiting&) const = default;
};
struct Dispatching {
  std::string key;
  std::int64_t call_before_us = 0;
  bool operator==(const Dispatching&) const = default;
};
struct Receipt {
  std::string receipt;
  bool fresh = false;
  bool operator==(const Receipt&) const = default;
};
struct AlreadyDecided {
  ApprovalStatus status = ApprovalStatus::pending;
  bool operator==(const AlreadyDecided&) const = default;
};
// `start` and `ensure`: the id, which the caller may not have chosen.
struct Identified {
  std::string workflow;
  bool operator==(const Identified&) const = default;
};

using Detail = std::variant<std::monostate, Refreshed, Leased, Extended, RetryScheduled, Reopened,
                            CancelCounts, StatusCounts, Page, Waiting, Dispatching, Receipt,
                            AlreadyDecided, Identified, Observation>;

struct Outcome {
  Word word = Word::ok;
  Detail detail;
  // One sentence that names place and mend, for `invalid`, `busy` and `storage_error`.
  std::string why;

  Outcome() = default;
  // Implicit, so that a rule can simply return the word or the detail that says it.
  Outcome(Word w) : word(w) {}  // NOLINT(google-explicit-constructor)
  Outcome(Word w, Detail d) : word(w), detail(std::move(d)) {}
  static Outcome invalid(std::string sentence) {
    Outcome outcome(Word::invalid);
    outcome.why = std::move(sentence);
    return outcome;
  }

  bool operator==(const Outcome& other) const {
    return word == other.word && detail == other.detail;
  }
};

}  // namespace leaseproof::model
