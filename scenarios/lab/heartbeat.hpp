// Keeps a lease alive while its worker is busy elsewhere, and tells when it is lost.
//
// Promise: the one thread of the lab. It lives from the constructor to the destructor, asks the
// engine every third of the lease, and does nothing but extend it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/engine.hpp"

namespace leaseproof::scenarios::lab {

class Heartbeat {
 public:
  // `engine` must outlive the heartbeat; `lease_us` ≥ 3.
  Heartbeat(engine::Engine& engine, std::string token, std::string job, std::int64_t lease_us);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // The engine answered `lease_lost`: nothing more may be done under this token. A busy database is
  // no answer, and is asked again.
  [[nodiscard]] bool lost() const { return lost_; }

  // Holds the lease for so long, or until it is lost or `stop` answers true.
  void hold_us(std::int64_t duration_us, const std::function<bool()>& stop);

 private:
  void beat();

  engine::Engine* engine_;
  std::string token_;
  std::string job_;
  std::int64_t lease_us_;
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace leaseproof::scenarios::lab
