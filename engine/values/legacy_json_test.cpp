// Checks which texts of an older system are JSON and what their members are. Canonical JSON has
// tests of its own.
#include "engine/values/legacy_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/values/canonical_json.hpp"

namespace leaseproof::engine {
namespace {

TEST(LegacyJson, numbers_may_have_fractions_and_exponents) {
  for (const char* text : {"0", "-0", "-0.0", "1.5", "12.25e3", "1E+9", "1e-9", " 1 ", "0e0"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
  for (const char* text :
       {"01", "1.", ".5", "+1", "1e", "1e+", "-", "0x1", "1.5.5", "NaN", "1 2"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(LegacyJson, values_nest) {
  for (const char* text :
       {"[]", "[ ]", "{}", "{ }", R"([1,"a",null,true,false,{"b":[{}]}])",
        "\t{\n\"a\" : [ 1.5 , 2 ]\r}", R"("\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00")"}) {
    EXPECT_TRUE(is_json(text)) << text;
  }
  for (const char* text : {"",          " ",
                           "[",         "[1",
                           "[1,",       "[1,]",
                           "[,1]",      "[1 2]",
                           "{",         R"({"a"})",
                           R"({"a":})", R"({"a":1,})",
                           R"({a:1})",  R"({"a":1 "b":2})",
                           "{1:2}",     "nul",
                           "tru",       "falsE",
                           "\"a",       R"("\x")",
                           R"("\u12")", R"("\u12g4")",
                           "\"\n\"",    "\"\\",
                           "[]]",       R"("a" "b")"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(LegacyJson, what_no_canonical_text_may_hold_is_none_here_either) {
  EXPECT_FALSE(is_json(R"({"a":1.5,"b":2,"a":3})"));
  EXPECT_FALSE(is_json(R"([{"a":{"x":1,"\u0078":2}}])"));
  for (const char* text : {R"("\ud800")", R"("\udc00")", R"("\ud800\u0041")", R"("\ud800x")",
                           R"("\ud800\n")", "\"\xff\"", "\"\xed\xa0\x80\""}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
}

TEST(LegacyJson, nesting_is_bounded_as_for_canonical_json) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  for (const std::size_t depth : {199U, 200U, 201U, 202U, 100'000U}) {
    EXPECT_EQ(is_json(nested(depth)), canonical_json(nested(depth)).has_value()) << depth;
  }
  EXPECT_FALSE(is_json(std::string(1'000'000, '{')));
}

TEST(LegacyJson, members_are_told_with_their_kind) {
  const auto members = json_members(
      R"( {"s":"a\u00df\n", "n":-1.50e3, "b":true, "z":null, "l":[1, 2], "o":{"s":1}, "":""} )");
  ASSERT_TRUE(members.has_value()) << members.error();
  std::vector<std::string> lines;
  for (const JsonMember& member : *members) {
    lines.push_back(member.key + "/" + std::to_string(static_cast<int>(member.kind)) + "/" +
                    member.text);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"s/3/aß\n", "n/2/-1.50e3", "b/1/true", "z/0/null",
                                             "l/4/[1, 2]", "o/5/{\"s\":1}", "/3/"}));
}

TEST(LegacyJson, what_is_no_object_has_no_members) {
  EXPECT_EQ(json_members("[]").error(), "this is no JSON object at byte 0");
  EXPECT_EQ(json_members("").error(), "this is no JSON object at byte 0");
  EXPECT_EQ(json_members("{} {}").error(), "there is text after the value at byte 3");
  EXPECT_EQ(json_members(R"({"a":1,"a":2})").error(),
            "a key stands twice in an object that ends at byte 13");
  EXPECT_EQ(json_members("\xff").error(), "the text is no UTF-8 at byte 0");
}

TEST(LegacyJson, every_prefix_and_every_changed_byte_is_survived) {
  const std::string text = R"({"a":[1.5e3,"\u00e4\ud83d\ude00",{"b":null}],"c":true})";
  ASSERT_TRUE(is_json(text));
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_FALSE(is_json(text.substr(0, at))) << at;
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      if (!canonical_json(changed)) continue;
      EXPECT_TRUE(is_json(changed)) << changed;
    }
  }
}

}  // namespace
}  // namespace leaseproof::engine
