// What an operator or a reviewer does on a database: retry, cancel, approve, reject, reconcile,
// close, migrate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/store/state_reader.hpp"
#include "scenarios/cli/answer.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using model::Outcome;
using model::Word;

struct Order {
  std::string db;
  std::string subject;  // an op or a workflow
  bool json = false;
  // Bulk: every failed op.
  bool all = false;
  bool yes = false;
  std::optional<std::int64_t> deadline_us;
  std::string hash;
  std::string found;
  std::string evidence;
  bool happened = false;
  bool did_not_happen = false;
  model::Actor actor;
};

// One shape in every state: what was asked, what it was done to, and the answer.
Exit tell(const Order& order, std::string_view command, const std::string& subject,
          const Outcome& outcome) {
  check_answer(outcome);
  const Exit exit = exit_of(outcome);
  if (order.json) {
    print_document(Json{{"command", command},
                        {"subject", subject},
                        {"done", is_done(outcome)},
                        {"answer", reply_json(outcome)}});
  } else if (exit == Exit::wrong_input) {
    throw InputWrong{fmt::format("{} {}: {}", command, subject, model::word(outcome.word))};
  } else {
    print(fmt::format("{} {}: {}\n", command, printable(subject),
                      printable_json(reply_json(outcome))));
  }
  return exit;
}

// What is only counted is read without the right to write: an older layout stays as it is.
model::Observation seen(const Order& order) {
  ReadOnlyDatabase database(order.db);
  engine::store::StateReader reader;
  model::Observation state = reader.read_in_full(database.connection());
  database.check_fault();
  return state;
}

model::Observation seen(engine::Engine& engine) {
  Outcome answer = engine.observe();
  check_answer(answer);
  return std::get<model::Observation>(std::move(answer.detail));
}

std::vector<std::string> failed_ops(const model::Observation& state) {
  std::vector<std::string> failed;
  for (const auto& [id, op] : state.ops) {
    if (op.status == model::OpStatus::failed) failed.push_back(id);
  }
  return failed;
}

Exit retry_all(const Order& order) {
  std::vector<std::string> failed;
  Json answers = Json::object();
  bool all_done = true;
  if (order.yes) {
    const auto engine = open_engine(order.db);
    failed = failed_ops(seen(*engine));
    for (const auto& op : failed) {
      const Outcome retried = engine->retry({op, order.deadline_us});
      check_answer(retried);
      all_done = all_done && is_done(retried);
      answers[op] = reply_json(retried);
    }
  } else {
    failed = failed_ops(seen(order));
  }
  const Exit exit = all_done ? Exit::held : Exit::wrong_input;
  if (order.json) {
    print_document(Json{{"command", "retry"},
                        {"count", failed.size()},
                        {"dry_run", !order.yes},
                        {"done", order.yes && all_done},
                        {"ops", failed},
                        {"answers", answers}});
    return exit;
  }
  std::string out = fmt::format("{} failed ops{}\n", failed.size(),
                                order.yes ? "" : "; nothing was changed, --yes retries them");
  for (const auto& op : failed) {
    out += fmt::format("  {}{}\n", printable(op),
                       order.yes ? ": " + printable_json(answers.at(op)) : "");
  }
  print(out);
  return exit;
}

Exit retry(const Order& order) {
  if (order.all) return retry_all(order);
  if (order.subject.empty()) throw InputWrong{"retry: name an op, or --all-failed"};
  return tell(order, "retry", order.subject,
              open_engine(order.db)->retry({order.subject, order.deadline_us}));
}

// What a cancellation would answer: its refusals, or how many ops it would end.
Exit count_only(const Order& order) {
  const model::Observation state = seen(order);
  const auto workflow = state.workflows.find(order.subject);
  if (workflow == state.workflows.end()) {
    return tell(order, "cancel", order.subject, Word::not_found);
  }
  std::int64_t open = 0;
  std::int64_t would_end = 0;
  for (std::size_t i = 0; i < model::op_status_count; ++i) {
    const auto status = static_cast<model::OpStatus>(i);
    // A blocked op has stopped, and still ends by a cancellation; a write that may exist does not.
    if (model::is_settled(status) && status != model::OpStatus::blocked) continue;
    open += workflow->second.counts[i];
    if (status != model::OpStatus::reconciling) would_end += workflow->second.counts[i];
  }
  if (open == 0) return tell(order, "cancel", order.subject, Word::already_settled);
  if (order.json) {
    print_document(Json{{"command", "cancel"},
                        {"subject", order.subject},
                        {"dry_run", true},
                        {"count", would_end}});
  } else {
    print(fmt::format("{}: {} ops would end; nothing was changed, --yes cancels them\n",
                      printable(order.subject), would_end));
  }
  return Exit::held;
}

Exit cancel(const Order& order) {
  if (!order.yes) return count_only(order);
  return tell(order, "cancel", order.subject, open_engine(order.db)->cancel({order.subject}));
}

Exit decide(const Order& order, bool approve) {
  model::Decide action;
  action.op = order.subject;
  action.approve = approve;
  action.hash = order.hash;
  action.actor = order.actor;
  return tell(order, approve ? "approve" : "reject", order.subject,
              open_engine(order.db)->decide(action));
}

Exit reconcile(const Order& order) {
  const auto found = order.found.empty() ? std::nullopt : std::optional(order.found);
  return tell(order, "reconcile", order.subject,
              open_engine(order.db)->reconcile({order.subject}, found));
}

Exit close(const Order& order) {
  if (order.happened == order.did_not_happen) {
    throw InputWrong{"close: say either --happened or --did-not-happen"};
  }
  return tell(
      order, "close", order.subject,
      open_engine(order.db)->close({order.subject, order.happened, order.evidence, order.actor}));
}

Exit migrate(const Order& order) {
  open_engine(order.db);
  if (order.json) {
    print_document(Json{{"command", "migrate"}, {"done", true}});
  } else {
    print(printable(order.db) + " has the current layout\n");
  }
  return Exit::held;
}

using Run = Exit (*)(const Order&);

CLI::App* add(CLI::App& app, Command& chosen, const std::shared_ptr<Order>& order,
              const std::string& name, const std::string& what, Run run) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("--db", order->db, "The database file")->required();
  command->add_flag("--json", order->json, "One JSON document on standard output");
  command->callback([&chosen, order, run] { chosen = [order, run] { return run(*order); }; });
  return command;
}

void add_actor(CLI::App* command, const std::shared_ptr<Order>& order, const std::string& role) {
  command->add_option("--actor", order->actor.id, "Who says so")->required();
  order->actor.roles = {role};
}

void add_decision(CLI::App& app, Command& chosen, const std::string& name, const std::string& what,
                  Run run) {
  const auto order = std::make_shared<Order>();
  CLI::App* command = add(app, chosen, order, name, what, run);
  command->add_option("op", order->subject, "The op")->required();
  command->add_option("--hash", order->hash, "The binding hash that `inspect` shows")->required();
  command->add_option("--scope", order->actor.scopes, "A scope of the reviewer; repeat it");
  add_actor(command, order, "reviewer");
}

}  // namespace

void add_operator_commands(CLI::App& app, Command& chosen) {
  const auto retried = std::make_shared<Order>();
  CLI::App* command = add(app, chosen, retried, "retry", "Gives a failed op a fresh budget", retry);
  command->add_option("op", retried->subject, "The op");
  command->add_flag("--all-failed", retried->all, "Every failed op; only lists them without --yes");
  command->add_flag("--yes", retried->yes, "Do it");
  command->add_option("--deadline-us", retried->deadline_us, "A new deadline");

  const auto canceled = std::make_shared<Order>();
  command = add(app, chosen, canceled, "cancel",
                "Cancels a workflow; only counts its open ops without --yes", cancel);
  command->add_option("workflow", canceled->subject, "The workflow")->required();
  command->add_flag("--yes", canceled->yes, "Do it");

  add_decision(app, chosen, "approve", "Grants the newest request of an op",
               [](const Order& order) { return decide(order, true); });
  add_decision(app, chosen, "reject", "Turns the newest request of an op down",
               [](const Order& order) { return decide(order, false); });

  const auto reconciled = std::make_shared<Order>();
  command = add(app, chosen, reconciled, "reconcile",
                "Records what the outside service answered about an unknown write; exits with 4 "
                "where it stays unknown",
                reconcile);
  command->add_option("op", reconciled->subject, "The op")->required();
  command->add_option("--found", reconciled->found,
                      "The receipt that the service holds; none: the write stays unknown");

  const auto closed = std::make_shared<Order>();
  command = add(app, chosen, closed, "close", "Ends an unknown write by evidence", close);
  command->add_option("op", closed->subject, "The op")->required();
  command->add_flag("--happened", closed->happened, "The write exists");
  command->add_flag("--did-not-happen", closed->did_not_happen, "It does not, and never will");
  command->add_option("--evidence", closed->evidence, "What shows it; kept in an event")
      ->required();
  add_actor(command, closed, "operator");

  const auto migrated = std::make_shared<Order>();
  add(app, chosen, migrated, "migrate", "Brings an older database up to date", migrate);
}

}  // namespace leaseproof::scenarios::cli
