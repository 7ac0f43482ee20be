// first_difference: the first field in which the model and an observation differ, in words.
#include <sstream>
#include <string>
#include <string_view>

#include "model/rules.hpp"

namespace leaseproof::model {
namespace {

// How one value reads in a sentence.
void say(std::ostream& out, bool value) { out << (value ? "true" : "false"); }
void say(std::ostream& out, std::int64_t value) { out << value; }
void say(std::ostream& out, const std::string& text) { out << text; }
template <class E>
requires std::is_enum_v<E>
void say(std::ostream& out, E value) { out << word(value); }
template <class T>
void say(std::ostream& out, const std::optional<T>& value) {
  if (value) {
    say(out, *value);
  } else {
    out << "nothing";
  }
}

// Collects at most one sentence; every later comparison is then skipped.
class Difference {
 public:
  std::string sentence;

  template <class T>
  void compare(std::string_view thing, const std::string& id, std::string_view field,
               const T& expected, const T& seen) {
    if (!sentence.empty() || expected == seen) return;
    std::ostringstream out;
    out << thing << " \"" << id << "\": " << field << " should be ";
    say(out, expected);
    out << ", but is ";
    say(out, seen);
    sentence = out.str();
  }

  // Both maps in step, by key; `each` compares two values under one key.
  template <class Ours, class Theirs, class Name, class Each>
  void compare_maps(std::string_view thing, const Ours& ours, const Theirs& theirs, Name name,
                    Each each) {
    auto a = ours.begin();
    auto b = theirs.begin();
    while (sentence.empty() && (a != ours.end() || b != theirs.end())) {
      if (b == theirs.end() || (a != ours.end() && a->first < b->first)) {
        sentence = std::string(thing) + " \"" + name(a->first) + "\" should be there, but is not";
      } else if (a == ours.end() || b->first < a->first) {
        sentence = std::string(thing) + " \"" + name(b->first) + "\" is there, but should not be";
      } else {
        each(name(a->first), a->second, b->second);
        ++a;
        ++b;
      }
    }
  }
};

std::string own_name(const std::string& id) { return id; }
std::string queue_name(const SiteQueue& key) { return key.first + "/" + key.second; }

// The optional parts of an op: there in both, or a difference of its own.
template <class Part, class Fields>
void compare_part(Difference& difference, const std::string& id, const std::string& part,
                  const std::optional<Part>& expected, const std::optional<Part>& seen,
                  Fields fields) {
  difference.compare("op", id, "having " + part, expected.has_value(), seen.has_value());
  if (expected && seen) fields(*expected, *seen);
}

void compare_texts(Difference& difference, const std::string& id, const std::string& what,
                   const std::map<std::string, std::string>& expected,
                   const std::map<std::string, std::string>& seen) {
  difference.compare_maps("op \"" + id + "\": " + what, expected, seen, own_name,
                          [&](const std::string& name, const auto& a, const auto& b) {
                            difference.compare("op", id, what + " \"" + name + "\"", a, b);
                          });
}

void compare_op(Difference& d, const std::string& id, const OpView& a, const OpView& b) {
  d.compare("op", id, "workflow", a.workflow, b.workflow);
  d.compare("op", id, "status", a.status, b.status);
  d.compare("op", id, "generation", a.generation, b.generation);
  d.compare("op", id, "attempts", a.attempts, b.attempts);
  d.compare("op", id, "next_attempt_us", a.next_attempt_us, b.next_attempt_us);
  d.compare("op", id, "error", a.error, b.error);
  compare_part(d, id, "a lease", a.lease, b.lease, [&](const LeaseView& x, const LeaseView& y) {
    d.compare("op", id, "lease.owner", x.owner, y.owner);
    d.compare("op", id, "lease.generation", x.generation, y.generation);
    d.compare("op", id, "lease.expires_us", x.expires_us, y.expires_us);
  });
  d.compare("op", id, "result", a.result, b.result);
  compare_texts(d, id, "artifact", a.artifacts, b.artifacts);
  compare_texts(d, id, "checkpoint", a.checkpoints, b.checkpoints);
  compare_part(d, id, "an approval", a.approval, b.approval,
               [&](const ApprovalView& x, const ApprovalView& y) {
                 d.compare("op", id, "approval.request_no", x.request_no, y.request_no);
                 d.compare("op", id, "approval.status", x.status, y.status);
                 d.compare("op", id, "approval.hash", x.hash, y.hash);
               });
  compare_part(d, id, "an effect", a.effect, b.effect,
               [&](const EffectView& x, const EffectView& y) {
                 d.compare("op", id, "effect.status", x.status, y.status);
                 d.compare("op", id, "effect.key", x.key, y.key);
                 d.compare("op", id, "effect.receipt", x.receipt, y.receipt);
               });
}

void compare_workflow(Difference& d, const std::string& id, const WorkflowView& a,
                      const WorkflowView& b) {
  d.compare("workflow", id, "cancel_requested", a.cancel_requested, b.cancel_requested);
  for (std::size_t i = 0; i < op_status_count; ++i) {
    d.compare("workflow", id, "counts." + std::string(Words<OpStatus>::all[i]), a.counts[i],
              b.counts[i]);
  }
  d.compare("workflow", id, "status", a.status, b.status);
}

}  // namespace

std::string first_difference(const State& state, const Observation& seen) {
  if (agrees(state, seen)) return {};
  const Observation expected = observe(state);
  Difference d;
  d.compare_maps(
      "op", expected.ops, seen.ops, own_name,
      [&](const std::string& id, const OpView& a, const OpView& b) { compare_op(d, id, a, b); });
  d.compare_maps("workflow", expected.workflows, seen.workflows, own_name,
                 [&](const std::string& id, const WorkflowView& a, const WorkflowView& b) {
                   compare_workflow(d, id, a, b);
                 });
  d.compare_maps("queue", expected.queues, seen.queues, queue_name,
                 [&](const std::string& id, const QueueView& a, const QueueView& b) {
                   d.compare("queue", id, "running", a.running, b.running);
                   d.compare("queue", id, "tokens", a.tokens, b.tokens);
                 });
  return d.sentence;
}

}  // namespace leaseproof::model
