#include "reports/figure.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

namespace leaseproof::reports {

std::string_view word(By by) {
  switch (by) {
    case By::itself:
      return "itself";
    case By::key:
      return "key";
    case By::sum:
      return "sum";
    case By::count:
      return "count";
    case By::positive:
      return "positive";
    case By::size:
      return "size";
    case By::file:
      return "file";
    case By::beside:
      return "beside";
  }
  return "";
}

std::string_view word(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::doubtful:
      return "doubtful";
    case Tone::faint:
      return "faint";
  }
  return "";
}

std::string shown(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  const double number = value.get<double>();
  const double size = std::fabs(number);
  const int decimals = size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0;
  constexpr std::size_t longest = 400;  // of the largest double, all digits
  std::string text(longest, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

namespace {

// As one word of a command line.
std::string for_shell(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Figure made(Json value, By by, const std::vector<Place>& places) {
  Figure made{std::move(value), {}, by, {}};
  made.shown = shown(made.value);
  for (const Place& place : places) made.from.push_back({&place.source(), place.pointer()});
  return made;
}

}  // namespace

Figure figure(const Place& place) { return made(place.value(), By::itself, {place}); }

Figure file_of(const Source& source) {
  Figure name = made(source.file, By::file, {});
  name.from.push_back({&source, {}});
  return name;
}

Figure beside(const Place& place) {
  const std::string& folder = place.source().folder;
  const std::string path = (folder.empty() ? "" : folder + "/") + place.text();
  Figure name = made(path, By::beside, {place});
  name.shown = for_shell(path);
  return name;
}

Figure key_of(const Place& place) { return made(place.key(), By::key, {place}); }

Figure size_of(const Place& place) { return made(place.value().size(), By::size, {place}); }

Figure count_of(const std::vector<Place>& places) { return made(places.size(), By::count, places); }

Figure sum_of(const std::vector<Place>& places) {
  std::int64_t sum = 0;
  for (const Place& place : places) sum += place.number();
  return made(sum, By::sum, places);
}

Figure positive_of(const std::vector<Place>& places) {
  std::int64_t count = 0;
  for (const Place& place : places) count += place.number() > 0 ? 1 : 0;
  return made(count, By::positive, places);
}

Text& Text::operator<<(const Text& more) {
  pieces.insert(pieces.end(), more.pieces.begin(), more.pieces.end());
  return *this;
}

Text Text::in(Tone other) && {
  tone = other;
  return std::move(*this);
}

std::string Text::plain() const {
  std::string out;
  for (const Piece& piece : pieces) {
    const auto* words = std::get_if<std::string>(&piece);
    out += words != nullptr ? *words : std::get<Figure>(piece).shown;
  }
  return out;
}

bool Text::is_number() const {
  if (pieces.size() != 1) return false;
  const auto* one = std::get_if<Figure>(&pieces.front());
  return one != nullptr && one->value.is_number();
}

}  // namespace leaseproof::reports
