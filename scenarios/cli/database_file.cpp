#include "scenarios/cli/database_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "engine/scheduler/system_clock.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/statement.hpp"
#include "scenarios/cli/command.hpp"

namespace leaseproof::scenarios::cli {

void check_exists(const std::string& path) {
  if (std::filesystem::exists(path)) return;
  throw InputWrong{fmt::format("database {} does not exist; name the right file", path)};
}

void refuse(const engine::store::OpenError& error) {
  using engine::sqlite::Fault;
  const Fault fault = error.fault;
  if (fault == Fault::not_a_database || fault == Fault::corrupt || fault == Fault::cannot_open ||
      fault == Fault::other) {
    throw InputWrong{error.sentence};
  }
  throw EnvironmentFailed{error.sentence};
}

std::unique_ptr<engine::Engine> open_engine(const std::string& path, bool create) {
  if (!create) check_exists(path);
  engine::Options options;
  options.path = path;
  options.create = create;
  auto opened = engine::Engine::open(std::move(options));
  if (!opened) refuse(opened.error());
  return std::move(*opened);
}

ReadOnlyDatabase::ReadOnlyDatabase(const std::string& path)
    : path_(path), texts_(engine::store::catalog_texts()) {
  check_exists(path);
  engine::SystemClock clock;
  engine::store::DatabaseOptions options;
  options.path = path;
  options.read_only = true;
  options.create = false;
  auto opened = engine::store::open_database(options, texts_, clock);
  if (!opened) refuse(opened.error());
  db_ = std::move(*opened);
  db_->execute(index(engine::store::Sql::begin_read));
}

void ReadOnlyDatabase::check_fault() const {
  const engine::sqlite::Fault fault = db_->fault();
  if (fault != engine::sqlite::Fault::none) {
    refuse({fault, engine::sqlite::sentence(fault, path_)});
  }
}

}  // namespace leaseproof::scenarios::cli
