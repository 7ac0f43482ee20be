// The journal replayed: the calls that it records, in order, through a fresh model (I11).
//
// Promise: knows no JSON and no SQL; the caller brings a decoder. Two engines whose journals decode
// to the same calls get the same verdict. No row can be missing, doubled, moved or changed: each
// has to tell just what the model records at its place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/state.hpp"
#include "model/trail.hpp"
#include "model/vocabulary.hpp"
#include "properties/readings.hpp"
#include "properties/sut.hpp"

namespace leaseproof::properties {

// What the first event of a call says about it (SEMANTICS 1, event): the call in the words of TRACE
// 2. The replay works out `given.lease_generation` and `given.cursor` itself.
struct DecodedCall {
  model::Action action;
  model::Given given;
  model::Outcome outcome;
  // SHA-256 of the token: of a worker call the one it was made under, of a `leased` outcome the one
  // that it gave. Empty elsewhere.
  std::string token;
};

// What an event says of itself: the op's status before and after its call, empty where it is of no
// op; and where somebody has to be told, how many ops wait for a person once the call stands.
struct DecodedChange {
  struct ForAPerson {
    std::int64_t reconciling = 0;
    std::int64_t waiting_approval = 0;
    bool operator==(const ForAPerson&) const = default;
  };
  std::string from;
  std::string to;
  std::optional<ForAPerson> for_a_person;
  bool operator==(const DecodedChange&) const = default;
};

struct DecodedEvent {
  std::optional<DecodedCall> call;      // of the first event of a call, and of no other
  std::optional<DecodedChange> change;  // nothing: kinds and statuses are not told
};
// Nothing where the event cannot be read; the replay then says so.
using JournalDecoder = std::function<std::optional<DecodedEvent>(const JournalEvent&)>;

// The first event that is wrong, and what may have been there instead.
struct WrongEvent {
  std::int64_t seq = 0;  // 0: every event is legal, and the tables say otherwise
  std::string why;       // one sentence
  // Where the model answers the call otherwise: the call, its first event, and that answer.
  std::optional<DecodedCall> call;
  std::int64_t call_seq = 0;
  std::optional<model::Outcome> allowed;
};

class JournalReplay {
 public:
  // `keep_all`: nothing is let go before the end. Otherwise the ops of a workflow in which nothing
  // can ever change again are compared with `tables` and forgotten, so that a long journal costs
  // what happened in it. `tables` must outlive the replay.
  JournalReplay(JournalDecoder decode, const model::Settings& settings,
                const model::Observation& tables, bool keep_all);

  // The next event. False: it is wrong, or the call before it, and nothing may follow.
  bool take(const JournalEvent& event);
  // Once all events were taken. False where the tables are not what the journal tells of.
  bool finish();

  [[nodiscard]] const WrongEvent& wrong() const { return wrong_; }
  [[nodiscard]] const model::State& state() const { return state_; }
  // The seq of a workflow's newest event; 0: it has none.
  [[nodiscard]] std::int64_t newest_of(const std::string& workflow) const;
  // Called after each call with what it was and the state that it led to.
  std::function<void(const DecodedCall&, const model::State&)> on_call;

 private:
  // What was said of an op or a workflow that can still change.
  struct LiveOp {
    using Token = std::pair<std::string, std::int64_t>;  // and its generation
    model::OpStatus status = model::OpStatus::pending;
    std::vector<Token> tokens;
  };
  struct LiveWorkflow {
    std::int64_t newest = 0;
    std::vector<std::string> ops;
  };
  // What the model records of a call, and the op and the workflow that it is of: looked up once.
  struct Change {
    const model::Recorded* recorded = nullptr;
    const model::Op* op = nullptr;
    std::optional<model::OpStatus> from;
    LiveWorkflow* workflow = nullptr;
  };

  bool begin_call(const JournalEvent& event, DecodedEvent& decoded);
  bool end_call(std::int64_t next_seq);
  bool judge(const JournalEvent& event, const DecodedEvent& decoded);
  std::string first_wrong(const JournalEvent& event, const DecodedEvent& decoded,
                          const Change& change);
  bool make(DecodedCall& call);
  bool look_up(const model::Recorded& recorded);
  void count_waiting(std::optional<model::OpStatus> from, model::OpStatus to);
  bool retire(const std::string& workflow);
  [[nodiscard]] bool is_in_tables(const std::string& workflow, const model::WorkflowState& ended,
                                  const std::vector<std::string>& ops) const;
  void forget_retired();
  bool refuse(std::int64_t seq, std::string why);

  JournalDecoder decode_;
  const model::Observation& tables_;
  bool keep_all_;
  model::State state_;
  WrongEvent wrong_;
  std::unordered_map<std::string, LiveOp> ops_;
  std::unordered_map<std::string, LiveWorkflow> workflows_;
  DecodedChange::ForAPerson waiting_;
  std::int64_t last_seq_ = 0;
  // Of the call whose events come.
  std::int64_t call_ = 0;
  std::int64_t first_seq_ = 0;
  std::int64_t at_us_ = 0;
  std::string_view verb_;
  std::vector<model::Recorded> recorded_;
  std::vector<Change> changes_;  // one for each that is recorded
  std::size_t told_ = 0;
  // What is compared and can never change again.
  std::unordered_set<std::string> gone_ops_;
  std::unordered_map<std::string, std::int64_t> gone_workflows_;  // their newest events
  // Of those the workflows that the state still holds, and how many ops they have.
  std::unordered_set<std::string> retired_;
  std::size_t retired_ops_ = 0;
};

// One sentence that names the event and what is wrong, or empty: replaying is legal at each step,
// answers what was recorded, writes the same events, and gives exactly `seen`. `expected`, where
// somebody asks for it, is what else must be read of such an engine.
std::string replay_journal(const std::vector<JournalEvent>& events, const JournalDecoder& decode,
                           const model::Settings& settings, const model::Observation& seen,
                           Readings* expected = nullptr);

}  // namespace leaseproof::properties
