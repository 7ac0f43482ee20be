// Checks that the double keeps the contract that it was asked for, and that its ledger outlives it.
#include "engine/effects/service_double.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <variant>

#include "engine/outside_fixture_test.hpp"

namespace leaseproof::engine::effects {
namespace {

using model::Contract;
using model::ServiceMode;
using model::Word;

class Double : public EngineAndServiceTest {
 protected:
  model::Outcome send(Contract contract, const std::string& payload = "1",
                      std::int64_t retention_us = 0) {
    return service_->write({"key", payload, contract, retention_us});
  }
};

TEST_F(Double, deduplicates_by_key_only_where_the_contract_says_so) {
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::idempotent).detail).fresh);
  EXPECT_FALSE(std::get<model::Receipt>(send(Contract::idempotent).detail).fresh);
  EXPECT_EQ(service_->writes("key"), 1);
  EXPECT_EQ(send(Contract::idempotent, "2").word, Word::payload_conflict);
  EXPECT_EQ(service_->writes("key"), 1);
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::queryable).detail).fresh);
  EXPECT_TRUE(std::get<model::Receipt>(send(Contract::opaque).detail).fresh);
  EXPECT_EQ(service_->writes("key"), 3);
}

TEST_F(Double, forgets_a_key_when_its_retention_is_over_and_not_before) {
  send(Contract::idempotent, "1", 10);
  clock_.time_us = 9;
  send(Contract::idempotent, "1", 10);
  EXPECT_EQ(service_->writes("key"), 1);
  clock_.time_us = 10;
  send(Contract::idempotent, "1", 10);
  EXPECT_EQ(service_->writes("key"), 2);
}

TEST_F(Double, times_out_on_either_side_of_its_write_and_refuses_without_one) {
  service_->tell(ServiceMode::timeout_before);
  service_->tell(ServiceMode::refuse);
  service_->tell(ServiceMode::timeout_after);
  EXPECT_EQ(send(Contract::opaque).word, Word::timeout);
  EXPECT_EQ(send(Contract::opaque).word, Word::refused);
  EXPECT_EQ(service_->writes("key"), 0);
  EXPECT_EQ(send(Contract::opaque).word, Word::timeout);
  EXPECT_EQ(service_->writes("key"), 1);
}

TEST_F(Double, answers_a_query_only_where_the_contract_says_so_and_while_it_remembers) {
  send(Contract::opaque);
  EXPECT_FALSE(service_->find("key").has_value());
  send(Contract::queryable);
  EXPECT_TRUE(service_->find("key").has_value());
  EXPECT_FALSE(service_->find("other").has_value());
  service_->write({"kept", "1", Contract::idempotent, 10});
  clock_.time_us = 9;
  EXPECT_TRUE(service_->find("kept").has_value());
  clock_.time_us = 10;
  EXPECT_FALSE(service_->find("kept").has_value());
}

TEST_F(Double, keeps_ledger_orders_and_late_requests_over_a_restart) {
  service_->tell(ServiceMode::late);
  EXPECT_EQ(send(Contract::queryable).word, Word::timeout);
  service_->tell(ServiceMode::refuse);
  reopen_service();
  EXPECT_EQ(service_->writes("key"), 0);
  EXPECT_TRUE(service_->deliver("key"));
  EXPECT_FALSE(service_->deliver("key"));
  EXPECT_EQ(service_->writes("key"), 1);
  EXPECT_EQ(send(Contract::queryable).word, Word::refused);
  reopen_service();
  EXPECT_EQ(service_->ledger()->size(), 1U);
}

TEST_F(Double, who_only_reads_sees_the_ledger_and_writes_nothing) {
  send(Contract::queryable);
  auto reader = ServiceDouble::open_to_read(folder_ / "service.sqlite", clock_);
  ASSERT_TRUE(reader.has_value()) << reader.error().sentence;
  EXPECT_EQ((*reader)->ledger()->size(), 1U);
  EXPECT_TRUE((*reader)->find("key").has_value());
  EXPECT_EQ((*reader)->write({"key", "1", Contract::queryable, 0}).word, Word::timeout);
  EXPECT_EQ(service_->writes("key"), 1);
  EXPECT_FALSE(ServiceDouble::open_to_read(folder_ / "missing.sqlite", clock_).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "missing.sqlite"));
}

TEST_F(Double, a_database_of_another_program_is_refused_by_reader_and_writer) {
  const std::string path = folder_ / "theirs.sqlite";
  auto fault = sqlite::Fault::none;
  const sqlite::StatementTexts none;
  const auto theirs = sqlite::Connection::open({path, "", false, true}, none, fault);
  for (const char* script :
       {"CREATE TABLE theirs (x INTEGER)", "CREATE TABLE written (x INTEGER)"}) {
    ASSERT_EQ(theirs->run_script(script), sqlite::Fault::none);
    for (const auto open : {ServiceDouble::open, ServiceDouble::open_to_read}) {
      const auto opened = open(path, clock_);
      ASSERT_FALSE(opened.has_value());
      EXPECT_NE(opened.error().sentence.find("theirs.sqlite is no ledger"), std::string::npos)
          << opened.error().sentence;
    }
  }
}

TEST_F(Double, a_file_that_is_no_database_is_one_line_with_its_mend) {
  const auto opened = ServiceDouble::open(folder_, clock_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().sentence.find(folder_.string()), std::string::npos);
}

}  // namespace
}  // namespace leaseproof::engine::effects
