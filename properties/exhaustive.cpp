#include "properties/exhaustive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "properties/exhaustive_job.hpp"
#include "properties/exhaustive_path.hpp"
#include "properties/runner.hpp"

namespace leaseproof::properties {

namespace {

class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const MakeRig& make, const ExhaustiveOptions& options)
      : make_(make), options_(options) {
    const int count = std::max(1, options.jobs);
    for (int i = 0; i < count; ++i) jobs_.push_back(std::make_unique<Job>(make, options));
  }

  ExhaustiveResult run() {
    std::string why;
    for (auto& job : jobs_) why = job->begin();
    if (!why.empty()) {
      if (!tell({}, why, false)) result_.waiting = 1;
      return std::move(result_);
    }
    visits_.push_back({});
    const Spot& root = jobs_.front()->waiting.front().spot;
    known_.insert(key_of(options_.world, root.node, root.left));
    std::size_t waiting = 1;
    if (options_.from != nullptr) {
      waiting = options_.from->waiting.size();
      if (!go_on_from(*options_.from)) {
        result_.leads_elsewhere = true;
        return std::move(result_);
      }
    }
    if (options_.settle && tell({}, {}, false)) return std::move(result_);
    while (waiting > 0 && result_.depth < options_.most_depth &&
           known_.size() < options_.most_states) {
      const Counts before = counts();
      expand();
      if (take_breach()) break;
      if (take_stop()) {
        conclude(waiting, before);
        return std::move(result_);
      }
      waiting = take_found();
      if (waiting > 0) ++result_.depth;
      fresh_states_ = waiting;
      if (take_settled()) break;
      if (options_.progress) options_.progress(known_.size(), waiting);
    }
    conclude(waiting, counts());
    return std::move(result_);
  }

 private:
  struct Counts {
    std::size_t transitions = 0;
    std::size_t calls = 0;
    std::size_t crashes = 0;
  };

  // Of all jobs, and of the search that this one goes on from.
  [[nodiscard]] Counts counts() const {
    Counts sum = before_;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < share; ++job) {
      sum.transitions += jobs_[job]->transitions;
      sum.calls += jobs_[job]->calls;
      sum.crashes += jobs_[job]->crashes;
    }
    return sum;
  }

  // False where it is not a search of this world on such an engine.
  bool go_on_from(const ExhaustiveProgress& from) {
    if (from.visits.size() != from.keys.size()) return false;
    for (std::size_t i = 1; i < from.visits.size(); ++i) {
      const ExhaustiveProgress::Visit& visit = from.visits[i];
      if (visit.parent >= i) return false;
      visits_.push_back({visit.parent, visit.move, static_cast<Variant>(visit.variant)});
    }
    for (const model::NodeKey& key : from.keys) known_.insert(key);
    before_ = {from.transitions, from.calls, from.crashes};
    result_.depth = from.depth;
    shared_ = true;
    for (auto& job : jobs_) {
      job->waiting.clear();
      job->orders.clear();
    }
    for (std::size_t i = 0; i < from.waiting.size(); ++i) {
      const std::uint32_t visit = from.waiting[i];
      if (visit >= visits_.size()) return false;
      const auto path = visit == 0 ? std::vector<PathMove>() : path_to(visits_[visit]);
      if (!jobs_[i % jobs_.size()]->wait_for(path, from.keys[visit], visit, i)) return false;
    }
    return true;
  }

  // For another process to go on from.
  [[nodiscard]] ExhaustiveProgress progress(const Counts& counts) const {
    ExhaustiveProgress progress;
    for (const Visit& visit : visits_) {
      progress.visits.push_back(
          {visit.parent, visit.move, static_cast<std::uint8_t>(visit.variant)});
    }
    progress.keys = known_.all();
    std::map<std::size_t, std::uint32_t> waiting;
    for (const auto& job : jobs_) {
      for (std::size_t i = 0; i < job->waiting.size(); ++i) {
        waiting[job->orders[i]] = job->waiting[i].visit;
      }
    }
    for (const auto& [order, visit] : waiting) progress.waiting.push_back(visit);
    progress.transitions = counts.transitions;
    progress.calls = counts.calls;
    progress.crashes = counts.crashes;
    progress.depth = result_.depth;
    return progress;
  }

  void expand() {
    if (jobs_.size() == 1) return jobs_.front()->expand(known_);
    std::vector<std::thread> threads;
    for (auto& job : jobs_) threads.emplace_back([&] { job->expand(known_); });
    for (auto& thread : threads) thread.join();
  }

  bool take_stop() {
    for (const auto& job : jobs_) result_.stopped = result_.stopped || job->stopped;
    return result_.stopped;
  }

  bool take_breach() {
    std::vector<const Breach*> all;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < share; ++job) {
      for (const Breach& breach : jobs_[job]->breaches) all.push_back(&breach);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Breach* a, const Breach* b) { return a->parent < b->parent; });
    return std::any_of(all.begin(), all.end(), [&](const Breach* one) {
      return tell(path_to(one->visit), one->why, one->is_read);
    });
  }

  // Whether who acts fairly from one of the states breaks the rule.
  bool take_settled() {
    if (!options_.settle) return false;
    for (std::size_t at = visits_.size() - fresh_states_; at < visits_.size(); ++at) {
      if (options_.stop && options_.stop()) return false;
      if (tell(path_to(visits_[at]), {}, false)) return true;
    }
    return false;
  }

  // States are numbered in the order of the states that led to them, whoever found them.
  std::size_t take_found() {
    struct Entry {
      Found* found;
      std::size_t job;
    };
    std::vector<Entry> all;
    const std::size_t share = shared_ ? jobs_.size() : 1;
    for (std::size_t job = 0; job < share; ++job) {
      for (Found& found : jobs_[job]->found) all.push_back({&found, job});
    }
    std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
      return a.found->parent < b.found->parent;
    });
    std::vector<std::vector<Waiting>> next(jobs_.size());
    std::vector<std::vector<std::size_t>> orders(jobs_.size());
    std::size_t count = 0;
    constexpr std::size_t enough = 64;
    for (std::size_t job = 1; !shared_ && job < jobs_.size(); ++job) jobs_[job]->forget_counts();
    const bool share_out = !shared_ && all.size() >= enough * jobs_.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!known_.insert(all[i].found->key)) continue;
      const auto visit = static_cast<std::uint32_t>(visits_.size());
      visits_.push_back(all[i].found->visit);
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        const bool takes = shared_ ? job == all[i].job : !share_out || i % jobs_.size() == job;
        if (!takes) continue;
        // Before they are shared out, every job has found the same in the same order.
        Waiting& state = shared_ ? all[i].found->state : jobs_[job]->found[i].state;
        state.visit = visit;
        next[job].push_back(std::move(state));
        orders[job].push_back(count);
      }
      ++count;
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      jobs_[job]->waiting = std::move(next[job]);
      jobs_[job]->orders = std::move(orders[job]);
    }
    shared_ = shared_ || share_out;
    return count;
  }

  std::vector<PathMove> path_to(Visit last) const {
    std::vector<PathMove> path{{last.move, last.variant}};
    for (std::uint32_t at = last.parent; at != 0; at = visits_[at].parent) {
      path.push_back({visits_[at].move, visits_[at].variant});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Whether the runner judges the path a breach that counts; then the result tells of it.
  bool tell(const std::vector<PathMove>& path, const std::string& why, bool is_read) {
    Counterexample told;
    Case written = case_of(options_.world, options_.faults, path);
    if (is_read) written.steps.emplace_back().action = model::SnapshotsSince{"reader"};
    told.steps_before_shrinking = written.steps.size();
    if (!judge_) judge_.emplace(make_());
    auto violation = Runner(*judge_->sut, *judge_->clock, options_.runner)
                         .run(written.config, written.steps, options_.settle);
    const bool counts =
        violation && (options_.wanted.empty() || violation->invariant == options_.wanted);
    if (counts) {
      told.violation = std::move(*violation);
      told.certificate = Certificate::shortest;
    } else if (!options_.wanted.empty()) {
      return false;
    } else {
      told.reproducible = false;
      told.violation.invariant = "conforms_to_model";
      told.violation.step = written.steps.size() - 1;
      told.violation.why = "the runner sees nothing, the search: " + why;
    }
    // An invariant may see it sooner than an answer shows it.
    written.steps.resize(std::min(written.steps.size(), told.violation.step + 1));
    told.config = std::move(written.config);
    told.steps = std::move(written.steps);
    result_.counterexample = std::move(told);
    return true;
  }

  void conclude(std::size_t waiting, const Counts& counts) {
    result_.states = known_.size();
    result_.waiting = waiting;
    result_.transitions = counts.transitions;
    result_.calls = counts.calls;
    result_.crashes = counts.crashes;
    if (waiting > 0 && !result_.counterexample) result_.left = progress(counts);
  }

  const MakeRig& make_;
  const ExhaustiveOptions& options_;
  std::vector<std::unique_ptr<Job>> jobs_;
  bool shared_ = false;
  Counts before_;
  Known known_;
  std::deque<Visit> visits_;
  std::size_t fresh_states_ = 0;  // of the newest depth
  std::optional<Rig> judge_;      // for whole paths
  ExhaustiveResult result_;
};

}  // namespace

ExhaustiveResult search_exhaustively(const MakeRig& make, const ExhaustiveOptions& options) {
  return ExhaustiveSearch(make, options).run();
}

}  // namespace leaseproof::properties
