#include "engine/store/ownership.hpp"

#include "engine/store/ending.hpp"

namespace leaseproof::engine::store {

using model::Word;

Owned owned_of(const sqlite::Rows& rows) {
  Owned owned{rows.integer(0), rows.integer(1),       rows.integer(2),     rows.integer(3),
              rows.integer(4), rows.maybe_integer(5), rows.integer(6) == 1};
  owned.has_effect = !rows.is_null(7);
  owned.dispatching = rows.text(7) == "dispatching";
  owned.context_invalid = rows.integer(8) == 1;
  return owned;
}

std::optional<Owned> own(Write& write, std::string_view op, std::string_view token_hash) {
  auto rows = write.query(Sql::own, op, token_hash, write.now_us());
  if (!rows.next()) return std::nullopt;
  return owned_of(rows);
}

model::OpStatus end_owned(Write& write, const Owned& owned, std::string_view token_hash,
                          std::string_view error) {
  write.execute(Sql::drop_lease, owned.row, token_hash);
  return end_running(write, {owned.row, owned.workflow, owned.generation}, error);
}

std::optional<Word> failed_guard(Write& write, const Owned& owned, std::string_view token_hash) {
  std::optional<Word> failed;
  if (owned.deadline_us && *owned.deadline_us <= write.now_us()) {
    failed = Word::deadline_exceeded;
  } else if (owned.context_invalid) {
    failed = Word::context_invalid;
  }
  if (failed) end_owned(write, owned, token_hash, model::word(*failed));
  return failed;
}

}  // namespace leaseproof::engine::store
