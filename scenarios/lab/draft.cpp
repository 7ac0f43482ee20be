#include "scenarios/lab/draft.hpp"

#include <algorithm>

namespace leaseproof::scenarios::lab {

namespace {

tl::unexpected<std::string> bad_shape() {
  return tl::unexpected(std::string(
      "bad_shape: a draft is an object of a non-empty summary and a non-empty list of source ids, "
      "and nothing else"));
}

bool is_text(const Json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

}  // namespace

Json draft_json(const Draft& draft) {
  return {{"summary", draft.summary}, {"citations", draft.citations}};
}

tl::expected<Draft, std::string> parse_draft(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text.substr(begin, 3) == "```") {
    return tl::unexpected(std::string(
        "fenced_json: the draft stands in a Markdown fence; ask the model for plain JSON"));
  }
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(std::string("bad_json: the draft is no strict JSON"));
  return draft_of(*json);
}

tl::expected<Draft, std::string> draft_of(const Json& value) {
  if (!value.is_object() || value.size() != 2) return bad_shape();
  const auto summary = value.find("summary");
  const auto citations = value.find("citations");
  if (summary == value.end() || citations == value.end()) return bad_shape();
  if (!is_text(*summary) || !citations->is_array() || citations->empty()) return bad_shape();
  if (!std::all_of(citations->begin(), citations->end(), is_text)) return bad_shape();
  return Draft{*summary, citations->get<std::vector<std::string>>()};
}

std::string complaint_about_citations(const Draft& draft, const std::vector<Source>& sources) {
  const bool known = std::all_of(draft.citations.begin(), draft.citations.end(),
                                 [&](const std::string& id) { return is_source(sources, id); });
  return known ? "" : "unknown_citation: the draft cites an id that no source of the job has";
}

}  // namespace leaseproof::scenarios::lab
