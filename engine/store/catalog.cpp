#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {

std::vector<std::string> catalog_texts() {
  std::vector<std::string> texts;
  texts.reserve(catalog.size());
  for (const auto& statement : catalog) texts.emplace_back(statement.text);
  return texts;
}

}  // namespace leaseproof::engine::store
