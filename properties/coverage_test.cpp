// Checks that each call is counted in the cell that it met, with the fault that struck, and that
// counts do not depend on the number of jobs. The engine is the model.
#include "properties/coverage.hpp"

#include <gtest/gtest.h>

#include <set>

#include "properties/model_sut.hpp"
#include "properties/search.hpp"
#include "properties/story.hpp"

namespace leaseproof::properties {
namespace {

using namespace story;
using faults::Call;
using faults::Kind;
using faults::Place;

std::string told(const CellCount& one) {
  const Cell cell = cell_of(one.cell);
  return std::string(cell.action_word()) + ", " + std::string(word_of_stood(cell.stood)) + ", " +
         std::string(model::word(cell.word)) + ", " + cell.fault_words() + ": " +
         std::to_string(one.count) + " from step " + std::to_string(one.step);
}

struct Played {
  SimClock clock;
  ModelSut sut{clock};
  Runner runner{sut, clock};

  std::set<std::string> run(const std::vector<Step>& steps) {
    EXPECT_FALSE(runner.run({}, steps, false));
    std::set<std::string> all;
    for (const CellCount& one : runner.take_cells()) all.insert(told(one));
    return all;
  }
};

TEST(Coverage, counts_each_call_where_its_op_stood_before_it) {
  Played played;
  const std::set<std::string> cells =
      played.run({ensure("w", {op("a")}), refresh(), lease("A"), complete("A", "a"),
                  complete("A", "a"), complete("A", "a"), retry("b")});
  EXPECT_EQ(cells, (std::set<std::string>{
                       "ensure, no op named, created, none: 1 from step 0",
                       "refresh, no op named, ok, none: 1 from step 1",
                       "lease, no op named, leased, none: 1 from step 2",
                       "complete, running, ok, none: 1 from step 3",
                       "complete, succeeded, already_completed, none: 2 from step 4",
                       "retry, absent, not_found, none: 1 from step 6",
                   }));
}

TEST(Coverage, counts_a_fault_only_where_it_struck) {
  Played played;
  const std::set<std::string> cells =
      played.run({ensure("w", {op("a")}), refresh(), lease("A"),
                  with_fault(complete("B", "a"), Call::complete, Place::commit, Kind::crash),
                  interleaved(complete("A", "a"), Call::complete, Place::begin, {cancel("w")}),
                  with_fault(refresh(), Call::refresh, Place::commit, Kind::crash)});
  EXPECT_EQ(cells.count("complete, running, invalid, none: 1 from step 3"), 1U);
  EXPECT_EQ(cells.count("cancel, no op named, ok, none: 1 from step 4"), 1U);
  EXPECT_EQ(cells.count("complete, canceled, lease_lost, begin interleave: 1 from step 4"), 1U);
  EXPECT_EQ(cells.count("refresh, no op named, crashed, commit crash: 1 from step 5"), 1U);
}

TEST(Coverage, starts_anew_once_it_was_taken) {
  Played played;
  const std::set<std::string> first = played.run({ensure("w", {op("a")}), refresh()});
  EXPECT_EQ(played.run({ensure("w", {op("a")}), refresh()}), first);
  EXPECT_EQ(played.runner.take_cells().size(), 0U);
}

TEST(Coverage, numbers_every_cell_and_tells_it_back) {
  for (CellId id = 0; id < fault_kind_count * cells_a_fault; id += 7) {
    ASSERT_EQ(id_of(cell_of(id)), id);
  }
  std::set<int> faults{0};
  for (std::size_t point = 0; point < faults::point_count; ++point) {
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      faults::Plan plan;
      plan.point = static_cast<faults::Point>(point);
      plan.kind = static_cast<Kind>(kind);
      Cell cell;
      cell.fault = fault_kind(plan);
      faults.insert(cell.fault);
      EXPECT_NE(cell.fault_words().find(faults::word(plan.kind)), std::string::npos);
      if (!faults::place_of(plan.point)) {
        EXPECT_EQ(cell.fault_words().find(faults::point_names[point]), 0U);
      }
    }
  }
  EXPECT_EQ(faults.size(), fault_kind_count);
}

TEST(Coverage, tells_in_which_step_a_run_brought_something_new) {
  Coverage coverage;
  EXPECT_EQ(coverage.add({{1, 2, 5}, {2, 1, 3}, {3, 1, 5}}, 0), (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(coverage.add({{1, 2, 0}, {4, 1, 9}}, 1), (std::vector<std::size_t>{9}));
  EXPECT_EQ(coverage.add({{1, 2, 0}}, 2), std::vector<std::size_t>{});
  EXPECT_EQ(coverage.cells().at(1).count, 6);
  EXPECT_EQ(coverage.cells().at(4).first_run, 1);
  EXPECT_EQ(coverage.last_new(), 1);
}

TEST(Coverage, is_the_same_with_two_jobs_as_with_one) {
  const MakeRig rigs = [] {
    Rig rig;
    rig.clock = std::make_unique<SimClock>();
    rig.sut = std::make_unique<ModelSut>(*rig.clock);
    return rig;
  };
  SearchOptions options;
  options.runs = 200;
  const Coverage one = search(rigs, options).coverage;
  options.jobs = 2;
  const Coverage two = search(rigs, options).coverage;
  EXPECT_GT(one.cells().size(), 500U);
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.count == b.second.count &&
           a.second.first_run == b.second.first_run;
  };
  EXPECT_TRUE(std::equal(one.cells().begin(), one.cells().end(), two.cells().begin(),
                         two.cells().end(), same));
}

}  // namespace
}  // namespace leaseproof::properties
