// What a database file says once all who worked on it are gone.
//
// Promise: only the file is believed. It is sound when SQLite finds it whole and its journal,
// played through the model, is legal at each step and gives exactly what the tables say.
#pragma once

#include <string>
#include <vector>

#include "engine/values/clock.hpp"
#include "model/vocabulary.hpp"
#include "properties/journal_replay.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

struct FileJudgement {
  std::string why;  // empty: sound
  model::Observation state;
  std::vector<JournalEvent> events;
};

// `clock` is asked only where the file has to be created or migrated first. Without `decode` the
// journal is not replayed.
FileJudgement judge_file(const std::string& path, engine::Clock& clock,
                         const JournalDecoder& decode);

}  // namespace leaseproof::properties
