// Checks that the double keeps the contract that it was asked for, and that its ledger outlives it.
#include "engine/effects/service_double.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "engine/fixture_test.hpp"

namespace leaseproof::engine::effects {
namespace {

using model::Contract;
using model::ServiceMode;
using model::Word;

class Double : public EngineTest {
 protected:
  ServiceDouble& service() {
    if (service_ == nullptr) {
      auto opened = ServiceDouble::open(folder_ / "service.sqlite", clock_);
      EXPECT_TRUE(opened.has_value()) << opened.error();
      service_ = std::move(*opened);
    }
    return *service_;
  }
  model::Outcome send(Contract contract, const std::string& payload = "1",
                      std::int64_t retention_us = 0) {
    return service().write({"key", payload, contract, retention_us});
  }
  void TearDown() override {
    service_.reset();
    EngineTest::TearDown();
  }

  std::unique_ptr<ServiceDouble> service_;
};

TEST_F(Double, deduplicates_by_key_only_where_the_contract_says_so) {
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::idempotent).detail).fresh);
  EXPECT_FALSE(std::get<model::Receipt>(send(Contract::idempotent).detail).fresh);
  EXPECT_EQ(service().writes("key"), 1);
  EXPECT_EQ(send(Contract::idempotent, "2").word, Word::payload_conflict);
  EXPECT_EQ(service().writes("key"), 1);
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::queryable).detail).fresh);
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::opaque).detail).fresh);
  EXPECT_EQ(service().writes("key"), 3);
}

TEST_F(Double, forgets_a_key_when_its_retention_is_over_and_not_before) {
  send(Contract::idempotent, "1", 10);
  clock_.time_us = 9;
  send(Contract::idempotent, "1", 10);
  EXPECT_EQ(service().writes("key"), 1);
  clock_.time_us = 10;
  send(Contract::idempotent, "1", 10);
  EXPECT_EQ(service().writes("key"), 2);
}

TEST_F(Double, times_out_on_either_side_of_its_write_and_refuses_without_one) {
  service().tell(ServiceMode::timeout_before);
  service().tell(ServiceMode::refuse);
  service().tell(ServiceMode::timeout_after);
  EXPECT_EQ(send(Contract::opaque).word, Word::timeout);
  EXPECT_EQ(send(Contract::opaque).word, Word::refused);
  EXPECT_EQ(service().writes("key"), 0);
  EXPECT_EQ(send(Contract::opaque).word, Word::timeout);
  EXPECT_EQ(service().writes("key"), 1);
  EXPECT_TRUE(service().find("key").has_value());
  EXPECT_FALSE(service().find("other").has_value());
}

TEST_F(Double, keeps_ledger_orders_and_late_requests_over_a_restart) {
  service().tell(ServiceMode::late);
  EXPECT_EQ(send(Contract::queryable).word, Word::timeout);
  service().tell(ServiceMode::refuse);
  service_.reset();
  EXPECT_EQ(service().writes("key"), 0);
  EXPECT_TRUE(service().deliver("key"));
  EXPECT_FALSE(service().deliver("key"));
  EXPECT_EQ(service().writes("key"), 1);
  EXPECT_EQ(send(Contract::queryable).word, Word::refused);
  service_.reset();
  EXPECT_EQ(service().ledger().size(), 1U);
}

TEST_F(Double, a_file_that_is_no_database_is_one_line_with_its_mend) {
  const auto opened = ServiceDouble::open(folder_, clock_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().find(folder_.string()), std::string::npos);
}

}  // namespace
}  // namespace leaseproof::engine::effects
