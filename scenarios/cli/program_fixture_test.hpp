// The built program, run from outside in a fresh folder.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "scenarios/cli/engines.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios::cli {

struct Ended {
  int exit = -1;
  std::string out;
  std::string err;
};

class Program : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    const auto written = write_file(path(name), text);
    ASSERT_TRUE(written) << written.error().text;
  }
  [[nodiscard]] Ended run(const std::string& arguments, const std::string& into = "",
                          const std::string& under = "",
                          const std::string& from = "/dev/null") const {
    const std::string out = into.empty() ? path("out") : into;
    const int status =
        std::system(fmt::format("cd '{}' && {} '{}' {} > '{}' 2> err < {}", folder_.path().string(),
                                under, LEASEPROOF_PROGRAM, arguments, out, from)
                        .c_str());
    Ended ended;
    ended.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (into.empty()) ended.out = read_file(out).value_or("");
    ended.err = read_file(path("err")).value_or("");
    return ended;
  }
  // Exit code, and one line on standard error that holds `part`.
  void expect_one_line(const std::string& arguments, int exit, const std::string& part) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.exit, exit) << arguments << "\n" << ended.out << ended.err;
    EXPECT_EQ(ended.out, "") << arguments;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find(part), std::string::npos) << arguments << "\n" << ended.err;
  }

  Folder folder_;
};

}  // namespace leaseproof::scenarios::cli
