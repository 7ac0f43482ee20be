// Checks the outside service that the harness owns: the three contracts, permits and receipts
// (SEMANTICS 6), late requests, and what counts as the truth about a write. That runner and fair
// schedule go by it is outside_runner_test.cpp's subject.
#include "properties/outside.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "properties/judgement.hpp"

namespace leaseproof::properties {
namespace {

using model::Contract;
using model::FailKind;
using model::Outcome;
using model::ServiceMode;
using model::Word;

// Workers A and B, each with a lease of op `a` of its own generation, and a service.
class Service {
 public:
  explicit Service(Contract contract, std::int64_t retention_us = 0) {
    effect_.contract = contract;
    effect_.retention_us = retention_us;
  }
  void dispatch(const std::string& worker, const std::string& payload = "1",
                std::int64_t call_before_us = 100, const std::string& key = "key") {
    hear(model::Dispatch{{worker, "a", 0}, payload},
         {Word::dispatching, model::Dispatching{key, call_before_us}});
  }
  void hear(const model::Action& action, const Outcome& outcome, bool unheard = false) {
    model::Given given;
    given.lease_generation = generation_of(handle_of(action));
    given.now_us = now_us;
    outside.hear(action, given, outcome, &effect_, unheard);
  }
  Outcome call(const std::string& worker, ServiceMode mode = ServiceMode::ok,
               std::optional<std::string> payload = std::nullopt) {
    const model::Call call{{worker, "a", 0}, mode, std::move(payload)};
    const Outcome outcome = outside.call(call, generation_of(&call.by), now_us, now_us);
    hear(call, outcome);
    return outcome;
  }
  Outcome deliver() { return outside.deliver("a", now_us); }
  [[nodiscard]] std::optional<std::string> find() const { return outside.find("a", now_us); }

  Outside outside;
  std::int64_t now_us = 0;

 private:
  static std::int64_t generation_of(const model::WorkerHandle* by) {
    return by == nullptr ? 0 : by->worker == "A" ? 1 : 2;
  }

  model::EffectSpec effect_;
};

Outcome receipt(const std::string& text, bool fresh) {
  return {Word::receipt, model::Receipt{text, fresh}};
}

TEST(Contract, idempotent_answers_the_second_request_with_the_first_receipt) {
  Service service(Contract::idempotent);
  service.dispatch("A");
  service.dispatch("B");
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", true));
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", false));
  EXPECT_EQ(service.call("B"), receipt("receipt-a-1", false));
  EXPECT_EQ(service.outside.writes("a"), 1);
}

TEST(Contract, idempotent_refuses_another_payload_under_a_known_key) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1");
  service.dispatch("B", "2");
  EXPECT_EQ(service.call("A").word, Word::receipt);
  EXPECT_EQ(service.call("B").word, Word::payload_conflict);
  EXPECT_FALSE(service.outside.receipt("B", "a"));
  EXPECT_EQ(service.outside.writes("a"), 1);
}

TEST(Contract, idempotent_forgets_a_key_when_its_retention_is_over) {
  Service service(Contract::idempotent, 10);
  service.dispatch("A");
  service.call("A");
  service.now_us = 9;
  EXPECT_EQ(service.find(), "receipt-a-1");
  EXPECT_EQ(service.call("A"), receipt("receipt-a-1", false));
  service.now_us = 10;
  EXPECT_FALSE(service.find());
  EXPECT_EQ(service.call("A"), receipt("receipt-a-2", true));
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Contract, queryable_writes_each_request_and_can_be_asked) {
  Service service(Contract::queryable);
  EXPECT_FALSE(service.find());
  service.dispatch("A");
  service.dispatch("B");
  EXPECT_FALSE(service.find());
  service.call("A");
  EXPECT_EQ(service.call("B"), receipt("receipt-a-2", true));
  EXPECT_EQ(service.find(), "receipt-a-2");
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Contract, opaque_answers_no_query) {
  Service service(Contract::opaque);
  service.dispatch("A");
  EXPECT_EQ(service.call("A").word, Word::receipt);
  EXPECT_FALSE(service.find());
  EXPECT_EQ(service.outside.receipt("A", "a"), "receipt-a-1");
}

TEST(Mode, says_on_which_side_of_the_write_a_call_times_out) {
  for (const Contract contract : {Contract::idempotent, Contract::queryable, Contract::opaque}) {
    for (const auto& [mode, word, writes] :
         {std::tuple{ServiceMode::timeout_before, Word::timeout, 0},
          std::tuple{ServiceMode::timeout_after, Word::timeout, 1},
          std::tuple{ServiceMode::refuse, Word::refused, 0},
          std::tuple{ServiceMode::late, Word::timeout, 0}}) {
      Service service(contract);
      service.dispatch("A");
      EXPECT_EQ(service.call("A", mode).word, word);
      EXPECT_EQ(service.outside.writes("a"), writes);
      EXPECT_FALSE(service.outside.receipt("A", "a"));
      EXPECT_EQ(service.outside.is_late("a"), mode == ServiceMode::late);
    }
  }
}

TEST(Late, requests_arrive_one_by_one_in_the_order_in_which_they_were_sent) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1");
  service.dispatch("B", "2");
  service.call("B", ServiceMode::late);
  service.call("A", ServiceMode::late);
  service.now_us = 1000;  // long after the permits
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.records().at("key").payload, "2");
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.writes("a"), 1);
  EXPECT_EQ(service.deliver().word, Word::invalid);
}

TEST(Late, a_queryable_service_writes_them_all) {
  Service service(Contract::queryable);
  service.dispatch("A");
  service.dispatch("B");
  service.call("A", ServiceMode::late);
  service.call("B");
  service.deliver();
  EXPECT_EQ(service.outside.writes("a"), 2);
}

TEST(Late, a_request_that_would_come_after_the_key_is_forgotten_is_lost) {
  Service service(Contract::idempotent, 10);
  service.dispatch("A");
  service.call("A", ServiceMode::late);
  service.call("A");
  service.now_us = 10;
  EXPECT_EQ(service.deliver().word, Word::ok);
  EXPECT_EQ(service.outside.writes("a"), 1);
  EXPECT_FALSE(service.outside.is_late("a"));
}

TEST(APermit, is_needed_and_sends_its_own_payload_only) {
  Service service(Contract::opaque);
  EXPECT_EQ(service.call("A").word, Word::invalid);
  service.dispatch("A", "1");
  EXPECT_EQ(service.call("B").word, Word::invalid);
  EXPECT_EQ(service.call("A", ServiceMode::ok, "2").word, Word::invalid);
  EXPECT_EQ(service.call("A", ServiceMode::ok, "1").word, Word::receipt);
}

TEST(APermit, ends_at_its_microsecond_and_stays_so_though_a_clock_steps_back) {
  Service service(Contract::idempotent);
  service.dispatch("A", "1", 100);
  service.now_us = 99;
  EXPECT_EQ(service.call("A", ServiceMode::refuse).word, Word::refused);
  service.now_us = 100;
  EXPECT_EQ(service.call("A").word, Word::permit_expired);
  service.now_us = 0;
  EXPECT_EQ(service.call("A").word, Word::permit_expired);
  EXPECT_EQ(service.outside.writes("a"), 0);
}

TEST(APermit, can_be_used_once_where_the_service_does_not_deduplicate) {
  for (const Contract contract : {Contract::queryable, Contract::opaque}) {
    Service service(contract);
    service.dispatch("A");
    EXPECT_EQ(service.call("A", ServiceMode::timeout_before).word, Word::timeout);
    EXPECT_EQ(service.call("A").word, Word::permit_used);
    EXPECT_EQ(service.outside.writes("a"), 0);
  }
}

TEST(APermit, is_ended_by_a_fail_or_complete_that_was_not_refused) {
  const model::Fail fail{{"A", "a", 0}, FailKind::unknown, std::nullopt};
  model::Complete complete;
  complete.by = {"A", "a", 0};
  const std::vector<std::pair<model::Action, Word>> ends{{fail, Word::retry_scheduled},
                                                         {fail, Word::failed},
                                                         {fail, Word::reconciling},
                                                         {complete, Word::ok}};
  for (const auto& [action, word] : ends) {
    Service service(Contract::idempotent);
    service.dispatch("A");
    service.hear(action, word);
    EXPECT_EQ(service.call("A").word, Word::permit_used);
  }
  const std::vector<std::pair<model::Action, Word>> refused{{fail, Word::lease_lost},
                                                            {complete, Word::lease_lost},
                                                            {complete, Word::receipt_required},
                                                            {complete, Word::invalid}};
  for (const auto& [action, word] : refused) {
    Service service(Contract::idempotent);
    service.dispatch("A");
    service.hear(action, word);
    EXPECT_EQ(service.call("A").word, Word::receipt);
  }
}

TEST(APermit, dies_with_its_worker_and_is_never_given_unheard) {
  Service service(Contract::idempotent);
  service.dispatch("A");
  service.call("A");
  service.outside.forget("A");
  EXPECT_EQ(service.call("A").word, Word::invalid);
  EXPECT_FALSE(service.outside.receipt("A", "a"));
  EXPECT_EQ(service.outside.writes("a"), 1);
  service.hear(model::Dispatch{{"B", "a", 0}, "1"}, Word::crashed, true);
  EXPECT_EQ(service.call("B").word, Word::invalid);
}

TEST(Truth, a_worker_who_calls_refused_what_was_not_misleads) {
  for (const ServiceMode mode : {ServiceMode::refuse, ServiceMode::timeout_before}) {
    for (const FailKind kind : {FailKind::retryable, FailKind::unknown}) {
      Service service(Contract::queryable);
      service.dispatch("A");
      service.call("A", mode);
      service.hear(model::Fail{{"A", "a", 0}, kind, std::nullopt}, Word::retry_scheduled);
      const bool lie = mode == ServiceMode::timeout_before && kind == FailKind::retryable;
      EXPECT_EQ(service.outside.is_misled("a"), lie);
    }
  }
}

// Its call stood still when it died, and goes on without it.
TEST(Truth, the_word_of_a_worker_that_has_died_since_misleads_all_the_same) {
  for (const ServiceMode mode : {ServiceMode::refuse, ServiceMode::timeout_after}) {
    Service service(Contract::queryable);
    service.dispatch("A");
    service.call("A", mode);
    service.outside.forget("A");
    service.hear(model::Fail{{"A", "a", 0}, FailKind::permanent, std::nullopt}, Word::failed);
    EXPECT_EQ(service.outside.is_misled("a"), mode == ServiceMode::timeout_after);
  }
}

// The dispatch was answered before it died, and is heard of only now.
TEST(Truth, what_was_sent_under_a_lease_outlives_every_permit_of_it) {
  Service service(Contract::queryable);
  service.dispatch("A");
  service.call("A", ServiceMode::timeout_after);
  service.outside.forget("A");
  service.dispatch("A");
  service.hear(model::Fail{{"A", "a", 0}, FailKind::permanent, std::nullopt}, Word::failed);
  EXPECT_TRUE(service.outside.is_misled("a"));
}

TEST(Truth, evidence_is_held_against_the_ledger_and_against_what_is_on_its_way) {
  Service service(Contract::queryable);
  service.dispatch("A");
  EXPECT_TRUE(service.outside.is_true("a", false));
  EXPECT_FALSE(service.outside.is_true("a", true));
  service.call("A", ServiceMode::late);
  EXPECT_FALSE(service.outside.is_true("a", false));
  EXPECT_FALSE(service.outside.is_true("a", true));
  service.deliver();
  EXPECT_TRUE(service.outside.is_true("a", true));
  service.hear(model::Close{"a", false, "searched", {}}, Word::permit_open);
  EXPECT_FALSE(service.outside.is_misled("a"));
  service.hear(model::Close{"a", false, "searched", {}}, Word::ok);
  EXPECT_TRUE(service.outside.is_misled("a"));
}

TEST(Truth, an_open_permit_is_the_engines_business_only_where_clocks_agree) {
  for (const std::int64_t skew_us : {0, 5, 6}) {
    Service service(Contract::queryable);
    service.outside.clear(5);
    service.outside.see_clock(0, skew_us);
    service.dispatch("A");
    service.hear(model::Close{"a", false, "searched", {}}, Word::ok);
    EXPECT_EQ(service.outside.is_misled("a"), skew_us == 6);
  }
  Outside back;
  back.see_clock(5, 0);
  EXPECT_TRUE(back.clocks_agree());
  back.see_clock(4, 0);
  EXPECT_FALSE(back.clocks_agree());
}

}  // namespace
}  // namespace leaseproof::properties
