#include "scenarios/pipe/served_engine.hpp"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#include "faults/plan.hpp"
#include "faults/process.hpp"
#include "properties/judgement.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios {

using properties::Reply;

namespace {

// The one setting that `reset` gives and the database does not hold.
std::string slack_file(const std::string& folder) { return folder + "/clock_slack_us"; }

std::int64_t kept_slack(const std::string& folder) {
  const auto text = read_file(slack_file(folder));
  std::int64_t slack_us = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), slack_us);
  return slack_us;
}

}  // namespace

ServedEngine::ServedEngine(std::string folder,
                           std::shared_ptr<const engine::sqlite::StatementTexts> statements)
    : folder_(std::move(folder)) {
  properties::EngineSutOptions options;
  options.folder = folder_;
  options.statements = std::move(statements);
  options.config.clock_slack_us = kept_slack(folder_);
  engine_ = std::make_unique<properties::EngineSut>(clock_, std::move(options));
  // A process that follows another on the same folder gives out other tokens.
  engine_->draw_ids_as(static_cast<std::uint64_t>(::getpid()));
}

std::string ServedEngine::answer(std::string_view line) {
  const auto request = read_request(line);
  if (!request) return request.error();
  return std::visit([&](const auto& what) { return answer(request->id, what); }, request->what);
}

std::string ServedEngine::answer(std::int64_t id, const HelloRequest& /*request*/) {
  Hello hello;
  hello.engine = "leaseproof engine behind a pipe";
  for (const std::string_view word : sent_words()) hello.speaks.emplace(word);
  hello.int64 = true;
  hello.die_at.fill(true);
  return hello_line(id, hello);
}

std::string ServedEngine::answer(std::int64_t id, const ResetRequest& request) {
  if (kept_slack(folder_) != request.clock_slack_us) {
    const auto kept = write_file(slack_file(folder_), std::to_string(request.clock_slack_us));
    if (!kept) {
      Reply failed;
      failed.outcome = model::Word::storage_error;
      failed.outcome.why = kept.error().text;
      return reply_line(id, failed, model::Refresh{});
    }
  }
  properties::Config config;
  config.clock_slack_us = request.clock_slack_us;
  engine_->reset(config);
  return reply_line(id, Reply{}, model::Refresh{});
}

std::string ServedEngine::answer(std::int64_t id, const StepRequest& request) {
  clock_.time_us = request.given.now_us;
  properties::CallFrame frame;
  frame.action = &request.action;
  frame.handle = request.handle;
  frame.given = &request.given;
  std::optional<faults::Armed> armed;
  const auto call = properties::fault_call(request.action);
  if (request.die_at && call) {
    // What an interleaving does at the point is up to us.
    armed.emplace(faults::Plan{faults::point_of(*call, *request.die_at), faults::Kind::interleave},
                  [] { faults::die(faults::Death::signal); });
  }
  return reply_line(id, engine_->apply(frame), request.action);
}

}  // namespace leaseproof::scenarios
