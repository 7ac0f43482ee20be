// Checks the trace codec: each kind of bad input with its whole message, defaults, and that what is
// written reads back equal. JSON itself is checked in json_test.cpp, `expect` in
// expectation_test.cpp.
#include "scenarios/codec.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scenarios/file.hpp"
#include "scenarios/points.hpp"
#include "scenarios/step_codec.hpp"

namespace leaseproof::scenarios {
namespace {

using properties::Step;

std::string with_steps(const std::string& steps, const std::string& more = "") {
  return fmt::format(R"({{"format": "leaseproof-trace/1", "name": "n", "steps": )"
                     R"([{}]{}}})",
                     steps, more);
}
const std::string make_a = R"({"do": "start", "ops": [{"id": "a"}]})";
std::string after_a(const std::string& step) { return with_steps(make_a + ", " + step); }

std::string error_of(const std::string& text) {
  const auto scenario = read_scenario(text, "f.json");
  return scenario ? "no error" : scenario.error();
}

struct BadInput {
  std::string text;
  std::string message;
};

TEST(Codec, bad_input_is_one_line_that_names_file_step_key_and_the_mend) {
  const std::vector<BadInput> table{
      {"[]", "f.json: must be an object, but is a list"},
      {"{}", "f.json: key 'format': is missing; add it"},
      {R"({"format": "leaseproof-trace/2", "name": "n", "steps": []})",
       "f.json: key 'format': must be \"leaseproof-trace/1\"; this program reads no other"},
      {R"({"format": "leaseproof-trace/1", "name": "n"})",
       "f.json: key 'steps': is missing; add it"},
      {R"({"format": "leaseproof-trace/1", "name": "n", "steps": {}})",
       "f.json: key 'steps': must be a list, but is an object"},
      {with_steps("", R"(, "confg": {})"), "f.json: unknown key 'confg'; did you mean 'config'?"},
      {with_steps("", R"(, "config": {"lease_us": 0})"),
       "f.json: key 'config.lease_us': must be at least 1"},
      {with_steps("", R"(, "config": {"synchronous": "ful"})"),
       "f.json: key 'config.synchronous': unknown word 'ful'; did you mean 'full'?"},
      {with_steps("",
                  R"(, "config": {"queues": [{"queue": "q", "max_in_flight": -1, "rate_per_s": )"
                  R"(0, "burst": 0}]})"),
       "f.json: key 'config.queues[0].max_in_flight': must be at least 0"},
      {with_steps("", R"(, "config": {"queues": [{"queue": "q", "max_in_flight": 1, "rate_per_s": )"
                      R"(0, "burst": 2}]})"),
       "f.json: key 'config.queues[0].rate_per_s': must be at least 1 where burst is not 0"},
      {with_steps("", R"(, "config": {"service": {"contract": "opaque", "retention_us": 5}})"),
       "f.json: key 'config.service.retention_us': must be 0: only the contract 'idempotent' has a "
       "retention"},
      {with_steps("1"), "f.json: step 1: must be an object, but is a number"},
      {with_steps(R"({"worker": "A"})"), "f.json: step 1, key 'do': is missing; add it"},
      {with_steps(R"({"do": "leese", "worker": "A"})"),
       "f.json: step 1, key 'do': unknown word 'leese'; did you mean 'lease'?"},
      {with_steps(R"({"do": "decide", "op": "a"})"),
       "f.json: step 1, key 'do': unknown word 'decide'; known: start, ensure, queue, context_put, "
       "context_revoke, refresh, lease, heartbeat, checkpoint, request_approval, approve, "
       "dispatch, "
       "call, deliver, complete, fail, observe, retry, cancel, reconcile, close, snapshot, "
       "snapshots_since, advance, restart, forget, reject"},
      {with_steps(R"({"do": "lease", "wroker": "A"})"),
       "f.json: step 1, key 'worker': is missing; 'wroker' is near, but unknown"},
      {with_steps(R"({"do": "lease", "worker": "A", "leas_us": 1})"),
       "f.json: step 1: unknown key 'leas_us'; did you mean 'lease_us'?"},
      {with_steps(R"({"do": "refresh", "zebra": 1})"),
       "f.json: step 1: unknown key 'zebra'; known: do, skew_us, lock_wait_us, fault, expect"},
      {with_steps(R"({"do": "advance", "by_us": "1"})"),
       "f.json: step 1, key 'by_us': must be an integer, but is a text"},
      {with_steps(R"({"do": "advance", "by_us": 9223372036854775808})"),
       "f.json: step 1, key 'by_us': is past 64 bits; write a smaller number"},
      {with_steps(R"({"do": "advance", "by_us": -123456789012345678901234567890})"),
       "f.json: step 1, key 'by_us': is past 64 bits; write a smaller number"},
      {with_steps(R"({"do": "advance", "by_us": 1.0})"),
       "f.json: step 1, key 'by_us': 1.0 is no integer; all numbers here are integers"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a"}, {"id": "b", "needs": ["a", {"op": )"
                  R"("a", "option": true}]}]})"),
       "f.json: step 1, key 'ops[1].needs[1]': unknown key 'option'; did you mean 'optional'?"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "retry": {"policy": "linear", )"
                  R"("base_us": 1}}]})"),
       "f.json: step 1, key 'ops[0].retry.cap_us': is missing; add it"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "retry": {"policy": "fixed", )"
                  R"("delays_us": [1], "cap_us": 2}}]})"),
       "f.json: step 1, key 'ops[0].retry': unknown key 'cap_us'; known: policy, delays_us"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "deadline_us": null}]})"),
       "f.json: step 1, key 'ops[0].deadline_us': must be an integer, but is null"},
      {after_a(R"({"do": "complete", "worker": "A", "op": "a", "handle": -1})"),
       "f.json: step 2, key 'handle': counts back from 0, the newest; it cannot be negative"},
      {after_a(R"({"do": "fail", "worker": "A", "op": "a", "kind": "retry"})"),
       "f.json: step 2, key 'kind': unknown word 'retry'; known: retryable, permanent, unknown"},
      // Faults.
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refrsh/begin", "kind": )"
                  R"("crash"}})"),
       "f.json: step 1, key 'fault.at': unknown fault point 'engine/refrsh/begin'; did you mean "
       "'engine/refresh/begin'?"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
                  R"("crsh"}})"),
       "f.json: step 1, key 'fault.kind': unknown word 'crsh'; did you mean 'crash'?"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
                  R"("throw"}})"),
       "f.json: step 1, key 'fault.kind': 'throw' cannot happen at 'engine/refresh/begin'; "
       "`leaseproof "
       "faults` lists what can"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/committed", "kind": )"
                  R"("disk_full"}})"),
       "f.json: step 1, key 'fault.kind': 'disk_full' cannot happen at 'engine/refresh/committed'; "
       "`leaseproof faults` lists what can"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": "busy", )"
                  R"("times": 0}})"),
       "f.json: step 1, key 'fault.times': must be at least 1"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": "busy", )"
                  R"("steps": []}})"),
       "f.json: step 1, key 'fault': unknown key 'steps'; known: at, kind, hit, times"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
                  R"("interleave"}})"),
       "f.json: step 1, key 'fault.steps': is missing; add it"},
      {with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
                  R"("interleave", "steps": [{"do": "lease"}]}})"),
       "f.json: step 1, interleaved step 1, key 'worker': is missing; add it"},
      // Expectations.
      {with_steps(R"({"do": "refresh", "expect": "lease_lots"})"),
       "f.json: step 1, key 'expect': unknown word 'lease_lots'; did you mean 'lease_lost'?"},
      {with_steps(R"({"do": "refresh", "expect": {"recoverd": 1}})"),
       "f.json: step 1, key 'expect': unknown key 'recoverd'; did you mean 'recovered'?"},
      {with_steps(R"({"do": "refresh", "expect": 1})"),
       "f.json: step 1, key 'expect': must be a word or an object, but is a number"},
      {with_steps(R"({"do": "observe", "expect": {"ops": {"a": {"stats": "ready"}}}})"),
       "f.json: step 1, key 'expect.ops.a': unknown key 'stats'; did you mean 'status'?"},
      {with_steps("", R"(, "finally": {"state": {}})"),
       "f.json: key 'finally': unknown key 'state'; did you mean 'status'?"},
      {with_steps("", R"(, "finally": {"status": {"a": "done"}})"),
       "f.json: key 'finally.status.a': unknown word 'done'; known: pending, ready, running, "
       "waiting_approval, reconciling, succeeded, effect_confirmed, failed, blocked, canceled"},
      {with_steps("", R"(, "finally": {"writes": {}})"),
       "f.json: key 'finally.writes': must be an integer, but is an object"},
      // What cannot be meant.
      {with_steps(R"({"do": "retry", "op": "x"})"),
       "f.json: step 1, key 'op': no start, ensure or emit of this file makes an op 'x'; correct "
       "the "
       "id, or say \"expect\": \"not_found\""},
      {after_a(R"({"do": "complete", "worker": "A", "op": "b"})"),
       "f.json: step 2, key 'op': no start, ensure or emit of this file makes an op 'b'; correct "
       "the "
       "id, or say \"expect\": \"invalid\""},
      {after_a(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
               R"("interleave", "steps": [{"do": "retry", "op": "b"}]}})"),
       "f.json: step 2, interleaved step 1, key 'op': no start, ensure or emit of this file makes "
       "an op "
       "'b'; correct the id, or say \"expect\": \"not_found\""},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "needs": ["b"]}, {"id": "b", "needs": )"
                  R"(["c"]}, {"id": "c", "needs": ["a"]}]})"),
       "f.json: step 1, key 'ops': the graph has a cycle through op 'a'; remove one of its needs"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "needs": ["a"]}]})"),
       "f.json: step 1, key 'ops': the graph has a cycle through op 'a'; remove one of its needs"},
      {with_steps(R"({"do": "start", "ops": [{"id": "a", "deadline_us": -1}]})"),
       "f.json: step 1, key 'ops[0].deadline_us': -1 is a negative time; write 0 or more, or say "
       "\"expect\": \"invalid\""},
      {after_a(R"({"do": "heartbeat", "worker": "A", "op": "a", "lease_us": -5})"),
       "f.json: step 2, key 'lease_us': -5 is a negative time; write 0 or more, or say \"expect\": "
       "\"invalid\""},
      {with_steps(R"({"do": "refresh", "lock_wait_us": -1, "expect": "invalid"})"),
       "f.json: step 1, key 'lock_wait_us': is a waiting time; it cannot be negative"},
  };
  for (const BadInput& bad : table) {
    EXPECT_EQ(error_of(bad.text), bad.message) << bad.text;
    EXPECT_EQ(bad.message.find('\n'), std::string::npos);
  }
}

TEST(Codec, a_step_that_expects_its_refusal_is_left_alone) {
  const std::vector<std::string> fine{
      with_steps(R"({"do": "retry", "op": "x", "expect": "not_found"})"),
      with_steps(R"({"do": "retry", "op": "x", "expect": {"outcome": "not_found"}})"),
      after_a(R"({"do": "complete", "worker": "A", "op": "b", "expect": "invalid"})"),
      with_steps(R"({"do": "start", "ops": [{"id": "a", "needs": ["a"]}], "expect": )"
                 R"("invalid"})"),
      after_a(R"({"do": "retry", "op": "a", "deadline_us": -1, "expect": "invalid"})"),
      with_steps(R"({"do": "advance", "by_us": -1})"),
      with_steps(R"({"do": "refresh", "skew_us": -1})"),
      // What a search found may ask nonsense.
      with_steps(R"({"do": "retry", "op": "x"})",
                 R"(, "found": {"by": "check", "seed": 18446744073709551615})"),
      // An op that only a completion or an interleaved step makes.
      after_a(R"({"do": "complete", "worker": "A", "op": "a", "emit": [{"id": "b"}]}, )"
              R"({"do": "retry", "op": "b"})"),
      with_steps(R"({"do": "refresh", "fault": {"at": "engine/refresh/begin", "kind": )"
                 R"("interleave", "steps": [)" +
                 make_a + R"(]}}, {"do": "retry", "op": "a"})"),
  };
  for (const std::string& text : fine) EXPECT_EQ(error_of(text), "no error") << text;
}

TEST(Codec, a_chain_of_a_hundred_thousand_ops_is_no_stack_overflow) {
  std::string ops = R"({"id": "0"})";
  for (int i = 1; i < 100'000; ++i)
    ops += fmt::format(R"(, {{"id": "{}", "needs": ["{}"]}})", i, i - 1);
  EXPECT_EQ(error_of(with_steps(R"({"do": "start", "ops": [)" + ops + "]}")), "no error");
}

TEST(Codec, defaults_come_from_the_config) {
  const auto scenario = read_scenario(
      with_steps(R"({"do": "start", "ops": [{"id": "a", "effect": {}}, {"id": "b", "effect": )"
                 R"({"contract": "opaque"}}]},
                    {"do": "lease", "worker": "A"}, {"do": "heartbeat", "worker": "A", "op": "a"})",
                 R"(, "config": {"lease_us": 7, "service": {"contract": "idempotent", )"
                 R"("retention_us": 9}})"),
      "f");
  ASSERT_TRUE(scenario) << scenario.error();
  const auto& start = std::get<model::Start>(scenario->steps[0].action);
  EXPECT_EQ(start.ops[0].effect->contract, model::Contract::idempotent);
  EXPECT_EQ(start.ops[0].effect->retention_us, 9);
  EXPECT_EQ(start.ops[1].effect->retention_us, 0);
  EXPECT_EQ(std::get<model::Lease>(scenario->steps[1].action).lease_us, 7);
  EXPECT_EQ(std::get<model::Heartbeat>(scenario->steps[2].action).lease_us, 7);
}

TEST(Codec, payloads_are_canonical_and_keep_all_their_digits) {
  const auto scenario =
      read_scenario(after_a(R"({"do": "complete", "worker": "A", "op": "a", "result": {"b": )"
                            R"(123456789012345678901234567890, "a": [1, null]}})"),
                    "f");
  ASSERT_TRUE(scenario) << scenario.error();
  EXPECT_EQ(std::get<model::Complete>(scenario->steps[1].action).result,
            R"({"a":[1,null],"b":123456789012345678901234567890})");
}

bool same(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Step& x, const Step& y) {
    if (x.fault.has_value() != y.fault.has_value()) return false;
    if (x.fault) {
      const auto& p = x.fault->plan;
      const auto& q = y.fault->plan;
      if (p.point != q.point || p.kind != q.kind || p.hit != q.hit || p.times != q.times ||
          x.fault->torn_sectors != y.fault->torn_sectors || !same(x.fault->steps, y.fault->steps)) {
        return false;
      }
    }
    return x.action == y.action && x.skew_us == y.skew_us && x.lock_wait_us == y.lock_wait_us &&
           x.expect == y.expect;
  });
}

void expect_round_trip(const Scenario& scenario) {
  const std::string text = write_scenario(scenario);
  const auto again = read_scenario(text, "again");
  ASSERT_TRUE(again) << again.error() << "\n" << text;
  EXPECT_TRUE(same(scenario.steps, again->steps)) << text;
  EXPECT_EQ(again->name, scenario.name);
  EXPECT_EQ(again->about, scenario.about);
  EXPECT_EQ(again->finally, scenario.finally);
  EXPECT_EQ(again->violation, scenario.violation);
  EXPECT_EQ(again->found, scenario.found);
  EXPECT_EQ(again->config.queues, scenario.config.queues);
  EXPECT_EQ(write_scenario(*again), text);
}

TEST(Codec, each_action_with_all_its_keys_reads_back_equal) {
  const auto text =
      read_file(std::filesystem::path(LEASEPROOF_SOURCE_DIR) / "scenarios/testdata/all-words.json");
  ASSERT_TRUE(text) << text.error().text;
  const auto scenario = read_scenario(*text, "all-words.json");
  ASSERT_TRUE(scenario) << scenario.error();
  std::vector<bool> seen(std::variant_size_v<model::Action>);
  for (const Step& step : scenario->steps) seen[step.action.index()] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0) << "an action is missing in this test";
  expect_round_trip(*scenario);
}

TEST(Codec, the_files_of_the_corpus_read_back_equal) {
  namespace fs = std::filesystem;
  const fs::path root = LEASEPROOF_SOURCE_DIR;
  int files = 0;
  for (const fs::path& folder :
       {root / "scenarios/corpus", root / "scenarios/testdata", root / "../shared/cases"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      SCOPED_TRACE(entry.path().string());
      const auto text = read_file(entry.path());
      ASSERT_TRUE(text) << text.error().text;
      const auto scenario = read_scenario(*text, entry.path().filename().string());
      ASSERT_TRUE(scenario) << scenario.error();
      expect_round_trip(*scenario);
      ++files;
    }
  }
  EXPECT_GT(files, 0);
}

TEST(Points, each_kind_that_can_fire_may_be_written) {
  for (const std::string_view name : all_point_names()) {
    const auto point = faults::find_point(name);
    ASSERT_TRUE(point) << name;
    for (std::size_t kind = 0; kind < faults::kind_words.size(); ++kind) {
      const auto k = static_cast<faults::Kind>(kind);
      EXPECT_TRUE(!faults::allows(*point, k) || makes_sense(*point, k))
          << name << " " << faults::kind_words[kind];
      EXPECT_EQ(kind_named(faults::kind_words[kind]), k);
    }
  }
}

}  // namespace
}  // namespace leaseproof::scenarios
