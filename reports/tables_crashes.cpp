// What a crash leaves: sweeps of a simulated disk, real kills, and work under kills.
#include <utility>

#include "reports/tables.hpp"

namespace leaseproof::reports {

namespace {

Text verdict_cell(const Part& part) {
  return Text(figure(part.place / "verdict")).in(part.held() ? Tone::good : Tone::doubtful);
}

Table sweeps(const Evidence& evidence) {
  Table table{"sweeps",
              "Sweeps of faults and crash states",
              {},
              {"", "stories", "of their steps one in", "steps swept", "runs with a fault",
               "distinct crash states", "verdict"}};
  for (const Part& sweep : evidence.sweeps) {
    const Place& place = sweep.place;
    table.rows.push_back({source_cell(place), figure(place / "cases"),
                          figure(place / "one_step_in"), figure(place / "steps"),
                          figure(place / "runs"), figure(place / "crash_states"),
                          verdict_cell(sweep)});
  }
  return table;
}

Table crashes(const Evidence& evidence) {
  Table table{"crashes",
              "Processes killed on real files",
              {},
              {"", "rounds", "points", "kills", "by signal", "by exit", "after the answer",
               "from kill to verdict, median ms", "largest ms", "verdict"}};
  for (const Part& crash : evidence.crashes) {
    const Place& place = crash.place;
    const Place cycle = place / "timing" / "kill_cycle_ms";
    table.rows.push_back({source_cell(place), figure(place / "rounds"), size_of(place / "points"),
                          figure(place / "kills"), figure(place / "by_signal"),
                          figure(place / "by_exit"), figure(place / "after_answer"),
                          figure(cycle / "median"), figure(cycle / "largest"),
                          verdict_cell(crash)});
  }
  return table;
}

Table kills(const Evidence& evidence) {
  Table table{"kills",
              "Kills by point",
              {},
              {"", "killed at", "rounds", "kills", "by signal", "by exit", "after the answer"}};
  table.folded = true;
  for (const Part& crash : evidence.crashes) {
    for (const Place& point : (crash.place / "points").members()) {
      const Place count = point / "kills";
      table.rows.push_back(
          {source_cell(point), key_of(point), figure(point / "rounds"),
           Text(figure(count)).in(count.number() > 0 ? Tone::plain : Tone::doubtful),
           figure(point / "by_signal"), figure(point / "by_exit"), figure(point / "after_answer")});
    }
  }
  return table;
}

Table stresses(const Evidence& evidence) {
  Table table{"stresses",
              "Real threads and processes",
              {},
              {"", "processes", "workers", "seconds", "kill every µs", "skew µs", "synchronous",
               "ops", "succeeded", "kills", "takeovers", "retries", "leases lost", "acknowledged",
               "events verified", "verdict"}};
  for (const Part& stress : evidence.stresses) {
    const Place& place = stress.place;
    const Place figures = place / "figures";
    table.rows.push_back(
        {source_cell(place), figure(place / "processes"), figure(place / "workers"),
         figure(place / "timing" / "seconds"), figure(place / "kill_every_us"),
         figure(place / "skew_us"), figure(place / "synchronous"), figure(figures / "ops"),
         figure(figures / "succeeded"), figure(figures / "kills"), figure(figures / "takeovers"),
         figure(figures / "retries"), figure(figures / "lost"), figure(figures / "acknowledged"),
         figure(place / "events"), verdict_cell(stress)});
  }
  return table;
}

}  // namespace

std::vector<Table> crash_tables(const Evidence& evidence) {
  return {sweeps(evidence), crashes(evidence), stresses(evidence), kills(evidence)};
}

}  // namespace leaseproof::reports
