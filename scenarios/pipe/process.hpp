// A program that answers lines, in a process group of its own.
//
// Promise: none of it is left once this object is gone, however it ends: the whole group is killed
// and reaped, and a guard does the same where this process itself dies. Whatever the program does,
// an exchange ends within its time: it never blocks on what the program does not read, and of what
// it writes beside its answers only the end is kept.
//
// What leaves the group by itself (setsid) is out of reach.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::scenarios {

// Kills the group that it was last told of when this process is gone, and removes the folder, which
// nobody else knows of then. One serves many programs, one after the other.
class ProcessGuard {
 public:
  explicit ProcessGuard(const std::string& folder);
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;
  // 0: nobody.
  void watch(pid_t group) const;

 private:
  pid_t pid_ = -1;
  int line_ = -1;
};

// How a program ended.
struct ProgramEnd {
  int signal = 0;  // 0: by itself, with `code`
  int code = 0;
  // By SIGKILL, or as a shell tells of its child that it was.
  [[nodiscard]] bool is_kill() const;
  [[nodiscard]] std::string text() const;
};

struct Heard {
  enum class What : std::uint8_t { line, late, ended, closed, endless_line, flood };
  What what = What::line;
  std::string_view line;  // without its end; until the next exchange
  ProgramEnd end;         // with `ended`
};

class Program {
 public:
  // Runs `command` through /bin/sh with LEASEPROOF_DIR set to `folder`. Throws std::system_error
  // where there is no process to be had.
  Program(const std::string& command, const std::string& folder, const ProcessGuard& guard);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Sends the line, which ends with '\n', and waits for one.
  Heard exchange(std::string_view line, int within_ms);
  // Waits for its end without saying anything; `line` where it says something instead.
  Heard wait(int within_ms);
  // Closes its input, at which it should end by itself, and waits for that.
  Heard finish(int within_ms);
  void kill();

  // The last lines of its standard error so far.
  [[nodiscard]] std::vector<std::string> log();

 private:
  enum Source : std::uint8_t { output, errors, process, timer, input, source_count };

  bool take_line(Heard& heard);
  // One wait for anything to happen; false where something ends the exchange.
  bool turn(Heard& heard);
  Heard listen(int within_ms);
  void send_more();
  void read_errors();
  bool read_output();
  void close_input();
  void reap();

  pid_t pid_ = -1;
  std::array<int, source_count> sources_{-1, -1, -1, -1, -1};
  const ProcessGuard& guard_;
  ProgramEnd end_;
  std::string unsent_;
  std::string heard_;       // of its output, from `taken_` on not yet looked at
  std::size_t taken_ = 0;   // what was given out as a line
  std::size_t looked_ = 0;  // how far there is no line end
  std::string errors_;      // the end of its standard error
  std::size_t flood_ = 0;   // bytes there during this exchange
};

}  // namespace leaseproof::scenarios
