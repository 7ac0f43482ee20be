// memory-put and submit: what a job is made of.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/cli/answer.hpp"
#include "scenarios/cli/lab_command.hpp"
#include "scenarios/cli/limits.hpp"
#include "scenarios/file.hpp"
#include "scenarios/lab/endpoint.hpp"
#include "scenarios/lab/submission.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using model::Word;

struct MemoryOrder {
  LabJob which;
  std::string scope = "team";
  std::string text = "Prefer short sentences, and name the id of a source beside what it says.";
  double ttl_s = 3600;
};

Exit put_memory(const MemoryOrder& order) {
  refuse_key_in({order.scope, order.text});
  model::ContextPut action;
  action.scope = order.scope;
  action.payload = canonical(Json(order.text));
  action.ttl_us = as_us(order.ttl_s, "--ttl-seconds");
  OpenLab lab(order.which, true);
  check_answer(lab.engine().put_context(action));
  if (order.which.json) {
    print_document({{"command", "memory-put"}, {"done", true}, {"scope", order.scope}});
  } else {
    print(
        fmt::format("scope {} has a new memory for {} s; jobs submitted from now on are pinned "
                    "to it\n",
                    printable(order.scope), order.ttl_s));
  }
  return Exit::held;
}

struct SubmitOrder {
  LabJob which;
  std::string scope = "team";
  std::string provider{lab::the_double};
  std::string model;
  std::string endpoint;
  std::string sources_file;
  bool approval = false;
  double deadline_s = 600;
};

std::vector<lab::Source> sources_of(const SubmitOrder& order) {
  if (order.sources_file.empty()) return lab::built_in_sources();
  const auto text = read_file(order.sources_file);
  if (!text && text.error().environment) throw EnvironmentFailed{text.error().text};
  if (!text) throw InputWrong{text.error().text};
  refuse_key_in({*text});  // a complaint may quote an id
  auto sources = lab::parse_sources(*text);
  if (!sources) throw InputWrong{order.sources_file + ": " + sources.error()};
  return std::move(*sources);
}

lab::Submission submission_of(const SubmitOrder& order) {
  lab::Submission submission;
  submission.scope = order.scope;
  submission.provider = order.provider;
  if (order.approval) submission.workflow = lab::approved_workflow;
  if (order.provider != lab::the_api) {
    if (order.endpoint.empty() && order.model.empty()) return submission;
    throw InputWrong{"--model and --endpoint belong to --provider api"};
  }
  if (order.model.empty() || order.endpoint.empty()) {
    throw InputWrong{"--provider api needs --model and --endpoint"};
  }
  const std::string complaint = lab::complaint_about_endpoint(order.endpoint);
  if (!complaint.empty()) throw InputWrong{"--endpoint " + complaint};
  submission.model = order.model;
  submission.endpoint = order.endpoint;
  return submission;
}

// A scope without a memory is no error here, though an op may not name one that was never put.
model::Outcome ensure(engine::Engine& engine, const lab::Submission& submission,
                      const std::string& job, std::int64_t deadline_us) {
  auto outcome = engine.ensure(lab::workflow_of(submission, job, deadline_us, true));
  if (outcome.word != Word::invalid) return outcome;
  return engine.ensure(lab::workflow_of(submission, job, deadline_us, false));
}

Exit submit(const SubmitOrder& order) {
  // First of all: what follows may quote what is wrong.
  refuse_key_in({order.which.job, order.scope, order.model, order.endpoint});
  lab::Submission submission = submission_of(order);
  submission.sources = sources_of(order);
  refuse_key_in(submission);
  OpenLab lab(order.which, true);
  const std::int64_t deadline_us =
      lab.clock().now_us() + as_us(order.deadline_s, "--deadline-seconds");
  const auto outcome = ensure(lab.engine(), submission, order.which.job, deadline_us);
  check_answer(outcome);
  if (outcome.word != Word::created && outcome.word != Word::attached) {
    throw InputWrong{
        fmt::format("submit {}: {}: the job was submitted with another input; take a new --job",
                    order.which.job, model::word(outcome.word))};
  }
  const Json job = lab.job();
  if (order.which.json) {
    print_document({{"command", "submit"},
                    {"done", true},
                    {"job", order.which.job},
                    {"outcome", model::word(outcome.word)},
                    {"workflow", job.at("workflow")},
                    {"input_digest", job.at("input_digest")},
                    {"status", job.at("status")}});
    return Exit::held;
  }
  print(fmt::format("{} {}{}, input {}, {} sources, {}\n", printable(order.which.job),
                    outcome.word == Word::created ? "submitted as " : "was submitted before as ",
                    submission.workflow, lab::input_digest(submission), submission.sources.size(),
                    job.at("memory").is_null()
                        ? "no memory"
                        : "pinned to the memory of " + printable(submission.scope)));
  return Exit::held;
}

}  // namespace

void add_lab_submission(CLI::App& lab, Command& chosen) {
  const auto memory = std::make_shared<MemoryOrder>();
  CLI::App* command = lab.add_subcommand("memory-put", "Gives a scope a memory for later jobs");
  command->add_option("--db", memory->which.db, "The database file")->capture_default_str();
  command->add_option("--scope", memory->scope, "The scope")->capture_default_str();
  command->add_option("--text", memory->text, "What a draft is told")->capture_default_str();
  command->add_option("--ttl-seconds", memory->ttl_s, "How long it holds")->capture_default_str();
  command->add_flag("--json", memory->which.json, "One JSON document on standard output");
  command->callback([&chosen, memory] { chosen = [memory] { return put_memory(*memory); }; });

  const auto order = std::make_shared<SubmitOrder>();
  command =
      add_lab_command(lab, order->which, "submit", "Makes a job; the same again changes nothing");
  command->add_flag("--approval", order->approval, "Publishing needs a reviewer's approval");
  command->add_option("--sources", order->sources_file,
                      "A JSON list of {id, title, text} instead of the two built-in sources");
  command->add_option("--scope", order->scope, "Whose job it is")->capture_default_str();
  command->add_option("--provider", order->provider, "Who drafts")
      ->check(CLI::IsMember({std::string(lab::the_double), std::string(lab::the_api)}))
      ->capture_default_str();
  command->add_option("--model", order->model, "The model's name, for api");
  command->add_option("--endpoint", order->endpoint,
                      "The https address of chat completions, for api; the key is read from "
                      "LLM_API_KEY when the job runs, and never stored");
  command->add_option("--deadline-seconds", order->deadline_s, "Nothing new starts after it")
      ->capture_default_str();
  command->callback([&chosen, order] { chosen = [order] { return submit(*order); }; });
}

}  // namespace leaseproof::scenarios::cli
