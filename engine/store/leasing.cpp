#include "engine/store/leasing.hpp"

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/store/ending.hpp"
#include "engine/store/ownership.hpp"
#include "engine/store/queues.hpp"

namespace leaseproof::engine::store {
namespace {

using model::Outcome;
using model::Word;

// A queue that the call considers and that has room; nothing of it changes until the lease is
// given.
struct OpenQueue {
  KnownQueues::Name name;
  Room room;
  KnownQueues::Facts* facts;
};

struct Candidate {
  std::int64_t row = 0;
  std::string id;
  std::int64_t workflow = 0;
  std::int64_t generation = 0;
  std::int64_t attempts = 0;
  std::int64_t max_attempts = 0;
  std::optional<std::int64_t> deadline_us;
  std::int64_t created_us = 0;
  const OpenQueue* from = nullptr;

  [[nodiscard]] bool older_than(const Candidate& other) const {
    return std::tie(created_us, id) < std::tie(other.created_us, other.id);
  }
};

// False: there is none.
bool keep_older(std::optional<Candidate>& best, sqlite::Rows rows, const OpenQueue& from) {
  if (!rows.next()) return false;
  Candidate found{rows.integer(0),       rows.string(1),  rows.integer(2),
                  rows.integer(3),       rows.integer(4), rows.integer(5),
                  rows.maybe_integer(6), rows.integer(7), &from};
  if (!best || found.older_than(*best)) best = std::move(found);
  return true;
}

std::int64_t first_retry_us(Write& write, const KnownQueues::Name& queue) {
  auto rows = write.query(Sql::first_retry, queue.first, queue.second);
  return rows.next() && !rows.is_null(0) ? rows.integer(0) : INT64_MAX;
}

// The oldest due op of the queues that have room.
std::optional<Candidate> oldest(Write& write, const std::vector<OpenQueue>& queues) {
  std::optional<Candidate> best;
  for (const auto& from : queues) {
    const auto& [site, queue] = from.name;
    const bool has_fresh = keep_older(best, write.query(Sql::oldest_fresh, site, queue), from);
    auto& no_retry_before_us = from.facts->no_retry_before_us;
    if (!no_retry_before_us) no_retry_before_us = first_retry_us(write, from.name);
    if (*no_retry_before_us <= write.now_us()) {
      keep_older(best, write.query(Sql::oldest_due_retry, site, queue, write.now_us()), from);
      // It may be taken.
      no_retry_before_us.reset();
    } else if (!has_fresh && *no_retry_before_us == INT64_MAX) {
      write.known_queues().know_dry(from.name);
    }
  }
  return best;
}

// Of the site of the call, or of all, in their order.
std::vector<KnownQueues::Name> ready_queues(Write& write,
                                            const std::optional<std::string>& only_site) {
  std::vector<KnownQueues::Name> names;
  std::string site = only_site.value_or("");
  std::string queue;
  while (true) {
    auto rows = write.query(Sql::next_ready_queue, site, queue);
    if (!rows.next()) return names;
    if (only_site && rows.text(0) != *only_site) return names;
    site = rows.string(0);
    queue = rows.string(1);
    names.emplace_back(site, queue);
  }
}

// The queues that the call considers and that have ready ops and room. Failing a dead candidate
// takes no room, so one look is enough for the whole call.
std::vector<OpenQueue> open_queues(Write& write, const model::Lease& action) {
  KnownQueues& known = write.known_queues();
  known.keep_few();
  std::vector<OpenQueue> queues;
  const auto consider = [&](const KnownQueues::Name& name) {
    const Room found = room(write, name);
    if (found.open) queues.push_back({name, found, &known.facts_of(name)});
  };
  if (action.queue) {
    consider({action.site.value_or("default"), *action.queue});
    return queues;
  }
  if (known.ready(action.site) == nullptr) {
    known.know_ready(action.site, ready_queues(write, action.site));
  }
  for (const auto& name : *known.ready(action.site)) consider(name);
  return queues;
}

}  // namespace

Outcome lease(Write& write, const model::Lease& action, const std::string& token_hash) {
  const std::int64_t expires_us = write.now_us() + action.lease_us;
  const auto queues = open_queues(write, action);
  while (auto candidate = oldest(write, queues)) {
    const bool dead = (candidate->deadline_us && *candidate->deadline_us <= write.now_us()) ||
                      candidate->attempts >= candidate->max_attempts;
    if (dead) {
      // A statement that no longer changes the row it found would offer it for ever.
      if (end_ready(write, {candidate->row, candidate->workflow, candidate->generation},
                    "deadline_or_attempt_budget") == model::OpStatus::ready) {
        return Word::storage_error;
      }
      continue;
    }
    const std::int64_t generation = candidate->generation + 1;
    if (write.execute(Sql::take_op, candidate->row) != 1) {
      return Word::storage_error;
    }
    write.execute(Sql::insert_lease, candidate->row, token_hash,
                  action.owner ? *action.owner : action.worker, generation, write.now_us(),
                  expires_us);
    spend(write, candidate->from->name, candidate->from->room);
    write.journal().op(candidate->row, candidate->workflow, generation, "op_leased", "ready",
                       "running");
    return {Word::leased, model::Leased{std::move(candidate->id), generation, expires_us}};
  }
  return Word::none;
}

Outcome heartbeat(Write& write, std::string_view op, std::string_view token_hash,
                  std::int64_t lease_us) {
  const auto owned = own(write, op, token_hash);
  if (!owned) return Word::not_found;
  if (!owned->owned) return Word::lease_lost;
  if (write.execute(Sql::extend_lease, owned->row, token_hash, write.now_us(), lease_us) != 1) {
    return Word::lease_lost;
  }
  write.journal().op(owned->row, owned->workflow, owned->generation, "op_extended", "running",
                     "running");
  return {Word::extended, model::Extended{write.now_us() + lease_us}};
}

}  // namespace leaseproof::engine::store
