#include "engine/scheduler/call_queue.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>
#include <utility>

namespace leaseproof::engine {
namespace {
// Of 4, 16, 64 and 200 the one with which eight and sixteen workers got most done.
constexpr int most_ways = 16;
// Of 0, 50, 200 and 1000 the one with which two, eight and sixteen workers got most done for the
// least of a processor.
constexpr int most_looks = 50;
}  // namespace

// Where a thread waits in `pass`: apart from the queue, so that whoever is woken meets nobody
// else's lock; and shared, since the thread may be gone with its calls as soon as it is told.
class CallQueue::Seat {
 public:
  explicit Seat(std::size_t calls) : left_(calls) {}

  void lead(Call* first) {
    {
      const std::lock_guard lock(mutex_);
      first_ = first;
      told_ = true;
    }
    changed_.notify_one();
  }
  void made() {
    {
      const std::lock_guard lock(mutex_);
      if (--left_ > 0) return;
      told_ = true;
    }
    changed_.notify_one();
  }
  // Gives way some times before it waits, while `looks` is nobody else's: a thread that sleeps
  // takes longer to wake than a commit takes, and one that does not is enough to go on.
  void look(std::atomic<bool>& looks) {
    if (told_ || looks.exchange(true)) return;
    for (int ways = 0; !told_ && ways < most_looks; ++ways) std::this_thread::yield();
    looks = false;
  }
  // The call with which to lead; nothing once all are made.
  Call* wait() {
    std::unique_lock lock(mutex_);
    told_ = false;
    changed_.wait(lock, [this] { return first_ != nullptr || left_ == 0; });
    return std::exchange(first_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Call* first_ = nullptr;
  std::size_t left_;
  std::atomic<bool> told_ = false;
};

void CallQueue::pass(const std::vector<Call*>& calls, const Lead& lead) {
  const auto seat = std::make_shared<Seat>(calls.size());
  {
    const std::lock_guard lock(mutex_);
    for (Call* call : calls) {
      call->seat_ = seat;
      waiting_.push_back(call);
    }
    if (Call* first = taken_.empty() ? take_first() : nullptr) first->seat_->lead(first);
  }
  while (true) {
    seat->look(somebody_looks_);
    Call* const first = seat->wait();
    if (first == nullptr) break;
    std::exception_ptr thrown;
    try {
      lead(*first);
    } catch (...) {
      thrown = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    // Of a process that has ended no thread makes the rest of its calls.
    if (thrown != nullptr) {
      waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                    [&](const Call* call) { return call->seat_ == seat; }),
                     waiting_.end());
    }
    end(lock, thrown);
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }
  for (const Call* call : calls) {
    if (call->thrown_ != nullptr) std::rethrow_exception(call->thrown_);
  }
}

CallQueue::Call* CallQueue::take_first() {
  if (waiting_.empty()) return nullptr;
  Call* first = waiting_.front();
  waiting_.pop_front();
  taken_.push_back(first);
  return first;
}

CallQueue::Call* CallQueue::take_along() {
  std::unique_lock lock(mutex_);
  if (taken_.front()->alone_ || static_cast<std::int64_t>(taken_.size()) >= most_) return nullptr;
  for (int ways = 0; waiting_.empty() && taken_.size() < before_ && ways < most_ways; ++ways) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  return waiting_.empty() || waiting_.front()->alone_ ? nullptr : take_first();
}

// The next to lead is woken first: it goes on while the others are told.
void CallQueue::end(std::unique_lock<std::mutex>& lock, const std::exception_ptr& thrown) {
  std::vector<std::shared_ptr<Seat>> told;
  for (Call* call : taken_) {
    call->thrown_ = thrown;
    told.push_back(call->seat_);
  }
  before_ = taken_.size();
  taken_.clear();
  Call* first = take_first();
  const std::shared_ptr<Seat> next = first == nullptr ? nullptr : first->seat_;
  lock.unlock();
  if (next != nullptr) next->lead(first);
  for (const auto& seat : told) seat->made();
}

std::int64_t CallQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(waiting_.size());
}

}  // namespace leaseproof::engine
