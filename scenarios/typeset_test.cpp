// Checks columns and line breaks. What is set with them is checked elsewhere.
#include "scenarios/typeset.hpp"

#include <gtest/gtest.h>

namespace leaseproof::scenarios {
namespace {

using Lines = std::vector<std::string>;

TEST(Typeset, a_column_is_a_character_and_not_a_byte) {
  EXPECT_EQ(columns("a→µ"), 3U);
  EXPECT_EQ(padded("→", 3), "→  ");
  EXPECT_EQ(padded_left("→", 3), "  →");
  EXPECT_EQ(shortened("a→µb", 4), "a→µb");
  EXPECT_EQ(shortened("a→µbc", 4), "a→µ…");
}

TEST(Typeset, lines_break_at_spaces_and_hang_from_the_first) {
  EXPECT_EQ(wrapped("aaa bbb ccc", 7), (Lines{"aaa bbb", "ccc"}));
  EXPECT_EQ(wrapped("aaaa bbbb cccc dddd", 14, 2), (Lines{"aaaa bbbb cccc", "  dddd"}));
  EXPECT_EQ(wrapped("  aaaa bbbb", 7), (Lines{"  aaaa", "bbbb"}));
  EXPECT_EQ(wrapped("", 7), Lines{""});
  EXPECT_EQ(wrapped("until 30 s or so", 8), (Lines{"until", "30 s or", "so"}));
}

TEST(Typeset, a_word_longer_than_a_line_is_broken_and_nothing_is_lost) {
  EXPECT_EQ(wrapped("→→→→→→→→→→", 4), (Lines{"→→→→→→→→", "→→"}));
  EXPECT_EQ(wrapped("  aaaaaaaaaaaa", 10), (Lines{"  aaaaaaaa", "aaaa"}));
}

}  // namespace
}  // namespace leaseproof::scenarios
