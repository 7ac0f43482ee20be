#include "properties/file_judgement.hpp"

#include <cstdint>
#include <utility>

#include "engine/engine.hpp"
#include "engine/store/catalog.hpp"
#include "engine/store/state_reader.hpp"

namespace leaseproof::properties {

using engine::store::Sql;

FileJudgement judge_file(const std::string& path, engine::Clock& clock,
                         const JournalDecoder& decode) {
  FileJudgement found;
  engine::Options options;
  options.path = path;
  options.clock = &clock;
  auto opened = engine::Engine::open(std::move(options));
  if (!opened) {
    found.why = opened.error().sentence;
    return found;
  }
  engine::sqlite::Connection& db = (*opened)->connection();
  {
    auto rows = db.query(static_cast<std::size_t>(Sql::check_integrity));
    if (!rows.next()) {
      found.why = path + " cannot be checked: " + db.message();
      return found;
    }
    if (rows.text(0) != "ok") {
      found.why = rows.string(0);
      return found;
    }
  }
  engine::store::StateReader reader;
  found.state = reader.read_in_full(db);
  {
    auto rows = db.query(static_cast<std::size_t>(Sql::events_after), std::int64_t{0}, INT64_MAX);
    while (rows.next()) {
      found.events.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3),
                              rows.string(4), rows.string(5), rows.string(6), rows.string(7)});
    }
  }
  if (db.fault() != engine::sqlite::Fault::none) {
    found.why = path + " cannot be read: " + db.message();
    return found;
  }
  if (decode) found.why = replay_journal(found.events, decode, {}, found.state);
  return found;
}

}  // namespace leaseproof::properties
