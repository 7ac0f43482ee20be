// What a dashboard or a script reads of a database, page by page: `snapshots` and `events`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/store/reading.hpp"
#include "engine/store/state_reader.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/database_reading.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct Listing {
  std::string db;
  bool json = false;
  std::int64_t limit = 1000;
  std::int64_t after = 0;
  std::optional<std::int64_t> since_us;
  std::string workflow;
  std::string op;
  std::string kind;
  std::string status;
};

std::string next_page(bool more, std::int64_t cursor) {
  return more ? fmt::format("more: --after {}\n", cursor)
              : fmt::format("that is all; --after {} shows what comes\n", cursor);
}

Exit list_events(const Listing& listing) {
  ReadOnlyDatabase database(listing.db);
  const EventList list =
      read_events(database.connection(),
                  {listing.after, listing.limit, listing.workflow, listing.op, listing.kind});
  database.check_fault();
  if (listing.json) {
    print_document(Json{{"events", list.events}, {"cursor", list.cursor}, {"more", list.more}});
    return Exit::held;
  }
  std::string out;
  for (const Json& event : list.events) out += event_text(event);
  print(out + next_page(list.more, list.cursor));
  return Exit::held;
}

// Workflows in the order of their last events, each once, at its newest state.
Exit list_snapshots(const Listing& listing) {
  const auto status = word_of<model::WorkflowStatus>("--status", "workflow status", listing.status);
  ReadOnlyDatabase database(listing.db);
  engine::sqlite::Connection& db = database.connection();
  engine::store::StateReader reader;
  const model::Observation& state = reader.read_in_full(db);
  const Json rows = observation_json(state).at("workflows");
  std::int64_t cursor =
      listing.since_us ? engine::store::cursor_at(db, *listing.since_us) : listing.after;
  Json snapshots = Json::array();
  std::string out;
  bool more = false;
  bool any_left = true;
  while (any_left && !more) {
    // One at a time: the cursor stops before the first row that the page has no room for.
    std::int64_t reached = cursor;
    const auto answer = engine::store::snapshots_since(db, 1, reached);
    const auto& page = std::get<model::Page>(answer.detail);
    any_left = page.more;
    for (const std::string& id : page.workflows) {
      const model::WorkflowView& workflow = state.workflows.at(id);
      const bool wanted = (!status || workflow.status == *status) &&
                          (listing.workflow.empty() || id == listing.workflow);
      more = wanted && static_cast<std::int64_t>(snapshots.size()) == listing.limit;
      if (!wanted || more) continue;
      Json row = rows.at(id);
      row["workflow"] = id;
      snapshots.push_back(std::move(row));
      out += workflow_text(id, workflow);
    }
    if (!more) cursor = reached;
  }
  const Json for_a_person = read_for_a_person(db);
  database.check_fault();
  if (listing.json) {
    print_document(Json{{"snapshots", snapshots},
                        {"cursor", cursor},
                        {"more", more},
                        {"for_a_person", for_a_person}});
    return Exit::held;
  }
  print(out + next_page(more, cursor));
  return Exit::held;
}

CLI::App* add(CLI::App& app, Command& chosen, const std::shared_ptr<Listing>& listing,
              const std::string& name, const std::string& what, Exit (*run)(const Listing&)) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("--db", listing->db, "The database file")->required();
  command->add_option("--after", listing->after, "The cursor that the page before ended with")
      ->check(is_from_zero);
  command->add_option("--limit", listing->limit, "At most so many")->check(is_count);
  command->add_option("--workflow", listing->workflow, "Only of this workflow");
  command->add_flag("--json", listing->json, "One JSON document on standard output");
  command->callback([&chosen, listing, run] { chosen = [listing, run] { return run(*listing); }; });
  return command;
}

}  // namespace

void add_listing_commands(CLI::App& app, Command& chosen) {
  const auto snapshots = std::make_shared<Listing>();
  CLI::App* command = add(app, chosen, snapshots, "snapshots",
                          "Lists workflows in the order of their last change", list_snapshots);
  command->add_option("--status", snapshots->status, "Only workflows of this status");
  command
      ->add_option("--since-us", snapshots->since_us,
                   "Only what changed at or after this point in time, instead of --after")
      ->check(is_from_zero)
      ->excludes("--after");

  const auto events = std::make_shared<Listing>();
  command = add(app, chosen, events, "events", "Lists the journal in its order", list_events);
  command->add_option("--op", events->op, "Only of this op");
  command->add_option("--kind", events->kind, "Only of this kind, as op_failed");
}

}  // namespace leaseproof::scenarios::cli
