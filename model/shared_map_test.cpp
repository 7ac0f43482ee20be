// Checks that a shared map is a value like a std::map: ordered, copies apart, equality by value;
// that a number remembered with an entry ends with its edit; and that copies share what neither
// edits, which is what it is there for. Does not check threads.
#include "model/shared_map.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leaseproof::model {
namespace {

using Map = SharedMap<std::string, int>;

// More entries than are looked for one by one, in no order.
Map many() {
  Map map;
  for (int i = 0; i < 26; ++i) {
    const int place = i * 7 % 26;
    map.emplace(std::string(1, static_cast<char>('a' + place)), place);
  }
  return map;
}

std::uint64_t remember(const Map& map, const std::string& key, std::uint64_t number) {
  return map.find(key).remembered(Remembered::hash, [&](const auto&) { return number; });
}

TEST(SharedMap, is_in_order_whatever_the_order_of_adding) {
  std::string keys;
  for (const auto& [key, value] : many()) keys += key;
  EXPECT_EQ(keys, "abcdefghijklmnopqrstuvwxyz");
}

TEST(SharedMap, finds_what_is_there_and_nothing_else) {
  Map map = many();
  EXPECT_EQ(map.at("k"), 10);
  EXPECT_TRUE(map.contains("z"));
  EXPECT_FALSE(map.contains("aa"));
  EXPECT_TRUE(map.find("0") == map.end());
  EXPECT_FALSE(map.ref("k-2"));
  EXPECT_EQ(map.ref("b").key(), "b");
  for (const auto& [key, value] : many()) map.erase(key);
  EXPECT_TRUE(map.empty());
  map.emplace("k", 1);
  EXPECT_FALSE(map.contains("z"));
  EXPECT_EQ(*map.ref("k"), 1);
}

// Where it was found last another entry stands then, or none.
TEST(SharedMap, finds_no_more_what_was_erased_since) {
  Map map = many();
  EXPECT_TRUE(map.contains("z"));
  map.erase("z");
  EXPECT_FALSE(map.contains("z"));
  EXPECT_TRUE(map.contains("y"));
  map.erase_if([](int value) { return value == 24; });
  EXPECT_FALSE(map.contains("y"));
  EXPECT_TRUE(map.contains("k"));
  map.erase("b");
  EXPECT_EQ(map.at("k"), 10);
  map.emplace("bb", 0);
  EXPECT_EQ(map.at("k"), 10);
}

TEST(SharedMap, keeps_the_first_of_two_with_one_key) {
  Map map;
  EXPECT_TRUE(map.emplace("a", 1).second);
  const auto [ref, is_new] = map.emplace("a", 2);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(*ref, 1);
  map["a"] = 3;
  EXPECT_EQ(map.at("a"), 3);
  EXPECT_EQ(map.size(), 1U);
}

TEST(SharedMap, a_copy_lives_a_life_of_its_own) {
  Map map = many();
  const Map copy = map;
  EXPECT_TRUE(map.shares_all(copy));
  map.edit("c") = 100;
  EXPECT_EQ(copy.at("c"), 2);
  EXPECT_NE(map, copy);
  map.edit("c") = 2;
  EXPECT_EQ(map, copy);
  EXPECT_FALSE(map.shares_all(copy));
  EXPECT_TRUE(map.find("d").shares(copy.find("d")));
  map.erase("d");
  EXPECT_EQ(copy.at("d"), 3);
}

TEST(SharedMap, a_reference_shows_its_entry_as_it_is) {
  Map map = many();
  const auto ref = map.ref("c");
  const Map copy = map;
  ref.edit() = 100;
  EXPECT_EQ(*ref, 100);
  map.edit("c") = 101;
  EXPECT_EQ(*ref, 101);
  EXPECT_EQ(copy.at("c"), 2);
}

TEST(SharedMap, all_entries_can_be_edited_in_order) {
  Map map = many();
  const Map copy = map;
  int next = 0;
  for (const Map::Ref ref : map.refs()) {
    EXPECT_EQ(*ref, next++);
    ref.edit() = -1;
  }
  EXPECT_EQ(next, 26);
  map.erase_if([](int value) { return value == -1; });
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(copy, many());
}

TEST(SharedMap, what_is_remembered_with_an_entry_ends_with_its_edit) {
  Map map = many();
  EXPECT_EQ(remember(map, "c", 7), 7U);
  EXPECT_EQ(remember(map, "c", 8), 7U);
  map.edit("c") = 2;
  EXPECT_EQ(remember(map, "c", 8), 8U);
  const Map copy = map;
  EXPECT_EQ(remember(copy, "c", 9), 8U);
  map.edit("c") = 2;
  EXPECT_EQ(remember(map, "c", 10), 10U);
  EXPECT_EQ(remember(copy, "c", 11), 8U);
}

TEST(SharedMap, short_names_are_the_same_only_if_each_letter_is) {
  EXPECT_TRUE(is_same_key("", ""));
  EXPECT_TRUE(is_same_key("a", "a"));
  EXPECT_TRUE(is_same_key("abc", "abc"));
  EXPECT_FALSE(is_same_key("a", ""));
  EXPECT_FALSE(is_same_key("a", "b"));
  EXPECT_FALSE(is_same_key("abc", "abd"));
  EXPECT_FALSE(is_same_key("abc", "ab"));
}

}  // namespace
}  // namespace leaseproof::model
