// One process: three pages are fetched, several at a time, and what they bring is put together.
//
//   one_process DATABASE
//
// Start it again after a crash, or after it is through: it attaches to the same workflow, goes on
// behind what is done, and does nothing twice.
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/host.hpp"

namespace {

namespace engine = leaseproof::engine;
namespace model = leaseproof::model;
using engine::Host;

constexpr std::string_view nightly = "nightly";

// The work itself. It may be told to stop, and stores what it has, so that another attempt need not
// begin anew.
engine::Answer fetch(engine::Attempt& attempt) {
  for (const auto& [step, payload] : attempt.work().checkpoints) {
    if (step == "fetched") return engine::Completed{payload, {}, {}, {}, {}};
  }
  if (attempt.stop_token().stop_requested()) {
    return engine::Failed{model::FailKind::retryable, "stopped"};
  }
  const std::string page = "\"content of " + attempt.op() + "\"";
  const auto stored = attempt.checkpoint("fetched", page);
  if (stored.word != model::Word::ok) return engine::Failed{model::FailKind::retryable, stored.why};
  return engine::Completed{page, {}, {}, {}, {}};
}

engine::Answer report(engine::Attempt&) {
  engine::Completed done;
  done.artifacts = {{"report.txt", "three pages"}};
  return done;
}

model::Ensure workflow() {
  model::Ensure ensure;
  ensure.workflow = nightly;
  ensure.identity = "{\"day\":1}";
  model::OpSpec last;
  last.id = "report";
  last.kind = "report";
  for (const std::string page : {"first", "second", "third"}) {
    model::OpSpec spec;
    spec.id = page;
    spec.kind = "fetch";
    ensure.ops.push_back(std::move(spec));
    last.needs.push_back({page});
  }
  ensure.ops.push_back(std::move(last));
  return ensure;
}

int explain(std::string_view what, const model::Outcome& outcome) {
  std::cerr << what << " answered " << model::word(outcome.word) << ": " << outcome.why << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: one_process DATABASE\n";
    return 2;
  }
  engine::HostOptions options;
  options.engine.path = argv[1];
  options.scheduler.max_workers = 3;
  auto opened = Host::open(std::move(options));
  if (!opened) {
    std::cerr << opened.error().sentence << "\n";
    return 3;
  }
  Host& host = **opened;
  host.on("fetch", fetch);
  host.on("report", report);
  host.observe([](const engine::Notice& notice) {
    if (notice.verb == "complete") std::cout << "commit " << notice.call << "\n";
  });

  const auto ensured = host.engine().ensure(workflow());
  if (ensured.word != model::Word::created && ensured.word != model::Word::attached) {
    return explain("ensure", ensured);
  }
  const engine::Cycle worked = host.work_off();
  if (worked.trouble.word != model::Word::ok) return explain("work_off", worked.trouble);

  const auto snapshot = host.engine().snapshot({std::string(nightly)});
  const auto* counts = std::get_if<model::StatusCounts>(&snapshot.detail);
  if (counts == nullptr) return explain("snapshot", snapshot);
  const auto succeeded = counts->counts[static_cast<std::size_t>(model::OpStatus::succeeded)];
  std::cout << model::word(ensured.word) << ", ran " << worked.counts.processed() << " ops, "
            << succeeded << " of 4 have succeeded\n";
  return succeeded == 4 ? 0 : 1;
}
