#include "scenarios/cli/lab_job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "scenarios/cli/database_file.hpp"
#include "scenarios/lab/credential.hpp"
#include "scenarios/lab/inspection.hpp"

namespace leaseproof::scenarios::cli {

namespace {

using engine::effects::ServiceDouble;
using engine::effects::Written;
using model::Word;

std::string publisher_path(const std::string& db) { return db + ".publisher.sqlite"; }

std::unique_ptr<ServiceDouble> open_publisher(const std::string& db, engine::Clock& clock) {
  auto opened = ServiceDouble::open(publisher_path(db), clock);
  if (!opened) refuse(opened.error());
  return std::move(*opened);
}

std::vector<Written> published(const std::string& db, engine::Clock& clock) {
  if (!std::filesystem::exists(publisher_path(db))) return {};
  return open_publisher(db, clock)->ledger();
}

Json job_or_refuse(std::optional<Json> document, const LabJob& which) {
  if (!document) {
    throw InputWrong{printable(
        fmt::format("{} holds no research job '{}'; submit it first, or name it with --job",
                    which.db, which.job))};
  }
  return std::move(*document);
}

}  // namespace

OpenLab::OpenLab(const LabJob& which, bool create) : which_(which) {
  if (!create) {
    engine_ = open_engine(which.db);
    return;
  }
  engine::Options options;
  options.path = which.db;
  auto opened = engine::Engine::open(std::move(options));
  if (!opened) refuse(opened.error());
  engine_ = std::move(*opened);
}

ServiceDouble& OpenLab::service() {
  if (service_ == nullptr) service_ = open_publisher(which_.db, clock_);
  return *service_;
}

Json OpenLab::job() {
  const std::vector<Written> written =
      service_ != nullptr ? service_->ledger() : published(which_.db, clock_);
  engine::sqlite::Connection& db = engine_->connection();
  auto document = lab::inspected(db, which_.job, written);
  if (db.fault() != engine::sqlite::Fault::none) {
    refuse({db.fault(), engine::sqlite::sentence(db.fault(), which_.db)});
  }
  return job_or_refuse(std::move(document), which_);
}

Json look_at(const LabJob& which) {
  ReadOnlyDatabase database(which.db);
  engine::SystemClock clock;
  auto document = lab::inspected(database.connection(), which.job, published(which.db, clock));
  database.check_fault();
  return job_or_refuse(std::move(document), which);
}

void check_answer(const model::Outcome& outcome) {
  switch (outcome.word) {
    case Word::busy:
    case Word::storage_error:
      throw EnvironmentFailed{outcome.why};
    case Word::commit_unknown:
      throw EnvironmentFailed{"a commit failed, and whether it stands is unknown; look again"};
    case Word::invalid:
      throw InputWrong{printable(outcome.why)};
    default:
      return;
  }
}

void refuse_key_in(std::initializer_list<std::string_view> texts) {
  if (!lab::holds_key(texts)) return;
  throw InputWrong{fmt::format(
      "what would be stored holds the key of {}; a key belongs into that variable and nowhere else",
      lab::key_variable)};
}

std::int64_t as_us(double seconds, std::string_view option) {
  if (!std::isfinite(seconds) || seconds < 1e-6 || seconds > 1e9) {
    throw InputWrong{
        fmt::format("{} is {}; between 0.000001 and 1000000000 are allowed", option, seconds)};
  }
  return std::llround(seconds * 1e6);
}

std::int64_t now_us() { return engine::SystemClock().now_us(); }

}  // namespace leaseproof::scenarios::cli
