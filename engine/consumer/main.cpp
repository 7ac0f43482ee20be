// Shows how a host embeds the engine: two ops, one needing the other, worked off by one worker.
#include <iostream>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "model/vocabulary.hpp"

namespace {

namespace model = leaseproof::model;
using leaseproof::engine::Engine;
using leaseproof::engine::Granted;

// The engine never waits for work, so the host decides what "nothing to do" means; here: finished.
bool work_off(Engine& engine) {
  while (true) {
    if (engine.refresh().word != model::Word::ok) return false;
    model::Lease request;
    request.worker = "consumer";
    const Granted granted = engine.lease(request);
    if (granted.outcome.word == model::Word::none) return true;
    const auto* leased = std::get_if<model::Leased>(&granted.outcome.detail);
    if (leased == nullptr) return false;

    // The token proves the lease; whoever lost it hears `lease_lost` and must drop its work.
    model::Complete done;
    done.by = {"consumer", leased->op, 0};
    done.result = "\"made " + leased->op + "\"";
    if (engine.complete(granted.token, std::move(done)).word != model::Word::ok) return false;
    std::cout << "completed " << leased->op << "\n";
  }
}

int fail(const std::string& what, const model::Outcome& outcome) {
  std::cerr << what << " answered " << model::word(outcome.word) << ": " << outcome.why << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer DATABASE\n";
    return 2;
  }
  leaseproof::engine::Options options;
  options.path = argv[1];
  auto opened = Engine::open(std::move(options));
  if (!opened) {
    std::cerr << opened.error().sentence << "\n";
    return 3;
  }
  Engine& engine = **opened;

  model::OpSpec fetch;
  fetch.id = "fetch";
  model::OpSpec report;
  report.id = "report";
  report.needs = {{"fetch"}};
  model::Ensure ensure;
  ensure.workflow = "nightly";
  ensure.identity = "{\"day\":1}";
  ensure.ops = {fetch, report};
  // `ensure` may be called again after a crash: it then answers `attached` and changes nothing.
  const model::Outcome ensured = engine.ensure(std::move(ensure));
  if (ensured.word != model::Word::created && ensured.word != model::Word::attached) {
    return fail("ensure", ensured);
  }
  if (!work_off(engine)) return 1;

  const model::Outcome observed = engine.observe();
  const auto* state = std::get_if<model::Observation>(&observed.detail);
  if (state == nullptr) return fail("observe", observed);
  const bool succeeded = state->workflows.at("nightly").status == model::WorkflowStatus::succeeded;
  std::cout << "nightly " << (succeeded ? "succeeded" : "did not succeed") << "\n";
  return succeeded ? 0 : 1;
}
