// Who writes a draft: the one call of the workflow that may take long and may fail in many ways.
//
// Promise: an interface. What went wrong is said as the kind of failure that the engine knows and a
// sentence that quotes nothing of an answer: it ends in the database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "model/vocabulary.hpp"
#include "scenarios/lab/draft.hpp"
#include "scenarios/lab/sources.hpp"

namespace leaseproof::scenarios::lab {

struct Assignment {
  std::vector<Source> sources;
  std::string memory;  // the pinned context's text; empty without one
};

// The call is over after `within_us` (≥ 1), and soon after `stop` answers true.
struct Bounds {
  std::int64_t within_us = 0;
  std::function<bool()> stop;
};

struct NoDraft {
  // retryable: nothing came of it; permanent: trying again is no use; unknown: the request was
  // sent, and nobody knows what became of it.
  model::FailKind kind = model::FailKind::permanent;
  std::string error;  // "word: sentence"
  // The provider asked for a pause, from now on.
  std::optional<std::int64_t> retry_after_us;
};

class Provider {
 public:
  Provider() = default;
  virtual ~Provider() = default;
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  virtual tl::expected<Draft, NoDraft> draft(const Assignment& assignment,
                                             const Bounds& bounds) = 0;
};

}  // namespace leaseproof::scenarios::lab
