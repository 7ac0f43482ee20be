// run, inspect and evaluate: one claim of a job, and what is known of it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/cli/answer.hpp"
#include "scenarios/cli/interrupt.hpp"
#include "scenarios/cli/lab_command.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/lab/credential.hpp"
#include "scenarios/lab/evaluation.hpp"
#include "scenarios/lab/http_provider.hpp"
#include "scenarios/lab/inspection.hpp"
#include "scenarios/lab/provider_double.hpp"
#include "scenarios/lab/worker.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using model::Word;

struct RunOrder {
  LabJob which;
  double lease_s = 30;
  double approval_s = 120;
  std::string fault;
};

// The key is asked for before the claim, so that a forgotten one costs none of the three.
std::unique_ptr<lab::Provider> provider_of(const lab::Submission& submission, const Json& job) {
  if (submission.provider != lab::the_api) return std::make_unique<lab::ProviderDouble>();
  std::string key;
  if (job.at("steps").at("draft").is_null()) {
    auto read = lab::read_key();
    if (!read) throw InputWrong{read.error()};
    key = std::move(*read);
  }
  return std::make_unique<lab::HttpProvider>(submission.endpoint, submission.model, std::move(key));
}

// A key that was stored before it was set is neither sent to a model nor shown.
lab::Submission submission_without_key(const Json& job) {
  auto submission = lab::submission_of(job).value();
  refuse_key_in(submission);
  const Json& memory = job.at("memory");
  refuse_key_in({canonical(memory), lab::memory_text(memory)});
  return submission;
}

lab::WorkerOptions options_of(const RunOrder& order) {
  lab::WorkerOptions options;
  options.job = order.which.job;
  options.worker = fmt::format("worker-{}", ::getpid());
  options.lease_us = as_us(order.lease_s, "--lease-seconds");
  options.approval_us = as_us(order.approval_s, "--approval-seconds");
  options.fault = word_of<lab::Fault>("--fault", "fault", order.fault);
  options.stop = [] { return interrupted(); };
  options.tell = [](std::string_view line) { say(line); };
  return options;
}

Exit tell_run(const RunOrder& order, const lab::Worked& worked, const Json& job) {
  const bool claimed = worked.last.word != Word::none;
  if (order.which.json) {
    print_document({{"command", "run"},
                    {"job", order.which.job},
                    {"claimed", claimed},
                    {"ended_with", model::word(worked.last.word)},
                    {"steps_committed", worked.steps},
                    {"status", job.at("status")},
                    {"attempts", job.at("attempts")},
                    {"error", job.at("error")},
                    {"lease", job.at("lease")},
                    {"next_attempt_us", job.at("next_attempt_us")},
                    {"publish", job.at("steps").at("publish")}});
  } else {
    std::string did = "nothing was claimed";
    if (claimed && worked.last.word == Word::lease_lost) {
      did = "the lease was lost, and what was under way was dropped";
    } else if (claimed) {
      did = worked.steps.empty() ? "claimed; no step was committed"
                                 : fmt::format("committed {}", fmt::join(worked.steps, ", "));
    }
    print(did + "\n" + lab::standing(job, now_us(), order.which.db) + "\n");
  }
  if (interrupted()) return Exit::interrupted;
  return job.at("status") == "failed" ? Exit::violation : Exit::held;
}

Exit run(const RunOrder& order) {
  lab::WorkerOptions options = options_of(order);
  OpenLab lab(order.which, false);
  const Json before = lab.job();
  const lab::Submission submission = submission_without_key(before);
  const auto provider = provider_of(submission, before);
  lab::Worker worker(lab.engine(), lab.service(), lab.clock(), *provider, submission,
                     std::move(options));
  const lab::Worked worked = worker.run();
  check_answer(worked.last);
  if (!order.fault.empty()) say(fmt::format("the fault {} was not reached", order.fault));
  return tell_run(order, worked, lab.job());
}

Exit inspect(const LabJob& which) {
  const Json job = look_at(which);
  if (which.json) {
    print_document(job);
  } else {
    print(lab::inspection_text(job, now_us(), which.db));
  }
  return Exit::held;
}

Exit evaluate(const LabJob& which) {
  const Json verdict = lab::evaluated(look_at(which));
  const bool passed = verdict.at("passed").get<bool>();
  if (which.json) {
    print_document(verdict);
  } else {
    std::string out;
    for (const Json& check : verdict.at("checks")) {
      out += fmt::format("{:<4} {}\n", check.at("passed").get<bool>() ? "ok" : "NOT",
                         check.at("name").get<std::string>());
    }
    print(fmt::format("{}semantic support and model quality are not scored\n{}: {}\n", out,
                      printable(which.job), passed ? "passed" : "not passed"));
  }
  return passed ? Exit::held : Exit::violation;
}

template <class Run>
void add_look(CLI::App& lab, Command& chosen, const std::string& name, const std::string& what,
              Run run) {
  const auto which = std::make_shared<LabJob>();
  CLI::App* command = add_lab_command(lab, *which, name, what);
  command->callback([&chosen, which, run] { chosen = [which, run] { return run(*which); }; });
}

}  // namespace

void add_lab_work(CLI::App& lab, Command& chosen) {
  const auto order = std::make_shared<RunOrder>();
  CLI::App* command = add_lab_command(lab, order->which, "run",
                                      "Claims the job once and goes on at its first missing step");
  command
      ->add_option("--lease-seconds", order->lease_s,
                   "How long a claim holds without a sign of life; also bounds a model's call")
      ->capture_default_str();
  command
      ->add_option("--approval-seconds", order->approval_s,
                   "How long a reviewer has, and how long an approval holds")
      ->capture_default_str();
  command->add_option("--fault", order->fault,
                      fmt::format("Leave with exit code 75 there: {}",
                                  fmt::join(model::Words<lab::Fault>::all, ", ")));
  command->callback([&chosen, order] { chosen = [order] { return run(*order); }; });

  add_look(lab, chosen, "inspect", "Shows all that is known of the job; changes nothing", inspect);
  add_look(lab, chosen, "evaluate", "Accepts a finished job mechanically, or says why not",
           evaluate);
}

}  // namespace leaseproof::scenarios::cli
