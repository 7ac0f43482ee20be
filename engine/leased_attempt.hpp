// A leased op of an engine, as the scheduler handles it and its runner sees it.
//
// Promise: after the lease is known to be gone no call is made under its token. Everything that the
// runner's thread touches after `close` belongs to this object, which the thread owns.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/runner.hpp"
#include "engine/scheduler/op_source.hpp"

namespace leaseproof::engine {

// The runner of each kind, from any thread.
class Runners {
 public:
  // As what an op of another kind fails.
  explicit Runners(model::FailKind unknown_kind = model::FailKind::permanent)
      : unknown_kind_(unknown_kind) {}

  // Attempts that have begun keep the one that they have. An empty one takes the kind away.
  void put(std::string kind, Runner runner);
  // Null where there is none.
  [[nodiscard]] std::shared_ptr<const Runner> find(std::string_view kind) const;
  [[nodiscard]] model::FailKind unknown_kind() const { return unknown_kind_; }

 private:
  const model::FailKind unknown_kind_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Runner>, std::less<>> by_kind_;
};

struct LeaseTerms {
  std::int64_t lease_us = model::default_lease_us;
  std::int64_t beat_us = model::default_lease_us / 3;
};

class LeasedAttempt final : public LeasedOp, public Attempt {
 public:
  // Engine and clock must outlive all calls but those after `close`.
  LeasedAttempt(Engine& engine, Clock& clock, std::shared_ptr<const Runners> runners,
                LeaseTerms terms, model::Leased leased, std::string token);

  [[nodiscard]] std::int64_t beat_us() const override { return terms_.beat_us; }
  void run(Supervisor& supervisor) override;
  Beat extend() override;
  Ended finish() override;
  void request_stop() override;
  void close() override;

  [[nodiscard]] const std::string& op() const override { return op_; }
  [[nodiscard]] const Work& work() const override { return work_; }
  [[nodiscard]] std::stop_token stop_token() const override { return stop_.get_token(); }
  model::Outcome checkpoint(std::string_view step, std::string_view payload) override;
  Dispatched dispatch(std::string_view payload) override;
  model::Outcome request_approval(std::string_view payload, std::int64_t ttl_us) override;

 private:
  enum class Standing : std::uint8_t {
    held,
    ended,  // by a call of the runner
    lost,
    closed
  };
  Answer answer_of_runner();
  // A call of the runner: `ask` under the lease, if it is held.
  template <class Ask>
  model::Outcome under_lease(Ask ask);
  void judge(const model::Outcome& outcome);
  void lose();
  // Asks again while the answer is trouble and the lease may still be held.
  template <class Ask>
  model::Outcome ask_until_heard(Ask ask);
  Ended complete(Completed answer);
  Ended fail(model::FailKind kind, const std::string& error);
  Ended end_of(model::Outcome outcome);
  End end_in_database();
  [[nodiscard]] model::FailKind unless_dispatched(model::FailKind kind) const;
  [[nodiscard]] model::WorkerHandle by() const { return {{}, op_, 0}; }

  Engine* engine_;
  Clock* clock_;
  const std::shared_ptr<const Runners> runners_;
  const LeaseTerms terms_;
  const std::string op_;
  const std::string token_;
  std::stop_source stop_;
  std::atomic<Standing> standing_ = Standing::held;
  std::atomic<std::int64_t> expires_us_;
  std::atomic<bool> stopping_ = false;
  std::mutex calling_;  // held while the runner calls the engine
  Supervisor* supervisor_ = nullptr;
  Work work_;
  Answer answer_;
  bool dispatched_ = false;  // the outside service may have been called
  model::Outcome ended_by_;
};

}  // namespace leaseproof::engine
