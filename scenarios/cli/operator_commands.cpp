// What an operator or a reviewer does on a database: retry, cancel, approve, reject, reconcile,
// close, migrate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/database_file.hpp"
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

void check_environment(const Outcome& outcome) {
  if (outcome.word == Word::busy || outcome.word == Word::storage_error ||
      outcome.word == Word::commit_unknown) {
    throw EnvironmentFailed{outcome.why};
  }
}

// One shape in every state: what was asked, what it was done to, and the answer.
Exit tell(const Order& order, std::string_view command, const std::string& subject,
          const Outcome& outcome) {
  check_environment(outcome);
  const bool done = outcome.word == Word::ok || outcome.word == Word::confirmed;
  if (order.json) {
    print_document(Json{{"command", command},
                        {"subject", subject},
                        {"done", done},
                        {"answer", reply_json(outcome)}});
    return done ? Exit::held : Exit::wrong_input;
  }
  if (!done) {
    throw InputWrong{
        printable(fmt::format("{} {}: {}{}{}", command, subject, model::word(outcome.word),
                              outcome.why.empty() ? "" : ": ", outcome.why))};
  }
  print(printable(fmt::format("{} {}: {}\n", command, subject, canonical(reply_json(outcome)))));
  return Exit::held;
}

Exit retry_all(const Order& order, engine::Engine& engine) {
  const Outcome answer = engine.observe();
  check_environment(answer);
  std::vector<std::string> failed;
  for (const auto& [id, op] : std::get<model::Observation>(answer.detail).ops) {
    if (op.status == model::OpStatus::failed) failed.push_back(id);
  }
  Json answers = Json::object();
  if (order.yes) {
    for (const auto& op : failed) {
      const Outcome retried = engine.retry({op, order.deadline_us});
      check_environment(retried);
      answers[op] = reply_json(retried);
    }
  }
  if (order.json) {
    print_document(Json{{"command", "retry"},
                        {"count", failed.size()},
                        {"dry_run", !order.yes},
                        {"ops", failed},
                        {"answers", answers}});
    return Exit::held;
  }
  std::string out = fmt::format("{} failed ops{}\n", failed.size(),
                                order.yes ? "" : "; nothing was changed, --yes retries them");
  for (const auto& op : failed) {
    out += fmt::format("  {}{}\n", op, order.yes ? ": " + canonical(answers.at(op)) : "");
  }
  print(printable(out));
  return Exit::held;
}

Exit retry(const Order& order) {
  const auto engine = open_engine(order.db);
  if (order.all) return retry_all(order, *engine);
  if (order.subject.empty()) throw InputWrong{"retry: name an op, or --all-failed"};
  return tell(order, "retry", order.subject, engine->retry({order.subject, order.deadline_us}));
}

Exit cancel(const Order& order) {
  const auto engine = open_engine(order.db);
  if (!order.yes) {
    const Outcome answer = engine->observe();
    check_environment(answer);
    std::int64_t open = 0;
    for (const auto& [id, op] : std::get<model::Observation>(answer.detail).ops) {
      const bool ended =
          op.status == model::OpStatus::succeeded ||
          op.status == model::OpStatus::effect_confirmed || op.status == model::OpStatus::failed ||
          op.status == model::OpStatus::canceled || op.status == model::OpStatus::reconciling;
      open += op.workflow == order.subject && !ended ? 1 : 0;
    }
    if (order.json) {
      print_document(Json{
          {"command", "cancel"}, {"subject", order.subject}, {"dry_run", true}, {"count", open}});
    } else {
      print(printable(fmt::format("{}: {} ops would end; nothing was changed, --yes cancels them\n",
                                  order.subject, open)));
    }
    return Exit::held;
  }
  return tell(order, "cancel", order.subject, engine->cancel({order.subject}));
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
    print(printable(order.db + " has the current layout\n"));
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
                "Records what the outside service answered about an unknown write", reconcile);
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
