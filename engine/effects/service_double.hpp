// A durable double of an outside service, in a database file of its own, so that no transaction can
// span it and an engine.
//
// Promise: keeps the three contracts. Its ledger is the judge of what was written, never the
// engine's tables. It can be told to refuse, to time out before or after its write, and to let a
// request arrive late; what it was told survives a restart of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "engine/effects/service.hpp"
#include "engine/sqlite/connection.hpp"
#include "engine/store/database.hpp"
#include "engine/values/clock.hpp"

namespace leaseproof::engine::effects {

enum class LedgerSql : std::size_t;

// One write that the service made.
struct Written {
  std::string key;
  std::string payload;
  std::string receipt;
  std::int64_t at_us = 0;
};

class ServiceDouble final : public Service {
 public:
  // Opens or creates the file; `clock` must outlive the double. Another program's database is
  // refused and left as it was.
  static tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> open(
      const std::string& path, Clock& clock);
  // For `find`, `writes` and `ledger` alone: changes nothing, and a file without a ledger, also an
  // empty one, is refused: it says nothing of what was written.
  static tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> open_to_read(
      const std::string& path, Clock& clock);
  ~ServiceDouble() override;

  // How the next request is treated; several are kept in order.
  void tell(model::ServiceMode mode);
  model::Outcome write(const Request& request) override;
  std::optional<std::string> find(std::string_view key) override;
  // The oldest late request under the key arrives now; false where none is on its way. One that
  // comes after the service has forgotten the key is lost.
  bool deliver(std::string_view key);

  [[nodiscard]] std::int64_t writes(std::string_view key);
  // An unreadable ledger is no empty one.
  [[nodiscard]] tl::expected<std::vector<Written>, store::OpenError> ledger();

 private:
  ServiceDouble(std::string path, Clock& clock, sqlite::StatementTexts texts);
  static tl::expected<std::unique_ptr<ServiceDouble>, store::OpenError> connected(
      const std::string& path, Clock& clock, bool read_only);
  [[nodiscard]] tl::unexpected<store::OpenError> failed(sqlite::Fault fault) const;
  [[nodiscard]] tl::unexpected<store::OpenError> foreign() const;
  std::int64_t count(LedgerSql which);
  struct Arrival;
  Arrival arrive(const Request& request, bool late);
  model::ServiceMode take_mode();

  std::string path_;
  Clock* clock_;
  sqlite::StatementTexts texts_;
  std::unique_ptr<sqlite::Connection> db_;
};

}  // namespace leaseproof::engine::effects
