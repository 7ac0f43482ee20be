// What the sentences about guards look at, for guard.cpp and guard_outside.cpp: the call, its op
// before it, and the moment.
#pragma once

#include <fmt/format.h>

#include <string>

#include "properties/judgement.hpp"
#include "properties/outside.hpp"
#include "properties/runner.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios {

struct Scene {
  explicit Scene(const properties::CallSeen& s)
      : seen(s),
        action(s.fact.action()),
        given(s.fact.given),
        now(told_time(given.now_us)),
        by(properties::handle_of(action)) {
    if (const std::string* named = properties::op_of(action)) {
      id = *named;
      op = model::find_op(s.before, id);
    }
    if (by != nullptr) worker = by->worker;
  }

  [[nodiscard]] const model::EffectSpec* effect() const {
    return op != nullptr && op->spec->effect ? &*op->spec->effect : nullptr;
  }
  [[nodiscard]] std::int64_t request_no() const {
    return op != nullptr && op->view.approval ? op->view.approval->request_no : 0;
  }
  [[nodiscard]] std::string status() const {
    return op == nullptr ? std::string("unknown") : std::string(model::word(op->view.status));
  }

  const properties::CallSeen& seen;
  const model::Action& action;
  const model::Given& given;
  std::string now;
  const model::WorkerHandle* by;
  std::string worker;
  std::string id;
  const model::Op* op = nullptr;
};

// guard_outside.cpp: words of approvals, effects and the service.
std::string forbidden(const Scene& scene);
std::string request_state(const Scene& scene);
std::string already_decided(const Scene& scene);
std::string binding_mismatch(const Scene& scene);
std::string payload_conflict(const Scene& scene);
std::string resend_closed(const Scene& scene);
std::string receipt_required(const Scene& scene);
std::string permit_expired(const Scene& scene);
std::string timeout(const Scene& scene);
std::string not_proven(const Scene& scene);
std::string permit_open(const Scene& scene);

}  // namespace leaseproof::scenarios
