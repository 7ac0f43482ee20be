// approve, reject, reconcile, close and cancel: what a person says about a job.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/cli/answer.hpp"
#include "scenarios/cli/lab_command.hpp"
#include "scenarios/lab/inspection.hpp"
#include "scenarios/reply.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using model::Outcome;
using model::Word;

struct Decision {
  LabJob which;
  std::string hash;
  std::string actor;
  std::string evidence;
  bool happened = false;
  bool did_not_happen = false;
};

std::string_view mend(Word word) {
  switch (word) {
    case Word::wrong_hash:
      return "this is not the hash of the newest request; `lab inspect` shows it with what it "
             "binds";
    case Word::forbidden:
      return "whoever asked for the report may not decide on it; name another --actor";
    case Word::expired:
      return "the request's time is over; submit another job";
    case Word::already_decided:
      return "a request is decided once";
    case Word::not_found:
      return "the job has not asked for an approval; `lab run` does, for a job submitted with "
             "--approval";
    case Word::not_reconciling:
      return "nothing is unknown about this job now";
    case Word::permit_open:
      return "a request may still be on its way; try again when the lease of its claim has ended";
    case Word::evidence_required:
      return "say with --evidence what shows it";
    case Word::already_settled:
      return "the job has ended, and its history is not rewritten";
    default:
      return "";
  }
}

// One shape in every state; `also` is a sentence for people when it was done.
Exit tell(const Decision& order, std::string_view command, const Outcome& outcome, OpenLab& lab,
          std::string_view also = "") {
  check_answer(outcome);
  const Exit exit = exit_of(outcome);
  const Json job = lab.job();
  const std::string standing = lab::standing(job, now_us(), order.which.db);
  if (order.which.json) {
    print_document({{"command", command},
                    {"job", order.which.job},
                    {"done", is_done(outcome)},
                    {"answer", reply_json(outcome)},
                    {"status", job.at("status")},
                    {"publish", job.at("steps").at("publish")}});
  } else if (exit == Exit::wrong_input) {
    throw InputWrong{fmt::format("{}: {}: {}; {}", command, model::word(outcome.word),
                                 mend(outcome.word), standing)};
  } else {
    print(fmt::format("{}: {}{}\n{}\n", command, model::word(outcome.word), also, standing));
  }
  return exit;
}

Exit decide(const Decision& order, bool approve) {
  refuse_key_in({order.actor, order.hash});
  OpenLab lab(order.which, false);
  const Json job = lab.noticed_job();
  model::Decide action;
  action.op = order.which.job;
  action.approve = approve;
  action.hash = order.hash;
  action.actor = {order.actor, {"reviewer"}, {job.at("scope").get<std::string>()}};
  return tell(order, approve ? "approve" : "reject", lab.engine().decide(action), lab);
}

Exit reconcile(const Decision& order) {
  OpenLab lab(order.which, false);
  lab.noticed_job();
  const Outcome outcome = lab.engine().reconcile({order.which.job}, lab.receipt_at_service());
  return tell(order, "reconcile", outcome, lab,
              outcome.word == Word::unknown
                  ? ": the service has no such report, which is no proof, since the request may "
                    "still be on its way"
                  : ": the service was only asked, nothing was sent");
}

Exit close(const Decision& order) {
  if (order.happened == order.did_not_happen) {
    throw InputWrong{"close: say either --happened or --did-not-happen"};
  }
  refuse_key_in({order.actor, order.evidence});
  OpenLab lab(order.which, false);
  lab.noticed_job();
  const model::Actor actor{order.actor, {"operator"}, {}};
  return tell(order, "close",
              lab.engine().close({order.which.job, order.happened, order.evidence, actor}), lab);
}

Exit cancel(const Decision& order) {
  OpenLab lab(order.which, false);
  lab.noticed_job();
  const Outcome outcome = lab.engine().cancel({order.which.job});
  // A job is one op: what was not canceled was dispatched before, by whichever call it became
  // unknown.
  const auto* counts = std::get_if<model::CancelCounts>(&outcome.detail);
  const bool nothing_sent = counts != nullptr && counts->canceled > 0;
  return tell(order, "cancel", outcome, lab,
              nothing_sent
                  ? ": nothing was published, and nothing more will be"
                  : ": the report was already on its way; nothing was rolled back, and whether it "
                    "exists has to be found out");
}

using RunDecision = Exit (*)(const Decision&);

CLI::App* add(CLI::App& lab, Command& chosen, const std::shared_ptr<Decision>& order,
              const std::string& name, const std::string& what, RunDecision run) {
  CLI::App* command = add_lab_command(lab, order->which, name, what);
  command->callback([&chosen, order, run] { chosen = [order, run] { return run(*order); }; });
  return command;
}

void add_decision(CLI::App& lab, Command& chosen, const std::string& name, const std::string& what,
                  RunDecision run) {
  const auto order = std::make_shared<Decision>();
  order->actor = "reviewer";
  CLI::App* command = add(lab, chosen, order, name, what, run);
  command->add_option("--hash", order->hash, "The hash that `inspect` shows")->required();
  command
      ->add_option("--actor", order->actor,
                   "Who decides. A local fixture: role reviewer and the job's scope are given, as "
                   "if an authenticated session said so")
      ->capture_default_str();
}

}  // namespace

void add_lab_decisions(CLI::App& lab, Command& chosen) {
  add_decision(lab, chosen, "approve", "Grants the report that the hash binds",
               [](const Decision& order) { return decide(order, true); });
  add_decision(lab, chosen, "reject", "Turns it down, which ends the job",
               [](const Decision& order) { return decide(order, false); });
  add(lab, chosen, std::make_shared<Decision>(), "reconcile",
      "Asks the service whether a report of unknown fate exists; sends nothing", reconcile);

  const auto closed = std::make_shared<Decision>();
  closed->actor = "operator";
  CLI::App* command =
      add(lab, chosen, closed, "close", "Ends a report of unknown fate by evidence", close);
  command->add_flag("--happened", closed->happened, "The report exists");
  command->add_flag("--did-not-happen", closed->did_not_happen, "It does not, and never will");
  command->add_option("--evidence", closed->evidence, "What shows it; kept in an event")
      ->required();
  command->add_option("--actor", closed->actor, "Who says so; a local fixture with role operator")
      ->capture_default_str();

  add(lab, chosen, std::make_shared<Decision>(), "cancel",
      "Stops future work; never takes back what was published", cancel);
}

}  // namespace leaseproof::scenarios::cli
