#include "scenarios/lab/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/values/digest.hpp"
#include "scenarios/reader.hpp"

namespace leaseproof::scenarios::lab {

namespace {

Source source(std::string id, std::string title, std::string text) {
  std::string sha256 = engine::sha256_hex(text);
  return {std::move(id), std::move(title), std::move(text), std::move(sha256)};
}

constexpr const char* keys[] = {"id", "title", "text"};

tl::expected<Source, std::string> read_source(const Json& item, std::size_t number) {
  const auto refused = [number](std::string_view why) {
    return tl::unexpected(fmt::format("source {}{}", number, why));
  };
  if (!item.is_object()) {
    return refused(fmt::format(": must be an object, but is {}", type_name(item)));
  }
  for (const char* key : keys) {
    const auto value = item.find(key);
    if (value == item.end()) return refused(fmt::format(", key '{}': is missing", key));
    if (!value->is_string()) {
      return refused(fmt::format(", key '{}': must be text, but is {}", key, type_name(*value)));
    }
    if (value->get_ref<const std::string&>().empty()) {
      return refused(fmt::format(", key '{}': is empty", key));
    }
  }
  for (const auto& [key, value] : item.items()) {
    if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys)) {
      return refused(": " + unknown_word("key", key, {std::begin(keys), std::end(keys)}));
    }
  }
  return source(item.at("id"), item.at("title"), item.at("text"));
}

}  // namespace

std::vector<Source> built_in_sources() {
  return {source("S1", "Leases and generations",
                 "A lease gives one worker an op for a while. When it runs out, another worker may "
                 "take the op under a new generation. A write under the old generation is refused, "
                 "whatever the old worker's clock says."),
          source("S2", "Operation keys and receipts",
                 "A write to an outside service carries an operation key that is the same on every "
                 "retry. A service that keeps the key with its receipt answers a repeat with the "
                 "old receipt. Without such a service an unknown outcome is reconciled, not "
                 "sent again.")};
}

tl::expected<std::vector<Source>, std::string> parse_sources(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(json.error());
  if (!json->is_array()) {
    return tl::unexpected(
        fmt::format("must be a list of {{id, title, text}}, but is {}", type_name(*json)));
  }
  if (json->empty() || json->size() > most_sources) {
    return tl::unexpected(
        fmt::format("holds {} sources; between 1 and {} are allowed", json->size(), most_sources));
  }
  std::vector<Source> sources;
  std::size_t bytes = 0;
  for (const Json& item : *json) {
    auto read = read_source(item, sources.size() + 1);
    if (!read) return tl::unexpected(read.error());
    if (is_source(sources, read->id)) {
      return tl::unexpected(fmt::format("source {}, key 'id': '{}' stands twice; name it once",
                                        sources.size() + 1, read->id));
    }
    bytes += read->text.size();
    sources.push_back(std::move(*read));
  }
  if (bytes > most_source_bytes) {
    return tl::unexpected(
        fmt::format("its texts are {} bytes long; {} are allowed, since a job "
                    "carries them inline",
                    bytes, most_source_bytes));
  }
  return sources;
}

Json sources_with_texts(const std::vector<Source>& sources) {
  Json list = sources_by_digest(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) list[i]["text"] = sources[i].text;
  return list;
}

Json sources_by_digest(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source& source : sources) {
    list.push_back({{"id", source.id}, {"title", source.title}, {"sha256", source.sha256}});
  }
  return list;
}

bool is_source(const std::vector<Source>& sources, std::string_view id) {
  return std::any_of(sources.begin(), sources.end(),
                     [id](const Source& source) { return source.id == id; });
}

}  // namespace leaseproof::scenarios::lab
