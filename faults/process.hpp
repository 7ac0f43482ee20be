// A process of its own for a part of this program, so that its death is a real one.
//
// Promise: a child never outlives its parent, and none stays unreaped; nothing that it had in
// memory comes back but the words that it told. The parent has one thread: what other threads hold
// at the moment of a fork stays held in the child.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace leaseproof::faults {

// How a process ends itself: by SIGKILL, which nothing can be done about, or by `_exit`, which runs
// no destructor and flushes nothing.
enum class Death : std::uint8_t { signal, exit };
// The exit code of `Death::exit`, so that no other end is taken for it.
inline constexpr int died_by_exit = 75;
[[noreturn]] void die(Death death);

// How a child ended.
struct End {
  int signal = 0;  // nothing: by itself, with `code`
  int code = 0;
  bool late = false;  // it said nothing for too long and was killed for that
  // Whether the child ended by `death`, and by nothing else.
  [[nodiscard]] bool is(Death death) const;
};

class Child {
 public:
  // The child's end of the line to its parent.
  class Line {
   public:
    void tell(char word) const;
    // The next word of the parent; a parent that is gone ends the child.
    [[nodiscard]] char hear() const;

   private:
    friend class Child;
    explicit Line(int socket) : socket_(socket) {}
    int socket_;
  };

  // Forks. What `life` returns to is the child's end, with code 0. Throws std::system_error where
  // there is no process to be had.
  explicit Child(const std::function<void(const Line&)>& life);
  // Kills and reaps a child that is still there.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next word of the child; nothing when it is gone, or was silent for 60 s and killed.
  std::optional<char> hear();
  // Whether there is something to hear, or nothing will come any more, within the time.
  bool has_word(int within_ms);
  void tell(char word);
  // Both wait until it is gone.
  End kill();
  End wait();

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  bool late_ = false;
  std::optional<End> end_;
};

}  // namespace leaseproof::faults
