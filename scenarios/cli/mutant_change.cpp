#include "scenarios/cli/mutant_change.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "engine/store/catalog.hpp"
#include "properties/mutants.hpp"
#include "properties/mutants_automatic.hpp"
#include "properties/storage_bugs.hpp"

namespace leaseproof::scenarios::cli {

namespace {

std::optional<std::size_t> statement_of(const std::string& name) {
  if (const auto* automatic = properties::find_catalogue_mutant(name)) return automatic->statement;
  const auto* planted = properties::find_mutant(name);
  if (planted == nullptr || planted->edits.empty()) return std::nullopt;
  return engine::store::index(planted->edits.front().statement);
}

std::string_view kind_of(const std::string& name) {
  if (properties::find_catalogue_mutant(name) != nullptr) return "automatic";
  if (properties::find_mutant(name) != nullptr) return "statement";
  return properties::find_storage_bug(name) != nullptr ? "storage" : "code";
}

}  // namespace

Json change_json(const HuntedMutant& mutant) {
  Json json{{"kind", kind_of(mutant.name)}, {"statement", nullptr}, {"mutated", nullptr}};
  if (const auto statement = statement_of(mutant.name)) {
    json["statement"] = engine::store::catalog[*statement].name;
    json["mutated"] = (*properties::texts_of_mutant(mutant.name))[*statement];
  }
  return json;
}

Json statements_json(const std::vector<HuntedMutant>& mutants) {
  Json texts = Json::object();
  for (const HuntedMutant& one : mutants) {
    const auto statement = statement_of(one.name);
    if (!statement) continue;
    const engine::store::Statement& row = engine::store::catalog[*statement];
    texts[std::string(row.name)] = row.text;
  }
  return texts;
}

}  // namespace leaseproof::scenarios::cli
