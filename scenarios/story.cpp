#include "scenarios/story.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/points.hpp"
#include "scenarios/reply.hpp"
#include "scenarios/step_codec.hpp"

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t longest_value = 48;

std::string shortened(std::string text) {
  if (text.size() <= longest_value) return text;
  std::size_t end = longest_value;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// "[a, f(a, b?)]"
std::string told_ops(const Json& ops) {
  std::vector<std::string> parts;
  for (const Json& op : ops) {
    std::string part = op.at("id").get<std::string>();
    if (const auto needs = op.find("needs"); needs != op.end()) {
      std::vector<std::string> names;
      for (const Json& need : *needs) {
        names.push_back(need.is_string() ? need.get<std::string>()
                                         : need.at("op").get<std::string>() + "?");
      }
      part += fmt::format("({})", fmt::join(names, ", "));
    }
    parts.push_back(std::move(part));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string plain(const Json& value) {
  return shortened(value.is_string() ? value.get<std::string>() : canonical(value));
}

std::string told_members(const Json& members) {
  std::string text;
  for (const auto& member : members.items()) {
    const std::string& key = member.key();
    if (key == "ops" || key == "emit") {
      text += fmt::format(" {}{}", key == "emit" ? "emit=" : "", told_ops(member.value()));
    } else {
      text += fmt::format(" {}={}", key, plain(member.value()));
    }
  }
  return text;
}

std::string lease_text(const model::LeaseView& lease) {
  return fmt::format("lease of {}, generation {}, until {}", lease.owner, lease.generation,
                     lease.expires_us);
}

void op_changes(const std::string& id, const model::OpView& a, const model::OpView& b,
                std::vector<std::string>& out) {
  const auto say = [&](const std::string& what) { out.push_back(id + " " + what); };
  if (a.status != b.status) {
    say(fmt::format("{} → {}", model::word(a.status), model::word(b.status)));
  }
  if (a.lease != b.lease) say(b.lease ? lease_text(*b.lease) : "lease gone");
  if (a.generation != b.generation && (!b.lease || b.lease->generation != b.generation)) {
    say(fmt::format("generation {}", b.generation));
  }
  if (a.attempts != b.attempts) say(fmt::format("attempts {} → {}", a.attempts, b.attempts));
  if (a.next_attempt_us != b.next_attempt_us) {
    say(b.next_attempt_us ? fmt::format("next attempt at {}", *b.next_attempt_us)
                          : std::string("next attempt cleared"));
  }
  if (a.error != b.error) say(b.error ? "error " + shortened(*b.error) : "error cleared");
  if (a.result != b.result) say(b.result ? "result " + shortened(*b.result) : "result gone");
  if (a.artifacts != b.artifacts) say(fmt::format("artifacts {}", b.artifacts.size()));
  if (a.checkpoints != b.checkpoints) say(fmt::format("checkpoints {}", b.checkpoints.size()));
  if (a.approval != b.approval) {
    say(b.approval
            ? fmt::format("approval {} {}", b.approval->request_no, model::word(b.approval->status))
            : std::string("approval gone"));
  }
  if (a.effect != b.effect && b.effect) {
    say(fmt::format("effect {}", model::word(b.effect->status)));
  }
}

}  // namespace

std::string told(const properties::Step& step) {
  properties::Step bare;
  bare.action = step.action;
  bare.skew_us = step.skew_us;
  bare.lock_wait_us = step.lock_wait_us;
  std::string line;
  write_step(line, bare, properties::Config{});
  Json json = embedded(line);
  if (!json.is_object()) return shortened(line);
  std::string text = json.value("do", "");
  json.erase("do");
  for (const char* first : {"worker", "workflow", "op", "scope", "reader", "by_us"}) {
    const auto found = json.find(first);
    if (found == json.end()) continue;
    text += " " + plain(*found);
    json.erase(found);
  }
  text += told_members(json);
  if (step.fault) {
    const faults::Plan& plan = step.fault->plan;
    text += fmt::format("  !{} at {}", faults::word(plan.kind), faults::point_names[plan.point]);
    if (plan.hit != 1) text += fmt::format(", hit {}", plan.hit);
    if (plan.times != 1) text += fmt::format(", {} times", plan.times);
    for (const properties::Step& inner : step.fault->steps) text += " | " + told(inner);
  }
  return text;
}

std::string told(const model::Outcome& outcome) {
  std::string text(model::word(outcome.word));
  if (std::holds_alternative<model::Observation>(outcome.detail)) return text;
  Json fields = reply_json(outcome);
  fields.erase("outcome");
  for (const auto& member : fields.items()) {
    // A zero among counts says nothing that its absence does not say.
    if (member.value() == 0) continue;
    text += fmt::format(" {}={}", member.key(), plain(member.value()));
  }
  if (!outcome.why.empty()) text += fmt::format(" ({})", outcome.why);
  return text;
}

std::vector<std::string> changes(const model::Observation& before,
                                 const model::Observation& after) {
  std::vector<std::string> out;
  for (const auto& [id, workflow] : after.workflows) {
    const auto old = before.workflows.find(id);
    if (old == before.workflows.end()) {
      out.push_back(fmt::format("+ workflow {} {}", id, model::word(workflow.status)));
      continue;
    }
    if (old->second.status != workflow.status) {
      out.push_back(fmt::format("workflow {} {} → {}", id, model::word(old->second.status),
                                model::word(workflow.status)));
    }
    if (old->second.cancel_requested != workflow.cancel_requested) {
      out.push_back(fmt::format("workflow {} asked to cancel", id));
    }
  }
  for (const auto& [id, op] : after.ops) {
    const auto old = before.ops.find(id);
    if (old == before.ops.end()) {
      out.push_back(fmt::format("+ {} {}", id, model::word(op.status)));
    } else {
      op_changes(id, old->second, op, out);
    }
  }
  for (const auto& [id, op] : before.ops) {
    if (!after.ops.contains(id)) out.push_back(fmt::format("- {}", id));
  }
  for (const auto& [where, queue] : after.queues) {
    const auto old = before.queues.find(where);
    if (old != before.queues.end() && old->second == queue) continue;
    out.push_back(fmt::format("queue {}/{} running {}, tokens {}", where.first, where.second,
                              queue.running, queue.tokens));
  }
  return out;
}

std::string table(const std::vector<StoryLine>& story, std::size_t broken) {
  std::size_t widest = 4;
  constexpr std::size_t limit = 64;
  for (const StoryLine& line : story) widest = std::max(widest, std::min(line.asked.size(), limit));
  std::string out = fmt::format("     {:>12}  {:<{}}  {}\n", "clock/µs", "step", widest, "answer");
  for (std::size_t i = 0; i < story.size(); ++i) {
    const StoryLine& line = story[i];
    out += fmt::format("{}{:>3} {:>12}  {:<{}}  {}\n", i == broken ? ">" : " ", i + 1, line.time_us,
                       line.asked, widest, line.answered);
    if (!line.changed.empty()) {
      out += fmt::format("{:>20}{}\n", "", fmt::join(line.changed, "; "));
    }
  }
  return out;
}

}  // namespace leaseproof::scenarios
