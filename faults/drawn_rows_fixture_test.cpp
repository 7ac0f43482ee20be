// Checks nothing: what those draw that check a VFS.
#include "faults/drawn_rows_fixture_test.hpp"

#include <cstdint>

namespace leaseproof::faults {
namespace {

std::string drawn_statement(Draw& draw) {
  const std::string key = std::to_string(draw.below(60));
  const std::string size = std::to_string(draw.below(10) == 0 ? 9000 : draw.below(300));
  switch (draw.below(6)) {
    case 0:
      return "DELETE FROM t WHERE k > " + key;
    case 1:
      return "UPDATE t SET v = v || '+" + key + "' WHERE k % 7 = " + key + " % 7";
    case 2:
      return "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s";
    default:
      return "REPLACE INTO t VALUES (" + key + ", printf('%.*c', " + size + ", 'x'))";
  }
}

}  // namespace

std::string drawn_transaction(Draw& draw) {
  std::string sql = "BEGIN IMMEDIATE;";
  for (std::uint64_t left = 1 + draw.below(5); left > 0; --left) sql += drawn_statement(draw) + ";";
  return sql;
}

}  // namespace leaseproof::faults
