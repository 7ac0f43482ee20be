#include <fmt/format.h>

#include "scenarios/lab/inspection.hpp"
#include "scenarios/lab/submission.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios::lab {

namespace {

std::string text(const Json& job, const char* key) {
  return printable(job.at(key).get_ref<const std::string&>());
}

// "in 1.4 s", "2.0 s ago".
std::string from_now(const Json& time_us, std::int64_t now_us) {
  const double seconds = static_cast<double>(time_us.get<std::int64_t>() - now_us) / 1e6;
  return seconds >= 0 ? fmt::format("in {:.1f} s", seconds) : fmt::format("{:.1f} s ago", -seconds);
}

std::string call(const Json& job, const std::string& db, std::string_view command) {
  return fmt::format("leaseproof lab {} --db {} --job {}", command, shell_word(db),
                     shell_word(job.at("job").get_ref<const std::string&>()));
}

std::string error_of(const Json& job) {
  return job.at("error").is_null() ? "" : fmt::format(", error {}", text(job, "error"));
}

std::string step_lines(const Json& steps) {
  std::string out = "steps\n";
  for (const std::string_view step : {early_steps[0], early_steps[1], early_steps[2], last_step}) {
    const Json& payload = steps.at(std::string(step));
    out += fmt::format("  {:<8} {}\n", step, payload.is_null() ? "-" : printable_json(payload));
  }
  return out;
}

std::string approval_lines(const Json& approval, std::int64_t now_us) {
  if (approval.is_null()) return "approval  none was asked for\n";
  const std::string by = approval.at("decided_by").is_null()
                             ? ""
                             : fmt::format(", decided by {}", text(approval, "decided_by"));
  return fmt::format(
      "approval  request {} is {}{}, its time ends {}\n  hash     {}\n  envelope {}\n  payload  "
      "{}\n",
      approval.at("request_no").get<std::int64_t>(), text(approval, "status"), by,
      from_now(approval.at("expires_us"), now_us), text(approval, "hash"),
      printable_json(approval.at("envelope")), printable_json(approval.at("payload")));
}

std::string event_lines(const Json& events, std::int64_t now_us) {
  std::string out = fmt::format("events: {}\n", events.size());
  for (const Json& event : events) {
    out += fmt::format("  {:>5}  {:<22} generation {}  {}\n", event.at("seq").get<std::int64_t>(),
                       text(event, "kind"), event.at("generation").get<std::int64_t>(),
                       from_now(event.at("at_us"), now_us));
  }
  return out;
}

}  // namespace

std::string standing(const Json& job, std::int64_t now_us, const std::string& db) {
  const std::string status = text(job, "status");
  const std::string head = text(job, "job") + ": " + status;
  const Json& publish = job.at("steps").at(std::string(last_step));
  if (status == "succeeded") return head + ", publish " + printable_json(publish);
  if (status == "effect_confirmed") {
    return head + ": the report was written earlier, and nothing new was; publish " +
           printable_json(publish);
  }
  if (status == "running") {
    const Json& lease = job.at("lease");
    return fmt::format("{} under the lease of {}, which ends {}; only then: {}", head,
                       text(lease, "owner"), from_now(lease.at("expires_us"), now_us),
                       call(job, db, "run"));
  }
  if (status == "waiting_approval") {
    return fmt::format("{}; read the payload in: {}; then: {} --hash {}", head,
                       call(job, db, "inspect"), call(job, db, "approve"),
                       text(job.at("approval"), "hash"));
  }
  if (status == "reconciling") {
    return fmt::format("{}{}: the report may or may not have been written; {}", head, error_of(job),
                       call(job, db, "reconcile"));
  }
  if (status == "ready" || status == "pending") {
    const Json& next = job.at("next_attempt_us");
    return fmt::format("{}{}{}; {}", head, error_of(job),
                       next.is_null() ? "" : ", next attempt " + from_now(next, now_us),
                       call(job, db, "run"));
  }
  return head + error_of(job);
}

std::string inspection_text(const Json& job, std::int64_t now_us, const std::string& db) {
  const Json& effect = job.at("effect");
  std::string out = standing(job, now_us, db) + "\n";
  out += fmt::format("workflow  {}, provider {}, model {}{}, scope {}\n", text(job, "workflow"),
                     text(job, "provider"), text(job, "model"),
                     text(job, "endpoint").empty() ? "" : " at " + text(job, "endpoint"),
                     text(job, "scope"));
  out += fmt::format("input     {}\n", text(job, "input_digest"));
  for (const Json& source : job.at("sources")) {
    out += fmt::format("  source {}: {}, {}\n", text(source, "id"), text(source, "title"),
                       text(source, "sha256"));
  }
  out += fmt::format("memory    {}\n",
                     job.at("memory").is_null() ? "none" : printable_json(job.at("memory")));
  out +=
      fmt::format("claims    {} of {}, generation {}{}\n", job.at("attempts").get<std::int64_t>(),
                  job.at("max_attempts").get<std::int64_t>(),
                  job.at("generation").get<std::int64_t>(), error_of(job));
  if (!job.at("deadline_us").is_null()) {
    out += fmt::format("deadline  {}\n", from_now(job.at("deadline_us"), now_us));
  }
  out += step_lines(job.at("steps"));
  out += fmt::format("effect    {}\n", printable_json(effect));
  out += approval_lines(job.at("approval"), now_us);
  out += fmt::format("reports at the service: {}\n", job.at("receipts").size());
  for (const Json& receipt : job.at("receipts")) {
    out += fmt::format("  {} of payload {}\n", text(receipt, "receipt"),
                       text(receipt, "payload_hash"));
  }
  return out + event_lines(job.at("events"), now_us);
}

}  // namespace leaseproof::scenarios::lab
