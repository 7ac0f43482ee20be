#include "properties/search.hpp"

#include <rapidcheck/seq/Transform.h>
#include <rapidcheck/shrinkable/Create.h>
#include <rapidcheck/shrinkable/Operations.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "properties/goals.hpp"
#include "properties/rapidcheck_case.hpp"

namespace leaseproof::properties {

// SplitMix64.
std::uint64_t seed_of(std::uint64_t seed, std::int64_t run) {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15ULL * (static_cast<std::uint64_t>(run) + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

namespace {

struct Ran {
  bool done = false;
  Tally tally;
  std::vector<CellCount> cells;
  std::optional<Violation> violation;
  std::optional<SutFailed> failed;
};

// Runs in blocks, so that what is added up does not depend on how far other jobs had come when one
// of them found something.
constexpr std::int64_t runs_a_block = 64;
// At first everything is missing, and chance finds most of it.
std::int64_t runs_before_hunting(std::int64_t runs) {
  return std::min<std::int64_t>(1024, runs / 4);
}

DrawOptions draw_options(const SearchOptions& options, const Sut& sut) {
  return {options.workers,
          options.faults,
          [&sut](const model::Action& action) { return sut.speaks(action); },
          [&sut, draws = options.draws_fault](faults::Point point, faults::Kind kind) {
            return sut.can_be_hit(point, kind) && (!draws || draws(point, kind));
          },
          std::nullopt,
          true,
          sut.has_disk()};
}

class Job {
 public:
  Job(Rig rig, const SearchOptions& options)
      : rig_(std::move(rig)),
        runner_(*rig_.sut, *rig_.clock, options.runner),
        draw_(draw_options(options, *rig_.sut)),
        empty_(runner_.tally()) {}

  Ran run(std::uint64_t seed, const std::optional<Hunt>& hunt) {
    Ran ran;
    draw_.hunt = hunt;
    const Case drawn = draw_case(seed, draw_);
    runner_.tally() = empty_;
    ran.violation = runner_.run(drawn.config, drawn.steps);
    ran.tally = runner_.tally();
    ran.cells = runner_.take_cells();
    ran.done = true;
    return ran;
  }
  [[nodiscard]] const DrawOptions& draw() const { return draw_; }

 private:
  Rig rig_;
  Runner runner_;
  DrawOptions draw_;
  Tally empty_;
};

class Search {
 public:
  Search(const MakeRig& make, const SearchOptions& options) : options_(options) {
    const int jobs = std::max(1, options.jobs);
    for (int i = 0; i < jobs; ++i) jobs_.push_back(std::make_unique<Job>(make(), options));
  }

  // Half of the runs of a block hunt a fault that has not fired by then. Which one depends on what
  // was added up before the block, and so not on the number of jobs.
  void block(std::int64_t first, std::int64_t count, const std::vector<Hunt>& missing) {
    hunts_.assign(static_cast<std::size_t>(count), std::nullopt);
    std::size_t next = 0;
    for (std::size_t i = 0; i < hunts_.size() && !missing.empty(); ++i) {
      const bool hunts = i % 4 < 2;  // on even and odd runs alike, so that no job has them all
      if (hunts) hunts_[i] = missing[next++ % missing.size()];
    }
    ran_.assign(static_cast<std::size_t>(count), Ran{});
    failed_ = std::numeric_limits<std::int64_t>::max();
    const auto jobs = static_cast<std::int64_t>(jobs_.size());
    if (jobs == 1) {
      work(0, first, count);
      return;
    }
    std::vector<std::thread> threads;
    for (std::int64_t job = 0; job < jobs; ++job) {
      threads.emplace_back([this, job, first, count] { work(job, first, count); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] std::vector<Ran>& ran() { return ran_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  // The case of a run of the block again.
  [[nodiscard]] Case drawn(std::int64_t run, std::int64_t first) const {
    DrawOptions draw = jobs_.front()->draw();
    draw.hunt = hunts_[static_cast<std::size_t>(run - first)];
    return draw_case(seed_of(options_.seed, run), draw);
  }

 private:
  void work(std::int64_t job, std::int64_t first, std::int64_t count) {
    const auto jobs = static_cast<std::int64_t>(jobs_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t run = first + i;
      if (run % jobs != job || run > failed_) continue;
      if (options_.stop && options_.stop()) {
        stopped_ = true;
        return;
      }
      Ran& ran = ran_[static_cast<std::size_t>(i)];
      try {
        ran = jobs_[static_cast<std::size_t>(job)]->run(seed_of(options_.seed, run),
                                                        hunts_[static_cast<std::size_t>(i)]);
      } catch (SutFailed& failed) {
        failed.run = run;
        ran.failed = std::move(failed);
      }
      if (ran.violation || ran.failed) {
        std::int64_t lowest = failed_;
        while (run < lowest && !failed_.compare_exchange_weak(lowest, run)) {
        }
      }
      const std::int64_t done = ++done_;
      if (options_.progress) options_.progress(done);
    }
  }

  const SearchOptions& options_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Ran> ran_;
  std::vector<std::optional<Hunt>> hunts_;  // by run of the block
  std::atomic<std::int64_t> failed_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> stopped_{false};
};
}  // namespace

std::string_view word(Certificate certificate) {
  switch (certificate) {
    case Certificate::none:
      return "none";
    case Certificate::one_minimal:
      return "1-minimal";
    case Certificate::shortest:
      return "shortest";
  }
  return "";
}

void minimize(const MakeRig& make, const RunnerOptions& runner_options, std::int64_t budget,
              Counterexample& counterexample) {
  Rig rig = make();
  Runner runner(*rig.sut, *rig.clock, runner_options);
  const std::string invariant = counterexample.violation.invariant;
  std::int64_t executions = 0;
  std::optional<Violation> last;
  bool gone = false;
  const auto run = [&](const Case& candidate) -> std::optional<Violation> {
    try {
      return runner.run(candidate.config, candidate.steps);
    } catch (const SutFailed&) {
      // The violation was seen before; what an engine does that gives up now only ends the cutting.
      gone = true;
      return std::nullopt;
    }
  };
  const auto fails = [&](const Case& candidate) {
    // A file without steps shows nobody anything.
    if (gone || executions >= budget || candidate.steps.empty()) return false;
    ++executions;
    std::optional<Violation> found = run(candidate);
    if (!found || found->invariant != invariant) return false;
    last = std::move(found);
    return true;
  };

  Case whole{counterexample.config, counterexample.steps};
  if (!fails(whole)) {
    counterexample.reproducible = false;
    counterexample.violation.why =
        "NOT DETERMINISTIC: the same steps did not violate this again. First it was: " +
        counterexample.violation.why;
    counterexample.executions += executions;
    return;
  }
  // What comes after the violation never ran.
  if (last->step + 1 < whole.steps.size()) {
    whole.steps.resize(last->step + 1);
    if (!fails(whole)) whole.steps = counterexample.steps;
  }
  const auto tree = rc::shrinkable::shrinkRecur(
      std::move(whole), [](const Case& larger) { return smaller_cases(larger); });
  Case smallest = rc::shrinkable::findLocalMin(tree, fails).first;
  counterexample.config = std::move(smallest.config);
  counterexample.steps = std::move(smallest.steps);
  counterexample.violation = std::move(*last);
  counterexample.executions += executions;
  if (executions < budget) counterexample.certificate = Certificate::one_minimal;
}

SearchResult search(const MakeRig& make, const SearchOptions& options) {
  SearchResult result;
  Search jobs(make, options);
  for (std::int64_t first = 0; first < options.runs; first += runs_a_block) {
    const bool hunts = options.faults && first >= runs_before_hunting(options.runs);
    jobs.block(first, std::min(runs_a_block, options.runs - first),
               hunts ? unfired(result.tally) : std::vector<Hunt>{});
    for (Ran& ran : jobs.ran()) {
      // Only now: a violation in an earlier run goes first, whatever the number of jobs.
      if (ran.failed) throw SutFailed(std::move(*ran.failed));
      if (!ran.done) break;
      result.coverage.add(ran.cells, result.runs_done);
      ++result.runs_done;
      result.tally.add(ran.tally);
      if (!ran.violation) continue;
      Counterexample& found = result.counterexample.emplace();
      found.run = result.runs_done - 1;
      found.seed = options.seed;
      Case drawn = jobs.drawn(found.run, first);
      found.config = std::move(drawn.config);
      found.steps = std::move(drawn.steps);
      found.steps_before_shrinking = found.steps.size();
      found.violation = std::move(*ran.violation);
      break;
    }
    if (result.counterexample || jobs.stopped()) break;
  }
  result.stopped_early = jobs.stopped() && !result.counterexample;
  if (!result.counterexample) return result;
  if (options.found) options.found(result.counterexample->violation);
  if (!options.shrink) return result;
  try {
    minimize(make, options.runner, options.shrink_budget, *result.counterexample);
  } catch (const SutFailed& failed) {
    // It was seen all the same.
    Counterexample& found = *result.counterexample;
    found.reproducible = false;
    found.violation.why =
        "NOT SHRUNK, because " + failed.why + ". First it was: " + found.violation.why;
  }
  return result;
}

}  // namespace leaseproof::properties
