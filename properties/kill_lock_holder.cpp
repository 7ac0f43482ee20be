#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "engine/engine.hpp"
#include "engine/scheduler/system_clock.hpp"
#include "faults/plan.hpp"
#include "faults/process.hpp"
#include "properties/file_judgement.hpp"
#include "properties/kill_rounds.hpp"

namespace leaseproof::properties {

using faults::Child;
using model::Word;

namespace {

std::unique_ptr<engine::Engine> opened(const KillRound& round) {
  engine::Options options;
  options.path = round.folder / "engine.sqlite";
  options.busy = {3, 1'000, 2'000};
  auto engine = engine::Engine::open(std::move(options));
  return engine ? std::move(*engine) : nullptr;
}

model::Ensure one_op(const std::string& workflow) {
  model::Ensure ensure;
  ensure.workflow = workflow;
  ensure.identity = R"({"name":")" + workflow + "\"}";
  ensure.ops.emplace_back().id = workflow + "-op";
  return ensure;
}

// What the holder's call would do to the database, if it were not killed in the middle of it.
struct Held {
  faults::Call call;
  Word (*make)(engine::Engine&);
};
constexpr std::array held_calls{
    Held{faults::Call::ensure, [](engine::Engine& e) { return e.ensure(one_op("holder")).word; }},
    Held{faults::Call::refresh, [](engine::Engine& e) { return e.refresh().word; }},
    Held{faults::Call::cancel, [](engine::Engine& e) { return e.cancel({"first"}).word; }},
};

constexpr char is_ready = 'r';
constexpr char go = 'g';

char letter(Word word) { return word == Word::busy ? 'b' : word == Word::created ? 'c' : 'x'; }

}  // namespace

KillRoundEnd kill_lock_holder(faults::Place place, const KillRound& round) {
  KillRoundEnd end;
  const Held& held = held_calls[static_cast<std::size_t>(round.turn) % held_calls.size()];
  if (const auto engine = opened(round);
      engine == nullptr || engine->ensure(one_op("first")).word != Word::created) {
    end.why = "a fresh database cannot be used";
    return end;
  }

  Child other([&](const Child::Line& line) {
    const auto engine = opened(round);
    line.tell(is_ready);
    for (;;) {
      static_cast<void>(line.hear());
      line.tell(letter(engine->ensure(one_op("other")).word));
    }
  });
  Child holder([&](const Child::Line& line) {
    const auto engine = opened(round);
    const faults::Plan plan{faults::point_of(held.call, place), faults::Kind::interleave, 1, 1};
    const faults::Armed armed(plan, [&] {
      line.tell(is_ready);
      static_cast<void>(line.hear());
    });
    static_cast<void>(held.make(*engine));
    line.tell('x');
  });
  const auto answer = [&] {
    other.tell(go);
    return other.hear().value_or('-');
  };
  if (other.hear() != is_ready || holder.hear() != is_ready) {
    end.why = fmt::format("nobody came to {} of the call",
                          faults::point_names[faults::point_of(held.call, place)]);
    return end;
  }
  const char meanwhile = answer();
  if (!holder.kill().is(faults::Death::signal)) end.why = "the holder was gone before its kill";
  ++end.kills.by_signal;
  const char afterwards = answer();
  static_cast<void>(other.kill());
  if (meanwhile != 'b') {
    end.why = fmt::format("a call got '{}' while another process held the lock", meanwhile);
  } else if (afterwards != 'c') {
    end.why = fmt::format("after the holder's death a call got '{}'", afterwards);
  }
  if (!end.why.empty()) return end;

  engine::SystemClock clock;
  const FileJudgement found = judge_file(round.folder / "engine.sqlite", clock, round.decode);
  end.why = found.why;
  if (!end.why.empty()) return end;
  // One event for the workflow and one for its op, twice: nothing of the holder's.
  if (found.state.workflows.size() != 2 || !found.state.workflows.contains("other") ||
      found.events.size() != 4 ||
      found.state.ops.at("first-op").status != model::OpStatus::pending) {
    end.why = "something of the killed holder's call is there";
  }
  return end;
}

}  // namespace leaseproof::properties
