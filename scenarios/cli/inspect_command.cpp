#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/store/state_reader.hpp"
#include "engine/store/statement.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using engine::sqlite::Connection;
using engine::store::Sql;

struct InspectOptions {
  std::string db;
  bool json = false;
};

Json read_events(Connection& db) {
  Json events = Json::array();
  auto rows = db.query(static_cast<std::size_t>(Sql::events_after), std::int64_t{0}, INT64_MAX);
  const auto text_or_null = [&rows](int column) {
    return rows.text(column).empty() ? Json(nullptr) : Json(rows.string(column));
  };
  while (rows.next()) {
    events.push_back({{"seq", rows.integer(0)},
                      {"call", rows.integer(1)},
                      {"at_us", rows.integer(2)},
                      {"generation", rows.integer(3)},
                      {"workflow", text_or_null(4)},
                      {"op", text_or_null(5)},
                      {"kind", rows.string(6)},
                      {"detail", embedded(rows.string(7))}});
  }
  return events;
}

// What a reviewer decides on: the whole payload beside the hash that binds the decision to it.
Json read_approvals(Connection& db) {
  Json approvals = Json::array();
  auto rows = db.query(static_cast<std::size_t>(Sql::approvals_to_review));
  while (rows.next()) {
    const Json envelope = embedded(rows.string(4));
    approvals.push_back({{"op", rows.string(0)},
                         {"request_no", rows.integer(1)},
                         {"status", rows.string(2)},
                         {"hash", rows.string(3)},
                         {"envelope", envelope},
                         {"payload", embedded(rows.string(5))},
                         {"requester", rows.string(6)},
                         {"expires_us", rows.integer(7)},
                         {"decided_by", rows.is_null(8) ? Json(nullptr) : Json(rows.string(8))}});
  }
  return approvals;
}

std::string approval_text(const Json& approval) {
  const Json& envelope = approval.at("envelope");
  return fmt::format(
      "  {} request {} {}: {} to {}, for {}, asked by {}, until {}\n    hash    {}\n    payload "
      "{}\n",
      approval.at("op").get<std::string>(), approval.at("request_no").get<std::int64_t>(),
      approval.at("status").get<std::string>(), envelope.at("action").get<std::string>(),
      envelope.at("target").dump(), envelope.at("scope").dump(),
      approval.at("requester").get<std::string>(), approval.at("expires_us").get<std::int64_t>(),
      approval.at("hash").get<std::string>(), canonical(approval.at("payload")));
}

std::string counts_text(const model::WorkflowView& workflow) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < model::op_status_count; ++i) {
    if (workflow.counts[i] == 0) continue;
    parts.push_back(
        fmt::format("{} {}", workflow.counts[i], model::Words<model::OpStatus>::all[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string op_text(const std::string& id, const model::OpView& op) {
  std::string text = fmt::format("  {:<24} {:<17} {:>10} {:>8}  {}", id, model::word(op.status),
                                 op.generation, op.attempts, op.workflow);
  if (op.lease) {
    text += fmt::format("  leased by {} until {}", op.lease->owner, op.lease->expires_us);
  }
  if (op.next_attempt_us) text += fmt::format("  next attempt at {}", *op.next_attempt_us);
  if (op.error) text += fmt::format("  error {}", *op.error);
  return text + "\n";
}

void print_text(const model::Observation& state, const Json& approvals, const Json& events) {
  std::string out = fmt::format("{} workflows\n", state.workflows.size());
  for (const auto& [id, workflow] : state.workflows) {
    out += fmt::format("  {:<24} {:<10} {}{}\n", id, model::word(workflow.status),
                       counts_text(workflow), workflow.cancel_requested ? ", asked to cancel" : "");
  }
  out += fmt::format("{} ops\n", state.ops.size());
  if (!state.ops.empty()) {
    out += fmt::format("  {:<24} {:<17} {:>10} {:>8}  {}\n", "op", "status", "generation",
                       "attempts", "workflow");
  }
  for (const auto& [id, op] : state.ops) out += op_text(id, op);
  out += fmt::format("{} approvals\n", approvals.size());
  for (const Json& approval : approvals) out += approval_text(approval);
  out += fmt::format("{} events\n", events.size());
  for (const Json& event : events) {
    const Json& subject = event.at("op").is_null() ? event.at("workflow") : event.at("op");
    out += fmt::format("  {:>6} {:>18}  {:<20} {}\n", event.at("seq").get<std::int64_t>(),
                       event.at("at_us").get<std::int64_t>(), event.at("kind").get<std::string>(),
                       subject.is_null() ? "" : subject.get<std::string>());
  }
  print(printable(std::move(out)));
}

Exit run(const InspectOptions& options) {
  ReadOnlyDatabase database(options.db);
  Connection& db = database.connection();

  // One read transaction, so that events and state tell of the same moment.
  db.execute(static_cast<std::size_t>(Sql::begin_read));
  engine::store::StateReader reader;
  const model::Observation& state = reader.read_in_full(db);
  const Json approvals = read_approvals(db);
  const Json events = read_events(db);
  database.check_fault();
  db.execute(static_cast<std::size_t>(Sql::commit));

  if (!options.json) {
    print_text(state, approvals, events);
    return Exit::held;
  }
  Json document = observation_json(state);
  document.erase("service");
  document["approvals"] = approvals;
  document["journal"] = events;
  print_document(document);
  return Exit::held;
}

}  // namespace

void add_inspect(CLI::App& app, Command& chosen) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Shows workflows, ops and events of a database; changes nothing");
  command->add_option("--db", options->db, "The database file")->required();
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
