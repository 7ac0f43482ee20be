// What a worker does with an op that it owns: checkpoint, complete, fail (SEMANTICS 3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

struct sqlite3;

namespace leaseproof::engine::store {

// `ok`, `checkpoint_conflict`, `lease_lost`, `deadline_exceeded` or `context_invalid`. `payload` is
// canonical.
model::Outcome checkpoint(Write& write, std::string_view op, std::string_view token_hash,
                          std::string_view step, std::string_view payload);

struct Finish {
  const std::string& result;  // canonical
  std::int64_t completed_at_us = 0;
  const std::vector<model::Artifact>& artifacts;
  const std::vector<model::OpSpec>& emit;
  // What the worker's call to the outside service brought; an op with an effect needs one.
  const std::optional<std::string>& receipt;
  // The user's own rows, written in the same transaction; an empty text means written, a sentence
  // refuses the completion.
  const std::function<std::string(sqlite3*)>& also;
};
// `ok`, `already_completed`, `lease_lost`, `receipt_required`, `deadline_exceeded`,
// `context_invalid`, or `invalid` for a bad emitted op.
model::Outcome complete(Write& write, std::string_view op, std::string_view token_hash,
                        const Finish& finish);

// `retry_scheduled`, `failed`, `reconciling` or `lease_lost`. Without a dispatched effect `unknown`
// counts as retryable: nothing left the process.
model::Outcome fail(Write& write, std::string_view op, std::string_view token_hash,
                    model::FailKind kind, std::string_view error);

}  // namespace leaseproof::engine::store
