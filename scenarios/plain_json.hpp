// JSON as an engine writes it into its journal, taken apart in one pass and without a copy.
//
// Promise: what is taken apart is JSON that `parse_json` reads too, and means the same. It is less
// than that reads: nothing stands between two tokens, integers have at most 18 digits, no escape is
// \u, names are ASCII without any escape, and nesting stays below `PlainJson::max_depth`. Nothing
// is said about all other text; `parse_json` judges it. A name may stand twice in an object that is
// not canonical: whoever reads the object sees that one of the two is left over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leaseproof::scenarios {

class PlainJson {
 public:
  static constexpr std::size_t max_depth = 32;

  enum class Kind : std::uint8_t { null, boolean, integer, text, list, object };

  // A value; what it holds stands right behind it. Views last as long as the text that was read.
  struct Node {
    std::string_view name;     // empty where it is no member of an object
    std::string_view written;  // the value as it stands there
    std::int64_t number = 0;
    std::uint32_t next = 0;  // the place of the first node that is not within this one
    Kind kind = Kind::null;
    bool is_canonical = true;  // `written` is the value's canonical form
    bool has_escapes = false;  // of a text
    bool is_taken = false;     // by a reader
  };

  // Nothing: it is not plain.
  static std::optional<PlainJson> read(std::string_view text);

  [[nodiscard]] const Node& node(std::size_t place) const { return nodes_[place]; }
  void take(std::size_t place) { nodes_[place].is_taken = true; }

 private:
  PlainJson() = default;
  friend class PlainScanner;

  std::vector<Node> nodes_;  // the first is the whole
};

// What a text says.
std::string text_of(const PlainJson::Node& text);

}  // namespace leaseproof::scenarios
