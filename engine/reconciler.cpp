#include "engine/reconciler.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/values/shape.hpp"

namespace leaseproof::engine {

using model::Word;

Reconciler::Reconciler(Engine& engine, effects::Service& service, Clock& clock,
                       ReconcilerPauses pauses)
    : engine_(&engine), service_(&service), clock_(&clock), pauses_(pauses) {}

std::int64_t Reconciler::pause_us(std::int64_t asked) const {
  std::int64_t pause = pauses_.base_us;
  for (std::int64_t i = 1; i < asked && pause < pauses_.cap_us; ++i) {
    if (__builtin_mul_overflow(pause, 2, &pause)) return pauses_.cap_us;
  }
  return std::min(pause, pauses_.cap_us);
}

Reconciler::Pass Reconciler::pass() {
  Pass done;
  std::vector<UnknownEffect> unknown;
  done.outcome = engine_->unknown_effects(unknown);
  if (done.outcome.word != Word::ok) return done;

  std::map<std::string, Question> open;
  for (const auto& effect : unknown) {
    if (effect.contract == model::Contract::opaque) continue;
    const auto known = questions_.find(effect.op);
    Question question = known == questions_.end() ? Question{} : known->second;
    const std::int64_t now_us = clock_->now_us();
    if (question.asked == 0 || question.due_us <= now_us) {
      ++done.asked;
      if (engine_->reconcile({effect.op}, service_->find(effect.key)).word == Word::confirmed) {
        ++done.confirmed;
        continue;
      }
      ++question.asked;
      question.due_us = sum_us(now_us, pause_us(question.asked))
                            .value_or(std::numeric_limits<std::int64_t>::max());
    }
    done.next_us = done.next_us ? std::min(*done.next_us, question.due_us) : question.due_us;
    open.emplace(effect.op, question);
  }
  questions_ = std::move(open);
  return done;
}

BackgroundReconciler::BackgroundReconciler(Engine& engine, effects::Service& service, Clock& clock,
                                           ReconcilerPauses pauses, std::int64_t idle_us)
    : reconciler_(engine, service, clock, pauses), ticker_([this, &clock, idle_us] {
        const auto next_us = reconciler_.pass().next_us;
        return next_us ? std::min(idle_us, *next_us - clock.now_us()) : idle_us;
      }) {}

}  // namespace leaseproof::engine
