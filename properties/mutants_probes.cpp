#include "properties/mutants_probes.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/schema.hpp"
#include "faults/vfs.hpp"
#include "properties/engine_sut.hpp"
#include "properties/runner.hpp"
#include "properties/sweep.hpp"

namespace leaseproof::properties {

namespace {

class StandingClock final : public engine::Clock {
 public:
  std::int64_t now_us() override { return 0; }
  void wait_us(std::int64_t /*duration_us*/) override {}
};

// A database in memory as somebody else has left it, for as long as this lives.
class LeftBySomebody {
 public:
  explicit LeftBySomebody(const std::string& script) {
    static std::atomic<std::int64_t> made{0};
    path_ = fmt::format("file:/leaseproof-left-{}?vfs=memdb", ++made);
    sqlite3_open_v2(path_.c_str(), &db_,
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nullptr);
    wrong_ = sqlite3_exec(db_, script.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK;
  }
  ~LeftBySomebody() { sqlite3_close(db_); }
  LeftBySomebody(const LeftBySomebody&) = delete;
  LeftBySomebody& operator=(const LeftBySomebody&) = delete;

  // Empty where the engine opens it, else its sentence.
  std::string opened(const Texts& statements) const {
    if (wrong_) return "the script of the probe is no SQL";
    StandingClock clock;
    engine::Options options;
    options.path = path_;
    options.statements = statements;
    options.clock = &clock;
    auto engine = engine::Engine::open(std::move(options));
    return engine ? "" : engine.error().sentence;
  }

 private:
  std::string path_;
  sqlite3* db_ = nullptr;
  bool wrong_ = false;
};

struct Left {
  std::string_view name;
  std::string script;
  std::string_view answer;  // stands in the sentence; empty: it is opened
};

constexpr std::string_view foreign = "belongs to another program";
constexpr std::string_view branched = "of the older system";

std::string of_version(int version) {
  std::string script = engine::store::schema_of_versions;
  script +=
      "INSERT INTO schema_migrations VALUES (1, 'first', ''), (2, 'second', ''), "
      "(3, 'integer_times', ''), (4, 'leaseproof_tables', '');";
  script += engine::store::schema_v4;
  if (version == 4) return script;
  script += "INSERT INTO schema_migrations VALUES (5, 'effects', '');";
  script += engine::store::schema_v5;
  if (version == 5) return script;
  script += "INSERT INTO schema_migrations VALUES (6, 'fewer_indexes', '');";
  return script + engine::store::schema_v6;
}

std::vector<Left> left_by_others() {
  const std::string versions = engine::store::schema_of_versions;
  const std::string ours =
      "CREATE TABLE workflow (x); CREATE TABLE op (x); CREATE TABLE lease (x);";
  const auto views = [](std::string_view a, std::string_view b, std::string_view c) {
    return fmt::format(
        "CREATE VIEW {} AS SELECT 1; CREATE VIEW {} AS SELECT 1; CREATE VIEW {} AS "
        "SELECT 1;",
        a, b, c);
  };
  const auto renamed = [](int version) {
    return of_version(6) +
           fmt::format("UPDATE schema_migrations SET name = 'theirs' WHERE version = {};", version);
  };
  return {
      {"a database of ours", of_version(6), ""},
      {"a database of ours with a column of somebody's",
       of_version(6) + "ALTER TABLE schema_migrations ADD COLUMN note TEXT;", ""},
      {"a database of version 5", of_version(5), ""},
      {"a database of version 4", of_version(4), ""},
      {"another schema_migrations",
       "CREATE TABLE schema_migrations (version INTEGER, name TEXT);" + ours, foreign},
      {"another schema_migrations of three columns",
       "CREATE TABLE schema_migrations (version INTEGER, name TEXT, note TEXT);" + ours, foreign},
      {"a schema_migrations by itself", versions, foreign},
      {"a schema_migrations and two tables", versions + "CREATE TABLE x (x); CREATE TABLE y (y);",
       foreign},
      {"a schema_migrations and views of our names", versions + views("workflow", "op", "lease"),
       foreign},
      {"a schema_migrations and views of the old names",
       versions + views("workflows", "ops", "leases"), foreign},
      {"a third step of somebody's", renamed(3), branched},
      {"a fourth step of somebody's", renamed(4), branched},
      {"a fifth step of somebody's", renamed(5), branched},
      {"a sixth step of somebody's", renamed(6), branched},
      {"a version to come", of_version(6) + "INSERT INTO schema_migrations VALUES (7, 'next', '');",
       "newer than"},
      {"a table of somebody's that has our name", of_version(4) + "CREATE TABLE Effect (x);",
       "needs that name"},
  };
}

std::string opening_complaint(const Texts& statements) {
  for (const Left& left : left_by_others()) {
    const std::string answer = LeftBySomebody(left.script).opened(statements);
    const bool as_told =
        left.answer.empty() ? answer.empty() : answer.find(left.answer) != std::string::npos;
    if (!as_told) {
      return fmt::format("{} is {}", left.name, answer.empty() ? "opened" : "answered: " + answer);
    }
  }
  return {};
}

// The WAL is to be copied into the database again and again, not to grow for ever.
std::string checkpoint_complaint(const Texts& statements) {
  constexpr std::int64_t threshold_pages = 8;
  constexpr int calls = 60;
  EngineSutOptions options = on_simulated_disk();
  options.statements = statements;
  options.checkpoint_pages = threshold_pages;
  const auto vfs = options.vfs;
  SimClock clock;
  EngineSut sut(clock, std::move(options));
  const model::Given given;
  const model::Action action = model::ContextPut{"scope", "null", 1};
  CallFrame frame;
  frame.action = &action;
  frame.given = &given;
  for (int i = 0; i < calls; ++i) {
    if (sut.apply(frame).outcome.word != model::Word::ok) return "a context cannot be put";
  }
  const faults::Disk disk = vfs->snapshot();
  const auto wal = disk.find("/leaseproof/engine.sqlite-wal");
  constexpr std::uint64_t most_pages = 4 * threshold_pages;
  constexpr std::uint64_t page_bytes = 2048;
  const std::uint64_t pages = wal ? disk.size(*wal) / page_bytes : 0;
  if (pages <= most_pages) return {};
  return fmt::format("a WAL that is copied from {} pages on has {}", threshold_pages, pages);
}

// Every fault at the disk on the way of a call that answers, and what is opened afterwards.
std::string fault_complaint(const Texts& statements) {
  SweepOptions options;
  options.statements = statements;
  options.states_a_moment = 1;
  constexpr std::size_t lease = 2;
  const StepSweep swept = Sweep(options).step(small_case(), lease);
  return swept.counterexample ? swept.counterexample->violation.why : "";
}

// A lease whose commit is to fail, and a loss of power after it that keeps all that was not synced.
// With `company` another connection keeps the WAL from going with the one that failed.
Case failing_lease(bool company) {
  constexpr std::int64_t most_sectors = 400;
  Case failing = small_case();
  failing.steps.resize(4);
  if (company) {
    StepFault& pause = failing.steps[1].fault.emplace();
    pause.plan = {faults::point_of(faults::Call::refresh, faults::Place::begin),
                  faults::Kind::interleave};
    pause.steps.emplace_back().action = model::Observe{};
  }
  failing.steps[2].fault.emplace().plan.kind = faults::Kind::io_error;
  failing.steps[3].action = model::Refresh{};
  StepFault& loss = failing.steps[3].fault.emplace();
  loss.plan = {faults::point_of(faults::Call::refresh, faults::Place::begin),
               faults::Kind::power_loss};
  for (std::int64_t sector = 0; sector < most_sectors; ++sector) {
    loss.torn_sectors.push_back(sector);
  }
  return failing;
}

// A disk may go on failing while the connection of the failed commit closes: its frames stay in the
// WAL, and whoever opens that next finds them committed.
std::string commit_complaint(const Texts& statements) {
  constexpr std::int64_t most_hits = 24;
  constexpr std::int64_t most_times = 4;
  const Rig rig = engine_on_simulated_disk(statements)();
  Runner runner(*rig.sut, *rig.clock);
  for (const bool company : {false, true}) {
    Case failing = failing_lease(company);
    faults::Plan& plan = failing.steps[2].fault->plan;
    for (const auto operation : {faults::Operation::sync, faults::Operation::write}) {
      plan.point = faults::point_of(operation);
      for (plan.hit = 1; plan.hit <= most_hits; ++plan.hit) {
        for (plan.times = 1; plan.times <= most_times; ++plan.times) {
          const auto found = runner.run(failing.config, failing.steps);
          if (found) return found->why;
        }
      }
    }
  }
  return {};
}

// Behind a late cursor a reader is to look at the events, not at every workflow.
std::string reading_complaint(const Texts& statements) {
  using engine::store::Sql;
  auto texts = statements ? *statements : engine::store::catalog_texts();
  texts[engine::store::index(Sql::changed_workflows)] =
      "SELECT id, last_seq FROM workflow WHERE 0 * ?1 AND ?2";
  const Rig rig =
      engine_in_memory(std::make_shared<const engine::sqlite::StatementTexts>(std::move(texts)))();
  auto& engine = dynamic_cast<EngineSut&>(*rig.sut).engine();
  std::int64_t started = 0;
  for (const char* id : {"first", "second", "last"}) {
    model::Start start;
    start.workflow = id;
    if (engine.start(std::move(start)).word == model::Word::created) ++started;
  }
  if (started != 3) return "a workflow cannot be started";
  const auto page = engine.snapshots_since(started - 1, started);
  const auto* found = std::get_if<model::Page>(&page.outcome.detail);
  if (found != nullptr && found->workflows == std::vector<std::string>{"last"}) return {};
  return "a reader behind all events but one looks at every workflow";
}

constexpr std::array probe_rows{
    Probe{"opening", "databases that others made or left are opened or refused", opening_complaint},
    Probe{"checkpoint", "the WAL does not grow for ever", checkpoint_complaint},
    Probe{"reading", "a reader of changes looks at what is fewer", reading_complaint},
    Probe{"graph", "refresh and retry judge any graph as the model does", graph_complaint},
    Probe{"commit", "a commit that fails is known to stand or not to", commit_complaint},
    Probe{"faults", "every fault at the disk of one call", fault_complaint},
};

}  // namespace

std::span<const Probe> probes() { return probe_rows; }

}  // namespace leaseproof::properties
