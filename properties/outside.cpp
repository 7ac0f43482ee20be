#include "properties/outside.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "properties/sut.hpp"

namespace leaseproof::properties {

using model::Contract;
using model::FailKind;
using model::Outcome;
using model::ServiceMode;
using model::Word;

void Outside::clear(std::int64_t clock_slack_us) {
  *this = Outside{};
  clock_slack_us_ = clock_slack_us;
}

void Outside::see_clock(std::int64_t common_us, std::int64_t skew_us) {
  stepped_back_ = stepped_back_ || common_us < latest_us_;
  latest_us_ = std::max(latest_us_, common_us);
  least_skew_us_ = std::min(least_skew_us_, skew_us);
  most_skew_us_ = std::max(most_skew_us_, skew_us);
}

bool Outside::remembers(const Record& record, std::int64_t service_us) {
  return record.writes > 0 && (record.retention_us == 0 ||
                               service_us < saturating_add(record.written_us, record.retention_us));
}

Outside::Arrival Outside::arrive(Record& record, const std::string& payload,
                                 std::int64_t service_us) {
  if (record.contract == Contract::idempotent && remembers(record, service_us)) {
    return {payload != record.payload, false};
  }
  ++record.writes;
  record.receipt = "receipt-" + record.op + "-" + std::to_string(record.writes);
  record.payload = payload;
  record.written_us = service_us;
  return {false, true};
}

namespace {
// The permit in `held`, const or not.
template <class Workers>
auto* permit_in(Workers& workers, const std::string& worker, const std::string& op,
                std::int64_t generation) {
  const auto ops = workers.find(worker);
  using Found = decltype(&ops->second.find(op)->second.permits.find(generation)->second);
  if (ops == workers.end()) return Found{nullptr};
  const auto held = ops->second.find(op);
  if (held == ops->second.end()) return Found{nullptr};
  const auto at = held->second.permits.find(generation);
  return at == held->second.permits.end() ? Found{nullptr} : &at->second;
}
}  // namespace

void Outside::forget(const std::string& worker) { held_.erase(worker); }

Permit* Outside::find_permit(const std::string& worker, const std::string& op,
                             std::int64_t generation) {
  return permit_in(held_, worker, op, generation);
}

const Permit* Outside::permit(const std::string& worker, const std::string& op,
                              std::int64_t generation) const {
  return permit_in(held_, worker, op, generation);
}

void Outside::grant(const model::Dispatch& dispatch, std::int64_t generation,
                    const model::Dispatching& given, const model::EffectSpec& effect) {
  const std::string& op = dispatch.by.op;
  std::deque<std::string>& keys = keys_[op];
  std::erase(keys, given.key);
  keys.push_back(given.key);
  const auto [at, is_new] = records_.try_emplace(given.key);
  if (is_new) {
    at->second.op = op;
    at->second.contract = effect.contract;
    at->second.retention_us = effect.retention_us;
  }
  const bool once = effect.contract != Contract::idempotent;
  held_[dispatch.by.worker][op].permits[generation] =
      Permit{given.key, dispatch.payload, given.call_before_us, once, false, false};
}

void Outside::end_lease(const model::WorkerHandle& by, std::int64_t generation) {
  held_[by.worker][by.op].over.insert(generation);
}

bool Outside::is_over(const std::string& worker, const std::string& op,
                      std::int64_t generation) const {
  const auto ops = held_.find(worker);
  if (ops == held_.end()) return false;
  const auto held = ops->second.find(op);
  return held != ops->second.end() && held->second.over.contains(generation);
}

void Outside::hear(const model::Action& action, const model::Given& given, const Outcome& outcome,
                   const model::EffectSpec* effect, bool unheard) {
  if (const auto* call = std::get_if<model::Call>(&action)) {
    const auto* told = std::get_if<model::Receipt>(&outcome.detail);
    if (told != nullptr) held_[call->by.worker][call->by.op].receipt = told->receipt;
  } else if (const auto* dispatch = std::get_if<model::Dispatch>(&action)) {
    const auto* told = std::get_if<model::Dispatching>(&outcome.detail);
    if (unheard || told == nullptr || effect == nullptr) return;
    grant(*dispatch, given.lease_generation, *told, *effect);
  } else if (const auto* complete = std::get_if<model::Complete>(&action)) {
    if (outcome.word == Word::ok) end_lease(complete->by, given.lease_generation);
  } else if (const auto* fail = std::get_if<model::Fail>(&action)) {
    const bool taken = outcome.word == Word::retry_scheduled || outcome.word == Word::failed;
    if (!unheard && !taken && outcome.word != Word::reconciling) return;
    end_lease(fail->by, given.lease_generation);
    const bool untrue =
        fail->kind != FailKind::unknown && was_unrefused(fail->by.op, given.lease_generation);
    if (untrue && (unheard || taken)) misled_.insert(fail->by.op);
  } else if (const auto* close = std::get_if<model::Close>(&action)) {
    if (!unheard && outcome.word != Word::ok) return;
    // Where clocks agree it is the engine that has to wait for an open permit.
    const bool closed_early = !close->happened && !clocks_agree() && may_send(close->op);
    if (closed_early || !is_true(close->op, close->happened)) misled_.insert(close->op);
  }
}

bool Outside::can_send(const model::Call& call, std::int64_t generation) const {
  const Permit* held = permit(call.by.worker, call.by.op, generation);
  return held != nullptr && (!call.payload || *call.payload == held->payload);
}

Outcome Outside::call(const model::Call& call, std::int64_t generation, std::int64_t worker_us,
                      std::int64_t service_us) {
  Permit* permit = find_permit(call.by.worker, call.by.op, generation);
  if (!can_send(call, generation)) {
    return Outcome::invalid(
        permit == nullptr
            ? call.by.worker + " holds no permit for " + call.by.op + "; dispatch first"
            : "the permit for " + call.by.op + " sends " + permit->payload + " and nothing else");
  }
  permit->expired = permit->expired || worker_us >= permit->call_before_us;
  if (permit->expired) return Word::permit_expired;
  const bool over = is_over(call.by.worker, call.by.op, generation);
  if (over || (permit->once && permit->sent)) return Word::permit_used;
  permit->sent = true;
  if (call.service == ServiceMode::refuse) return Word::refused;
  unrefused_.emplace(call.by.op, generation);
  if (call.service == ServiceMode::timeout_before) return Word::timeout;
  Record& record = records_.at(permit->key);
  if (call.service == ServiceMode::late) {
    record.late.push_back(permit->payload);
    return Word::timeout;
  }
  const Arrival arrival = arrive(record, permit->payload, service_us);
  if (call.service == ServiceMode::timeout_after) return Word::timeout;
  if (arrival.conflict) return Word::payload_conflict;
  return {Word::receipt, model::Receipt{record.receipt, arrival.fresh}};
}

Outcome Outside::deliver(const std::string& op, std::int64_t service_us) {
  for (auto& [key, record] : records_) {
    if (record.op != op || record.late.empty()) continue;
    const std::string payload = std::move(record.late.front());
    record.late.pop_front();
    const bool forgotten = record.contract == Contract::idempotent && record.writes > 0 &&
                           !remembers(record, service_us);
    if (!forgotten) arrive(record, payload, service_us);
    return Word::ok;
  }
  return Outcome::invalid("no request of " + op + " is on its way");
}

std::optional<std::string> Outside::receipt(const std::string& worker,
                                            const std::string& op) const {
  const auto ops = held_.find(worker);
  if (ops == held_.end()) return std::nullopt;
  const auto held = ops->second.find(op);
  return held == ops->second.end() ? std::nullopt : held->second.receipt;
}

std::optional<std::string> Outside::find(const std::string& op, std::int64_t service_us) const {
  const auto keys = keys_.find(op);
  if (keys == keys_.end()) return std::nullopt;
  const Record& record = records_.at(keys->second.back());
  const bool known = record.contract == Contract::queryable
                         ? record.writes > 0
                         : record.contract == Contract::idempotent && remembers(record, service_us);
  return known ? std::optional(record.receipt) : std::nullopt;
}

std::vector<Outside::Holder> Outside::holders() const {
  std::vector<Holder> holders;
  for (const auto& [worker, ops] : held_) {
    for (const auto& [op, held] : ops) {
      for (const auto& [generation, permit] : held.permits) {
        holders.push_back({worker, op, generation});
      }
    }
  }
  return holders;
}

std::int64_t Outside::writes(const std::string& op) const {
  std::int64_t count = 0;
  for (const auto& [key, record] : records_) count += record.op == op ? record.writes : 0;
  return count;
}

bool Outside::is_late(const std::string& op) const {
  return std::any_of(records_.begin(), records_.end(),
                     [&](const auto& at) { return at.second.op == op && !at.second.late.empty(); });
}

bool Outside::may_send(const std::string& op) const {
  for (const auto& [worker, ops] : held_) {
    const auto held = ops.find(op);
    if (held == ops.end()) continue;
    for (const auto& [generation, permit] : held->second.permits) {
      const bool used = permit.once && permit.sent;
      if (!held->second.over.contains(generation) && !permit.expired && !used) return true;
    }
  }
  return false;
}

bool Outside::is_true(const std::string& op, bool happened) const {
  return happened ? writes(op) > 0 : writes(op) == 0 && !is_late(op);
}

std::map<std::string, std::int64_t> Outside::writes_by_key() const {
  std::map<std::string, std::int64_t> writes;
  for (const auto& [key, record] : records_) {
    if (record.writes > 0) writes[key] = record.writes;
  }
  return writes;
}

}  // namespace leaseproof::properties
