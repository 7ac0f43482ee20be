#include "reports/schema.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace leaseproof::reports {

namespace {

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

std::string told(const std::string& pointer, const std::string& problem) {
  return (pointer.empty() ? "the document" : pointer) + ": " + problem;
}

std::string listed(const Json& values) {
  std::string text;
  for (const Json& one : values) {
    text += (text.empty() ? "" : ", ") + (one.is_string() ? one.get<std::string>() : one.dump());
  }
  return text;
}

class Judge {
 public:
  explicit Judge(const Json& schema) : schema_(schema) {}

  std::string problem(const Json& value, const Json& rule, const std::string& pointer) {
    if (rule.contains("$ref")) return problem(value, definition(rule["$ref"]), pointer);
    if (rule.contains("oneOf")) return of_its_command(value, rule["oneOf"], pointer);
    if (rule.contains("anyOf")) return of_any(value, rule["anyOf"], pointer);
    if (std::string wrong = of_itself(value, rule, pointer); !wrong.empty()) return wrong;
    if (value.is_object()) return of_members(value, rule, pointer);
    if (!value.is_array() || !rule.contains("items")) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string wrong = problem(value[i], rule["items"], pointer + "/" + std::to_string(i));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  const Json& definition(const Json& reference) const {
    return schema_["definitions"][last_key(reference.get<std::string>())];
  }

  static std::string of_itself(const Json& value, const Json& rule, const std::string& pointer) {
    if (rule.contains("enum")) {
      const Json& words = rule["enum"];
      if (std::find(words.begin(), words.end(), value) == words.end()) {
        return told(pointer, "is none of " + listed(words));
      }
    }
    if (rule.contains("type")) {
      const Json types = rule["type"].is_array() ? rule["type"] : Json::array({rule["type"]});
      const bool fits = std::any_of(types.begin(), types.end(), [&](const Json& type) {
        return is_of_type(value, type.get<std::string>());
      });
      if (!fits) {
        return told(pointer,
                    "is of type " + std::string(value.type_name()) + ", not " + listed(types));
      }
    }
    if (rule.contains("minimum") && value.is_number() && value < rule["minimum"]) {
      return told(pointer, "is less than " + rule["minimum"].dump());
    }
    return {};
  }

  std::string of_members(const Json& value, const Json& rule, const std::string& pointer) {
    static const Json nothing = Json::object();
    for (const Json& key : rule.value("required", Json::array())) {
      const std::string name = key.get<std::string>();
      if (!value.contains(name)) return told(pointer, "'" + name + "' is missing");
    }
    const Json& properties = rule.contains("properties") ? rule["properties"] : nothing;
    for (const auto& item : value.items()) {
      const Json* named = &nothing;
      if (properties.contains(item.key())) {
        named = &properties[item.key()];
      } else if (rule.contains("additionalProperties")) {
        named = &rule["additionalProperties"];
        if (*named == Json(false)) return told(pointer, "'" + item.key() + "' is not known");
      }
      std::string wrong = problem(item.value(), *named, pointer + "/" + stair(item.key()));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  // Of the alternatives it is the command that chooses, so that what is wrong with it can be said.
  std::string of_its_command(const Json& value, const Json& rules, const std::string& pointer) {
    if (!value.is_object()) return told(pointer, "is no JSON object");
    if (!value.contains("command")) return told(pointer, "'command' is missing");
    std::vector<std::string> known;
    for (const Json& rule : rules) {
      const Json& alternative = definition(rule["$ref"]);
      const Json& command = alternative["properties"]["command"]["enum"][0];
      if (value["command"] == command) return problem(value, alternative, pointer);
      known.push_back(command.get<std::string>());
    }
    return told(pointer + "/command", "is none of " + listed(Json(known)));
  }

  // Where none holds, the one that is meant is the first of the same type.
  std::string of_any(const Json& value, const Json& rules, const std::string& pointer) {
    std::string first;
    for (const Json& rule : rules) {
      std::string wrong = problem(value, rule, pointer);
      if (wrong.empty()) return {};
      if (first.empty()) first = std::move(wrong);
    }
    return first;
  }

  const Json& schema_;
};

}  // namespace

const Json& result_schema() {
  static const Json schema = Json::parse(result_schema_text());
  return schema;
}

std::string schema_problem(const Json& document) {
  return Judge(result_schema()).problem(document, result_schema(), "");
}

}  // namespace leaseproof::reports
