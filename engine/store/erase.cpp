#include "engine/store/erase.hpp"

#include <array>
#include <cstddef>

#include "engine/store/catalog.hpp"

namespace leaseproof::engine::store {

sqlite::Fault erase_everything(sqlite::Connection& db) {
  static constexpr std::array tables{Sql::erase_event,  Sql::erase_artifact, Sql::erase_checkpoint,
                                     Sql::erase_result, Sql::erase_lease,    Sql::erase_need,
                                     Sql::erase_op,     Sql::erase_workflow, Sql::erase_queue};
  db.clear_fault();
  db.execute(static_cast<std::size_t>(Sql::begin_write));
  for (const auto table : tables) db.execute(static_cast<std::size_t>(table));
  const auto fault = db.fault();
  db.clear_fault();
  db.execute(static_cast<std::size_t>(fault == sqlite::Fault::none ? Sql::commit : Sql::rollback));
  return fault == sqlite::Fault::none ? db.fault() : fault;
}

}  // namespace leaseproof::engine::store
