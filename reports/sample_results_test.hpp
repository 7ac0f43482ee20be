// Results as commands leave them, small: what tests of reports read and spoil.
//
// Promise: each fits the schema, and all of them together are evidence for `ready`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/report.hpp"

namespace leaseproof::reports::sample {

inline Json with_head(Json body, const std::string& command) {
  body["format"] = "leaseproof-result/1";
  body["command"] = command;
  body["exit"] = 0;
  body["verdict"] = "held";
  body["build"] = Json::parse(R"({"leaseproof": "0.1.0", "compiler": "GNU 12.2.0",
    "type": "RelWithDebInfo", "sanitizers": [], "fault_points": "in"})");
  body["sqlite"] = Json::parse(R"({"version": "3.40.1", "source_id": "2022-12-28 df5c",
    "in_wal_reset_race_range": true, "note": "in the range 3.7.0 to 3.51.2"})");
  if (!body.contains("timing")) body["timing"] = {{"seconds", 1.25}, {"jobs", 2}};
  return body;
}

inline Json search(const std::string& engine) {
  Json json = Json::parse(R"({"name": "check", "seed": 7, "workers": 3, "faults": true,
    "runs_done": 2000, "unreached": [], "violation": null, "verdict": "held",
    "tally": {"runs": 2000, "steps": 130001, "faults_not_fired": 12,
      "goals": {"takeover": 17, "idempotent_timeout_before": 3},
      "invariants": {"no_stale_commit": {"judged": 130001, "violated": 0},
                     "journal_is_truth": {"judged": 2000, "violated": 0}},
      "faults_fired": {"engine/lease/begin": {"busy": 3, "crash": 41},
                       "vfs/sync": {"io_error": 5}}},
    "coverage": {"reached": 1, "last_new_in_run": 197,
      "cells": {"lease": {"ready": {"leased": {"no fault": {"count": 9, "first_run": 0}}}}}}})");
  json["engine"] = engine;
  return json;
}

inline Json exploration() {
  return Json::parse(R"({"engine": "simulated", "violation": null, "left_out": ["fan_in"],
    "verdict": "held", "worlds": [{"world": "chain", "states": 723, "transitions": 11550,
      "calls": 11298, "crashes": 4, "depth": 28, "not_explored": 0, "complete": true}]})");
}

inline Json sweep() {
  return Json::parse(R"({"cases": 55, "steps": 11, "runs": 1992, "crash_states": 672,
    "one_step_in": 60, "violation": null, "verdict": "held",
    "cells": [{"at": "engine/lease/begin", "kind": "busy", "outcome": "leased", "stands": true,
               "runs": 2},
              {"at": "vfs/write", "kind": "power_loss", "outcome": "crashed", "stands": false,
               "runs": 8}]})");
}

inline const char* statement() { return "drop the lease\nif op = ?1 and token = ?2"; }

inline Json planted(bool caught) {
  Json json{{"kind", "statement"},
            {"statement", "own_to_complete"},
            {"mutated", "drop the lease\nif op = ?1"},
            {"suffering", "a result of worker 1 is overwritten"},
            {"source", "seed 2"},
            {"caught", caught}};
  if (caught) json.update({{"by", "no_stale_commit"}, {"run", 3}});
  return json;
}

inline Json gate() {
  Json body = Json::parse(R"({"seed": 1, "phases_left_out": [],
    "coverage": {"reached": 1594, "by": {"memory": 1113, "storage": 1351}},
    "timing": {"corpus": 6.1, "seconds": 61.5, "jobs": 2}, "phases": {}})");
  Json& phases = body["phases"];
  phases["corpus"] = Json::parse(R"({"held": 106, "verdict": "held", "summary": "106 held",
    "files": {"a-cancel.json": {"memory": "ok", "disk": "ok"}}})");
  phases["memory"] = search("memory");
  phases["storage"] = search("simulated");
  phases["sweep"] = sweep();
  phases["sweep"]["canary_caught"] = true;
  phases["explore"] = exploration();
  phases["canary"] = {{"name", "completion_without_ownership"}, {"result", planted(true)}};
  phases["canary"]["verdict"] = "held";
  const Json group{{"caught", 1},
                   {"hunted", 1},
                   {"mutants", {{"completion_without_ownership", planted(true)}}},
                   {"statements", {{"own_to_complete", statement()}}}};
  phases["mutants"] = {{"planted", group}, {"automatic", group}, {"survivors", Json::array()}};
  phases["mutants"]["automatic"]["mutants"] = Json::object();
  phases["mutants"]["verdict"] = "held";
  phases["determinism"] = {{"same", true}, {"compared", 5150}, {"verdict", "held"}};
  for (auto& phase : phases) phase["summary"] = "all held";
  return with_head(body, "gate");
}

inline Json check(const std::string& engine = "memory") {
  return with_head(search(engine), "check");
}

inline Json explore() {
  Json body = exploration();
  body["timing"] = {{"seconds", 3.4}, {"jobs", 2}, {"worlds", {{"chain", 2.9}}}};
  return with_head(body, "explore");
}

inline Json sweep_result() {
  Json body = sweep();
  body["seed"] = 1;
  body["whole_corpus"] = true;
  return with_head(body, "sweep");
}

inline Json crash() {
  return with_head(Json::parse(R"({"seed": 1, "only": [], "rounds": 190, "kills": 201,
    "by_signal": 101, "by_exit": 100, "after_answer": 2, "missed": 9, "violation": null,
    "points": {"vfs/write wal": {"kills": 4, "by_signal": 3, "by_exit": 1, "after_answer": 0,
                                 "missed": 0, "rounds": 3}},
    "timing": {"seconds": 31.5,
               "kill_cycle_ms": {"median": 38.4, "p95": 50.6, "largest": 85.7}}})"),
                   "crash");
}

inline Json stress() {
  return with_head(Json::parse(R"({"seed": 1, "processes": 4, "workers": 4, "skew_us": 50000,
    "kill_every_us": 200000, "synchronous": "full", "events": 697, "violation": null,
    "figures": {"workflows": 41, "ops": 140, "succeeded": 134, "runs": 165, "overlap": 4,
      "kills": 7, "takeovers": 18, "retries": 9, "lost": 4, "writes": 11, "acknowledged": 459},
    "timing": {"seconds": 1.98, "settled_seconds": 2.6, "verify_seconds": 0.06}})"),
                   "stress");
}

inline Json mutants() {
  Json one = planted(true);
  for (const char* key : {"suffering", "caught"}) one.erase(key);
  one.update({{"name", "own_to_complete/drop/2"},
              {"kind", "automatic"},
              {"change", "token = ?2 -> 1"},
              {"end", "violation"},
              {"wrongly_excused", false},
              {"steps", 74},
              {"shrunk", 7},
              {"final", 7},
              {"is_shortest", false},
              {"uncertain", ""},
              {"executions", 255}});
  Json equivalent = one;
  equivalent.update({{"name", "own_to_complete/drop/1"}, {"end", "equivalent"}, {"by", ""}});
  return with_head(
      {{"seed", 1},
       {"seeds", 1},
       {"kind", "automatic"},
       {"only", "own"},
       {"hunted", 2},
       {"survived", 0},
       {"excused", 1},
       {"wrongly_excused", 0},
       {"do_not_compile", {"own_to_complete/turn/9"}},
       {"statements", {{"own_to_complete", statement()}}},
       {"mutants", {one, equivalent}},
       {"timing", {{"seconds", 9.5}, {"build_seconds", 0.0}, {"jobs", 2}, {"ms", {1.5, 2.5}}}}},
      "mutants");
}

inline Json bench() {
  return with_head(Json::parse(R"({"baseline": {"file": "base-1.json", "max_regress": 0.1},
    "benchmarks": [
      {"name": "lease_complete/workers:8/full", "unit": "ops/s", "better": "more",
       "median": 11767.25, "repetitions": [11700.0, 11767.25, 11800.5],
       "percentiles": {"p50_us": 82.5, "p95_us": 140.0, "p99_us": 410.25, "p99_9_us": 2300.0},
       "baseline": 11500.0, "change": 0.0232, "regressed": false},
      {"name": "memory/100000", "unit": "bytes", "better": "less", "median": 5321.0,
       "repetitions": [5321.0]}]})"),
                   "bench");
}

// By folder, as in evidence for `ready`.
inline std::map<std::string, Json> green() {
  return {{"bench", bench()},     {"check", check()},       {"crash", crash()},
          {"explore", explore()}, {"gate", gate()},         {"mutants", mutants()},
          {"stress", stress()},   {"sweep", sweep_result()}};
}

// A run of two workers, of which one comes back after the other has taken over.
inline Json interleaving(const std::string& op = "a") {
  const auto moment = [](const std::string& path, int lane, std::int64_t at_us,
                         const std::string& says, const std::string& answer) {
    return Json{{"path", path},
                {"depth", 0},
                {"phase", "call"},
                {"acts", true},
                {"lane", lane},
                {"at_us", at_us},
                {"at", std::to_string(at_us) + " µs"},
                {"says", says},
                {"answer", answer},
                {"why", ""},
                {"changed", Json::array()},
                {"at_service", false},
                {"crashed", false},
                {"broken", false},
                {"beside", nullptr},
                {"fault", nullptr}};
  };
  Json moments{moment("1", 0, 0, "lease A", "leased " + op),
               moment("2", 2, 100, "advance 100 µs", ""),
               moment("3", 1, 100, "lease B", "leased " + op),
               moment("4", 0, 101, "complete A " + op, "ok")};
  moments[1]["fault"] = {{"at", "engine/lease/begin"},
                         {"kind", "busy"},
                         {"told", "busy at engine/lease/begin"},
                         {"fired", true}};
  moments[3]["broken"] = true;
  moments[3]["beside"] = "lease_lost";
  const auto lease = [&](int lane, int from, Json to, std::int64_t expires_us) {
    return Json{{"op", op},
                {"owner", "A"},
                {"lane", lane},
                {"generation", lane + 1},
                {"from", from},
                {"to", std::move(to)},
                {"expires", {{{"from", from}, {"at_us", expires_us}, {"at", "later"}}}}};
  };
  return {{"lanes",
           {{{"kind", "worker"}, {"name", "A"}},
            {{"kind", "worker"}, {"name", "B"}},
            {{"kind", "clock"}, {"name", "clock"}}}},
          {"moments", moments},
          {"leases", {lease(0, 0, 2, 100), lease(1, 2, nullptr, 200)}}};
}

// The same, after a run that broke a rule.
inline Json broken_check(const std::string& op = "a") {
  Json json = check("mutant:completion_without_ownership");
  json["exit"] = 1;
  json["verdict"] = "violation";
  json["tally"]["invariants"]["no_stale_commit"]["violated"] = 1;
  json["violation"] = {{"invariant", "no_stale_commit"},
                       {"step", 4},
                       {"why", "worker A completed " + op + " at generation 1 of 2"},
                       {"expected", {{"outcome", "lease_lost"}}},
                       {"observed", {{"outcome", "ok"}}},
                       {"file", "no_stale_commit-7-3.json"},
                       {"replay_with", "leaseproof replay --engine mutant:x"},
                       {"interleaving", interleaving(op)},
                       {"run", 3},
                       {"reproducible", true},
                       {"steps", 4},
                       {"steps_before_shrinking", 55}};
  return json;
}

// As they would be read from these folders.
inline std::vector<Source> sources(const std::map<std::string, Json>& documents) {
  std::vector<Source> all;
  for (const auto& [folder, document] : documents) {
    const char letter = static_cast<char>('A' + static_cast<int>(all.size()));
    all.push_back({std::string(1, letter), folder + "/result.json", folder, document});
  }
  return all;
}

}  // namespace leaseproof::reports::sample
