// Snapshots and the pages of changed workflows (SEMANTICS 7, I14). Each is one read transaction of
// the caller's.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/sqlite/connection.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::engine::store {

// `ok` with the counts per status, or `not_found`.
model::Outcome snapshot(sqlite::Connection& db, std::string_view workflow);

// `ok` with up to `limit` workflows whose last event is past `cursor`, oldest first. `cursor` moves
// to the last event of the page's last workflow.
model::Outcome snapshots_since(sqlite::Connection& db, std::int64_t limit, std::int64_t& cursor);

// Where a reader stands that wants every workflow whose last change was at or after `since_us`.
std::int64_t cursor_at(sqlite::Connection& db, std::int64_t since_us);

}  // namespace leaseproof::engine::store
