// `check` and `replay` on a program behind a pipe: our own engine, or a shell that misbehaves.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios {

using cli::Ended;

class CheckSut : public cli::Program {
 protected:
  // Our own engine, and what stands after it in the shell's line.
  static std::string served(const std::string& rest = "") {
    return "--sut " + shell_word(fmt::format("{} serve-sut{}", LEASEPROOF_PROGRAM, rest));
  }
  // A program in a shell that answers `hello` and `reset`, and to anything else does `deed`.
  // It tells its own number and that of a child in the file `pids`.
  void write_program(const std::string& deed, const std::string& hello = "") const {
    const std::string says =
        hello.empty() ? R"(, "speaks": ["refresh"], "oracle": "model")" : hello;
    write("sut.sh", R"(sleep 1000 > /dev/null 2>&1 &
echo $$ $! > pids
echo started >&2
while IFS= read -r line; do
  id=${line#*\"id\": }
  id=${id%%[,\}]*}
  ok="{\"id\": $id, \"outcome\": \"ok\""
  case $line in
  *'"hello"'*) echo "$ok, \"engine\": \"a shell\")" +
                        escaped(says) + R"(}" ;;
  *'"reset"'*) echo "$ok}" ;;
  *) )" + deed + R"( ;;
  esac
done
)");
  }
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '"' ? std::string("\\\"") : std::string(1, c);
    return out;
  }
  // Whether anybody of the program lives; what nobody has reaped is dead.
  [[nodiscard]] bool is_anybody_left() const {
    return shell(
        "for pid in $(cat pids); do "
        "grep -qs '^State:.[^Z]' /proc/$pid/status && exit 0; done; exit 1");
  }
  [[nodiscard]] bool shell(const std::string& command) const {
    const std::string line = fmt::format("cd '{}' && {}", folder_.path().string(), command);
    return std::system(line.c_str()) == 0;
  }
  void expect_failed(const std::string& deed, const std::string& part,
                     const std::string& hello = "") const {
    write_program(deed, hello);
    const Ended ended = run("check --runs 20 --seed 3 --sut 'exec sh sut.sh' --sut-timeout 1");
    EXPECT_EQ(ended.exit, 3) << deed << "\n" << ended.out << ended.err;
    EXPECT_EQ(ended.err.rfind("leaseproof: the program under test ", 0), 0U) << ended.err;
    const std::string first = ended.err.substr(0, ended.err.find('\n'));
    EXPECT_NE(first.find(part), std::string::npos) << first;
    EXPECT_NE(first.find("when asked for '"), std::string::npos) << first;
    EXPECT_EQ(ended.out.find("VIOLATION"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("nothing found"), std::string::npos) << ended.out;
    EXPECT_FALSE(is_anybody_left()) << deed;
  }
};

}  // namespace leaseproof::scenarios
