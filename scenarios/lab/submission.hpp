// What a job is submitted with, and what it is known by.
//
// Promise: the identity holds sources by digest, provider, model, endpoint, workflow version and
// scope, so that another input cannot pass under an old job's id. It never holds a credential.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary.hpp"
#include "scenarios/lab/sources.hpp"

namespace leaseproof::scenarios::lab {

inline constexpr std::string_view job_package = "research";
inline constexpr std::string_view job_site = "research";
inline constexpr std::string_view job_kind = "report.publish/v1";
inline constexpr std::string_view report_target = "local-report-store";
inline constexpr std::string_view report_requester = "researcher";
// The checkpoints of the op, in their order; the fourth step, publish, is its completion.
inline constexpr std::array<std::string_view, 3> early_steps{"collect", "draft", "verify"};
inline constexpr std::string_view last_step = "publish";

// Other steps, or steps of another meaning, need another version: a job never changes its rules.
inline constexpr std::string_view plain_workflow = "report/v1";
inline constexpr std::string_view approved_workflow = "report-approved/v1";

inline constexpr std::string_view the_double = "double";
inline constexpr std::string_view the_api = "api";
inline constexpr std::string_view double_model = "double/v1";

// How a job's op is tried again; its worker reckons a model's pause against it.
inline const model::RetryPolicy job_retry{};

struct Submission {
  std::vector<Source> sources;
  std::string provider{the_double};
  std::string model{double_model};
  std::string endpoint;  // empty for the double
  std::string workflow{plain_workflow};
  std::string scope;

  [[nodiscard]] bool needs_approval() const { return workflow == approved_workflow; }
};

// Canonical JSON, and its SHA-256.
std::string identity_text(const Submission& submission);
std::string input_digest(const Submission& submission);

// The workflow of one op whose id, and whose queue, is the job's id: who leases from that queue
// leases this job. `with_memory` pins the newest context of the scope.
model::Ensure workflow_of(const Submission& submission, const std::string& job,
                          std::int64_t deadline_us, bool with_memory);

// Back from an op's input, or from a job's document, which holds it; nothing for an op that is no
// research job.
std::optional<Submission> submission_of(const Json& input);

// What a model is told of a pinned context's payload.
std::string memory_text(const Json& payload);

// What is published: the same text on every attempt, since it is made of what was committed.
std::string report_text(const Submission& submission, const std::string& job, const Json& draft);

}  // namespace leaseproof::scenarios::lab
