#include "scenarios/lab/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/values/delay.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::scenarios::lab {

using model::FailKind;
using model::Outcome;
using model::Word;

Worker::Worker(engine::Engine& engine, engine::effects::Service& service, engine::Clock& clock,
               Provider& provider, const Submission& submission, WorkerOptions options)
    : engine_(&engine),
      service_(&service),
      clock_(&clock),
      provider_(&provider),
      submission_(&submission),
      options_(std::move(options)) {}

bool Worker::end(Outcome outcome) {
  worked_.last = std::move(outcome);
  return false;
}

bool Worker::fail(FailKind kind, const std::string& error) {
  model::Fail action;
  action.by = by();
  action.kind = kind;
  action.error = error;
  return end(engine_->fail(token_, action));
}

Worked Worker::run() {
  if (claim() && collect() && draft() && verify()) publish();
  return std::move(worked_);
}

bool Worker::claim() {
  if (auto refreshed = engine_->refresh(); refreshed.word != Word::ok) return end(refreshed);
  model::Lease action;
  action.worker = options_.worker;
  action.site = job_site;
  action.queue = options_.job;
  action.lease_us = options_.lease_us;
  auto granted = engine_->lease(action);
  if (granted.outcome.word != Word::leased) return end(granted.outcome);
  token_ = std::move(granted.token);
  pass(Fault::after_claim, options_.fault);

  if (auto read = engine_->work(options_.job, work_); read.word != Word::ok) return end(read);
  const Outcome seen = engine_->observe();
  if (seen.word != Word::ok) return end(seen);
  const auto& op = std::get<model::Observation>(seen.detail).ops.at(options_.job);
  attempts_ = op.attempts;
  for (const auto& [step, payload] : op.checkpoints) committed_[step] = embedded(payload);
  return true;
}

bool Worker::begin_step() {
  model::Heartbeat action;
  action.by = by();
  action.lease_us = options_.lease_us;
  const Outcome extended = engine_->heartbeat(token_, action);
  return extended.word == Word::extended || end(extended);
}

bool Worker::commit(std::string_view step, const Json& payload, Fault after) {
  model::Checkpoint action;
  action.by = by();
  action.step = step;
  action.payload = canonical(payload);
  const Outcome stored = engine_->checkpoint(token_, action);
  if (stored.word != Word::ok) return end(stored);
  committed_[action.step] = payload;
  worked_.steps.push_back(action.step);
  pass(after, options_.fault);
  return true;
}

bool Worker::collect() {
  if (committed_.contains("collect")) return true;
  if (!begin_step()) return false;
  for (const Source& source : submission_->sources) {
    if (engine::sha256_hex(source.text) == source.sha256) continue;
    return fail(FailKind::permanent,
                "source_changed: a source is not the text that the job was submitted with");
  }
  return commit("collect", {{"sources", sources_by_digest(submission_->sources)}},
                Fault::after_collect);
}

bool Worker::draft() {
  if (committed_.contains("draft")) return true;
  if (!begin_step()) return false;
  Bounds bounds;
  bounds.within_us = options_.lease_us;
  if (work_.deadline_us) {
    bounds.within_us = std::min(bounds.within_us, *work_.deadline_us - clock_->now_us());
    // Asking a model is work that starts now, and the engine would refuse only what comes of it.
    if (bounds.within_us < 1) return fail(FailKind::permanent, "deadline_exceeded");
  }
  Assignment assignment{submission_->sources, {}};
  if (work_.context) assignment.memory = memory_text(embedded(*work_.context));
  tl::expected<Draft, NoDraft> draft;
  {
    Heartbeat heartbeat(*engine_, token_, options_.job, options_.lease_us);
    bounds.stop = [&] { return heartbeat.lost() || stopped(); };
    draft = provider_->draft(assignment, bounds);
    // A lost lease needs no look of our own: the engine refuses the next call, whichever it is.
    if (!draft) return no_draft(draft.error(), heartbeat);
  }
  const std::string complaint = complaint_about_citations(*draft, submission_->sources);
  if (!complaint.empty()) return fail(FailKind::permanent, complaint);
  return commit("draft", draft_json(*draft), Fault::after_draft);
}

bool Worker::no_draft(const NoDraft& none, Heartbeat& heartbeat) {
  const std::int64_t pause_us = none.retry_after_us.value_or(0);
  if (none.kind != FailKind::retryable || pause_us == 0 || attempts_ >= work_.max_attempts) {
    return fail(none.kind, none.error);
  }
  const std::string asked =
      fmt::format("{}; it asks for a pause of {} s", none.error, (pause_us + 999'999) / 1'000'000);
  if (work_.deadline_us && pause_us >= *work_.deadline_us - clock_->now_us()) {
    return fail(FailKind::permanent,
                asked + ", which is past the job's deadline: submit another job");
  }
  // `fail` takes no delay of ours, so the rest of the pause passes under the lease.
  const std::int64_t rest_us = pause_us - engine::delay_us(job_retry, options_.job, attempts_);
  if (rest_us > 0) {
    if (options_.tell) options_.tell(fmt::format("{}; waiting with the lease held", asked));
    heartbeat.hold_us(*clock_, rest_us, options_.stop);
  }
  return fail(FailKind::retryable, none.error);
}

bool Worker::verify() {
  if (committed_.contains("verify")) return true;
  if (!begin_step()) return false;
  // The committed draft is judged again: it may be an older program's, or another hand's.
  const auto draft = draft_of(committed_.at("draft"));
  if (!draft) return fail(FailKind::permanent, draft.error());
  const std::string complaint = complaint_about_citations(*draft, submission_->sources);
  if (!complaint.empty()) return fail(FailKind::permanent, complaint);
  return commit("verify",
                {{"shape", true},
                 {"citations", draft->citations.size()},
                 {"citations_known", true},
                 {"semantic_support", "not_scored"}},
                Fault::after_verify);
}

void Worker::publish() {
  if (!begin_step()) return;
  const std::string report = report_text(*submission_, options_.job, committed_.at("draft"));
  model::Dispatch action;
  action.by = by();
  action.payload = report;
  auto dispatched = engine_->dispatch(token_, action);
  // Whether an approval covers this very report, only the engine's transaction can say.
  if (dispatched.outcome.word == Word::approval_required) return request_approval(report);
  if (!dispatched.permit) {
    end(dispatched.outcome);
    return;
  }
  pass(Fault::before_effect, options_.fault);
  call(*dispatched.permit);
}

void Worker::request_approval(const std::string& report) {
  model::RequestApproval action;
  action.by = by();
  action.payload = report;
  action.ttl_us = options_.approval_us;
  const Outcome asked = engine_->request_approval(token_, action);
  if (asked.word == Word::waiting) pass(Fault::after_request, options_.fault);
  end(asked);
}

void Worker::call(engine::effects::Permit& permit) {
  const Outcome answer = permit.call(*service_, *clock_);
  pass(Fault::after_effect, options_.fault);
  const auto* receipt = std::get_if<model::Receipt>(&answer.detail);
  if (receipt == nullptr) {
    // Only a refusal and a permit that sent nothing are sure; of all else nobody knows.
    const bool sure = answer.word == Word::refused || answer.word == Word::permit_expired;
    fail(sure ? FailKind::retryable : FailKind::unknown,
         fmt::format("publish_{}", model::word(answer.word)));
    return;
  }
  model::Complete action;
  action.by = by();
  action.result = canonical(Json{{"receipt", receipt->receipt}, {"deduplicated", !receipt->fresh}});
  const Outcome completed = engine_->complete(token_, action, {}, receipt->receipt);
  if (completed.word == Word::ok) {
    worked_.steps.emplace_back(last_step);
    pass(Fault::after_publish, options_.fault);
  }
  end(completed);
}

}  // namespace leaseproof::scenarios::lab
