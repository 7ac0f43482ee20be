#include "engine/store/action_text.hpp"

#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/values/canonical_json.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine::store {
namespace {

// Appends members to an object that is being written.
std::string digest_text(std::string_view value) {
  return "{\"sha256\":\"" + sha256_hex(value) + "\"}";
}

// A value that a reader would take for the digest of another one.
bool looks_like_digest(std::string_view value) {
  constexpr std::string_view begin = "{\"sha256\":\"";
  constexpr std::size_t digits = 64;
  return value.size() == begin.size() + digits + 2 && value.substr(0, begin.size()) == begin;
}

class ObjectText {
 public:
  explicit ObjectText(std::string& out) : out_(&out) { out_->push_back('{'); }

  ObjectText& text(std::string_view key, std::string_view value) {
    name(key);
    append_json_string(*out_, value);
    return *this;
  }
  ObjectText& maybe_text(std::string_view key, const std::optional<std::string>& value) {
    return value ? text(key, *value) : *this;
  }
  ObjectText& number(std::string_view key, std::int64_t value) {
    name(key);
    *out_ += std::to_string(value);
    return *this;
  }
  ObjectText& maybe_number(std::string_view key, const std::optional<std::int64_t>& value) {
    return value ? number(key, *value) : *this;
  }
  ObjectText& boolean(std::string_view key, bool value) {
    name(key);
    *out_ += value ? "true" : "false";
    return *this;
  }
  // `canonical` is JSON already.
  ObjectText& json(std::string_view key, std::string_view canonical) {
    name(key);
    if (canonical.size() > longest_inline || looks_like_digest(canonical)) {
      *out_ += digest_text(canonical);
    } else {
      *out_ += canonical;
    }
    return *this;
  }
  // A value that the caller appends itself.
  std::string& raw(std::string_view key) {
    name(key);
    return *out_;
  }
  void close() { out_->push_back('}'); }

 private:
  void name(std::string_view key) {
    if (out_->back() != '{') out_->push_back(',');
    out_->push_back('"');
    *out_ += key;
    *out_ += "\":";
  }
  std::string* out_;
};

template <class Items, class Append>
void append_list(std::string& out, const Items& items, Append append) {
  out.push_back('[');
  bool first = true;
  for (const auto& item : items) {
    if (!first) out.push_back(',');
    first = false;
    append(item);
  }
  out.push_back(']');
}

void append_retry(std::string& out, const model::RetryPolicy& retry) {
  ObjectText object(out);
  object.text("policy", model::word(retry.policy));
  switch (retry.policy) {
    case model::DelayPolicy::fixed:
      append_list(object.raw("delays_us"), retry.delays_us,
                  [&](std::int64_t delay) { out += std::to_string(delay); });
      break;
    case model::DelayPolicy::exponential:
      object.number("multiplier", retry.multiplier);
      [[fallthrough]];
    case model::DelayPolicy::linear:
    case model::DelayPolicy::full_jitter:
      object.number("base_us", retry.base_us).number("cap_us", retry.cap_us);
      break;
  }
  object.close();
}

void append_need(std::string& out, const model::Need& need) {
  if (need.required) {
    append_json_string(out, need.op);
    return;
  }
  ObjectText object(out);
  object.text("op", need.op).boolean("optional", true).close();
}

void append_effect(std::string& out, const model::EffectSpec& effect) {
  ObjectText object(out);
  object.text("contract", model::word(effect.contract))
      .boolean("approval", effect.approval)
      .number("retention_us", effect.retention_us)
      .text("target", effect.target)
      .text("scope", effect.scope)
      .text("requester", effect.requester)
      .close();
}

void append_op(std::string& out, const model::OpSpec& op) {
  ObjectText object(out);
  object.text("id", op.id);
  if (!op.needs.empty()) {
    append_list(object.raw("needs"), op.needs,
                [&](const model::Need& need) { append_need(out, need); });
  }
  object.text("kind", op.kind).text("site", op.site).text("queue", op.queue);
  object.json("input", op.input).number("max_attempts", op.max_attempts);
  object.maybe_number("deadline_us", op.deadline_us);
  append_retry(object.raw("retry"), op.retry);
  if (op.effect) append_effect(object.raw("effect"), *op.effect);
  object.maybe_text("context", op.context);
  object.close();
}

void append_ops(ObjectText& object, std::string_view key, std::string& out,
                const std::vector<model::OpSpec>& ops) {
  append_list(object.raw(key), ops, [&](const model::OpSpec& op) { append_op(out, op); });
}

void append_actor(std::string& out, const model::Actor& actor) {
  const auto append = [&](const std::string& text) { append_json_string(out, text); };
  ObjectText object(out);
  object.text("id", actor.id);
  append_list(object.raw("roles"), actor.roles, append);
  append_list(object.raw("scopes"), actor.scopes, append);
  object.close();
}

void append_artifact(std::string& out, const model::Artifact& artifact) {
  ObjectText object(out);
  object.text("name", artifact.name);
  std::string text;
  append_json_string(text, artifact.text);
  object.raw("text") += text.size() > longest_inline || looks_like_digest(artifact.text)
                            ? digest_text(artifact.text)
                            : text;
  object.close();
}

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;

void append_arguments(ObjectText& object, std::string& out, const model::Action& action) {
  // The actions that never reach an engine have no arguments here.
  const auto outside = [](const auto&) {};
  std::visit(
      Overload{
          [&](const model::Start& a) {
            object.maybe_text("workflow", a.workflow).text("package", a.package);
            object.json("input", a.input);
            append_ops(object, "ops", out, a.ops);
          },
          [&](const model::Ensure& a) {
            object.maybe_text("workflow", a.workflow).text("package", a.package);
            object.json("identity", a.identity).json("input", a.input);
            append_ops(object, "ops", out, a.ops);
          },
          [&](const model::Queue& a) {
            object.text("queue", a.queue).text("site", a.site);
            object.number("max_in_flight", a.max_in_flight).number("rate_per_s", a.rate_per_s);
            object.number("burst", a.burst);
          },
          [&](const model::ContextPut& a) {
            object.text("scope", a.scope).json("payload", a.payload).number("ttl_us", a.ttl_us);
          },
          [&](const model::ContextRevoke& a) { object.text("scope", a.scope); },
          [&](const model::Refresh&) {},
          [&](const model::Lease& a) {
            object.text("worker", a.owner ? *a.owner : a.worker);
            object.maybe_text("queue", a.queue).maybe_text("site", a.site);
            object.number("lease_us", a.lease_us);
          },
          [&](const model::Heartbeat& a) {
            object.text("op", a.by.op).number("lease_us", a.lease_us);
          },
          [&](const model::Checkpoint& a) {
            object.text("op", a.by.op).text("step", a.step).json("payload", a.payload);
          },
          [&](const model::RequestApproval& a) {
            object.text("op", a.by.op).json("payload", a.payload).number("ttl_us", a.ttl_us);
          },
          [&](const model::Decide& a) {
            object.text("op", a.op).maybe_text("hash", a.hash);
            append_actor(object.raw("actor"), a.actor);
          },
          [&](const model::Dispatch& a) { object.text("op", a.by.op).json("payload", a.payload); },
          [&](const model::Complete& a) {
            object.text("op", a.by.op).json("result", a.result);
            object.maybe_number("completed_at_us", a.completed_at_us);
            if (!a.artifacts.empty()) {
              append_list(object.raw("artifacts"), a.artifacts,
                          [&](const model::Artifact& artifact) { append_artifact(out, artifact); });
            }
            if (!a.emit.empty()) append_ops(object, "emit", out, a.emit);
          },
          [&](const model::Fail& a) {
            object.text("op", a.by.op).text("kind", model::word(a.kind));
            object.maybe_text("error", a.error);
          },
          [&](const model::Retry& a) {
            object.text("op", a.op).maybe_number("deadline_us", a.deadline_us);
          },
          [&](const model::Cancel& a) { object.text("workflow", a.workflow); },
          [&](const model::Reconcile& a) { object.text("op", a.op); },
          [&](const model::Close& a) {
            object.text("op", a.op).boolean("happened", a.happened).text("evidence", a.evidence);
            append_actor(object.raw("actor"), a.actor);
          },
          [&](const model::Call& a) { outside(a); },
          [&](const model::Deliver& a) { outside(a); },
          [&](const model::Observe& a) { outside(a); },
          [&](const model::Snapshot& a) { outside(a); },
          [&](const model::SnapshotsSince& a) { outside(a); },
          [&](const model::Advance& a) { outside(a); },
          [&](const model::Restart& a) { outside(a); },
          [&](const model::Forget& a) { outside(a); },
      },
      action);
}

void append_outcome(std::string& out, const model::Outcome& outcome) {
  ObjectText object(out);
  object.text("outcome", model::word(outcome.word));
  const auto unsaid = [](const auto&) {};
  std::visit(
      Overload{
          [&](const std::monostate&) {},
          [&](const model::Refreshed& d) {
            object.number("recovered", d.recovered).number("expired", d.expired);
            object.number("blocked", d.blocked).number("unblocked", d.unblocked);
            object.number("readied", d.readied);
          },
          [&](const model::Leased& d) {
            object.text("op", d.op).number("generation", d.generation);
            object.number("expires_us", d.expires_us);
          },
          [&](const model::Extended& d) { object.number("expires_us", d.expires_us); },
          [&](const model::RetryScheduled& d) {
            object.number("next_attempt_us", d.next_attempt_us);
          },
          [&](const model::Reopened& d) { object.number("reopened", d.reopened); },
          [&](const model::CancelCounts& d) {
            object.number("canceled", d.canceled).number("reconciling", d.reconciling);
          },
          [&](const model::Waiting& d) { object.text("hash", d.hash); },
          [&](const model::Dispatching& d) {
            object.text("key", d.key).number("call_before_us", d.call_before_us);
          },
          [&](const model::Receipt& d) {
            object.text("receipt", d.receipt).boolean("fresh", d.fresh);
          },
          [&](const model::AlreadyDecided& d) { object.text("status", model::word(d.status)); },
          [&](const model::Identified& d) { object.text("workflow", d.workflow); },
          [&](const model::StatusCounts& d) { unsaid(d); },
          [&](const model::Page& d) { unsaid(d); },
          [&](const model::Observation& d) { unsaid(d); },
      },
      outcome.detail);
  object.close();
}

}  // namespace

std::string action_text(const model::Action& action, std::string_view token_hash,
                        std::int64_t now_us, const model::Outcome& outcome,
                        const std::optional<std::string>& told) {
  std::string out;
  out.reserve(256);
  ObjectText object(out);
  object.text("do", model::do_word(action));
  append_arguments(object, out, action);
  object.maybe_text(std::holds_alternative<model::Reconcile>(action) ? "found" : "receipt", told);
  if (!token_hash.empty()) object.text("token", token_hash);
  object.number("now_us", now_us);
  append_outcome(object.raw("outcome"), outcome);
  object.close();
  return out;
}

}  // namespace leaseproof::engine::store
