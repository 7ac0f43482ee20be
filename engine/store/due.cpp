#include "engine/store/due.hpp"

#include <algorithm>
#include <string_view>

#include "engine/store/catalog.hpp"
#include "engine/store/queues.hpp"

namespace leaseproof::engine::store {
namespace {

void keep_earlier(std::optional<std::int64_t>& earliest, std::optional<std::int64_t> due_us) {
  if (due_us) earliest = earliest ? std::min(*earliest, *due_us) : *due_us;
}

std::optional<std::int64_t> due_of(sqlite::Connection& db, std::string_view site,
                                   std::string_view queue) {
  std::optional<std::int64_t> op_due_us;
  std::int64_t running = 0;
  {
    auto rows = db.query(index(Sql::queue_due), site, queue);
    if (!rows.next()) return std::nullopt;
    op_due_us = rows.integer(0) == 1 ? 0 : rows.maybe_integer(1);
    running = rows.integer(2);
  }
  const auto room_us = room_from_us(db, site, queue, running);
  if (!op_due_us || !room_us) return std::nullopt;
  return std::max({std::int64_t{0}, *op_due_us, *room_us});
}

bool anything_marked(sqlite::Connection& db) {
  auto rows = db.query(index(Sql::anything_marked));
  return rows.next() && rows.integer(0) == 1;
}

std::optional<std::int64_t> first_expiry(sqlite::Connection& db) {
  auto rows = db.query(index(Sql::next_expiry));
  if (!rows.next()) return std::nullopt;
  std::optional<std::int64_t> earliest_us = rows.maybe_integer(0);
  keep_earlier(earliest_us, rows.maybe_integer(1));
  return earliest_us;
}

}  // namespace

std::optional<std::int64_t> Due::refresh_us() const { return marked ? 0 : expiry_us; }

std::optional<std::int64_t> Due::earliest_us() const {
  std::optional<std::int64_t> earliest = refresh_us();
  for (const auto& queue : queues) keep_earlier(earliest, queue.due_us);
  return earliest;
}

Due read_due(sqlite::Connection& db) {
  Due due;
  due.marked = anything_marked(db);
  due.expiry_us = first_expiry(db);
  std::string site;
  std::string queue;
  while (true) {
    {
      auto rows = db.query(index(Sql::next_ready_queue), site, queue);
      if (!rows.next()) return due;
      site = rows.string(0);
      queue = rows.string(1);
    }
    if (const auto due_us = due_of(db, site, queue)) due.queues.push_back({site, queue, *due_us});
  }
}

}  // namespace leaseproof::engine::store
