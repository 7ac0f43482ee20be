#include "scenarios/database_reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "engine/store/reading.hpp"
#include "engine/store/statement.hpp"
#include "engine/values/digest.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios {

using engine::sqlite::Connection;
using engine::store::Sql;

EventList read_events(Connection& db, const EventFilter& filter) {
  EventList list;
  list.cursor = filter.after;
  auto rows = db.query(index(Sql::events_after), filter.after, INT64_MAX);
  const auto text_or_null = [&rows](int column) {
    return rows.text(column).empty() ? Json(nullptr) : Json(rows.string(column));
  };
  while (rows.next()) {
    const bool wanted = (filter.workflow.empty() || rows.text(4) == filter.workflow) &&
                        (filter.op.empty() || rows.text(5) == filter.op) &&
                        (filter.kind.empty() || rows.text(6) == filter.kind);
    if (wanted && static_cast<std::int64_t>(list.events.size()) == filter.limit) {
      list.more = true;
      break;
    }
    list.cursor = rows.integer(0);
    if (!wanted) continue;
    list.events.push_back({{"seq", rows.integer(0)},
                           {"call", rows.integer(1)},
                           {"at_us", rows.integer(2)},
                           {"generation", rows.integer(3)},
                           {"workflow", text_or_null(4)},
                           {"op", text_or_null(5)},
                           {"kind", rows.string(6)},
                           {"detail", embedded(rows.string(7))}});
  }
  return list;
}

std::string event_text(const Json& event) {
  const Json& subject = event.at("op").is_null() ? event.at("workflow") : event.at("op");
  return fmt::format("  {:>6} {:>18}  {:<20} {}\n", event.at("seq").get<std::int64_t>(),
                     event.at("at_us").get<std::int64_t>(),
                     printable(event.at("kind").get<std::string>()),
                     subject.is_null() ? "" : printable(subject.get<std::string>()));
}

std::string workflow_text(const std::string& id, const model::WorkflowView& workflow) {
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < model::op_status_count; ++i) {
    if (workflow.counts[i] == 0) continue;
    counts.push_back(
        fmt::format("{} {}", workflow.counts[i], model::Words<model::OpStatus>::all[i]));
  }
  return fmt::format("  {:<24} {:<10} {}{}\n", printable(id), model::word(workflow.status),
                     fmt::join(counts, ", "), workflow.cancel_requested ? ", asked to cancel" : "");
}

Json read_approvals(Connection& db) {
  Json approvals = Json::array();
  auto rows = db.query(index(Sql::approvals_to_review));
  while (rows.next()) {
    approvals.push_back({{"op", rows.string(0)},
                         {"request_no", rows.integer(1)},
                         {"status", rows.string(2)},
                         {"hash", rows.string(3)},
                         {"envelope", embedded(rows.string(4))},
                         {"payload", embedded(rows.string(5))},
                         {"payload_hash", engine::sha256_hex(rows.text(5))},
                         {"requester", rows.string(6)},
                         {"expires_us", rows.integer(7)},
                         {"decided_by", rows.is_null(8) ? Json(nullptr) : Json(rows.string(8))},
                         {"decided_us", rows.is_null(9) ? Json(nullptr) : Json(rows.integer(9))}});
  }
  return approvals;
}

Json read_for_a_person(Connection& db) {
  const engine::store::ForAPerson counts = engine::store::count_for_a_person(db);
  return {{"waiting_approval", counts.waiting_approval}, {"reconciling", counts.reconciling}};
}

}  // namespace leaseproof::scenarios
