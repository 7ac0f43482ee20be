// How an op ends without being done (SEMANTICS 3, unknown is never hidden).
//
// Promise: an op whose effect may have been written becomes `reconciling` where any other would be
// `failed` or `canceled`. The statement itself decides, so that no caller can forget.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/store/write.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// An op as its events name it.
struct OpRow {
  std::int64_t row = 0;
  std::int64_t workflow = 0;
  std::int64_t generation = 0;
};

// Each answers what the op became, and writes the event.
model::OpStatus end_running(Write& write, const OpRow& op, std::string_view error);
model::OpStatus end_ready(Write& write, const OpRow& op, std::string_view error);
// `from` is the status that is left; the generation rises by one.
model::OpStatus end_canceled(Write& write, const OpRow& op, model::OpStatus from);

}  // namespace leaseproof::engine::store
