#include "scenarios/story.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "scenarios/points.hpp"
#include "scenarios/printable.hpp"
#include "scenarios/reply.hpp"
#include "scenarios/step_codec.hpp"
#include "scenarios/typeset.hpp"

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t longest_value = 48;
constexpr std::size_t longest_hash = 9;

// "{approval true, contract queryable}": JSON for people, who can do without its quotes.
std::string loose(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() && !value.is_array()) return canonical(value);
  std::vector<std::string> parts;
  for (const auto& member : value.items()) {
    parts.push_back((value.is_object() ? member.key() + " " : "") + loose(member.value()));
  }
  return value.is_object() ? fmt::format("{{{}}}", fmt::join(parts, ", "))
                           : fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string told_member(const std::string& key, const Json& value);

// "[a, f(a, b?) deadline=5 s]": what an op is made of decides what happens to it.
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
    for (const auto& member : op.items()) {
      if (member.key() == "id" || member.key() == "needs") continue;
      part += " " + told_member(member.key(), member.value());
    }
    parts.push_back(std::move(part));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string told_member(const std::string& key, const Json& value) {
  if (key == "ops" || key == "emit") return (key == "emit" ? "emit=" : "") + told_ops(value);
  if (key.ends_with("_us") && value.is_number_integer()) {
    return fmt::format("{}={}", key.substr(0, key.size() - 3),
                       told_time(value.get<std::int64_t>()));
  }
  const bool ours = key == "actor" || key == "effect" || key == "retry";
  const bool digest = key == "hash" || key == "key";
  const std::string text = ours                ? loose(value)
                           : value.is_string() ? value.get<std::string>()
                                               : canonical(value);
  return fmt::format("{}={}", key, shortened(text, digest ? longest_hash : 2 * longest_value));
}

std::vector<Field> fields_of(const model::OpView& op) {
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  const auto value = [](const auto& optional) {
    return optional ? shortened(printable(*optional), longest_value) : std::string();
  };
  const auto hash = [](const std::string& text) { return shortened(text, longest_hash); };
  std::vector<Field> fields{{"", std::string(model::word(op.status))},
                            {"generation", number(op.generation)},
                            {"attempts", number(op.attempts)}};
  std::string lease;
  if (op.lease) {
    lease = printable(op.lease->owner);
    if (op.lease->generation != op.generation) {
      lease += fmt::format(" of generation {}", op.lease->generation);
    }
    lease += " until " + told_time(op.lease->expires_us);
  }
  fields.push_back({"lease", lease});
  fields.push_back(
      {"next attempt", op.next_attempt_us ? told_time(*op.next_attempt_us) : std::string()});
  fields.push_back({"error", value(op.error)});
  fields.push_back({"result", value(op.result)});
  for (const auto& [name, digest] : op.artifacts) {
    fields.push_back({"artifact " + printable(name), hash(digest)});
  }
  for (const auto& [step, payload] : op.checkpoints) {
    fields.push_back(
        {"checkpoint " + printable(step), shortened(printable(payload), longest_value)});
  }
  if (op.approval) {
    fields.push_back({"approval", fmt::format("request {} {}", op.approval->request_no,
                                              model::word(op.approval->status))});
    fields.push_back({"hash", hash(op.approval->hash)});
  }
  if (op.effect) {
    fields.push_back({"effect", std::string(model::word(op.effect->status))});
    fields.push_back({"key", op.effect->key ? hash(*op.effect->key) : std::string()});
    fields.push_back({"receipt", value(op.effect->receipt)});
  }
  return fields;
}

// People know an op by its name, the service by its key.
std::string owner_of(const model::Observation& observation, const std::string& key) {
  for (const auto& [id, op] : observation.ops) {
    if (op.effect && op.effect->key == key) return printable(id);
  }
  return "key " + shortened(printable(key), longest_hash);
}

const std::string* find(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &found->value;
}

std::string changed(const Field& field, const std::string& old) {
  const std::string label = field.name.empty() ? "" : field.name + " ";
  if (old.empty()) return label + field.value;
  if (field.value.empty()) return field.name + " gone";
  return fmt::format("{}{} → {}", label, old, field.value);
}

std::vector<std::string> changed_fields(const Thing* before, const Thing& after) {
  std::vector<std::string> phrases;
  for (const Field& field : after.fields) {
    const std::string* old = before == nullptr ? nullptr : find(before->fields, field.name);
    const bool as_before = old != nullptr ? *old == field.value : field.value.empty();
    // Of what is new, a zero says nothing.
    if (as_before || (before == nullptr && field.value == "0")) continue;
    phrases.push_back(changed(field, old == nullptr ? std::string() : *old));
  }
  if (before == nullptr) return phrases;
  for (const Field& field : before->fields) {
    if (field.value.empty() || find(after.fields, field.name) != nullptr) continue;
    phrases.push_back(field.name + " gone");
  }
  return phrases;
}

const Thing* find(const std::vector<Thing>& things, const std::string& name) {
  const auto found = std::find_if(things.begin(), things.end(),
                                  [&](const Thing& thing) { return thing.name == name; });
  return found == things.end() ? nullptr : &*found;
}

}  // namespace

std::string told_time(std::int64_t us) {
  const bool negative = us < 0;
  const std::uint64_t length =
      negative ? 0 - static_cast<std::uint64_t>(us) : static_cast<std::uint64_t>(us);
  std::string text;
  if (length >= 1'000'000 || length == 0) {
    text = std::to_string(length / 1'000'000);
    if (length % 1'000'000 != 0) {
      text += fmt::format(".{:06}", length % 1'000'000);
      text.erase(text.find_last_not_of('0') + 1);
    }
    text += " s";
  } else if (length % 1000 == 0) {
    text = fmt::format("{} ms", length / 1000);
  } else {
    text = fmt::format("{} µs", length);
  }
  return (negative ? "-" : "") + text;
}

std::string told(const properties::Step& step, const properties::Config& config) {
  properties::Step bare;
  bare.action = step.action;
  bare.skew_us = step.skew_us;
  bare.lock_wait_us = step.lock_wait_us;
  std::string line;
  write_step(line, bare, config);
  Json json = embedded(line);
  if (!json.is_object()) return printable(shortened(line, page_width));
  std::string text = json.value("do", "");
  json.erase("do");
  for (const char* first : {"worker", "workflow", "op", "scope", "reader", "by_us"}) {
    const auto found = json.find(first);
    if (found == json.end()) continue;
    text += " " + (found->is_string() ? found->get<std::string>()
                                      : told_time(found->get<std::int64_t>()));
    json.erase(found);
  }
  for (const auto& member : json.items()) text += " " + told_member(member.key(), member.value());
  return printable(text);
}

std::string told_fault(const properties::StepFault& fault) {
  const faults::Plan& plan = fault.plan;
  std::string text =
      fmt::format("{} at {}", faults::word(plan.kind), faults::point_names[plan.point]);
  if (plan.file) text += fmt::format(" of the {}", faults::word(*plan.file));
  if (plan.hit != 1) text += fmt::format(", hit {}", plan.hit);
  if (plan.times != 1) text += fmt::format(", {} times", plan.times);
  if (plan.sticky) text += ", and from then on";
  return text;
}

std::string told(const model::Outcome& outcome) {
  std::string text(model::word(outcome.word));
  if (std::holds_alternative<model::Observation>(outcome.detail)) return text;
  Json fields = reply_json(outcome);
  fields.erase("outcome");
  const auto say = [&text](const std::string& key, const Json& value) {
    // A zero among counts says nothing that its absence does not say.
    if (value != 0 || key.ends_with("_us")) text += " " + told_member(key, value);
  };
  for (const char* first : {"op", "workflow"}) {
    const auto found = fields.find(first);
    if (found == fields.end()) continue;
    text += " " + found->get<std::string>();
    fields.erase(found);
  }
  for (const auto& member : fields.items()) {
    if (!member.value().is_object()) say(member.key(), member.value());
    if (!member.value().is_object()) continue;
    for (const auto& count : member.value().items()) say(count.key(), count.value());
  }
  // Other words are explained by their guard; what an engine says about them may name its files.
  if (outcome.word == model::Word::invalid && !outcome.why.empty()) {
    text += fmt::format(" ({})", outcome.why);
  }
  return printable(text);
}

std::vector<Thing> things(const model::Observation& observation) {
  std::vector<Thing> all;
  for (const auto& [id, workflow] : observation.workflows) {
    all.push_back({"workflow " + printable(id),
                   {{"", std::string(model::word(workflow.status))},
                    {"asked to cancel", workflow.cancel_requested ? "yes" : ""}}});
  }
  for (const auto& [id, op] : observation.ops) all.push_back({printable(id), fields_of(op), true});
  for (const auto& [where, queue] : observation.queues) {
    all.push_back(
        {fmt::format("queue {}/{}", printable(where.first), printable(where.second)),
         {{"running", std::to_string(queue.running)}, {"tokens", std::to_string(queue.tokens)}}});
  }
  Thing service{"service", {}};
  for (const auto& [key, count] : observation.writes) {
    service.fields.push_back({"writes of " + owner_of(observation, key), std::to_string(count)});
  }
  if (!service.fields.empty()) all.push_back(std::move(service));
  return all;
}

std::vector<std::string> changes(const model::Observation& before,
                                 const model::Observation& after) {
  struct Line {
    std::string sign;
    std::string names;
    std::string what;
    bool of_ops;
  };
  std::vector<Line> lines;
  const auto say = [&lines](const std::string& sign, const Thing& thing, const std::string& what) {
    // Ops that changed alike share a line.
    const auto alike = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return thing.is_op && line.of_ops && line.sign == sign && line.what == what;
    });
    if (alike == lines.end()) {
      lines.push_back({sign, thing.name, what, thing.is_op});
    } else {
      alike->names += ", " + thing.name;
    }
  };
  const std::vector<Thing> old = things(before);
  const std::vector<Thing> now = things(after);
  for (const Thing& thing : now) {
    const Thing* was = find(old, thing.name);
    const std::vector<std::string> phrases = changed_fields(was, thing);
    const bool is_new = was == nullptr && thing.name != "service";
    if (!is_new && phrases.empty()) continue;
    say(is_new ? "+ " : "", thing,
        phrases.empty() ? std::string() : fmt::format(": {}", fmt::join(phrases, ", ")));
  }
  for (const Thing& thing : old) {
    if (find(now, thing.name) == nullptr) say("- ", thing, "");
  }
  std::vector<std::string> out;
  for (const Line& line : lines) out.push_back(line.sign + line.names + line.what);
  return out;
}

}  // namespace leaseproof::scenarios
