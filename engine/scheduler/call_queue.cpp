#include "engine/scheduler/call_queue.hpp"

#include <algorithm>
#include <thread>

namespace leaseproof::engine {
namespace {
// Of 4, 16, 64 and 200 the one with which eight and sixteen workers got most done.
constexpr int most_ways = 16;
}  // namespace

void CallQueue::pass(const std::vector<Call*>& calls, const Lead& lead) {
  std::condition_variable changed;
  std::unique_lock lock(mutex_);
  for (Call* call : calls) {
    call->changed_ = &changed;
    waiting_.push_back(call);
  }
  const auto is_made = [](const Call* call) { return call->made_; };
  const auto leads = [&] {
    return taken_.empty() && !waiting_.empty() && waiting_.front()->changed_ == &changed;
  };
  while (true) {
    changed.wait(lock, [&] { return leads() || std::all_of(calls.begin(), calls.end(), is_made); });
    if (!leads()) break;
    Call* first = waiting_.front();
    waiting_.pop_front();
    taken_.push_back(first);
    lock.unlock();
    std::exception_ptr thrown;
    try {
      lead(*first);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    // Of a process that has ended no thread makes the rest of its calls.
    if (thrown != nullptr) {
      waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                    [&](const Call* call) { return call->changed_ == &changed; }),
                     waiting_.end());
    }
    end(thrown);
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }
  for (const Call* call : calls) {
    if (call->thrown_ != nullptr) std::rethrow_exception(call->thrown_);
  }
}

CallQueue::Call* CallQueue::take_along() {
  std::unique_lock lock(mutex_);
  if (taken_.front()->alone_ || static_cast<std::int64_t>(taken_.size()) >= most_) return nullptr;
  for (int ways = 0; waiting_.empty() && taken_.size() < before_ && ways < most_ways; ++ways) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  if (waiting_.empty() || waiting_.front()->alone_) return nullptr;
  Call* next = waiting_.front();
  waiting_.pop_front();
  taken_.push_back(next);
  return next;
}

// Whoever is told of the end of its call may be gone with it at once: each is told under the lock.
void CallQueue::end(const std::exception_ptr& thrown) {
  for (Call* call : taken_) {
    call->made_ = true;
    call->thrown_ = thrown;
    call->changed_->notify_one();
  }
  before_ = taken_.size();
  taken_.clear();
  if (!waiting_.empty()) waiting_.front()->changed_->notify_one();
}

std::int64_t CallQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(waiting_.size());
}

}  // namespace leaseproof::engine
