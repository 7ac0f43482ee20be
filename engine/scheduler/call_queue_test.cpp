// Checks what a queue of calls does when whoever leads ends by an exception, as when the process
// ends at a fault point. What shared commits answer is checked in engine/group_commit_test.cpp.
#include "engine/scheduler/call_queue.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace leaseproof::engine {
namespace {

constexpr std::int64_t most = 8;

CallQueue::Lead ending_by_exception() {
  return [](CallQueue::Call&) { throw std::runtime_error("the process ends"); };
}

TEST(ACallQueue, throws_in_each_thread_whose_call_went_along) {
  CallQueue queue(most);
  CallQueue::Call first(false);
  CallQueue::Call along(false);
  std::thread other;
  const auto lead = [&](CallQueue::Call&) {
    other =
        std::thread([&] { EXPECT_THROW(queue.pass({&along}, [](auto&) {}), std::runtime_error); });
    while (queue.take_along() == nullptr) std::this_thread::yield();
    throw std::runtime_error("the process ends");
  };
  EXPECT_THROW(queue.pass({&first}, lead), std::runtime_error);
  other.join();
}

TEST(ACallQueue, forgets_the_calls_of_a_thread_that_an_exception_has_ended) {
  CallQueue queue(most);
  CallQueue::Call first(false);
  CallQueue::Call second(false);
  CallQueue::Call third(false);
  EXPECT_THROW(queue.pass({&first, &second, &third}, ending_by_exception()), std::runtime_error);
  ASSERT_EQ(queue.waiting(), 0);
  CallQueue::Call later(false);
  std::vector<const CallQueue::Call*> made;
  queue.pass({&later}, [&](CallQueue::Call& call) { made.push_back(&call); });
  EXPECT_EQ(made, std::vector<const CallQueue::Call*>{&later});
}

}  // namespace
}  // namespace leaseproof::engine
