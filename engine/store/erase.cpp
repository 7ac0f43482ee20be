#include "engine/store/erase.hpp"

#include <array>
#include <cstddef>

#include "engine/store/catalog.hpp"
#include "engine/store/schema.hpp"

namespace leaseproof::engine::store {

sqlite::Fault erase_everything(sqlite::Connection& db) {
  static constexpr std::array tables{Sql::erase_event,  Sql::erase_approval, Sql::erase_effect,
                                     Sql::erase_pin,    Sql::erase_artifact, Sql::erase_checkpoint,
                                     Sql::erase_result, Sql::erase_lease,    Sql::erase_need,
                                     Sql::erase_op,     Sql::erase_workflow, Sql::erase_queue,
                                     Sql::erase_context};
  db.clear_fault();
  db.execute(index(Sql::begin_write));
  for (const auto table : tables) db.execute(static_cast<std::size_t>(table));
  const auto fault = db.fault();
  db.clear_fault();
  db.execute(static_cast<std::size_t>(fault == sqlite::Fault::none ? Sql::commit : Sql::rollback));
  return fault == sqlite::Fault::none ? db.fault() : fault;
}

std::unique_ptr<sqlite::Connection> open_eraser(const std::string& path,
                                                const sqlite::StatementTexts& texts) {
  auto fault = sqlite::Fault::none;
  auto db = sqlite::Connection::open({path, "", false, true}, texts, fault);
  if (db == nullptr || db->run_script(erasing_pragmas) != sqlite::Fault::none) return nullptr;
  return db;
}

}  // namespace leaseproof::engine::store
