// The lab, run from outside as one process a command, in a fresh folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/effects/service_double.hpp"
#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "scenarios/cli/program_fixture_test.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::lab {

class Lab : public cli::Program {
 protected:
  // One `leaseproof lab` command; `under` is put before it ("env NAME=value").
  [[nodiscard]] cli::Ended lab(const std::string& arguments, const std::string& under = "") const {
    return run("lab " + arguments, "", under);
  }
  // Its document; null when there is none.
  Json told(const std::string& arguments, const std::string& under = "") const {
    const cli::Ended ended = lab(arguments + " --json", under);
    const auto document = parse_json(ended.out);
    EXPECT_TRUE(document) << arguments << "\n" << ended.out << ended.err;
    return document.value_or(Json(nullptr));
  }
  [[nodiscard]] Json inspected() const { return told("inspect"); }
  [[nodiscard]] std::string status() const { return inspected().at("status"); }
  [[nodiscard]] std::string hash() const { return inspected().at("approval").at("hash"); }

  void expect_exit(int exit, const std::string& arguments, const std::string& under = "") const {
    const cli::Ended ended = lab(arguments, under);
    EXPECT_EQ(ended.exit, exit) << arguments << "\n" << ended.out << ended.err;
  }
  // Runs the job until it is in that state: time passes, nobody sleeps.
  void run_until(const std::string& wanted, const std::string& options = "",
                 const std::string& under = "") const {
    constexpr int most_tries = 5000;
    for (int i = 0; i < most_tries; ++i) {
      if (told("run" + options, under).at("status") == wanted) return;
    }
    ADD_FAILURE() << "never " << wanted << "\n" << lab("inspect" + options).out;
  }
  // Like an operator who looks again and again.
  void repeat_until(int exit, const std::string& arguments) const {
    constexpr int most_tries = 5000;
    for (int i = 0; i < most_tries; ++i) {
      if (lab(arguments).exit == exit) return;
    }
    ADD_FAILURE() << arguments << " never exits with " << exit;
  }
  void expect_accepted() const {
    const cli::Ended ended = lab("evaluate");
    EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
  }
  // A job whose report waits for its reviewer.
  void waiting_job() const {
    expect_exit(0, "submit --approval");
    expect_exit(0, "run");
    ASSERT_EQ(status(), "waiting_approval");
  }

  [[nodiscard]] std::unique_ptr<engine::Engine> engine() const {
    engine::Options options;
    options.path = path("lab.sqlite");
    auto opened = engine::Engine::open(std::move(options));
    EXPECT_TRUE(opened) << opened.error().sentence;
    return std::move(*opened);
  }
  [[nodiscard]] std::unique_ptr<engine::effects::ServiceDouble> service() {
    auto opened = engine::effects::ServiceDouble::open(path("lab.sqlite.publisher.sqlite"), clock_);
    EXPECT_TRUE(opened) << opened.error().sentence;
    return std::move(*opened);
  }

  engine::SystemClock clock_;
};

}  // namespace leaseproof::scenarios::lab
