// Whose events a call writes: what `apply` recorded on this thread while a trail lives.
//
// Promise: the newest trail of a thread alone is written to; whether there is one changes neither a
// state nor an outcome.
#pragma once

#include <string>
#include <vector>

#include "model/state.hpp"

namespace leaseproof::model {

// SEMANTICS 1, event: of an op, of a workflow by itself, or of neither.
struct Recorded {
  std::string workflow;  // empty: of neither
  std::string op;        // empty: not of an op
  bool operator==(const Recorded&) const = default;
};

class Trail {
 public:
  Trail();
  ~Trail();
  Trail(const Trail&) = delete;
  Trail& operator=(const Trail&) = delete;

  // In the order of the events.
  std::vector<Recorded> recorded;

 private:
  Trail* outer_;
};

}  // namespace leaseproof::model
