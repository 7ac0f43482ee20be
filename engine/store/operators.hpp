// What an operator does: retry a failed op, cancel a workflow (SEMANTICS 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `ok` with the number of reopened ops, `not_failed`, `workflow_canceled` or `deadline_passed`.
model::Outcome retry(Write& write, std::string_view op, std::optional<std::int64_t> deadline_us);

// `ok` with the counts of changed ops, or `already_settled`.
model::Outcome cancel(Write& write, std::string_view workflow);

}  // namespace leaseproof::engine::store
