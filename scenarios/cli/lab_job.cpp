#include "scenarios/cli/lab_job.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "engine/values/binding.hpp"
#include "scenarios/cli/answer.hpp"
#include "scenarios/cli/database_file.hpp"
#include "scenarios/lab/credential.hpp"
#include "scenarios/lab/inspection.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using engine::effects::ServiceDouble;

std::string publisher_path(const std::string& db) { return db + ".publisher.sqlite"; }

// None where there is no file yet: nothing was ever published.
std::unique_ptr<ServiceDouble> service_to_read(const std::string& db, engine::Clock& clock) {
  if (!std::filesystem::exists(publisher_path(db))) return nullptr;
  auto opened = ServiceDouble::open_to_read(publisher_path(db), clock);
  if (!opened) refuse(opened.error());
  return std::move(*opened);
}

std::vector<engine::effects::Written> published(const std::string& db) {
  engine::SystemClock clock;
  const auto service = service_to_read(db, clock);
  if (service == nullptr) return {};
  auto ledger = service->ledger();
  if (!ledger) refuse(ledger.error());
  return std::move(*ledger);
}

}  // namespace

OpenLab::OpenLab(const LabJob& which, bool create)
    : which_(which), engine_(open_engine(which.db, create)) {}

ServiceDouble& OpenLab::service() {
  if (service_ == nullptr) {
    auto opened = ServiceDouble::open(publisher_path(which_.db), clock_);
    if (!opened) refuse(opened.error());
    service_ = std::move(*opened);
  }
  return *service_;
}

std::optional<std::string> OpenLab::receipt_at_service() {
  const auto service = service_to_read(which_.db, clock_);
  return service != nullptr ? service->find(engine::operation_key(which_.job)) : std::nullopt;
}

Json OpenLab::job() const { return look_at(which_); }

Json OpenLab::noticed_job() {
  // What is no job, or cannot be read, is refused before anything changes.
  static_cast<void>(job());
  check_answer(engine_->refresh());
  return job();
}

Json look_at(const LabJob& which) {
  std::optional<Json> document;
  {
    ReadOnlyDatabase database(which.db);
    document = lab::inspected(database.connection(), which.job);
    database.check_fault();
  }
  if (!document) {
    throw InputWrong{
        fmt::format("{} holds no research job '{}'; submit it first, or name it with --job",
                    which.db, which.job)};
  }
  // After the engine's part, so that a report which that part knows of is among them.
  lab::add_receipts(*document, published(which.db));
  return std::move(*document);
}

void refuse_key_in(const lab::Submission& submission) {
  refuse_key_in({submission.model, submission.endpoint, submission.scope});
  for (const lab::Source& source : submission.sources) {
    refuse_key_in({source.id, source.title, source.text});
  }
}

void refuse_key_in(std::initializer_list<std::string_view> texts) {
  if (!lab::holds_key(texts)) return;
  throw InputWrong{fmt::format(
      "what is stored, or would be, holds the key of {}; a key belongs into that variable and "
      "nowhere else",
      lab::key_variable)};
}

std::int64_t now_us() { return engine::SystemClock().now_us(); }

}  // namespace leaseproof::scenarios::cli
