#include "scenarios/lab/evaluation.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/values/digest.hpp"
#include "model/words.hpp"
#include "scenarios/lab/draft.hpp"
#include "scenarios/lab/submission.hpp"

namespace leaseproof::scenarios::lab {

namespace {

bool is_done(const Json& job) {
  const auto status = model::from_word<model::OpStatus>(job.at("status").get<std::string>());
  return status && model::is_done(*status);
}

bool has_all_steps(const Json& job) {
  const Json& steps = job.at("steps");
  return std::none_of(steps.begin(), steps.end(), [](const Json& step) { return step.is_null(); });
}

bool sources_are_unchanged(const Json& job) {
  const Json& sources = job.at("sources");
  return std::all_of(sources.begin(), sources.end(), [](const Json& source) {
    return engine::sha256_hex(source.at("text").get<std::string>()) == source.at("sha256");
  });
}

bool cites_known_sources(const Json& job) {
  const auto draft = draft_of(job.at("steps").at("draft"));
  if (!draft) return false;
  std::vector<Source> sources;
  for (const Json& source : job.at("sources")) sources.push_back({source.at("id"), {}, {}, {}});
  return complaint_about_citations(*draft, sources).empty();
}

const Json* only_receipt(const Json& job) {
  return job.at("receipts").size() == 1 ? &job.at("receipts").front() : nullptr;
}

bool wrote_once(const Json& job) {
  const Json* receipt = only_receipt(job);
  return receipt != nullptr && receipt->at("key") == job.at("effect").at("key");
}

// What stands at the service is what was dispatched, and that is what was reviewed.
bool wrote_what_was_dispatched(const Json& job) {
  const Json* receipt = only_receipt(job);
  if (receipt == nullptr) return false;
  const Json& hash = receipt->at("payload_hash");
  if (hash != job.at("effect").at("payload_hash")) return false;
  if (job.at("workflow") != approved_workflow) return true;
  const Json& approval = job.at("approval");
  return approval.is_object() && approval.at("status") == "spent" &&
         approval.at("payload_hash") == hash && approval.at("envelope").at("payload_hash") == hash;
}

bool recorded_its_receipt(const Json& job) {
  const Json* receipt = only_receipt(job);
  const Json& publish = job.at("steps").at(std::string(last_step));
  return receipt != nullptr && publish.is_object() &&
         receipt->at("receipt") == job.at("effect").at("receipt") &&
         receipt->at("receipt") == publish.value("receipt", Json(nullptr));
}

struct Check {
  const char* name;
  bool (*holds)(const Json& job);
};

constexpr std::array<Check, 7> all_checks{{{"job_is_done", is_done},
                                           {"four_steps_are_committed", has_all_steps},
                                           {"sources_are_unchanged", sources_are_unchanged},
                                           {"citations_are_known", cites_known_sources},
                                           {"exactly_one_write", wrote_once},
                                           {"written_as_dispatched", wrote_what_was_dispatched},
                                           {"receipt_is_recorded", recorded_its_receipt}}};

}  // namespace

Json evaluated(const Json& job) {
  Json checks = Json::array();
  bool passed = true;
  for (const Check& check : all_checks) {
    const bool holds = check.holds(job);
    passed = passed && holds;
    checks.push_back({{"name", check.name}, {"passed", holds}});
  }
  return {{"job", job.at("job")},
          {"passed", passed},
          {"checks", checks},
          {"semantic_support", "not_scored"},
          {"model_quality", "not_scored"}};
}

}  // namespace leaseproof::scenarios::lab
