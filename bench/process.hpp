// A process of its own for a part of the bench, by fork.
//
// Promise: a child never outlives its parent, and none stays unreaped. The parent has one thread
// and no database open while it forks: SQLite's locks do not survive one.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>

namespace leaseproof::bench {

class Process {
 public:
  // The two ends of what parent and child say to each other, in bytes. Each throws
  // std::runtime_error where the other one is gone.
  class Line {
   public:
    explicit Line(int socket = -1) : socket_(socket) {}
    void tell(const void* bytes, std::size_t size) const;
    void hear(void* bytes, std::size_t size) const;
    void tell_go() const { tell("g", 1); }
    void hear_go() const;

   private:
    int socket_;
  };

  explicit Process(const std::function<void(const Line&)>& life);
  // Kills and reaps what is left.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] const Line& line() const { return line_; }
  // SIGKILL; returns when it is gone.
  void kill();

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  Line line_;
};

}  // namespace leaseproof::bench
