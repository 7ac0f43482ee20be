#include "model/rules.hpp"

#include <variant>

#include "model/judge.hpp"
#include "model/promise.hpp"

namespace leaseproof::model {
namespace {

// Actions of the world around an engine have no rule.
template <class A>
constexpr bool is_of_the_world = false;
template <>
constexpr bool is_of_the_world<Call> = true;
template <>
constexpr bool is_of_the_world<Deliver> = true;
template <>
constexpr bool is_of_the_world<Advance> = true;
template <>
constexpr bool is_of_the_world<Restart> = true;
template <>
constexpr bool is_of_the_world<Forget> = true;

}  // namespace

Outcome apply(State& state, const Action& action, const Given& given) {
  return std::visit(
      [&](const auto& call) -> Outcome {
        if constexpr (is_of_the_world<std::decay_t<decltype(call)>>) {
          promise(false, "call, deliver, advance, restart and forget never reach the model");
          return {};
        } else {
          return judge(state, call, given);
        }
      },
      action);
}

std::pair<State, Outcome> step(State state, const Action& action, const Given& given) {
  Outcome outcome = apply(state, action, given);
  return {std::move(state), std::move(outcome)};
}

}  // namespace leaseproof::model
