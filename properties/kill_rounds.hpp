// Rounds of real kills that are more than one call's crash: at the outside service, of whoever
// holds the write lock, and of workers that share a database.
//
// Promise: each process is a real one with connections of its own; what is judged afterwards is
// read from the engine's file and from the service's ledger alone. The first two follow from seed
// and turn; workers run in real time, so that only what must hold of every interleaving is judged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "faults/point.hpp"
#include "properties/journal_replay.hpp"
#include "properties/killed_sut.hpp"

namespace leaseproof::properties {

struct KillRound {
  std::filesystem::path folder;  // fresh and empty
  std::uint64_t seed = 0;
  std::int64_t turn = 0;  // of this kind of round: what is not drawn takes turns
  JournalDecoder decode;
};

struct KillRoundEnd {
  Kills kills;
  std::string why;  // empty: all held
};

// A worker's process dies before its request leaves, or when the answer is there and the worker has
// not seen it. Before, the ledger holds nothing under the key, afterwards one write; and whoever
// comes next ends the op with one write, for each contract.
KillRoundEnd kill_at_service(faults::Point point, const KillRound& round);

// A process stands still at this place of a call, inside its write transaction, and another one's
// call answers `busy`; the first is killed, and the second's next call does its work at once.
KillRoundEnd kill_lock_holder(faults::Place place, const KillRound& round);

// Three workers on one database with the system's clock and short leases; every few milliseconds
// one is killed and replaced. Afterwards every op is done, and each effect was written once.
KillRoundEnd kill_workers(const KillRound& round);

}  // namespace leaseproof::properties
