#include "properties/journal_replay.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>
#include <variant>

#include "model/rules.hpp"
#include "properties/judgement.hpp"

namespace leaseproof::properties {

std::string replay_journal(const std::vector<JournalEvent>& events, const JournalDecoder& decode,
                           const model::Settings& settings, const model::Observation& seen,
                           Readings* expected) {
  Witness witness;
  model::State state;
  state.settings = settings;
  std::unordered_map<std::string, std::int64_t> generations;  // op, newline, token → generation
  const auto key = [](const std::string& op, const std::string& token) {
    return op + '\n' + token;
  };

  for (std::size_t i = 0; i < events.size();) {
    const JournalEvent& first = events[i];
    std::optional<DecodedCall> call = decode(first);
    if (!call) return fmt::format("event {} does not tell its call", first.seq);
    if (is_harness(call->action) || is_read(call->action)) {
      return fmt::format("event {} records {}, which changes nothing", first.seq,
                         model::do_word(call->action));
    }
    if (const model::WorkerHandle* by = handle_of(call->action)) {
      const auto at = generations.find(key(by->op, call->token));
      call->given.lease_generation = at == generations.end() ? 0 : at->second;
    }
    if (call->given.now_us != first.at_us) {
      return fmt::format("event {} is dated {}, its call says {}", first.seq, first.at_us,
                         call->given.now_us);
    }
    if (const auto* told = std::get_if<model::Identified>(&call->outcome.detail)) {
      call->given.fresh_id = told->workflow;
    }
    const std::int64_t before = state.last_seq;
    const model::Outcome outcome = model::apply(state, call->action, call->given);
    if (!(outcome == call->outcome)) {
      return fmt::format("replaying event {}: {} answers {}, the journal says {}", first.seq,
                         model::do_word(call->action), model::word(outcome.word),
                         model::word(call->outcome.word));
    }
    if (const auto* leased = std::get_if<model::Leased>(&outcome.detail)) {
      generations[key(leased->op, call->token)] = leased->generation;
    }
    if (expected != nullptr) witness.take(*call, state);
    std::size_t end = i;
    while (end < events.size() && events[end].call == first.call) ++end;
    if (state.last_seq - before != static_cast<std::int64_t>(end - i)) {
      return fmt::format("event {}: its call changes {} things, the journal tells of {}", first.seq,
                         state.last_seq - before, end - i);
    }
    i = end;
  }
  const std::string difference = model::first_difference(state, seen);
  if (difference.empty()) {
    if (expected != nullptr) *expected = witness.expected(state, events);
    return {};
  }
  return "replaying the journal does not give the tables: " + difference;
}

}  // namespace leaseproof::properties
