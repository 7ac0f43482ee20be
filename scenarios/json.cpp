#include "scenarios/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace leaseproof::scenarios {

std::string place_text(const std::vector<PlaceItem>& way) {
  std::string steps;
  std::string key;
  for (const PlaceItem& item : way) {
    if (item.key == "steps" && item.index) {
      steps += steps.empty() ? "step " : ", interleaved step ";
      steps += std::to_string(*item.index + 1);
      key.clear();
      continue;
    }
    if (!item.key.empty()) {
      if (!key.empty()) key += '.';
      key += item.key;
    }
    if (item.index) key += fmt::format("[{}]", *item.index);
  }
  if (key.empty()) return steps;
  return steps.empty() ? fmt::format("key '{}'", key) : fmt::format("{}, key '{}'", steps, key);
}

namespace {

bool all_digits(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

// Builds the value itself, because nlohmann's own builder keeps the last of two equal keys and
// turns long integers into doubles.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  Json root;
  std::string error;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t /*value*/, const string_t& digits) override {
    if (all_digits(digits)) return put(raw(digits));
    return refuse(fmt::format("{} is no integer; all numbers here are integers", digits));
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return refuse("binary data cannot stand in a text"); }

  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool key(string_t& name) override {
    Json& object = *open_.back();
    way_.back().key = name;
    if (object.contains(name)) return refuse("this key stands twice; keep one of the two");
    key_ = name;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& problem) override {
    const std::string_view what = problem.what();
    const auto says = [what](std::string_view word) {
      return what.find(word) != std::string_view::npos;
    };
    const std::string_view blank = " \t\r\n";
    std::string why = "this is no JSON; a bracket, quote or comma is missing or left over";
    if (text_.find_first_not_of(blank) == std::string_view::npos) {
      error = "the file is empty; a trace is one JSON object";
      return false;
    }
    if (problem.id == 406) {
      why = "a number with more than 308 digits";
    } else if (says("surrogate")) {
      why = "an unpaired surrogate (\\uD800 to \\uDFFF); write the whole character";
    } else if (says("UTF-8")) {
      why = "bytes that are no UTF-8; save the file as UTF-8";
    } else if (says("control character")) {
      why = "a control character inside a string; write it as \\n, \\t or \\u00XX";
    } else if (says("unexpected end of input") || says("missing closing quote")) {
      why = "the text ends too early; a closing bracket or quote is missing";
    } else if (says("expected end of input")) {
      why = "text after the end of the JSON value; remove it";
    }
    error = line_and_column(text_, position) + ": " + why;
    return false;
  }

 private:
  bool refuse(const std::string& why) {
    // A list and the key that leads to it are two stairs here and one in the text.
    std::vector<PlaceItem> way;
    for (const PlaceItem& item : way_) {
      if (item.key.empty() && !way.empty() && !way.back().index) {
        way.back().index = item.index;
      } else {
        way.push_back(item);
      }
    }
    const std::string place = place_text(way);
    error = place.empty() ? why : place + ": " + why;
    return false;
  }

  void step_into(Json& list) { way_.back().index = list.size(); }

  Json* place(Json&& value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  bool put(Json&& value) {
    if (!open_.empty() && open_.back()->is_array()) step_into(*open_.back());
    place(std::move(value));
    return true;
  }
  template <class T>
  bool put(T&& value) {
    return put(Json(std::forward<T>(value)));
  }

  bool open(Json&& container) {
    if (open_.size() >= max_depth) {
      error = fmt::format("nested deeper than {} levels; no trace needs that", max_depth);
      return false;
    }
    if (!open_.empty() && open_.back()->is_array()) step_into(*open_.back());
    open_.push_back(place(std::move(container)));
    way_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    way_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Json*> open_;
  std::vector<PlaceItem> way_;
  std::string key_;
};

// UTF-16 code unit order. It differs from the order of UTF-8 bytes in one place: characters past
// U+FFFF (lead byte F0 and up) are surrogates there, and stand before U+E000 (lead byte EE).
bool utf16_less(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at_a == a.end() || at_b == b.end()) return at_a == a.end() && at_b != b.end();
  const auto byte_a = static_cast<unsigned char>(*at_a);
  const auto byte_b = static_cast<unsigned char>(*at_b);
  const bool pair_a = byte_a >= 0xF0;
  const bool pair_b = byte_b >= 0xF0;
  if (pair_a != pair_b && byte_a >= 0xEE && byte_b >= 0xEE) return pair_a;
  return byte_a < byte_b;
}

// Values that hold no others.
void write_leaf(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      out += std::to_string(value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      out += std::to_string(value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      // Only measured seconds are doubles; what is read has none.
      out += fmt::format("{}", value.get<double>());
      return;
    case Json::value_t::string:
      write_string(out, value.get_ref<const std::string&>());
      return;
    case Json::value_t::binary: {
      const auto& bytes = value.get_binary();
      out.append(bytes.begin(), bytes.end());
      return;
    }
    case Json::value_t::null:
    case Json::value_t::discarded:
    case Json::value_t::array:
    case Json::value_t::object:
      out += "null";
      return;
  }
}

std::vector<const Json::object_t::value_type*> in_order(const Json& object) {
  std::vector<const Json::object_t::value_type*> members;
  members.reserve(object.size());
  for (const auto& member : object.get_ref<const Json::object_t&>()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return utf16_less(a->first, b->first); });
  return members;
}

// `level` is absent for the canonical form, which has no line ends.
void write_value(std::string& out, const Json& value, std::optional<std::size_t> level) {
  if (!value.is_structured()) return write_leaf(out, value);
  const auto inner = level ? std::optional<std::size_t>(*level + 1) : std::nullopt;
  const auto new_line = [&out](std::optional<std::size_t> depth) {
    if (!depth) return;
    out += '\n';
    out.append(2 * *depth, ' ');
  };
  bool first = true;
  const auto separate = [&] {
    if (!first) out += ',';
    first = false;
    new_line(inner);
  };
  out += value.is_array() ? '[' : '{';
  if (value.is_array()) {
    for (const Json& item : value) {
      separate();
      write_value(out, item, inner);
    }
  } else {
    for (const auto* member : in_order(value)) {
      separate();
      write_string(out, member->first);
      out += level ? ": " : ":";
      write_value(out, member->second, inner);
    }
  }
  if (!first) new_line(level);
  out += value.is_array() ? ']' : '}';
}

}  // namespace

tl::expected<Json, std::string> parse_json(std::string_view text) {
  Builder builder(text);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
  return tl::unexpected(std::move(builder.error));
}

std::string canonical(const Json& value) {
  std::string out;
  write_value(out, value, std::nullopt);
  return out;
}

std::string pretty(const Json& value) {
  std::string out;
  write_value(out, value, 0);
  return out + "\n";
}

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

Json raw(std::string_view json_text) {
  return Json::binary(std::vector<std::uint8_t>(json_text.begin(), json_text.end()));
}

Json embedded(const std::string& canonical_text) {
  auto value = parse_json(canonical_text);
  return value ? std::move(*value) : raw(canonical_text);
}

std::optional<std::int64_t> as_int64(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

}  // namespace leaseproof::scenarios
