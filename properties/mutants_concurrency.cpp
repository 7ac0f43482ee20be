#include "properties/mutants_concurrency.hpp"

#include <algorithm>
#include <array>

#include "properties/mutants.hpp"

namespace leaseproof::properties {

namespace {

constexpr std::array<ConcurrencyBugRow, 6> concurrency_rows{{
    {ConcurrencyBug::heartbeat_not_joined,
     "heartbeat_not_joined",
     "a host is told that it lost the lease of an op that it has just completed",
     "supervisor.hpp: once `end` has returned no beat is under way",
     "a supervisor that does not wait for its beat",
     {"no_stale_commit"}},
    {ConcurrencyBug::one_at_a_time,
     "one_at_a_time",
     "twenty workers do the work of one, and their leases wait for each other",
     "crew.hpp: as many ops overlap as there are workers",
     "runners that a host registers, one behind the other",
     {"full_overlap"}},
    {ConcurrencyBug::deferred_begin,
     "deferred_begin",
     "a call judges by a time and a state that are old when it gets the lock",
     "SEMANTICS, the third paragraph: BEGIN IMMEDIATE",
     "an edit of begin_write",
     {"time_is_numeric"}},
    {ConcurrencyBug::moment_before_the_lock,
     "moment_before_the_lock",
     "a worker that waited for the lock until its lease was over still commits",
     "SEMANTICS, the third paragraph: now is read once, after the write lock is held",
     "a clock that stands still from the first try for the lock on",
     {"time_is_numeric"}},
    {ConcurrencyBug::cap_before_the_transaction,
     "cap_before_the_transaction",
     "two processes let an op each into a queue for one at a time",
     "SEMANTICS 3, queue room: caps are checked in the leasing transaction",
     "an edit of queue_running: it counts by another connection, as of the try for the lock",
     {"journal_is_truth"}},
    {ConcurrencyBug::observer_in_the_transaction,
     "observer_in_the_transaction",
     "a dashboard shows what never happened, since the commit that it was told of did not come",
     "notices.hpp: an observer is told after the commit",
     "an edit of insert_event that tells the observer",
     {"observed_after_commit", "journal_is_truth"}},
}};

Mutant edits_of(ConcurrencyBug bug) {
  using engine::store::Sql;
  switch (bug) {
    case ConcurrencyBug::deferred_begin:
      return {{}, {}, {}, {{Sql::begin_write, "IMMEDIATE", "DEFERRED"}}};
    case ConcurrencyBug::cap_before_the_transaction:
      return {{},
              {},
              {},
              {{Sql::queue_running,
                "COUNT(*) FROM lease AS l CROSS JOIN op AS o ON o.row = l.op WHERE site = ?1 AND "
                "queue = ?2",
                "running_before(?1, ?2)"}}};
    case ConcurrencyBug::observer_in_the_transaction:
      return {{},
              {},
              {},
              {{Sql::insert_event, "VALUES (?1, ?2, ",
                "VALUES (announced(?1, ?2, json_extract(?8, '$.action.do'), ?5), ?2, "}}};
    case ConcurrencyBug::none:
    case ConcurrencyBug::heartbeat_not_joined:
    case ConcurrencyBug::one_at_a_time:
    case ConcurrencyBug::moment_before_the_lock:
      break;
  }
  return {};
}

}  // namespace

std::span<const ConcurrencyBugRow> concurrency_bugs() { return concurrency_rows; }

const ConcurrencyBugRow* find_concurrency_bug(std::string_view name) {
  const auto found = std::ranges::find_if(
      concurrency_rows, [&](const ConcurrencyBugRow& row) { return row.name == name; });
  return found == concurrency_rows.end() ? nullptr : &*found;
}

std::shared_ptr<const engine::sqlite::StatementTexts> texts_of_concurrency_bug(ConcurrencyBug bug) {
  const Mutant mutant = edits_of(bug);
  return mutant.edits.empty() ? nullptr : mutated(mutant);
}

}  // namespace leaseproof::properties
