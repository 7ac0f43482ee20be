// Checks the engine's calls around the outside world against the double of a service: what is sent,
// how often, and what is known afterwards. Every rule against the model: properties/.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/outside_fixture_test.hpp"
#include "engine/values/binding.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine {
namespace {

using model::OpStatus;
using model::ServiceMode;
using model::Word;

class OutsideWorld : public EngineAndServiceTest {
 protected:
  static model::OpSpec publication(model::Contract contract, bool approval = false) {
    model::OpSpec spec = op("a");
    spec.kind = "publish";
    spec.effect = {contract, approval, 0, "reports", "team", "ann"};
    return spec;
  }
  std::string leased(model::OpSpec spec) {
    start("w", {std::move(spec)});
    engine().refresh();
    return lease("A");
  }
  Dispatched dispatch(const std::string& token, const std::string& payload = R"({"page":1})") {
    model::Dispatch action;
    action.by.op = "a";
    action.payload = payload;
    return engine().dispatch(token, action);
  }
  model::Outcome finish(const std::string& token, const std::optional<std::string>& receipt) {
    model::Complete action;
    action.by.op = "a";
    return engine().complete(token, action, {}, receipt);
  }
  model::Outcome request(const std::string& token) {
    model::RequestApproval action;
    action.by.op = "a";
    action.payload = R"({"page":1})";
    return engine().request_approval(token, action);
  }
  model::Outcome approve(const model::Actor& actor) {
    model::Decide action;
    action.op = "a";
    action.actor = actor;
    return engine().decide(action);
  }
  model::Outcome close(bool happened) {
    model::Close action;
    action.op = "a";
    action.happened = happened;
    action.evidence = "ticket 7";
    action.actor = {"otto", {"operator"}, {}};
    return engine().close(action);
  }
  void lose_lease() {
    clock_.time_us += model::default_lease_us;
    engine().refresh();
  }
  OpStatus status() { return observe().ops.at("a").status; }
  [[nodiscard]] std::int64_t writes() { return service_->writes(operation_key("a")); }
  static std::string receipt_of(const model::Outcome& outcome) {
    return std::get<model::Receipt>(outcome.detail).receipt;
  }

  const model::Actor rita_{"rita", {"reviewer"}, {"team"}};
};

TEST_F(OutsideWorld, a_write_is_made_through_its_permit_and_completed_by_its_receipt) {
  const auto token = leased(publication(model::Contract::opaque));
  EXPECT_EQ(finish(token, "invented").word, Word::receipt_required);
  auto sent = dispatch(token);
  ASSERT_EQ(sent.outcome.word, Word::dispatching);
  ASSERT_TRUE(sent.permit.has_value());
  const auto answer = sent.permit->call(*service_, clock_);
  ASSERT_EQ(answer.word, Word::receipt);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_used);
  EXPECT_EQ(finish(token, std::nullopt).word, Word::receipt_required);
  EXPECT_EQ(finish(token, receipt_of(answer)).word, Word::ok);
  const auto view = observe().ops.at("a");
  EXPECT_EQ(view.status, OpStatus::succeeded);
  EXPECT_EQ(view.effect->receipt, receipt_of(answer));
  EXPECT_EQ(writes(), 1);
  EXPECT_EQ(service_->ledger()->front().payload, R"({"page":1})");
}

TEST_F(OutsideWorld, a_permit_ends_with_its_lease_and_stays_ended) {
  const auto token = leased(publication(model::Contract::idempotent));
  auto sent = dispatch(token);
  clock_.time_us = sent.permit->call_before_us();
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_expired);
  clock_.time_us = 0;
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_expired);
  EXPECT_EQ(writes(), 0);
}

TEST_F(OutsideWorld, a_permit_is_over_once_its_worker_has_failed_or_completed) {
  const auto first = leased(publication(model::Contract::idempotent));
  auto sent = dispatch(first);
  model::Fail fail;
  fail.by.op = "a";
  fail.kind = model::FailKind::retryable;
  EXPECT_EQ(engine().fail("a token of nobody", fail).word, Word::lease_lost);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::receipt) << "ended by a stranger";
  ASSERT_EQ(engine().fail(first, fail).word, Word::retry_scheduled);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_used);

  clock_.time_us += 10'000'000;
  const auto second = lease("A");
  auto again = dispatch(second);
  auto copy_of_it = dispatch(second);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_used) << "revived";
  const auto answer = again.permit->call(*service_, clock_);
  ASSERT_EQ(finish(second, receipt_of(answer)).word, Word::ok);
  EXPECT_EQ(again.permit->call(*service_, clock_).word, Word::permit_used);
  EXPECT_EQ(copy_of_it.permit->call(*service_, clock_).word, Word::permit_used);
  EXPECT_EQ(writes(), 1);
}

TEST_F(OutsideWorld, a_permit_is_over_however_the_engine_was_told_of_its_end) {
  const auto failed = [&](const std::string& token, model::FailKind kind) {
    model::Fail fail;
    fail.by.op = "a";
    fail.kind = kind;
    return engine().fail(token, fail).word;
  };
  const auto sends_nothing = [&](Dispatched& sent) {
    return sent.permit->call(*service_, clock_).word == Word::permit_used;
  };
  const auto token = leased(publication(model::Contract::queryable));
  auto refused = dispatch(token);
  EXPECT_EQ(failed(token, model::FailKind::permanent), Word::failed);
  EXPECT_TRUE(sends_nothing(refused));

  engine().retry({"a", std::nullopt});
  const auto second = lease("A");
  auto unknown = dispatch(second);
  EXPECT_EQ(failed(second, model::FailKind::unknown), Word::reconciling);
  EXPECT_TRUE(sends_nothing(unknown));
  EXPECT_EQ(writes(), 0);
}

TEST_F(OutsideWorld, a_permit_is_over_once_its_engine_hears_that_another_one_completed) {
  const auto token = leased(publication(model::Contract::idempotent));
  auto sent = dispatch(token);
  const auto receipt = receipt_of(sent.permit->call(*service_, clock_));
  auto elsewhere = Engine::open(options());
  ASSERT_TRUE(elsewhere.has_value());
  model::Complete complete;
  complete.by.op = "a";
  ASSERT_EQ((*elsewhere)->complete(token, complete, {}, receipt).word, Word::ok);
  ASSERT_EQ(finish(token, receipt).word, Word::already_completed);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_used);
}

TEST_F(OutsideWorld, a_permit_is_over_where_nobody_knows_whether_its_lease_is) {
  const auto token = leased(publication(model::Contract::idempotent));
  auto sent = dispatch(token);
  lose_database_at_commit();
  model::Fail fail;
  fail.by.op = "a";
  ASSERT_EQ(engine().fail(token, fail).word, Word::commit_unknown);
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_used);
  EXPECT_EQ(writes(), 0);
}

// The worker dies between the remote write and its record.
TEST_F(OutsideWorld, the_successor_of_a_dead_worker_sends_the_same_key_and_writes_nothing_new) {
  const auto first = leased(publication(model::Contract::idempotent));
  const auto written = dispatch(first).permit->call(*service_, clock_);
  lose_lease();
  EXPECT_EQ(status(), OpStatus::ready);
  const auto second = lease("B");
  const auto answer = dispatch(second).permit->call(*service_, clock_);
  ASSERT_EQ(answer.word, Word::receipt);
  EXPECT_FALSE(std::get<model::Receipt>(answer.detail).fresh);
  EXPECT_EQ(receipt_of(answer), receipt_of(written));
  EXPECT_EQ(finish(second, receipt_of(answer)).word, Word::ok);
  EXPECT_EQ(writes(), 1);
}

TEST_F(OutsideWorld, what_cannot_be_sent_again_is_reconciled_by_its_receipt) {
  const auto token = leased(publication(model::Contract::queryable));
  service_->tell(ServiceMode::timeout_after);
  EXPECT_EQ(dispatch(token).permit->call(*service_, clock_).word, Word::timeout);
  lose_lease();
  EXPECT_EQ(status(), OpStatus::reconciling);
  EXPECT_EQ(lease("B"), "");
  EXPECT_EQ(engine().reconcile({"a"}, std::nullopt).word, Word::unknown);
  EXPECT_EQ(status(), OpStatus::reconciling);
  EXPECT_EQ(engine().reconcile({"a"}, service_->find(operation_key("a"))).word, Word::confirmed);
  const auto view = observe().ops.at("a");
  EXPECT_EQ(view.status, OpStatus::effect_confirmed);
  EXPECT_NE(view.result->find(R"("fresh_write_performed":false)"), std::string::npos);
  EXPECT_EQ(writes(), 1);
}

// Whoever claims a receipt of a service that cannot be asked has to say so as evidence.
TEST_F(OutsideWorld, an_opaque_write_is_never_confirmed_by_a_query) {
  const auto token = leased(publication(model::Contract::opaque));
  dispatch(token);
  lose_lease();
  EXPECT_EQ(engine().reconcile({"a"}, "a receipt").word, Word::unknown);
  EXPECT_EQ(status(), OpStatus::reconciling);
}

TEST_F(OutsideWorld, nothing_is_closed_as_not_happened_while_a_permit_is_open) {
  const auto token = leased(publication(model::Contract::opaque));
  auto sent = dispatch(token);
  EXPECT_EQ(engine().cancel({"w"}).word, Word::ok);
  EXPECT_EQ(status(), OpStatus::reconciling);
  EXPECT_EQ(close(false).word, Word::permit_open);
  clock_.time_us = sent.permit->call_before_us() - 1;
  EXPECT_EQ(close(false).word, Word::permit_open);
  clock_.time_us = sent.permit->call_before_us();
  EXPECT_EQ(sent.permit->call(*service_, clock_).word, Word::permit_expired);
  EXPECT_EQ(close(false).word, Word::ok);
  EXPECT_EQ(status(), OpStatus::canceled);
}

// A heartbeat may shorten a lease: then the permit that was given before it outlasts the next one.
TEST_F(OutsideWorld, an_older_permit_that_outlasts_the_newest_still_counts_as_open) {
  const auto first = leased(publication(model::Contract::idempotent));
  auto older = dispatch(first);
  model::Heartbeat shorter;
  shorter.by.op = "a";
  shorter.lease_us = 1;
  EXPECT_EQ(engine().heartbeat(first, shorter).word, Word::extended);
  clock_.time_us = 1;
  engine().refresh();
  model::Lease brief;
  brief.worker = "B";
  brief.lease_us = 5;
  const auto newer = dispatch(engine().lease(brief).token);
  ASSERT_LT(newer.permit->call_before_us(), older.permit->call_before_us());
  EXPECT_EQ(engine().cancel({"w"}).word, Word::ok);
  clock_.time_us = newer.permit->call_before_us();
  EXPECT_EQ(close(false).word, Word::permit_open);
  EXPECT_EQ(older.permit->call(*service_, clock_).word, Word::receipt);
}

TEST_F(OutsideWorld, an_approval_covers_one_dispatch_of_what_was_reviewed) {
  auto spec = publication(model::Contract::idempotent, true);
  spec.max_attempts = 9;
  auto token = leased(std::move(spec));
  EXPECT_EQ(dispatch(token).outcome.word, Word::approval_required);
  EXPECT_EQ(request(token).word, Word::waiting);
  EXPECT_EQ(approve({"ann", {"reviewer"}, {"team"}}).word, Word::forbidden);
  EXPECT_EQ(approve({"rita", {"reviewer"}, {"other"}}).word, Word::forbidden);
  EXPECT_EQ(approve(rita_).word, Word::ok);
  EXPECT_EQ(approve(rita_).word, Word::already_decided);
  token = lease("A");
  ASSERT_EQ(dispatch(token).outcome.word, Word::dispatching);
  EXPECT_EQ(observe().ops.at("a").approval->status, model::ApprovalStatus::spent);
  EXPECT_EQ(dispatch(token).outcome.word, Word::approval_required);
}

TEST_F(OutsideWorld, another_payload_than_the_reviewed_one_is_never_sent) {
  auto token = leased(publication(model::Contract::idempotent, true));
  request(token);
  approve(rita_);
  token = lease("A");
  const auto sent = dispatch(token, R"({"page":2})");
  EXPECT_EQ(sent.outcome.word, Word::binding_mismatch);
  EXPECT_FALSE(sent.permit.has_value());
  EXPECT_EQ(status(), OpStatus::failed);
  EXPECT_EQ(observe().ops.at("a").approval->status, model::ApprovalStatus::void_);
}

TEST_F(OutsideWorld, a_revoked_context_stops_the_write_and_not_its_receipt) {
  model::ContextPut put;
  put.scope = "memory";
  put.ttl_us = 1'000'000'000;
  engine().put_context(put);
  auto spec = publication(model::Contract::idempotent);
  spec.context = "memory";
  const auto token = leased(std::move(spec));
  const auto answer = dispatch(token).permit->call(*service_, clock_);
  EXPECT_EQ(engine().revoke_context({"memory"}).word, Word::ok);
  EXPECT_EQ(finish(token, receipt_of(answer)).word, Word::ok);
  EXPECT_EQ(engine().revoke_context({"never put"}).word, Word::not_found);
}

TEST_F(OutsideWorld, a_worker_reads_what_its_op_was_made_with) {
  model::ContextPut put;
  put.scope = "memory";
  put.payload = R"("first")";
  put.ttl_us = 10;
  engine().put_context(put);
  auto spec = publication(model::Contract::idempotent);
  spec.context = "memory";
  spec.input = R"({"pages": 3})";
  spec.deadline_us = 600;
  start("w", {spec});
  put.payload = R"("second")";
  engine().put_context(put);
  clock_.time_us = 11;

  Work work;
  EXPECT_EQ(engine().work("b", work).word, Word::not_found);
  EXPECT_EQ(engine().work("", work).word, Word::invalid);
  ASSERT_EQ(engine().work("a", work).word, Word::ok);
  EXPECT_EQ(work.workflow, "w");
  EXPECT_EQ(work.kind, "publish");
  EXPECT_EQ(work.input, R"({"pages":3})");
  EXPECT_EQ(work.max_attempts, 3);
  EXPECT_EQ(work.deadline_us, 600);
  EXPECT_EQ(work.context, R"("first")");
  EXPECT_FALSE(work.dispatched_hash.has_value());
}

TEST_F(OutsideWorld, the_hash_of_what_was_dispatched_can_be_read_again) {
  dispatch(leased(publication(model::Contract::idempotent)));
  Work work;
  ASSERT_EQ(engine().work("a", work).word, Word::ok);
  EXPECT_EQ(work.dispatched_hash, sha256_hex(R"({"page":1})"));
  EXPECT_FALSE(work.context.has_value());
  EXPECT_FALSE(work.deadline_us.has_value());
}

TEST_F(OutsideWorld, an_op_under_a_scope_that_was_never_put_is_not_made) {
  auto spec = op("a");
  spec.context = "memory";
  const auto outcome = start("w", {spec});
  EXPECT_EQ(outcome.word, Word::invalid);
  EXPECT_NE(outcome.why.find(R"("memory", which was never put)"), std::string::npos);
  EXPECT_TRUE(observe().workflows.empty());
}

}  // namespace
}  // namespace leaseproof::engine
