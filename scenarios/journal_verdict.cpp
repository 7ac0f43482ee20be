#include "scenarios/journal_verdict.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <variant>

#include "engine/store/catalog.hpp"
#include "engine/store/state_reader.hpp"
#include "model/rules.hpp"
#include "properties/journal_reading.hpp"
#include "properties/journal_replay.hpp"
#include "properties/judgement.hpp"
#include "properties/outside.hpp"
#include "properties/runner.hpp"
#include "scenarios/guard.hpp"
#include "scenarios/journal_codec.hpp"
#include "scenarios/story.hpp"

namespace leaseproof::scenarios {

using engine::store::Sql;
using properties::JournalReplay;

namespace {

// The journal does not name the worker of a call, only its token.
void name_worker(model::Action& action) {
  std::visit(
      [](auto& a) {
        if constexpr (requires { a.by.worker; }) a.by.worker = "the caller";
      },
      action);
}

std::string explained(const properties::WrongEvent& wrong, const model::State& before) {
  properties::Step step;
  step.action = wrong.call->action;
  name_worker(step.action);
  properties::CallFact fact;
  fact.step = &step;
  fact.given = wrong.call->given;
  fact.outcome = wrong.call->outcome;
  fact.to_engine = true;
  const properties::Outside outside;
  const properties::CallSeen seen{fact,   fact.given.now_us, before,
                                  before, outside,           &*wrong.allowed};
  std::string text = fmt::format("  the call     {}, at {}\n", told(step), fact.given.now_us);
  text += fmt::format("  the journal  {}\n", told(fact.outcome));
  text += fmt::format("  allowed      {}\n", told(*wrong.allowed));
  if (const std::string why = guard(seen, *wrong.allowed); !why.empty()) {
    text += fmt::format("  because      {}\n", why);
  }
  const std::string* id = properties::op_of(step.action);
  const model::Op* op = id == nullptr ? nullptr : model::find_op(before, *id);
  if (op == nullptr) return text;
  model::Observation alone;
  alone.ops.emplace(*id, op->view);
  for (const Thing& thing : things(alone)) {
    text += fmt::format("  before it    {}:", thing.name);
    for (const Field& field : thing.fields) {
      if (!field.value.empty()) {
        text += fmt::format(" {}{}{}", field.name, field.name.empty() ? "" : " ", field.value);
        text += ',';
      }
    }
    text.back() = '\n';
  }
  return text;
}

// Where readers of changes find a workflow is that of its newest event. It also tells a journal
// from which somebody took what nothing else hangs on, as a heartbeat.
std::string wrong_place(engine::sqlite::Connection& db, const JournalReplay& replay) {
  auto rows =
      db.query(static_cast<std::size_t>(Sql::changed_workflows), std::int64_t{-1}, INT64_MAX);
  while (rows.next()) {
    const std::int64_t newest = replay.newest_of(rows.string(0));
    if (rows.integer(1) == newest) continue;
    return fmt::format(
        "workflow {} is said to have changed last at event {}, its newest event is {}",
        rows.text(0), rows.integer(1), newest);
  }
  return {};
}

}  // namespace

JournalVerdict verify_journal(engine::sqlite::Connection& db, std::int64_t clock_slack_us) {
  using End = JournalVerdict::End;
  JournalVerdict verdict;
  verdict.why = properties::damage_in(db);
  if (!verdict.why.empty()) {
    verdict.end = End::damaged;
    return verdict;
  }
  engine::store::StateReader reader;
  const model::Observation& tables = reader.read_in_full(db);
  model::Settings settings;
  settings.clock_slack_us = clock_slack_us;
  JournalReplay replay(decode_journal, settings, tables, false);
  replay.on_call = [&](const properties::DecodedCall&, const model::State&) { ++verdict.calls; };
  bool is_right = true;
  properties::each_event(db, 0, [&](const properties::JournalEvent& event) {
    if (event.kind == "migrated") {
      verdict.end = End::midway;
      verdict.why = fmt::format(
          "event {} tells of a migration; what was before it is in no journal", event.seq);
      return false;
    }
    ++verdict.events;
    return is_right = replay.take(event);
  });
  if (db.fault() != engine::sqlite::Fault::none || verdict.end == End::midway) return verdict;
  if (is_right && replay.finish()) {
    verdict.why = wrong_place(db, replay);
    if (!verdict.why.empty()) verdict.end = End::wrong;
    return verdict;
  }
  const properties::WrongEvent& wrong = replay.wrong();
  verdict.end = End::wrong;
  verdict.seq = wrong.seq;
  verdict.why = wrong.why;
  if (!wrong.call) return verdict;
  // The state just before it: a replay that ends there.
  JournalReplay again(decode_journal, settings, tables, true);
  properties::each_event(db, 0, [&](const properties::JournalEvent& event) {
    return event.seq < wrong.call_seq && again.take(event);
  });
  verdict.explanation = explained(wrong, again.state());
  return verdict;
}

}  // namespace leaseproof::scenarios
