#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "engine/store/state_reader.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/database_reading.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios::cli {

namespace {

struct InspectOptions {
  std::string db;
  bool json = false;
  // Empty: all.
  std::string workflow;
  std::string status;
};

std::string approval_text(const Json& approval) {
  const Json& envelope = approval.at("envelope");
  const auto text = [](const Json& of, const char* key) {
    return printable(of.at(key).get<std::string>());
  };
  return fmt::format(
      "  {} request {} {}: {} to {}, for {}, asked by {}, until {}\n    hash    {}\n    payload "
      "{}\n",
      text(approval, "op"), approval.at("request_no").get<std::int64_t>(), text(approval, "status"),
      text(envelope, "action"), printable_json(envelope.at("target")),
      printable_json(envelope.at("scope")), text(approval, "requester"),
      approval.at("expires_us").get<std::int64_t>(), text(approval, "hash"),
      printable_json(approval.at("payload")));
}

std::string op_text(const std::string& id, const model::OpView& op) {
  std::string text =
      fmt::format("  {:<24} {:<17} {:>10} {:>8}  {}", printable(id), model::word(op.status),
                  op.generation, op.attempts, printable(op.workflow));
  if (op.lease) {
    text +=
        fmt::format("  leased by {} until {}", printable(op.lease->owner), op.lease->expires_us);
  }
  if (op.next_attempt_us) text += fmt::format("  next attempt at {}", *op.next_attempt_us);
  if (op.error) text += fmt::format("  error {}", printable(*op.error));
  return text + "\n";
}

void print_text(const model::Observation& state, const Json& approvals, const Json& events,
                const Json& for_a_person) {
  std::string out = fmt::format("{} workflows\n", state.workflows.size());
  for (const auto& [id, workflow] : state.workflows) out += workflow_text(id, workflow);
  out += fmt::format("{} ops\n", state.ops.size());
  if (!state.ops.empty()) {
    out += fmt::format("  {:<24} {:<17} {:>10} {:>8}  {}\n", "op", "status", "generation",
                       "attempts", "workflow");
  }
  for (const auto& [id, op] : state.ops) out += op_text(id, op);
  out += fmt::format("{} wait for a review, {} for an answer about an unknown write\n",
                     for_a_person.at("waiting_approval").get<std::int64_t>(),
                     for_a_person.at("reconciling").get<std::int64_t>());
  out += fmt::format("{} approvals\n", approvals.size());
  for (const Json& approval : approvals) out += approval_text(approval);
  out += fmt::format("{} events\n", events.size());
  for (const Json& event : events) out += event_text(event);
  print(out);
}

// Leaves what the filters name, and what belongs to it.
void narrow(const InspectOptions& options, std::optional<model::OpStatus> status,
            model::Observation& state, Json& approvals) {
  if (!options.workflow.empty()) {
    if (!state.workflows.contains(options.workflow)) {
      throw InputWrong{fmt::format("{} has no workflow {}; inspect without --workflow lists them",
                                   options.db, options.workflow)};
    }
    std::erase_if(state.workflows, [&](const auto& at) { return at.first != options.workflow; });
  }
  std::erase_if(state.ops, [&](const auto& at) {
    return (!options.workflow.empty() && at.second.workflow != options.workflow) ||
           (status && at.second.status != *status);
  });
  Json left = Json::array();
  for (const Json& approval : approvals) {
    if (state.ops.contains(approval.at("op").get<std::string>())) left.push_back(approval);
  }
  approvals = std::move(left);
}

Exit run(const InspectOptions& options) {
  const auto status = word_of<model::OpStatus>("--status", "op status", options.status);
  ReadOnlyDatabase database(options.db);
  engine::sqlite::Connection& db = database.connection();
  engine::store::StateReader reader;
  model::Observation state = reader.read_in_full(db);
  Json approvals = read_approvals(db);
  const Json for_a_person = read_for_a_person(db);
  EventFilter filter;
  filter.workflow = options.workflow;
  const Json events = read_events(db, filter).events;
  database.check_fault();
  narrow(options, status, state, approvals);

  if (!options.json) {
    print_text(state, approvals, events, for_a_person);
    return Exit::held;
  }
  Json document = observation_json(state);
  document.erase("service");
  document["approvals"] = approvals;
  document["for_a_person"] = for_a_person;
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
  command->add_option("--workflow", options->workflow, "Only this workflow, its ops and events");
  command->add_option("--status", options->status, "Only ops of this status, and their approvals");
  command->add_flag("--json", options->json, "One JSON document on standard output");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace leaseproof::scenarios::cli
