#include "properties/file_judgement.hpp"

#include <cstdint>
#include <utility>

#include "engine/engine.hpp"
#include "engine/store/state_reader.hpp"
#include "properties/journal_reading.hpp"

namespace leaseproof::properties {

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
  found.why = damage_in(db);
  if (!found.why.empty()) return found;
  engine::store::StateReader reader;
  found.state = reader.read_in_full(db);
  each_event(db, 0, [&](const JournalEvent& event) {
    found.events.push_back(event);
    return true;
  });
  if (db.fault() != engine::sqlite::Fault::none) {
    found.why = path + " cannot be read: " + db.message();
    return found;
  }
  if (decode) found.why = replay_journal(found.events, decode, {}, found.state);
  return found;
}

}  // namespace leaseproof::properties
