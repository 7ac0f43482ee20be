// An engine beside the double of an outside service, for tests that need both.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/effects/service_double.hpp"
#include "engine/fixture_test.hpp"

namespace leaseproof::engine {

class EngineAndServiceTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    reopen_service();
  }
  void TearDown() override {
    service_.reset();
    EngineTest::TearDown();
  }
  void reopen_service() {
    service_.reset();
    auto opened = effects::ServiceDouble::open(folder_ / "service.sqlite", clock_);
    ASSERT_TRUE(opened.has_value()) << opened.error().sentence;
    service_ = std::move(*opened);
  }

  std::unique_ptr<effects::ServiceDouble> service_;
};

}  // namespace leaseproof::engine
