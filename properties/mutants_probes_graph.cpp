#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/rules.hpp"
#include "properties/engine_sut.hpp"
#include "properties/mutants_probes.hpp"

namespace leaseproof::properties {

namespace {

using model::OpStatus;

constexpr std::size_t op_count = 5;

// Ops that need some of those before them, each in any status that an op without a lease can have.
class Graph {
 public:
  explicit Graph(std::uint32_t seed) : random_(seed) {
    start_.workflow = "w";
    for (std::size_t i = 0; i < op_count; ++i) {
      model::OpSpec& op = start_.ops.emplace_back();
      op.id = std::string(1, static_cast<char>('a' + i));
      for (std::size_t need = 0; need < i; ++need) {
        if (one_of(5) < 2) op.needs.push_back({start_.ops[need].id, one_of(3) > 0});
      }
      statuses_.push_back(status_of(op));
    }
  }

  // The first difference between the engine and the model on the way through `calls`.
  std::string complaint(const Texts& statements) {
    const Rig rig = engine_in_memory(statements)();
    rig.sut->reset({});
    model::State state;
    std::string why = call(*rig.sut, state, start_);
    if (!why.empty()) return why;
    take_statuses(state);
    const std::string script = take_statuses_script();
    auto& engine = dynamic_cast<EngineSut&>(*rig.sut).engine();
    if (sqlite3_exec(engine.connection().handle(), script.c_str(), nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
      return "the script of the probe is no SQL";
    }
    std::vector<model::Action> calls;
    // An operator may be faster than the first refresh.
    if (one_of(2) == 0) add_retry(calls);
    calls.emplace_back(model::Refresh{});
    add_retry(calls);
    calls.emplace_back(model::Refresh{});
    calls.emplace_back(model::Cancel{"w"});
    for (const model::Action& action : calls) {
      why = call(*rig.sut, state, action);
      if (!why.empty()) return why;
    }
    return {};
  }

 private:
  std::uint32_t one_of(std::uint32_t count) {
    return static_cast<std::uint32_t>(random_()) % count;
  }

  OpStatus status_of(const model::OpSpec& op) {
    constexpr std::array with_needs{OpStatus::pending, OpStatus::blocked, OpStatus::blocked,
                                    OpStatus::succeeded, OpStatus::failed};
    constexpr std::array without{OpStatus::ready, OpStatus::succeeded, OpStatus::failed,
                                 OpStatus::canceled};
    return op.needs.empty() ? without[one_of(without.size())]
                            : with_needs[one_of(with_needs.size())];
  }

  void add_retry(std::vector<model::Action>& calls) {
    for (std::size_t i = 0; i < op_count; ++i) {
      if (statuses_[i] == OpStatus::failed && one_of(2) == 0) {
        calls.emplace_back(model::Retry{start_.ops[i].id, {}});
      }
    }
  }

  void take_statuses(model::State& state) const {
    auto& counts = state.workflows.edit("w").counts;
    counts = {};
    for (std::size_t i = 0; i < op_count; ++i) {
      state.ops.edit(start_.ops[i].id).view.status = statuses_[i];
      ++counts[static_cast<std::size_t>(statuses_[i])];
    }
  }
  std::string take_statuses_script() const {
    std::string script;
    for (std::size_t i = 0; i < op_count; ++i) {
      script += fmt::format("UPDATE op SET status = '{}', marked = 1 WHERE id = '{}';",
                            model::word(statuses_[i]), start_.ops[i].id);
    }
    return script;
  }

  std::string call(Sut& sut, model::State& state, const model::Action& action) const {
    const model::Given given;
    CallFrame frame;
    frame.action = &action;
    frame.given = &given;
    const model::Outcome answered = sut.apply(frame).outcome;
    const model::Outcome expected = model::apply(state, action, given);
    if (!(answered == expected)) {
      return fmt::format("{} answers {} otherwise than the model", model::do_word(action),
                         model::word(answered.word));
    }
    return model::first_difference(state, sut.observe_in_full());
  }

  std::mt19937 random_;
  model::Start start_;
  std::vector<OpStatus> statuses_;
};

}  // namespace

std::string graph_complaint(const Texts& statements) {
  constexpr std::uint32_t graphs = 150;
  for (std::uint32_t seed = 1; seed <= graphs; ++seed) {
    std::string why = Graph(seed).complaint(statements);
    if (!why.empty()) return fmt::format("graph {}: {}", seed, why);
  }
  return {};
}

}  // namespace leaseproof::properties
