// Empties a database, for test beds that start each case from nothing.
#pragma once

#include <memory>
#include <string>

#include "engine/sqlite/connection.hpp"

namespace leaseproof::engine::store {

// Deletes every row of every table in one transaction; the schema and prepared statements stay. The
// cheapest fresh database that still has real commits.
// Errors: those of SQLite; on an eraser they leave a database that is of no more use.
sqlite::Fault erase_everything(sqlite::Connection& db);

// A second connection to a database in memory, for erase_everything alone: without foreign keys and
// without a journal SQLite drops whole tables instead of row after row. `texts` is the catalogue
// and must outlive the connection. Null when the database cannot be opened.
std::unique_ptr<sqlite::Connection> open_eraser(const std::string& path,
                                                const sqlite::StatementTexts& texts);

}  // namespace leaseproof::engine::store
