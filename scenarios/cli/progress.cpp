#include "scenarios/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace leaseproof::scenarios::cli {

namespace {
constexpr double live_every_s = 0.1;
constexpr double plain_every_s = 10.0;
}  // namespace

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(terminal_ ? live_every_s : plain_every_s) {}

Progress::~Progress() { clear(); }

void Progress::at(std::int64_t done) {
  const std::lock_guard lock(mutex_);
  const double now = watch_.seconds();
  if (now < next_) return;
  next_ = now + (terminal_ ? live_every_s : plain_every_s);
  const std::string of = total_ > 0 ? fmt::format(" of {}", total_) : std::string();
  const std::string line = fmt::format("{}: {}{} runs, {:.0f} s", what_, done, of, now);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    shown_ = true;
  } else {
    fmt::print(stderr, "leaseproof: {}\n", line);
  }
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace leaseproof::scenarios::cli
