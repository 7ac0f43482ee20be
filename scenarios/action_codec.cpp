#include "scenarios/action_codec.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace leaseproof::scenarios {

using namespace model;  // each function names three of its types

// One list of fields per struct serves both ways: `Io` is `Reader`, `PlainReader` or `Writer`. They
// are found by `Reader::get` and `Writer::put` through argument-dependent lookup, hence no
// anonymous namespace.

// A need is a text, or an object where it is optional.
template <class Io>
static void read_needs(Io& io, std::vector<Need>& needs) {
  io.each_text_or_object(
      "needs", "must be an op's id or {\"op\": id, \"optional\": true}",
      [&](std::string op) { needs.emplace_back().op = std::move(op); },
      [&](Io& reader) {
        Need& need = needs.emplace_back();
        bool optional = false;
        reader.must("op", need.op);
        reader.may("optional", optional, false);
        need.required = !optional;
      });
}

static void write_needs(Writer& io, const std::vector<Need>& needs) {
  if (needs.empty()) return;
  std::string list = "[";
  for (const Need& need : needs) {
    if (list.size() > 1) list += ", ";
    if (need.required) {
      write_string(list, need.op);
      continue;
    }
    list += "{\"op\": ";
    write_string(list, need.op);
    list += ", \"optional\": true}";
  }
  list += ']';
  io.must_json("needs", list);
}

template <class Io>
void fields(Io& io, RetryPolicy& retry) {
  io.must("policy", retry.policy);
  switch (retry.policy) {
    case DelayPolicy::fixed:
      io.must_list("delays_us", retry.delays_us);
      return;
    case DelayPolicy::exponential:
      io.must("base_us", retry.base_us);
      io.must("multiplier", retry.multiplier);
      io.must("cap_us", retry.cap_us);
      return;
    case DelayPolicy::linear:
    case DelayPolicy::full_jitter:
      io.must("base_us", retry.base_us);
      io.must("cap_us", retry.cap_us);
      return;
  }
}

template <class Io>
void fields(Io& io, EffectSpec& effect) {
  io.may("contract", effect.contract, io.config().service_contract);
  io.may("approval", effect.approval, false);
  // The other contracts have no retention that a config could give them.
  io.may(
      "retention_us", effect.retention_us,
      effect.contract == Contract::idempotent ? io.config().service_retention_us : std::int64_t{0});
  io.may("target", effect.target, std::string());
  io.may("scope", effect.scope, std::string());
  io.may("requester", effect.requester, std::string());
}

template <class Io>
void fields(Io& io, OpSpec& op) {
  static const OpSpec otherwise;
  io.must("id", op.id);
  if constexpr (Io::reading) {
    read_needs(io, op.needs);
  } else {
    write_needs(io, op.needs);
  }
  io.may("kind", op.kind, otherwise.kind);
  io.may("site", op.site, otherwise.site);
  io.may("queue", op.queue, otherwise.queue);
  io.may_json("input", op.input, otherwise.input);
  io.may("max_attempts", op.max_attempts, otherwise.max_attempts);
  io.may("deadline_us", op.deadline_us);
  io.may("retry", op.retry, otherwise.retry);
  io.may("effect", op.effect);
  io.may("context", op.context);
}

template <class Io>
void fields(Io& io, Artifact& artifact) {
  io.must("name", artifact.name);
  io.must("text", artifact.text);
}

// A journal has the digest of a long one in its place.
static void fields(PlainReader& io, Artifact& artifact) {
  io.must("name", artifact.name);
  io.must_text_or_object("text", artifact.text);
}

template <class Io>
void fields(Io& io, Actor& actor) {
  io.must("id", actor.id);
  io.must_list("roles", actor.roles);
  io.must_list("scopes", actor.scopes);
}

template <class Io>
void worker_fields(Io& io, WorkerHandle& by) {
  io.must("worker", by.worker);
  io.must("op", by.op);
  if constexpr (!Io::reading) {
    if (by.handle != 0) io.must("handle", by.handle);
  } else {
    io.may("handle", by.handle, std::int64_t{0});
    if (by.handle < 0)
      io.at("handle").refuse("counts back from 0, the newest; it cannot be negative");
  }
}

template <class Io>
void fields(Io& io, Start& a) {
  io.may("workflow", a.workflow);
  io.may("package", a.package, std::string("default"));
  io.may_json("input", a.input, "null");
  io.must_list("ops", a.ops);
}
template <class Io>
void fields(Io& io, Ensure& a) {
  io.may("workflow", a.workflow);
  io.may("package", a.package, std::string("default"));
  io.must_json("identity", a.identity);
  io.may_json("input", a.input, "null");
  io.must_list("ops", a.ops);
}
template <class Io>
void queue_fields(Io& io, Queue& a) {
  io.must("queue", a.queue);
  io.may("site", a.site, std::string("default"));
  io.must("max_in_flight", a.max_in_flight);
  io.must("rate_per_s", a.rate_per_s);
  io.must("burst", a.burst);
}
void fields(Reader& io, Queue& queue) { queue_fields(io, queue); }
static void fields(PlainReader& io, Queue& queue) { queue_fields(io, queue); }
void fields(Writer& io, Queue& queue) { queue_fields(io, queue); }
template <class Io>
void fields(Io& io, ContextPut& a) {
  io.must("scope", a.scope);
  io.must_json("payload", a.payload);
  io.must("ttl_us", a.ttl_us);
}
template <class Io>
void fields(Io& io, ContextRevoke& a) {
  io.must("scope", a.scope);
}
template <class Io>
void fields(Io& /*io*/, Refresh& /*a*/) {}
template <class Io>
void fields(Io& io, Lease& a) {
  io.must("worker", a.worker);
  io.may("owner", a.owner);
  io.may("queue", a.queue);
  io.may("site", a.site);
  io.may("op", a.expected_op);
  io.may("lease_us", a.lease_us, io.config().lease_us);
}
template <class Io>
void fields(Io& io, Heartbeat& a) {
  worker_fields(io, a.by);
  io.may("lease_us", a.lease_us, io.config().lease_us);
}
template <class Io>
void fields(Io& io, Checkpoint& a) {
  worker_fields(io, a.by);
  io.must("step", a.step);
  io.must_json("payload", a.payload);
}
template <class Io>
void fields(Io& io, RequestApproval& a) {
  worker_fields(io, a.by);
  io.must_json("payload", a.payload);
  io.may("ttl_us", a.ttl_us, default_approval_ttl_us);
}
template <class Io>
void fields(Io& io, Decide& a) {
  constexpr std::string_view stale = "stale";
  io.must("op", a.op);
  std::optional<std::string> hash = a.hash;
  if (a.stale_hash) hash = stale;
  io.may("hash", hash);
  a.stale_hash = hash == stale;
  a.hash = a.stale_hash ? std::nullopt : hash;
  io.must("actor", a.actor);
}
template <class Io>
void fields(Io& io, Dispatch& a) {
  worker_fields(io, a.by);
  io.must_json("payload", a.payload);
}
template <class Io>
void fields(Io& io, Call& a) {
  worker_fields(io, a.by);
  io.may("service", a.service, ServiceMode::ok);
  io.may_json("payload", a.payload);
}
template <class Io>
void fields(Io& io, Deliver& a) {
  io.must("op", a.op);
}
template <class Io>
void fields(Io& io, Complete& a) {
  worker_fields(io, a.by);
  io.may_json("result", a.result, "null");
  io.may("completed_at_us", a.completed_at_us);
  io.may_list("artifacts", a.artifacts);
  io.may_list("emit", a.emit);
}
template <class Io>
void fields(Io& io, Fail& a) {
  worker_fields(io, a.by);
  io.must("kind", a.kind);
  io.may("error", a.error);
}
template <class Io>
void fields(Io& /*io*/, Observe& /*a*/) {}
template <class Io>
void fields(Io& io, Retry& a) {
  io.must("op", a.op);
  io.may("deadline_us", a.deadline_us);
}
template <class Io>
void fields(Io& io, Cancel& a) {
  io.must("workflow", a.workflow);
}
template <class Io>
void fields(Io& io, Reconcile& a) {
  io.must("op", a.op);
}
template <class Io>
void fields(Io& io, Close& a) {
  io.must("op", a.op);
  io.must("happened", a.happened);
  io.must("evidence", a.evidence);
  io.must("actor", a.actor);
}
template <class Io>
void fields(Io& io, Snapshot& a) {
  io.must("workflow", a.workflow);
}
template <class Io>
void fields(Io& io, SnapshotsSince& a) {
  io.must("reader", a.reader);
  io.must("limit", a.limit);
}
template <class Io>
void fields(Io& io, Advance& a) {
  io.must("by_us", a.by_us);
}
template <class Io>
void fields(Io& /*io*/, Restart& /*a*/) {}
template <class Io>
void fields(Io& io, Forget& a) {
  io.must("worker", a.worker);
}

namespace {
using Kinds = std::make_index_sequence<std::variant_size_v<Action>>;

// One action has two words.
template <class A>
bool is_named(std::string_view word) {
  if constexpr (std::is_same_v<A, Decide>) {
    return word == "approve" || word == "reject";
  } else {
    return A::name == word;
  }
}

template <class Io, std::size_t... I>
Action read_kind(Io& reader, std::string_view word, std::index_sequence<I...>) {
  Action action;
  const auto try_one = [&]<class A>(std::in_place_type_t<A>) {
    if (!is_named<A>(word)) return false;
    fields(reader, action.emplace<A>());
    return true;
  };
  if (!(try_one(std::in_place_type<std::variant_alternative_t<I, Action>>) || ...)) {
    reader.at("do").refuse(unknown_word("word", word, do_words()));
  }
  return action;
}

template <class Io>
Action read_any(Io& reader) {
  std::string word;
  reader.must("do", word);
  Action action = read_kind(reader, word, Kinds{});
  if (auto* decide = std::get_if<Decide>(&action)) decide->approve = word == "approve";
  return action;
}

template <std::size_t... I>
std::vector<std::string_view> names(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Action>::name...};
}
}  // namespace

std::vector<std::string_view> do_words() {
  std::vector<std::string_view> words = names(Kinds{});
  *std::find(words.begin(), words.end(), Decide::name) = "approve";
  words.emplace_back("reject");
  return words;
}

Action read_action(Reader& reader) { return read_any(reader); }
Action read_action(PlainReader& reader) { return read_any(reader); }

void write_action(Writer& writer, const Action& action) {
  writer.must("do", do_word(action));
  Action copy = action;
  std::visit([&writer](auto& a) { fields(writer, a); }, copy);
}

}  // namespace leaseproof::scenarios
