// Real threads in real processes over one database, in real time, while some of them are killed.
//
// Promise: whoever works has connections and a clock of its own, which may be off; what is judged
// afterwards is read from the files that are left: the journal against what was acknowledged, the
// service's ledger, and how many ops ran at once. Whether the journal itself is legal is for
// `JournalReplay` to say. Which interleavings come up is up to the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/engine.hpp"
#include "properties/journal_replay.hpp"
#include "properties/mutants_concurrency.hpp"

namespace leaseproof::properties {

struct StressPlan {
  std::filesystem::path folder;  // fresh and empty
  int processes = 4;
  int workers = 4;  // in each of them
  std::int64_t work_us = 10'000'000;
  std::int64_t settle_us = 60'000'000;   // and then, at most, until every op is settled
  std::int64_t kill_every_us = 200'000;  // 0: nobody is killed
  std::int64_t skew_us = 0;              // by so much may each clock be off, either way
  std::int64_t lease_us = 300'000;
  std::uint64_t seed = 1;
  ConcurrencyBug bug = ConcurrencyBug::none;  // planted in every process
  engine::Synchronous synchronous = engine::Synchronous::full;
  std::function<bool()> stop;  // asked now and then; true ends the work early
};

// What all clocks may differ by, as the engines are told it.
std::int64_t clock_slack_of(const StressPlan& plan);
std::filesystem::path database_of(const StressPlan& plan);

struct StressEnd {
  std::string invariant;  // empty: all held
  std::string why;
  std::int64_t seq = 0;  // of the event in which it shows; 0: of none
  // Nothing is wrong, but something that has to come up did not. Empty: all came up.
  std::string never;
  std::int64_t kills = 0;
  std::int64_t acknowledged = 0;  // commits that an observer was told of
  std::int64_t runs = 0;          // of the code of some op
  std::int64_t overlap = 0;       // of such runs in one process, at most
  std::int64_t workflows = 0;
  std::int64_t ops = 0;
  std::int64_t succeeded = 0;
  std::int64_t takeovers = 0;
  std::int64_t retries = 0;
  std::int64_t lost = 0;  // leases, as their holders were told
  std::int64_t writes = 0;
  std::int64_t worked_us = 0;
  std::int64_t settled_us = 0;
};

StressEnd stress(const StressPlan& plan, const JournalDecoder& decode);

}  // namespace leaseproof::properties
