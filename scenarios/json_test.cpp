// Checks the strict reader and the canonical writer of JSON text. The words of a trace are checked
// in codec_test.cpp.
#include "scenarios/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace leaseproof::scenarios {
namespace {

std::string parse_error_of(const std::string& text) {
  const auto json = parse_json(text);
  return json ? "read as " + canonical(*json) : json.error();
}

std::string round_trip(const std::string& text) {
  const auto json = parse_json(text);
  return json ? canonical(*json) : json.error();
}

TEST(Json, what_is_no_strict_json_is_refused_in_our_own_words) {
  const std::pair<const char*, const char*> table[] = {
      {"", "the file is empty; a trace is one JSON object"},
      {" \n ", "the file is empty; a trace is one JSON object"},
      {"{\"a\": 1.5}", "key 'a': 1.5 is no integer; all numbers here are integers"},
      {"{\"a\": 1e3}", "key 'a': 1e3 is no integer; all numbers here are integers"},
      {"{\"a\": {\"b\": 1, \"b\": 2}}", "key 'a.b': this key stands twice; keep one of the two"},
      {"{\"steps\": [{}, {\"do\": 1, \"do\": 2}]}",
       "step 2, key 'do': this key stands twice; keep one of the two"},
      {"{\"steps\": [{\"fault\": {\"steps\": [{}, {\"ops\": [{\"id\": 0.5}]}]}}]}",
       "step 1, interleaved step 2, key 'ops[0].id': 0.5 is no integer; all numbers here are "
       "integers"},
      {"{\"a\" 1}",
       "line 1, column 6: this is no JSON; a bracket, quote or comma is missing or left over"},
      {"{\n  \"a\": 1,\n}",
       "line 3, column 1: this is no JSON; a bracket, quote or comma is missing or left over"},
      {"{} {}", "line 1, column 4: text after the end of the JSON value; remove it"},
      {"{\"a\":",
       "line 1, column 5: the text ends too early; a closing bracket or quote is missing"},
      {"\"a", "line 1, column 2: the text ends too early; a closing bracket or quote is missing"},
      {"\"\\ud800\"",
       "line 1, column 8: an unpaired surrogate (\\uD800 to \\uDFFF); write the whole character"},
      {"\"\\udc00\"",
       "line 1, column 7: an unpaired surrogate (\\uD800 to \\uDFFF); write the whole character"},
      {"\"\xff\"", "line 1, column 2: bytes that are no UTF-8; save the file as UTF-8"},
      {"\"\xed\xa0\x80\"", "line 1, column 3: bytes that are no UTF-8; save the file as UTF-8"},
      {"\"a\tb\"",
       "line 1, column 3: a control character inside a string; write it as \\n, \\t or \\u00XX"},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(parse_error_of(text), expected) << text;
}

TEST(Json, deep_nesting_is_one_clear_line_and_no_stack_overflow) {
  const std::string deep(10'000'000, '[');
  EXPECT_EQ(parse_error_of(deep), "nested deeper than 200 levels; no trace needs that");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(parse_error_of(objects), "nested deeper than 200 levels; no trace needs that");
  const std::string allowed = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(round_trip(allowed), allowed);
}

TEST(Json, integers_keep_all_their_digits) {
  const std::string digits =
      "[-123456789012345678901234567890,0,18446744073709551615,-9223372036854775808]";
  EXPECT_EQ(round_trip(digits), digits);
  EXPECT_EQ(round_trip("-0"), "0");
  EXPECT_EQ(as_int64(*parse_json("9223372036854775807")), 9223372036854775807);
  EXPECT_EQ(as_int64(*parse_json("9223372036854775808")), std::nullopt);
  EXPECT_EQ(as_int64(*parse_json("-9223372036854775809")), std::nullopt);
}

TEST(Json, the_canonical_form_is_that_of_rfc_8785) {
  // The RFC's own sorting example, 3.2.3, in the order of UTF-16 code units.
  EXPECT_EQ(round_trip("{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,"
                       "\"\\u0080\":6,\"\\u00f6\":7}"),
            "{\"\\r\":2,\"1\":4,\"\xc2\x80\":6,\"ö\":7,\"€\":1,\"\xf0\x9f\x98\x80\":5,"
            "\"\xef\xac\xb3\":3}");
  // 3.2.2.2, strings.
  EXPECT_EQ(
      round_trip("\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\\b\\f\\t\\u007f\""),
      "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\x7f\"");
  EXPECT_EQ(round_trip(" [ null , true , false , \"\" , { } ] "), "[null,true,false,\"\",{}]");
}

}  // namespace
}  // namespace leaseproof::scenarios
