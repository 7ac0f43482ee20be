// Checks that text of others cannot pass for lines of ours, nor for another command.
#include "scenarios/printable.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace leaseproof::scenarios {
namespace {

TEST(Printable, what_people_write_stays_as_it_is) {
  for (const char* text : {"", "op-1", "a b", "Grüße", "\xe2\x86\x92", "\xf0\x9f\x8c\x8d"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, what_a_terminal_would_obey_is_spelled_out) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[8m\x7f"), R"(a\x0ab\x0d\x09\x1b[8m\x7f)");
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(printable("\xc2\x9b"
                      "8m\xc2\x85\xc2\xa0"),
            "\\u009b"
            "8m\\u0085\xc2\xa0");
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "a\xe2\x81\xa6\xe2\x80\xa8"),
            R"(\u202ea\u2066\u2028)");
}

TEST(Printable, bytes_that_are_no_text_are_spelled_out_one_by_one) {
  EXPECT_EQ(printable("\x9b"
                      "8m"),
            R"(\x9b8m)");
  EXPECT_EQ(printable("a\xc2"), R"(a\xc2)");
  EXPECT_EQ(printable("\xe2\x80"), R"(\xe2\x80)");
  EXPECT_EQ(printable("\xc0\x8a"), R"(\xc0\x8a)");
}

TEST(Printable, a_json_value_is_one_line) {
  EXPECT_EQ(printable_json(Json{{"a\n", "\xc2\x9b"}}), R"({"a\n":"\u009b"})");
}

TEST(ShellWord, is_quoted_only_where_it_must_be) {
  EXPECT_EQ(shell_word("build/a-1.sqlite"), "build/a-1.sqlite");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(x);~"), "'$(x);~'");
  EXPECT_EQ(shell_word("it's mine"), R"('it'\''s mine')");
  EXPECT_EQ(shell_word("Grüße"), "'Grüße'");
}

TEST(ShellWord, what_cannot_be_shown_can_still_be_copied) {
  EXPECT_EQ(shell_word("a\n'b\\"), R"($'a\x0a\'b\\')");
}

}  // namespace
}  // namespace leaseproof::scenarios
