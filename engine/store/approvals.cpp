#include "engine/store/approvals.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/values/digest.hpp"

namespace leaseproof::engine::store {
namespace {

using model::ApprovalStatus;
using model::Outcome;
using model::Word;

struct Request {
  std::int64_t request_no = 0;
  ApprovalStatus status = ApprovalStatus::pending;
  std::string hash;
  std::int64_t expires_us = 0;

  [[nodiscard]] bool live_at(std::int64_t now_us) const {
    return status == ApprovalStatus::pending ||
           (status == ApprovalStatus::approved && expires_us > now_us);
  }
};

std::optional<Request> newest(Write& write, std::int64_t op_row) {
  auto rows = write.query(Sql::newest_approval, op_row);
  if (!rows.next()) return std::nullopt;
  Request request;
  request.request_no = rows.integer(0);
  request.status = model::from_word<ApprovalStatus>(rows.text(1)).value_or(request.status);
  request.hash = rows.string(2);
  request.expires_us = rows.integer(3);
  return request;
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Outcome request_approval(Write& write, std::string_view op, std::string_view token_hash,
                         std::string_view payload, std::int64_t ttl_us) {
  const auto owned = own(write, op, token_hash);
  if (!owned) return Word::not_found;
  if (!owned->owned) return Word::lease_lost;
  if (!owned->has_effect) return Word::not_needed;
  const Effect effect = effect_of(write, owned->row);
  if (!effect.approval) return Word::not_needed;
  const auto before = newest(write, owned->row);
  if (before && before->live_at(write.now_us())) return Word::approval_exists;
  if (owned->dispatching) return Word::effect_dispatched;
  if (owned->attempts >= owned->max_attempts) {
    end_owned(write, *owned, token_hash, model::word(Word::deadline_or_attempt_budget));
    return Word::deadline_or_attempt_budget;
  }
  if (const auto failed = failed_guard(write, *owned, token_hash)) return *failed;

  write.execute(Sql::end_request, owned->row, "expired", "approved");
  const std::int64_t request_no = before ? before->request_no + 1 : 1;
  const std::string envelope = effect.envelope(payload, request_no);
  const std::string hash = sha256_hex(envelope);
  write.execute(Sql::insert_approval, owned->row, request_no, envelope, hash, payload,
                effect.requester, write.now_us(), write.now_us() + ttl_us);
  write.execute(Sql::drop_lease, owned->row, token_hash);
  write.execute(Sql::wait_for_approval, owned->row);
  write.journal().op(owned->row, owned->workflow, owned->generation, "approval_requested",
                     "running", "waiting_approval");
  return {Word::waiting, model::Waiting{hash}};
}

Outcome decide(Write& write, const model::Decide& action) {
  OpRow op;
  std::string scope;
  std::string requester;
  {
    auto rows = write.query(Sql::op_to_decide, action.op);
    if (!rows.next()) return Word::not_found;
    op = {rows.integer(0), rows.integer(1), rows.integer(2)};
    scope = rows.string(3);
    requester = rows.string(4);
  }
  const auto request = newest(write, op.row);
  if (!request) return Word::not_found;
  const model::Actor& actor = action.actor;
  if (!holds(actor.roles, "reviewer") || !holds(actor.scopes, scope) || actor.id == requester) {
    return Word::forbidden;
  }
  if (action.stale_hash || (action.hash && *action.hash != request->hash)) return Word::wrong_hash;
  const bool pending = request->status == ApprovalStatus::pending;
  if (request->status == ApprovalStatus::expired ||
      (pending && request->expires_us <= write.now_us())) {
    return Word::expired;
  }
  if (!pending) return {Word::already_decided, model::AlreadyDecided{request->status}};

  write.execute(Sql::decide_request, op.row, action.approve ? "approved" : "rejected", actor.id,
                write.now_us());
  if (action.approve) {
    write.execute(Sql::ready_approved, op.row);
    write.journal().op(op.row, op.workflow, op.generation, "approval_granted", "waiting_approval",
                       "ready");
  } else {
    write.execute(Sql::fail_waiting, op.row, "approval_rejected");
    write.journal().op(op.row, op.workflow, op.generation, "op_failed", "waiting_approval",
                       "failed");
  }
  return Word::ok;
}

std::optional<Word> refused_approval(Write& write, const Owned& owned, const Effect& effect,
                                     std::string_view token_hash, std::string_view payload) {
  const auto request = newest(write, owned.row);
  if (!request) return Word::approval_required;
  const std::string hash = sha256_hex(effect.envelope(payload, request->request_no));
  bool same = false;
  bool in_time = false;
  {
    auto rows = write.query(Sql::approval_covers, owned.row, hash, write.now_us());
    if (!rows.next()) return Word::approval_required;
    same = rows.integer(0) == 1;
    in_time = rows.integer(1) == 1;
  }
  if (same && in_time) return std::nullopt;
  const Word refused = same ? Word::approval_expired_before_dispatch : Word::binding_mismatch;
  write.execute(Sql::end_request, owned.row, same ? "expired" : "void", "approved");
  end_owned(write, owned, token_hash, model::word(refused));
  return refused;
}

}  // namespace leaseproof::engine::store
