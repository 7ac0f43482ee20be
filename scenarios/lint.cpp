#include "scenarios/lint.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <type_traits>
#include <variant>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios {

using properties::Step;

namespace {

// The lists of ops that an action carries, with the key that holds them.
template <class F>
void each_op_list(const model::Action& action, F&& f) {
  if (const auto* start = std::get_if<model::Start>(&action)) f("ops", start->ops);
  if (const auto* ensure = std::get_if<model::Ensure>(&action)) f("ops", ensure->ops);
  if (const auto* complete = std::get_if<model::Complete>(&action)) f("emit", complete->emit);
}

void collect_ops(const std::vector<Step>& steps, std::set<std::string>& made) {
  for (const Step& step : steps) {
    each_op_list(step.action, [&made](const char*, const std::vector<model::OpSpec>& ops) {
      for (const model::OpSpec& op : ops) made.insert(op.id);
    });
    if (step.fault) collect_ops(step.fault->steps, made);
  }
}

// An op on a cycle, or nothing. Iterative, since a file may chain a hundred thousand ops.
const model::OpSpec* on_a_cycle(const std::vector<model::OpSpec>& ops) {
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < ops.size(); ++i) index.emplace(ops[i].id, i);
  enum class Mark : std::uint8_t { unseen, open, closed };
  std::vector<Mark> marks(ops.size(), Mark::unseen);
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // op, next need to look at
  for (std::size_t root = 0; root < ops.size(); ++root) {
    if (marks[root] != Mark::unseen) continue;
    marks[root] = Mark::open;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [op, next] = stack.back();
      if (next == ops[op].needs.size()) {
        marks[op] = Mark::closed;
        stack.pop_back();
        continue;
      }
      const auto need = index.find(ops[op].needs[next++].op);
      if (need == index.end() || marks[need->second] == Mark::closed) continue;
      if (marks[need->second] == Mark::open) return &ops[need->second];
      marks[need->second] = Mark::open;
      stack.emplace_back(need->second, 0);
    }
  }
  return nullptr;
}

class Linter {
 public:
  explicit Linter(const std::vector<Step>& steps) {
    collect_ops(steps, made_);
    walk(steps);
  }
  std::vector<Finding> findings;

 private:
  void walk(const std::vector<Step>& steps) {
    way_.push_back(0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      way_.back() = i;
      judge(steps[i]);
      if (steps[i].fault) walk(steps[i].fault->steps);
    }
    way_.pop_back();
  }

  static bool means_it(const Step& step) {
    if (step.expect.empty()) return false;
    const auto expect = parse_json(step.expect);
    if (!expect) return false;
    const Json* word = &*expect;
    if (expect->is_object()) {
      const auto outcome = expect->find("outcome");
      if (outcome == expect->end()) return false;
      word = &*outcome;
    }
    return *word == "invalid" || *word == "not_found";
  }

  void judge(const Step& step) {
    if (means_it(step)) return;
    each_op_list(step.action, [this](const char* key, const std::vector<model::OpSpec>& ops) {
      judge_ops(key, ops);
    });
    std::visit([this](const auto& action) { judge_action(action); }, step.action);
  }

  void judge_ops(const std::string& list, const std::vector<model::OpSpec>& ops) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const model::OpSpec& op = ops[i];
      const std::string key = fmt::format("{}[{}]", list, i);
      for (std::size_t n = 0; n < op.needs.size(); ++n) {
        if (!made_.contains(op.needs[n].op)) {
          unknown_op(fmt::format("{}.needs[{}]", key, n), op.needs[n].op, model::Word::invalid);
        }
      }
      not_negative(key + ".deadline_us", op.deadline_us);
      not_negative(key + ".retry.base_us", op.retry.base_us);
      not_negative(key + ".retry.cap_us", op.retry.cap_us);
      for (const std::int64_t delay : op.retry.delays_us)
        not_negative(key + ".retry.delays_us", delay);
      if (op.effect) not_negative(key + ".effect.retention_us", op.effect->retention_us);
    }
    if (const model::OpSpec* op = on_a_cycle(ops)) {
      complain(list, fmt::format("the graph has a cycle through op '{}'; remove one of its needs",
                                 op->id));
    }
  }

  template <class A>
  void judge_action(const A& action) {
    using model::Word;
    if constexpr (requires { action.by; }) {
      known(action.by.op, Word::invalid);
    } else if constexpr (requires { action.op; }) {
      known(action.op, Word::not_found);
    }
    if constexpr (requires { action.lease_us; }) not_negative("lease_us", action.lease_us);
    if constexpr (requires { action.ttl_us; }) not_negative("ttl_us", action.ttl_us);
    if constexpr (requires { action.deadline_us; }) not_negative("deadline_us", action.deadline_us);
    if constexpr (requires { action.completed_at_us; }) {
      not_negative("completed_at_us", action.completed_at_us);
    }
    if constexpr (requires { action.expected_op; }) {
      if (action.expected_op) known(*action.expected_op, Word::invalid);
    }
  }

  void known(const std::string& op, model::Word answer) {
    if (!made_.contains(op)) unknown_op("op", op, answer);
  }
  void unknown_op(const std::string& key, const std::string& op, model::Word answer) {
    complain(key, fmt::format(
                      "no start, ensure or emit of this file makes an op '{}'; correct the id, or "
                      "say \"expect\": \"{}\"",
                      op, model::word(answer)));
  }
  void not_negative(const std::string& key, std::optional<std::int64_t> value) {
    if (value && *value < 0) {
      complain(key,
               fmt::format("{} is a negative time; write 0 or more, or say \"expect\": \"invalid\"",
                           *value));
    }
  }
  void complain(const std::string& key, const std::string& why) {
    std::vector<PlaceItem> place;
    for (const std::size_t index : way_) place.push_back({"steps", index});
    place.push_back({key, std::nullopt});
    findings.push_back({fmt::format("{}: {}", place_text(place), why)});
  }

  std::set<std::string> made_;
  std::vector<std::size_t> way_;
};

}  // namespace

std::vector<Finding> lint(const std::vector<Step>& steps) { return Linter(steps).findings; }

}  // namespace leaseproof::scenarios
