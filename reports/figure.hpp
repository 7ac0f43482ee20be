// What a page shows: texts, in which each figure knows the places that it comes from.
//
// Promise: nothing that was read from a file is shown without its places, and what was worked out
// of several names all of them and how. The texts in between are this program's own words and hold
// no digit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/place.hpp"

namespace leaseproof::reports {

// How a figure comes from its places.
enum class By : std::uint8_t {
  itself,    // the value as it stands there
  key,       // the name under which it stands there
  sum,       // of the values
  count,     // of the places
  positive,  // how many of the values are above zero
  size,      // how many members the one value has
  file,      // the name of the result file itself
  beside     // the path of the file that the value names beside the result, fit for a shell
};
std::string_view word(By by);

struct Origin {
  const Source* source = nullptr;
  std::string pointer;
};

struct Figure {
  Json value;
  std::string shown;
  By by = By::itself;
  std::vector<Origin> from;
};

// The value as people read it: whole numbers with all digits, others with three decimals below 1,
// two below 10 and one below 100, a truth value as yes or no, nothing as a dash.
std::string shown(const Json& value);

Figure figure(const Place& place);
Figure file_of(const Source& source);
Figure beside(const Place& place);
Figure key_of(const Place& place);
Figure size_of(const Place& place);
Figure count_of(const std::vector<Place>& places);
Figure sum_of(const std::vector<Place>& places);
Figure positive_of(const std::vector<Place>& places);

enum class Tone : std::uint8_t { plain, good, bad, doubtful, faint };
std::string_view word(Tone tone);

using Piece = std::variant<std::string, Figure>;

// A sentence or the content of a cell.
struct Text {
  std::vector<Piece> pieces;
  Tone tone = Tone::plain;

  Text() = default;
  // Implicit, so that a cell can be a word or a figure.
  Text(const char* words) : pieces{std::string(words)} {}  // NOLINT(google-explicit-constructor)
  Text(std::string words) : pieces{std::move(words)} {}    // NOLINT(google-explicit-constructor)
  Text(Figure one) : pieces{std::move(one)} {}             // NOLINT(google-explicit-constructor)

  Text& operator<<(const Text& more);
  [[nodiscard]] Text in(Tone other) &&;
  [[nodiscard]] std::string plain() const;
  // One whole or fractional number and nothing else.
  [[nodiscard]] bool is_number() const;
};

}  // namespace leaseproof::reports
