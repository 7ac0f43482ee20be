#include "scenarios/lab/submission.hpp"

#include "engine/values/digest.hpp"

namespace leaseproof::scenarios::lab {

namespace {

Json identity(const Submission& submission) {
  return {{"sources", sources_by_digest(submission.sources)},
          {"provider", submission.provider},
          {"model", submission.model},
          {"endpoint", submission.endpoint},
          {"workflow", submission.workflow},
          {"scope", submission.scope}};
}

// The engine knows the op under its package, and the input is what `workflow_of` wrote: a missing
// key means another program's op.
bool is_input(const Json& input) {
  if (!input.is_object()) return false;
  for (const char* key : {"provider", "model", "endpoint", "workflow", "scope"}) {
    const auto value = input.find(key);
    if (value == input.end() || !value->is_string()) return false;
  }
  const auto sources = input.find("sources");
  if (sources == input.end() || !sources->is_array()) return false;
  for (const Json& source : *sources) {
    if (!source.is_object()) return false;
    for (const char* key : {"id", "title", "text", "sha256"}) {
      const auto value = source.find(key);
      if (value == source.end() || !value->is_string()) return false;
    }
  }
  return true;
}

}  // namespace

std::string identity_text(const Submission& submission) { return canonical(identity(submission)); }

std::string input_digest(const Submission& submission) {
  return engine::sha256_hex(identity_text(submission));
}

model::Ensure workflow_of(const Submission& submission, const std::string& job,
                          std::int64_t deadline_us, bool with_memory) {
  Json input = identity(submission);
  input["sources"] = sources_with_texts(submission.sources);

  model::OpSpec op;
  op.id = job;
  op.kind = job_kind;
  op.site = job_site;
  op.queue = job;
  op.input = canonical(input);
  op.deadline_us = deadline_us;
  op.retry = job_retry;
  op.effect = {model::Contract::idempotent,
               submission.needs_approval(),
               0,
               std::string(report_target),
               submission.scope,
               std::string(report_requester)};
  if (with_memory) op.context = submission.scope;

  model::Ensure ensure;
  ensure.workflow = job;
  ensure.package = job_package;
  ensure.identity = identity_text(submission);
  ensure.ops.push_back(std::move(op));
  return ensure;
}

std::optional<Submission> submission_of(const Json& input) {
  if (!is_input(input)) return std::nullopt;
  Submission submission;
  submission.provider = input.at("provider");
  submission.model = input.at("model");
  submission.endpoint = input.at("endpoint");
  submission.workflow = input.at("workflow");
  submission.scope = input.at("scope");
  for (const Json& source : input.at("sources")) {
    submission.sources.push_back(
        {source.at("id"), source.at("title"), source.at("text"), source.at("sha256")});
  }
  return submission;
}

std::string memory_text(const Json& payload) {
  return payload.is_string() ? payload.get<std::string>() : canonical(payload);
}

std::string report_text(const Submission& submission, const std::string& job, const Json& draft) {
  return canonical(Json{{"job", job},
                        {"workflow", submission.workflow},
                        {"summary", draft.at("summary")},
                        {"citations", draft.at("citations")},
                        {"sources", sources_by_digest(submission.sources)}});
}

}  // namespace leaseproof::scenarios::lab
