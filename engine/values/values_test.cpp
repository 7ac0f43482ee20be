// Checks the engine's values: canonical JSON, digests, delays, shapes. Vectors are those of
// SEMANTICS 9.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/values/busy_policy.hpp"
#include "engine/values/canonical_json.hpp"
#include "engine/values/delay.hpp"
#include "engine/values/digest.hpp"
#include "engine/values/shape.hpp"

namespace leaseproof::engine {
namespace {

using model::DelayPolicy;

struct Canonical {
  const char* text;
  const char* canonical;
};

TEST(CanonicalJson, orders_keys_by_utf16_units_and_keeps_every_digit) {
  const std::vector<Canonical> table{
      {" { \"b\" : 1 , \"a\" : [ ] } ", R"({"a":[],"b":1})"},
      {R"({"a":{"d":null,"c":true}})", R"({"a":{"c":true,"d":null}})"},
      {"9007199254740993", "9007199254740993"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"-0", "0"},
      {R"("\u0041\u00e9\/\n\u001f")", "\"A\xc3\xa9/\\n\\u001f\""},
      {R"("\ud83d\ude00")", "\"\xf0\x9f\x98\x80\""},
      // U+10000 is D800 DC00 in UTF-16 and so sorts before U+E000 and U+FFFF, but after U+D7FF.
      {R"({"\uffff":1,"\ud800\udc00":2,"\ue000":3,"\ud7ff":4})",
       "{\"\xed\x9f\xbf\":4,\"\xf0\x90\x80\x80\":2,\"\xee\x80\x80\":3,\"\xef\xbf\xbf\":1}"},
      {R"({"aa":1,"a":2,"":3})", R"({"":3,"a":2,"aa":1})"},
  };
  for (const auto& row : table) {
    const auto canonical = canonical_json(row.text);
    ASSERT_TRUE(canonical.has_value()) << row.text << ": " << canonical.error();
    EXPECT_EQ(row.canonical, *canonical);
    EXPECT_EQ(*canonical, canonical_json(*canonical).value()) << "canonical text stays as it is";
  }
}

TEST(CanonicalJson, names_the_byte_of_what_it_refuses) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "this is no JSON value at byte 0"},
      {"1.0", "a number is no integer at byte 1"},
      {"1e2", "a number is no integer at byte 1"},
      {"01", "a number starts with 0 at byte 2"},
      {R"({"a":1,"a":2})", "a key stands twice in an object that ends at byte 13"},
      {R"("\udc00")", "a surrogate is unpaired at byte 7"},
      {R"("\ud800x")", "a surrogate is unpaired at byte 7"},
      {R"("\ud800\u0041")", "a surrogate is unpaired at byte 13"},
      {"\"\xc0\x80\"", "this is no UTF-8 at byte 1"},
      {"\"\xed\xa0\x80\"", "this is no UTF-8 at byte 1"},
      {"[1 2]", "a list is not closed at byte 3"},
      {R"({"a" 1})", "a key has no value at byte 5"},
      {R"({1:2})", "a key must be a string at byte 1"},
      {"1 2", "there is text after the value at byte 2"},
      {"\"\n\"", "a control character is not escaped at byte 1"},
      {"\"abc", "a string is not closed at byte 4"},
      {R"("\x")", "an escape is unknown at byte 3"},
  };
  for (const auto& [text, why] : table) {
    const auto canonical = canonical_json(text);
    ASSERT_FALSE(canonical.has_value()) << text;
    EXPECT_EQ(why, canonical.error()) << text;
  }
}

TEST(CanonicalJson, refuses_ten_megabytes_of_nesting_at_once) {
  std::string nested;
  nested.resize(10'000'000, '[');
  const auto canonical = canonical_json(nested);
  ASSERT_FALSE(canonical.has_value());
  EXPECT_EQ("the nesting is deeper than 200 at byte 201", canonical.error());
}

TEST(Digest, of_known_texts) {
  EXPECT_EQ("990c8d863d9c01836db2352f94eae509db759e0dd7b1cc0b105eab0fd4befd7f",
            sha256_hex(R"({"input":"digest-1"})"));
  EXPECT_EQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", sha256_hex(""));
}

model::RetryPolicy policy(DelayPolicy kind, std::int64_t base, std::int64_t cap,
                          std::int64_t multiplier = 2) {
  model::RetryPolicy retry;
  retry.policy = kind;
  retry.base_us = base;
  retry.cap_us = cap;
  retry.multiplier = multiplier;
  return retry;
}

TEST(Delay, follows_each_policy) {
  const model::RetryPolicy standard;
  EXPECT_EQ(2'000'000, delay_us(standard, "f", 1));
  EXPECT_EQ(4'000'000, delay_us(standard, "f", 2));
  EXPECT_EQ(4'000'000, delay_us(standard, "f", 9)) << "the last delay repeats";
  EXPECT_EQ(6, delay_us(policy(DelayPolicy::linear, 3, 10), "f", 2));
  EXPECT_EQ(10, delay_us(policy(DelayPolicy::linear, 3, 10), "f", 4));
  EXPECT_EQ(3, delay_us(policy(DelayPolicy::exponential, 3, 100, 5), "f", 1));
  EXPECT_EQ(75, delay_us(policy(DelayPolicy::exponential, 3, 100, 5), "f", 3));
  EXPECT_EQ(100, delay_us(policy(DelayPolicy::exponential, 3, 100, 5), "f", 4));
  EXPECT_EQ(7, delay_us(policy(DelayPolicy::exponential, 7, 100, 1), "f", 1'000'000));
  EXPECT_EQ(3'948'611, delay_us(policy(DelayPolicy::full_jitter, 1'000'000, 60'000'000), "f", 3));
  EXPECT_EQ(2'148'400,
            delay_us(policy(DelayPolicy::full_jitter, 1'000'000, 60'000'000), "Größe", 3));
}

TEST(Delay, never_overflows) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const auto kind :
       {DelayPolicy::linear, DelayPolicy::exponential, DelayPolicy::full_jitter}) {
    const auto delay = delay_us(policy(kind, most, most, most), "f", most);
    EXPECT_GE(delay, 0);
  }
  EXPECT_EQ(most, delay_us(policy(DelayPolicy::linear, most, most), "f", most));
}

TEST(BusyPolicy, doubles_its_wait_up_to_a_cap_and_draws_nothing) {
  const BusyPolicy policy{10, 100, 500};
  EXPECT_EQ(100, policy.wait_us(1));
  EXPECT_EQ(200, policy.wait_us(2));
  EXPECT_EQ(400, policy.wait_us(3));
  EXPECT_EQ(500, policy.wait_us(4));
  EXPECT_EQ(500, policy.wait_us(1'000'000));
}

TEST(Shape, names_the_op_and_the_mend) {
  const auto complaint = [](model::OpSpec spec) {
    std::vector<model::OpSpec> ops{std::move(spec)};
    return check_ops(ops).value_or("");
  };
  model::OpSpec spec;
  EXPECT_EQ("op id is empty; give it a name", complaint(spec));
  spec.id = "a";
  EXPECT_EQ("", complaint(spec));
  spec.max_attempts = 0;
  EXPECT_EQ(R"(op "a": max_attempts is 0; the least value is 1)", complaint(spec));
  spec.max_attempts = 1;
  spec.deadline_us = -1;
  EXPECT_EQ(R"(op "a": deadline_us is -1; the least value is 0)", complaint(spec));
  spec.deadline_us.reset();
  spec.needs = {{"b"}, {"b", false}};
  EXPECT_EQ(R"(op "a": need "b" stands twice; name it once)", complaint(spec));
  spec.needs.clear();
  spec.retry.delays_us = {5, 0};
  EXPECT_EQ(R"(op "a": retry.delays_us is 0; the least value is 1)", complaint(spec));
  spec.retry = policy(DelayPolicy::exponential, 1, 1, 0);
  EXPECT_EQ(R"(op "a": retry.multiplier is 0; the least value is 1)", complaint(spec));
  spec.retry = {};
  spec.input = "{";
  EXPECT_EQ(R"(op "a": input: a key must be a string at byte 1)", complaint(spec));
}

TEST(Shape, finds_cycles_and_unknown_needs) {
  const auto none = [](const std::string&) { return false; };
  const auto op = [](std::string id, std::vector<model::Need> needs) {
    model::OpSpec spec;
    spec.id = std::move(id);
    spec.needs = std::move(needs);
    return spec;
  };
  EXPECT_FALSE(
      check_graph(std::vector{op("a", {}), op("b", {{"a"}}), op("c", {{"a"}, {"b"}})}, none));
  EXPECT_EQ(R"(op "a" is part of a cycle of needs)",
            check_graph(std::vector{op("a", {{"b"}}), op("b", {{"a", false}})}, none));
  EXPECT_EQ(R"(op "a" is part of a cycle of needs)",
            check_graph(std::vector{op("a", {{"a"}})}, none));
  EXPECT_EQ(R"(op "a" needs "x", which does not exist)",
            check_graph(std::vector{op("a", {{"x"}})}, none));
  EXPECT_FALSE(check_graph(std::vector{op("a", {{"x"}})}, [](const std::string&) { return true; }));
  EXPECT_EQ(R"(op "a" stands twice in the list)",
            check_graph(std::vector{op("a", {}), op("a", {})}, none));
}

}  // namespace
}  // namespace leaseproof::engine
