// Checks that a simulated disk keeps written and synced apart and leaves after a loss of power
// exactly the states that its device allows, in a fixed order. Does not know SQLite.
#include "faults/disk.hpp"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "faults/crash_states.hpp"
#include "faults/draw.hpp"

namespace leaseproof::faults {
namespace {

void write(Disk& disk, FileId file, std::uint64_t offset, const std::string& text) {
  disk.write(file, offset, std::as_bytes(std::span(text)));
}

std::string text_of(const Disk& disk, const std::string& name) {
  const auto file = disk.find(name);
  if (!file) return "(none)";
  std::string text(disk.size(*file), '?');
  disk.read(*file, 0, std::as_writable_bytes(std::span(text)));
  for (char& c : text) c = c == '\0' ? '.' : c;
  return text;
}

std::string after(Disk disk, const std::vector<bool>& stays) {
  disk.lose_power({stays});
  return text_of(disk, "f");
}

// A durable file "f" with this text and nothing unsynced.
Disk disk_with(const std::string& text, const Device& device = {}) {
  Disk disk(device);
  const FileId file = disk.create("f");
  write(disk, file, 0, text);
  disk.sync(file);
  disk.sync_directory();
  return disk;
}

std::set<std::string> texts_after(const Disk& disk, std::size_t choices = 4096) {
  std::set<std::string> texts;
  for (const CrashState& state : crash_states(disk, {choices, 1})) {
    texts.insert(text_of(state.disk, "f"));
  }
  return texts;
}

constexpr Device four_byte_sectors{4, 0, false, false};

TEST(ADisk, reads_what_was_written_and_zeros_in_a_gap) {
  Disk disk;
  const FileId file = disk.create("f");
  write(disk, file, 9000, "end");
  write(disk, file, 4094, "over");
  std::string text = text_of(disk, "f");
  EXPECT_EQ(9003U, text.size());
  EXPECT_EQ("..over..", text.substr(4092, 8));
  EXPECT_EQ("..end", text.substr(8998));
  disk.truncate(file, 4096);
  disk.truncate(file, 4100);
  EXPECT_EQ("..ov....", text_of(disk, "f").substr(4092));
}

TEST(ADisk, keeps_only_what_was_synced) {
  Disk disk = disk_with("old");
  const FileId file = *disk.find("f");
  write(disk, file, 0, "newer");
  EXPECT_EQ("newer", text_of(disk, "f"));
  EXPECT_EQ("old", after(disk, {}));
  disk.sync(file);
  EXPECT_EQ("newer", after(disk, {}));
  disk.truncate(file, 1);
  EXPECT_EQ("newer", after(disk, {}));
  EXPECT_EQ("n", after(disk, {true}));
}

TEST(ADisk, syncs_one_file_and_not_its_neighbour) {
  Disk disk = disk_with("a");
  const FileId other = disk.create("g");
  disk.sync_directory();
  write(disk, *disk.find("f"), 0, "b");
  write(disk, other, 0, "c");
  disk.sync(other);
  disk.lose_power({});
  EXPECT_EQ("a", text_of(disk, "f"));
  EXPECT_EQ("c", text_of(disk, "g"));
}

TEST(ADisk, loses_a_name_whose_directory_was_not_synced) {
  Disk disk;
  const FileId file = disk.create("f");
  write(disk, file, 0, "a");
  disk.sync(file);
  EXPECT_EQ("(none)", after(disk, {false}));
  EXPECT_EQ("a", after(disk, {true}));
  disk.sync_directory();
  EXPECT_EQ("a", after(disk, {}));
}

TEST(ADisk, brings_back_a_deleted_name_whose_directory_was_not_synced) {
  Disk disk = disk_with("a");
  disk.remove("f");
  write(disk, disk.create("f"), 0, "bb");
  EXPECT_EQ("a", after(disk, {}));
  EXPECT_EQ("(none)", after(disk, {true}));
  // The new name is there and the new bytes are not.
  EXPECT_EQ("", after(disk, {true, true}));
  EXPECT_EQ("bb", after(disk, {true, true, false, true}));
  disk.sync_directory();
  EXPECT_EQ("", after(disk, {}));
}

TEST(ADisk, keeps_a_deleted_file_for_whom_holds_it) {
  Disk disk = disk_with("a");
  const FileId file = *disk.find("f");
  disk.hold(file);
  disk.remove("f");
  disk.sync_directory();
  EXPECT_EQ(1U, disk.size(file));
  write(disk, file, 1, "b");
  EXPECT_EQ(1U, disk.unsynced().size());
  disk.release(file);
  EXPECT_TRUE(disk.unsynced().empty());
}

TEST(ADisk, tears_a_write_at_its_sectors_only) {
  Disk disk = disk_with("aaaaaaaaaaaa", four_byte_sectors);
  write(disk, *disk.find("f"), 2, "bbbbbbbb");
  EXPECT_EQ((std::set<std::string>{"aaaaaaaaaaaa", "aabbaaaaaaaa", "aaaabbbbaaaa", "aaaaaaaabbaa",
                                   "aabbbbbbaaaa", "aaaabbbbbbaa", "aabbaaaabbaa", "aabbbbbbbbaa"}),
            texts_after(disk));
}

TEST(ADisk, may_grow_without_the_bytes_unless_appends_are_safe) {
  Disk disk = disk_with("aaaa", four_byte_sectors);
  write(disk, *disk.find("f"), 4, "bbbbcccc");
  EXPECT_EQ((std::set<std::string>{"aaaa", "aaaa........", "aaaabbbb", "aaaabbbb....",
                                   "aaaa....cccc", "aaaabbbbcccc"}),
            texts_after(disk));
  Disk safe = disk_with("aaaa", {4, 0, false, true});
  write(safe, *safe.find("f"), 4, "bbbbcccc");
  EXPECT_EQ((std::set<std::string>{"aaaa", "aaaabbbb", "aaaabbbbcccc"}), texts_after(safe));
}

TEST(ADisk, keeps_what_was_synced_behind_a_hole_where_appends_are_safe) {
  Disk disk = disk_with("aaaa", {4, 0, false, true});
  const FileId file = *disk.find("f");
  write(disk, file, 12, "bbbb");
  EXPECT_EQ((std::set<std::string>{"aaaa", "aaaa........bbbb"}), texts_after(disk));
  disk.sync(file);
  EXPECT_EQ("aaaa........bbbb", after(disk, {}));
}

TEST(ADisk, does_not_tear_a_write_that_its_device_calls_atomic) {
  Disk disk = disk_with("aaaaaaaaaaaa", {4, 8, false, false});
  write(disk, *disk.find("f"), 0, "bbbbbbbb");
  EXPECT_EQ((std::set<std::string>{"aaaaaaaaaaaa", "bbbbbbbbaaaa"}), texts_after(disk));
  // Of that size, but not aligned to it.
  disk.sync(*disk.find("f"));
  write(disk, *disk.find("f"), 4, "cccccccc");
  EXPECT_EQ((std::set<std::string>{"bbbbbbbbaaaa", "bbbbccccaaaa", "bbbbbbbbcccc", "bbbbcccccccc"}),
            texts_after(disk));
}

TEST(ASequentialDisk, keeps_what_came_first) {
  Disk disk = disk_with("aaaaaaaa", {4, 0, true, false});
  const FileId file = *disk.find("f");
  write(disk, file, 0, "bbbbbbbb");
  write(disk, file, 0, "cccc");
  EXPECT_EQ((std::set<std::string>{"aaaaaaaa", "bbbbaaaa", "bbbbbbbb", "ccccbbbb"}),
            texts_after(disk));
  // A plan that asks for more than that does not get it.
  EXPECT_EQ("bbbbaaaa", after(disk, {true, false, true}));
}

TEST(ASequentialDisk, syncs_all_that_came_before) {
  Disk disk = disk_with("a", {4, 0, true, false});
  write(disk, *disk.find("f"), 0, "b");
  disk.sync(disk.create("g"));
  disk.lose_power({});
  EXPECT_EQ("b", text_of(disk, "f"));
  EXPECT_EQ("", text_of(disk, "g"));
}

TEST(ASequentialDisk, syncs_no_name_ahead_of_the_bytes_that_came_before) {
  Disk disk = disk_with("a", {4, 0, true, false});
  write(disk, disk.create("g"), 0, "b");
  disk.remove("f");
  disk.sync_directory();
  disk.lose_power({});
  EXPECT_EQ("(none)", text_of(disk, "f"));
  EXPECT_EQ("b", text_of(disk, "g"));
}

TEST(ASequentialDisk, lets_go_of_a_file_whose_last_name_a_sync_took_away) {
  Disk disk = disk_with("a", {4, 0, true, false});
  const FileId gone = *disk.find("f");
  disk.remove("f");
  disk.sync(disk.create("g"));
  EXPECT_THROW(static_cast<void>(disk.size(gone)), std::out_of_range);
}

TEST(ADisk, has_one_hash_for_what_is_seen_and_one_for_what_is_durable) {
  Disk disk = disk_with("aaaa", {4, 0, false, false});
  const FileId file = *disk.find("f");
  const std::uint64_t seen = disk.hash();
  const std::uint64_t durable = disk.durable_hash();
  write(disk, file, 0, "bbbb");
  EXPECT_NE(disk.hash(), seen);
  EXPECT_EQ(disk.durable_hash(), durable);
  write(disk, file, 0, "aaaa");
  EXPECT_EQ(disk.hash(), seen);
  disk.create("g");
  EXPECT_NE(disk.hash(), seen);
}

TEST(ACopy, is_a_snapshot_in_both_directions) {
  Disk disk = disk_with(std::string(10'000, 'a'));
  const FileId file = *disk.find("f");
  write(disk, file, 5000, "unsynced");
  const Disk copy = disk;
  write(disk, file, 0, "b");
  disk.sync(file);
  EXPECT_EQ('a', text_of(copy, "f")[0]);
  EXPECT_EQ("unsynced", text_of(copy, "f").substr(5000, 8));
  EXPECT_EQ(1U, copy.unsynced().size());
  EXPECT_NE(copy.durable_hash(), disk.durable_hash());
}

TEST(TheHash, is_that_of_the_durable_bytes_however_they_came_there) {
  Disk once = disk_with("abcdef");
  Disk bit_by_bit = disk_with("abc___");
  const FileId file = *bit_by_bit.find("f");
  write(bit_by_bit, file, 3, "xyz");
  EXPECT_EQ(disk_with("abc___").durable_hash(), bit_by_bit.durable_hash());
  write(bit_by_bit, file, 3, "def");
  bit_by_bit.sync(file);
  EXPECT_EQ(once.durable_hash(), bit_by_bit.durable_hash());
  // A page of zeros that was written, and one that never was.
  write(once, *once.find("f"), 4096, std::string(4096, '\0'));
  once.sync(*once.find("f"));
  bit_by_bit.truncate(file, 8192);
  bit_by_bit.sync(file);
  EXPECT_EQ(once.durable_hash(), bit_by_bit.durable_hash());
}

TEST(CrashStates, are_all_there_and_in_canonical_order_where_they_fit) {
  Disk disk = disk_with("aaaa", four_byte_sectors);
  write(disk, *disk.find("f"), 0, "b");
  write(disk, *disk.find("f"), 1, "c");
  std::vector<std::string> texts;
  for (const auto& state : crash_states(disk, {4, 1})) texts.push_back(text_of(state.disk, "f"));
  EXPECT_EQ((std::vector<std::string>{"aaaa", "baaa", "acaa", "bcaa"}), texts);
}

TEST(CrashStates, are_a_choice_that_follows_from_the_seed_where_they_do_not_fit) {
  Disk disk = disk_with(std::string(400, 'a'), four_byte_sectors);
  for (std::uint64_t at = 0; at < 100; ++at) write(disk, *disk.find("f"), at * 4, "bbbb");
  const auto plans = [&](std::uint64_t seed) {
    std::vector<std::vector<bool>> all;
    for (const auto& plan : power_losses(disk, {50, seed})) all.push_back(plan.stays);
    return all;
  };
  EXPECT_EQ(50U, plans(1).size());
  EXPECT_EQ(plans(1), plans(1));
  EXPECT_NE(plans(1), plans(2));
  const auto texts = texts_after(disk, 50);
  EXPECT_TRUE(texts.contains(std::string(400, 'a')));
  EXPECT_TRUE(texts.contains(std::string(400, 'b')));
  EXPECT_GT(texts.size(), 40U);
}

TEST(CrashStates, of_one_large_write_are_as_many_as_are_asked_for_and_none_is_chosen_twice) {
  Disk disk = disk_with(std::string(400, 'a'), four_byte_sectors);
  write(disk, *disk.find("f"), 0, std::string(400, 'b'));
  std::set<std::vector<bool>> plans;
  for (const auto& plan : power_losses(disk, {50, 1})) plans.insert(plan.stays);
  EXPECT_EQ(50U, plans.size());
  EXPECT_EQ(50U, power_losses(disk, {50, 1}).size());
}

// The whole disk against the plainest thing that could be right: two strings.
TEST(ADisk, agrees_with_two_strings_over_a_drawn_history) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Draw draw(seed);
    Disk disk = disk_with("");
    std::string seen;
    std::string durable;
    for (int step = 0; step < 60; ++step) {
      const FileId file = *disk.find("f");
      const std::uint64_t at = draw.below(9000);
      switch (draw.below(8)) {
        case 0:
          disk.sync(file);
          durable = seen;
          break;
        case 1:
          disk.truncate(file, at);
          seen.resize(at, '.');
          break;
        case 2:
          disk.lose_power({});
          seen = durable;
          break;
        default: {
          const std::string text(1 + draw.below(5000), static_cast<char>('a' + draw.below(26)));
          write(disk, file, at, text);
          if (seen.size() < at + text.size()) seen.resize(at + text.size(), '.');
          seen.replace(at, text.size(), text);
        }
      }
      ASSERT_EQ(seen, text_of(disk, "f")) << "seed " << seed << " step " << step;
    }
    ASSERT_EQ(durable, after(disk, {})) << "seed " << seed;
  }
}

}  // namespace
}  // namespace leaseproof::faults
