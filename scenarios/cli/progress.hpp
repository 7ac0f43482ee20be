// How far a long run is: one live line on a terminal, a plain line every ten seconds elsewhere;
// always on standard error.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "scenarios/cli/stopwatch.hpp"

namespace leaseproof::scenarios::cli {

class Progress {
 public:
  // `total` 0: not known.
  Progress(std::string what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void at(std::int64_t done);
  // Ends the live line, so that something else can be said.
  void clear();

 private:
  const std::string what_;
  const std::int64_t total_;
  const bool terminal_;
  std::mutex mutex_;
  Stopwatch watch_;
  double next_ = 0;
  bool shown_ = false;
};

}  // namespace leaseproof::scenarios::cli
