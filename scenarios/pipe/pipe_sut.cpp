#include "scenarios/pipe/pipe_sut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <system_error>
#include <utility>

#include "properties/judgement.hpp"
#include "scenarios/printable.hpp"

namespace leaseproof::scenarios {

using faults::Kind;
using model::Word;
using properties::CallFrame;
using properties::Reopened;
using properties::Reply;
using properties::SutFailed;

namespace {

// An answer as it may be quoted in one line.
std::string excerpt(std::string_view line) {
  constexpr std::size_t most = 80;
  return fmt::format("'{}{}'", printable(line.substr(0, most)), line.size() > most ? "…" : "");
}

std::string seconds(int timeout_ms) {
  return timeout_ms % 1000 == 0 ? fmt::format("{} s", timeout_ms / 1000)
                                : fmt::format("{} ms", timeout_ms);
}

std::string fault_of(const Heard& heard, int timeout_ms) {
  switch (heard.what) {
    case Heard::What::late:
      return fmt::format("did not answer within {}", seconds(timeout_ms));
    case Heard::What::ended:
      return fmt::format("ended by itself ({})", heard.end.text());
    case Heard::What::closed:
      return "closed its standard output";
    case Heard::What::endless_line:
      return "answers in a line without an end";
    case Heard::What::flood:
      return "floods its standard error: more than 1 MiB beside one answer";
    case Heard::What::line:
      break;
  }
  return {};
}

// The place of a fault that can strike in this call.
std::optional<faults::Place> place_in(const CallFrame& frame) {
  if (frame.fault == nullptr || frame.fault->plan.hit != 1) return std::nullopt;
  const faults::Point point = frame.fault->plan.point;
  const auto call = faults::call_of(point);
  if (!call || call != properties::fault_call(*frame.action)) return std::nullopt;
  return faults::place_of(point);
}

bool has_effect_or_context(const std::vector<model::OpSpec>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const model::OpSpec& op) {
    return op.effect.has_value() || op.context.has_value();
  });
}

const std::vector<model::OpSpec>* ops_of(const model::Action& action) {
  if (const auto* start = std::get_if<model::Start>(&action)) return &start->ops;
  if (const auto* ensure = std::get_if<model::Ensure>(&action)) return &ensure->ops;
  if (const auto* complete = std::get_if<model::Complete>(&action)) return &complete->emit;
  return nullptr;
}

}  // namespace

PipeSut::PipeSut(const properties::SimClock& clock, PipeSutOptions options)
    : clock_(clock), options_(std::move(options)), guard_(options_.folder) {
  seen_.unseen = {true, true, true, {}, {}, {}};
  running();
}

PipeSut::~PipeSut() = default;

void PipeSut::give_up(std::string_view doing, std::string why) {
  SutFailed failed;
  failed.why = fmt::format("the program under test {}", why);
  failed.doing = doing;
  if (program_ != nullptr) {
    program_->kill();
    failed.log = program_->log();
    program_.reset();
  }
  throw SutFailed(std::move(failed));
}

Program& PipeSut::running() {
  if (program_ == nullptr) {
    try {
      program_ = std::make_unique<Program>(options_.command, options_.folder, guard_);
    } catch (const std::system_error& error) {
      give_up("hello", fmt::format("cannot be started: {}", error.code().message()));
    }
    greet();
  }
  return *program_;
}

std::optional<std::string_view> PipeSut::ask(std::string_view doing, const std::string& line,
                                             bool may_die) {
  const Heard heard = running().exchange(line, options_.timeout_ms);
  if (heard.what == Heard::What::line) return heard.line;
  if (may_die && heard.what == Heard::What::ended && heard.end.is_kill()) {
    kill();
    return std::nullopt;
  }
  give_up(doing, fault_of(heard, options_.timeout_ms));
}

template <class T>
T PipeSut::must(std::string_view doing, tl::expected<T, std::string> read) {
  if (!read) give_up(doing, std::move(read.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*read);
}

namespace {
// The error of an answer, with the answer.
template <class T>
tl::expected<T, std::string> told_with(std::string_view line, tl::expected<T, std::string> read) {
  if (read) return read;
  return tl::unexpected(fmt::format("gave an answer that {}: {}", read.error(), excerpt(line)));
}
}  // namespace

// Its first request is numbered 0 at each start.
void PipeSut::greet() {
  asked_ = 0;
  const auto line = ask("hello", request_line(asked_, HelloRequest{}));
  hello_ = must("hello", told_with(*line, read_hello(*line, asked_)));
  // The journal comes with what is observed.
  hello_.journal = hello_.journal && hello_.speaks.contains(model::Observe::name);
}

void PipeSut::reset(const properties::Config& config) {
  running();
  cursors_.clear();
  seen_after_ = 0;
  told_seq_ = 0;
  seen_.events.clear();
  breach_.clear();
  ResetRequest request{config.clock_slack_us};
  if (hello_.disk) {
    request.busy_tries = config.busy_tries;
    request.synchronous = config.synchronous;
  }
  const auto line = ask("reset", request_line(++asked_, request));
  must("reset", told_with(*line, read_done(*line, asked_)));
}

Reply PipeSut::send(const CallFrame& frame, std::optional<faults::Place> die_at,
                    const properties::StepFault* fault) {
  const std::string_view doing = model::do_word(*frame.action);
  running();
  StepRequest request{*frame.action, std::string(frame.handle), *frame.given, {}, die_at};
  if (fault != nullptr) request.fault = *fault;
  const std::int64_t now_us = request.given.now_us;
  if (!hello_.int64 && (now_us > most_in_a_double || now_us < -most_in_a_double)) {
    give_up(doing, "says no \"int64\", and the clock has left what it can take, ±(2^53-1)");
  }
  const std::int64_t cursor = request.given.cursor;
  if (cursor > 0) request.cursor = cursors_.at(static_cast<std::size_t>(cursor) - 1);
  const auto line = ask(doing, request_line(++asked_, request), die_at.has_value());
  Reply reply;
  if (!line) {
    reply.outcome = Word::crashed;
    reply.fired = 1;
    return reply;
  }
  StepReply answer =
      must(doing, told_with(*line, read_reply(*line, asked_, *frame.action, hello_.disk)));
  reply.outcome = std::move(answer.outcome);
  reply.handle = std::move(answer.handle);
  // An observation is no call: what it told of is told with the next one.
  reply.breach = breach_.empty() ? std::move(answer.breach) : std::exchange(breach_, {});
  if (fault != nullptr) reply.fired = answer.fired;
  if (!answer.cursor.empty()) {
    cursors_.push_back(std::move(answer.cursor));
    reply.cursor = static_cast<std::int64_t>(cursors_.size());
  }
  return reply;
}

Reply PipeSut::crash(const CallFrame& frame, faults::Place place) {
  running();
  if (hello_.die_at.at(static_cast<std::size_t>(place))) return send(frame, place);
  if (place == faults::Place::committed) static_cast<void>(send(frame, std::nullopt));
  kill();
  Reply reply;
  reply.outcome = Word::crashed;
  reply.fired = 1;
  return reply;
}

// Whether the program itself has to be told of the fault. Inside another call there is no loss of
// power, as in this process.
bool PipeSut::is_sent(const properties::StepFault* fault) const {
  if (!hello_.disk || fault == nullptr || fault->plan.kind == Kind::interleave) return false;
  if (fault->plan.kind == Kind::crash && faults::place_of(fault->plan.point)) return false;
  return depth_ == 0 || !faults::needs_disk(fault->plan.point, fault->plan.kind);
}

Reply PipeSut::apply(const CallFrame& frame) {
  if (is_sent(frame.fault)) return send(frame, std::nullopt, frame.fault);
  const auto place = place_in(frame);
  if (!place || !can_be_hit(frame.fault->plan.point, frame.fault->plan.kind)) {
    return send(frame, std::nullopt);
  }
  if (frame.fault->plan.kind == Kind::crash) return crash(frame, *place);
  const auto stand_still = [&] {
    ++depth_;
    frame.interleave();
    --depth_;
  };
  // The caller's moment is worked out anew after what ran before its call.
  if (place == faults::Place::begin) stand_still();
  Reply reply = send(frame, std::nullopt);
  if (place == faults::Place::committed) stand_still();
  reply.fired = 1;
  return reply;
}

Reopened PipeSut::restart(const properties::StepFault* fault) {
  if (hello_.disk && fault != nullptr && faults::is_at_disk(fault->plan.point)) {
    // Only the engine is closed and opened: the disk is the program's own.
    running();
    const auto line = ask("restart", request_line(++asked_, RestartRequest{*fault}));
    return must("restart", told_with(*line, read_reopened(*line, asked_)));
  }
  if (program_ != nullptr) {
    const Heard heard = program_->finish(options_.timeout_ms);
    if (heard.what == Heard::What::line) {
      give_up("restart", "says something though nothing was asked: " + excerpt(heard.line));
    }
    if (heard.what == Heard::What::late) {
      give_up("restart", fmt::format("did not end within {} after its input was closed",
                                     seconds(options_.timeout_ms)));
    }
    if (heard.what != Heard::What::ended || heard.end.signal != 0 || heard.end.code != 0) {
      give_up("restart", fault_of(heard, options_.timeout_ms));
    }
    program_.reset();
  }
  return started_again();
}

// Also where a worker died that the program knows nothing of.
Reopened PipeSut::reopen() {
  kill();
  return started_again();
}

Reopened PipeSut::started_again() {
  running();
  Reopened reopened;
  reopened.lost = hello_.damage;
  return reopened;
}

const model::Observation& PipeSut::observe() {
  running();
  if (speaks(model::Observe{})) {
    observe_from(told_seq_);
  } else {
    seen_.observation = {};
    seen_.unseen = {true, true, true, {}, {}, {}};
  }
  return seen_.observation;
}

void PipeSut::observe_from(std::int64_t journal_after) {
  StepRequest request{model::Observe{}, {}, {}, {}, {}};
  request.given.now_us = clock_.time_us;
  if (hello_.journal) request.journal_after = journal_after;
  const auto line = ask("observe", request_line(++asked_, request));
  seen_ = must("observe",
               told_with(*line, read_seen(*line, asked_, request.journal_after, hello_.disk)));
  seen_after_ = journal_after;
  if (breach_.empty()) breach_ = seen_.breach;
}

// What the last observation brought, unless older events are asked for: those stand in no
// observation but one of their own.
void PipeSut::journal(std::int64_t after, std::vector<properties::JournalEvent>& out) {
  if (after < seen_after_) {
    running();
    observe_from(after);
  }
  for (const properties::JournalEvent& event : seen_.events) {
    if (event.seq > after) out.push_back(event);
  }
  if (!out.empty()) told_seq_ = out.back().seq;
}

std::optional<properties::Readings> PipeSut::readings(const properties::Readings& asked) {
  if (!hello_.readings) return std::nullopt;
  running();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most_us = hello_.int64 ? any : most_in_a_double;
  const auto line = ask("readings", request_line(++asked_, asked_for(asked, most_us)));
  properties::Readings seen = must("readings", told_with(*line, read_readings(*line, asked_)));
  // Of a moment that it cannot be asked about nothing is known.
  for (const auto& [since_us, cursor] : asked.cursors) {
    if (since_us > most_us || since_us < -most_us) seen.cursors[since_us] = cursor;
  }
  return seen;
}

bool PipeSut::speaks(const model::Action& action) const {
  if (properties::is_harness(action)) return hello_.int64 || fits_a_double(action);
  if (!hello_.speaks.contains(model::do_word(action))) return false;
  const std::vector<model::OpSpec>* ops = ops_of(action);
  if (ops != nullptr && !hello_.speaks.contains(model::Dispatch::name) &&
      has_effect_or_context(*ops)) {
    return false;
  }
  return hello_.int64 || fits_a_double(action);
}

bool PipeSut::speaks_call(faults::Call call) const {
  // "engine/<call>/begin"
  std::string_view word = faults::point_names[faults::point_of(call, faults::Place::begin)];
  word.remove_prefix(word.find('/') + 1);
  word = word.substr(0, word.find('/'));
  if (word == model::Decide::name) word = "approve";
  return hello_.speaks.contains(word);
}

bool PipeSut::can_be_hit(faults::Point point, Kind kind) const {
  if (!faults::allows(point, kind)) return false;
  if (faults::is_at_service(point)) return true;
  const auto place = faults::place_of(point);
  if (hello_.disk && kind != Kind::interleave)
    return !place || speaks_call(*faults::call_of(point));
  if (!place || !speaks_call(*faults::call_of(point))) return false;
  if (kind == Kind::crash) return true;
  return kind == Kind::interleave &&
         (place == faults::Place::begin || place == faults::Place::committed);
}

properties::MakeRig engine_behind_pipe(std::string command, int timeout_ms, std::string parent) {
  return [command = std::move(command), timeout_ms, parent = std::move(parent)] {
    static std::atomic<std::int64_t> made{0};
    const auto folder = std::filesystem::path(parent) / ("sut-" + std::to_string(++made));
    std::filesystem::create_directories(folder);
    properties::Rig rig;
    rig.clock = std::make_unique<properties::SimClock>();
    rig.sut =
        std::make_unique<PipeSut>(*rig.clock, PipeSutOptions{command, folder.string(), timeout_ms});
    return rig;
  };
}

}  // namespace leaseproof::scenarios
