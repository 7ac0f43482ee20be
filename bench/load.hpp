// What the benches have an engine do: open, bring ops, work them off.
//
// Promise: through the engine's public calls alone. An answer that is not the expected one is an
// error of the row (std::runtime_error), never a figure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/histogram.hpp"
#include "engine/engine.hpp"

namespace leaseproof::bench {

inline constexpr std::array synchronous_settings{engine::Synchronous::full,
                                                 engine::Synchronous::normal};
// "full", "normal" or "off": the last word of a row's name.
std::string_view word(engine::Synchronous synchronous);
// So many ops take about as long with either setting.
std::int64_t op_count(engine::Synchronous synchronous);

std::unique_ptr<engine::Engine> open_engine(const std::string& path,
                                            engine::Synchronous synchronous,
                                            engine::Clock* clock = nullptr);

// Throws unless `outcome` says `wanted`.
void expect(const model::Outcome& outcome, model::Word wanted);

// Ops "<prefix>0" … without needs, in one workflow; refreshed, so that they are ready.
void start_ready_ops(engine::Engine& engine, std::string_view prefix, std::int64_t count);

// Leases an op and completes it; false where there is none.
bool lease_and_complete(engine::Engine& engine, const std::string& worker);

// `workers` threads share the engine; `ops` ready ops are leased and completed, each timed from
// before its lease to after its completion.
Histogram work_off(engine::Engine& engine, int workers, std::int64_t ops);

}  // namespace leaseproof::bench
