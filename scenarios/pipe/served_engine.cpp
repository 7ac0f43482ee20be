#include "scenarios/pipe/served_engine.hpp"

#include <unistd.h>

#include <optional>
#include <utility>

#include "faults/plan.hpp"
#include "faults/process.hpp"
#include "properties/judgement.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios {

using properties::Reply;

namespace {

// What `reset` gives and the database does not hold: the line of that request.
std::string settings_file(const std::string& folder) { return folder + "/settings"; }

ResetRequest kept_settings(const std::string& folder) {
  const auto line = read_file(settings_file(folder));
  const auto request = read_request(line.value_or(""));
  const auto* settings = request ? std::get_if<ResetRequest>(&request->what) : nullptr;
  return settings == nullptr ? ResetRequest() : *settings;
}

properties::Config config_of(const ResetRequest& settings) {
  properties::Config config;
  config.clock_slack_us = settings.clock_slack_us;
  config.busy_tries = settings.busy_tries;
  config.synchronous = settings.synchronous;
  return config;
}

constexpr const char* no_disk =
    "key 'fault': this engine is on real files; start it with --disk simulated";

Reply refused(std::string why) {
  Reply reply;
  reply.outcome = model::Outcome::invalid(std::move(why));
  return reply;
}

}  // namespace

ServedEngine::ServedEngine(ServedEngineOptions served)
    : folder_(std::move(served.folder)), settings_(kept_settings(folder_)) {
  properties::EngineSutOptions options;
  if (served.on_simulated_disk) {
    options = properties::on_simulated_disk(served.bug);
    disk_.emplace(options.vfs, folder_ + "/disk");
  } else {
    options.folder = folder_;
  }
  if (served.statements != nullptr) options.statements = std::move(served.statements);
  options.config = config_of(settings_);
  engine_ = std::make_unique<properties::EngineSut>(clock_, std::move(options));
  // A process that follows another on the same folder gives out other tokens.
  engine_->draw_ids_as(static_cast<std::uint64_t>(::getpid()));
  if (!disk_) return;
  const auto brought = disk_->bring_back();
  if (!brought) throw FolderFailed{brought.error()};
  if (*brought) {
    damage_ = engine_->restart(nullptr).lost;
    if (damage_.empty()) damage_ = engine_->damage();
  }
  keep_disk();
}

void ServedEngine::keep_disk() {
  if (!disk_) return;
  const auto kept = disk_->keep();
  if (!kept) throw FolderFailed{kept.error()};
}

std::string ServedEngine::answer(std::string_view line) {
  const auto request = read_request(line);
  if (!request) return request.error();
  std::string line_back =
      std::visit([&](const auto& what) { return answer(request->id, what); }, request->what);
  // Who hears the answer may kill this process.
  keep_disk();
  return line_back;
}

std::string ServedEngine::answer(std::int64_t id, const HelloRequest& /*request*/) {
  Hello hello;
  hello.engine = "leaseproof engine behind a pipe";
  for (const std::string_view word : sent_words()) hello.speaks.emplace(word);
  hello.int64 = true;
  hello.die_at.fill(true);
  hello.journal = true;
  hello.readings = true;
  hello.disk = disk_.has_value();
  hello.damage = damage_;
  return hello_line(id, hello);
}

std::string ServedEngine::answer(std::int64_t id, const ResetRequest& request) {
  if (settings_ != request) {
    std::string line = request_line(0, request);
    line.pop_back();
    const auto kept = write_file(settings_file(folder_), line);
    if (!kept) throw FolderFailed{kept.error().text};
    settings_ = request;
  }
  engine_->reset(config_of(request));
  damage_.clear();
  return reply_line(id, Reply{}, model::Refresh{});
}

std::string ServedEngine::answer(std::int64_t id, const ReadingsRequest& request) {
  const auto readings = engine_->readings(asked_in(request));
  return readings_line(id, readings.value_or(properties::Readings{}));
}

std::string ServedEngine::answer(std::int64_t id, const RestartRequest& request) {
  if (!disk_) return reply_line(id, refused(no_disk), model::Refresh{});
  properties::Reopened reopened = engine_->restart(&request.fault);
  if (reopened.lost.empty()) reopened.lost = engine_->damage();
  damage_ = reopened.lost;
  return reopened_line(id, reopened);
}

std::string ServedEngine::answer(std::int64_t id, const StepRequest& request) {
  clock_.time_us = request.given.now_us;
  properties::CallFrame frame;
  frame.action = &request.action;
  frame.handle = request.handle;
  frame.given = &request.given;
  std::optional<faults::Armed> armed;
  const auto call = properties::fault_call(request.action);
  if (request.fault) {
    if (!disk_) return reply_line(id, refused(no_disk), request.action);
    frame.fault = &*request.fault;
  } else if (request.die_at && call) {
    // What an interleaving does at the point is up to us.
    armed.emplace(faults::Plan{faults::point_of(*call, *request.die_at), faults::Kind::interleave},
                  [this] {
                    keep_disk();
                    faults::die(faults::Death::signal);
                  });
  }
  const Reply reply = engine_->apply(frame);
  if (!request.journal_after || reply.outcome.word != model::Word::ok) {
    return reply_line(id, reply, request.action);
  }
  std::vector<properties::JournalEvent> events;
  engine_->journal(*request.journal_after, events);
  return reply_line(id, reply, events);
}

}  // namespace leaseproof::scenarios
