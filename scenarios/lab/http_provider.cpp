#include "scenarios/lab/http_provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace leaseproof::scenarios::lab {

namespace {

using model::FailKind;

using Judged = tl::expected<Draft, NoDraft>;

tl::unexpected<NoDraft> none(FailKind kind, std::string error) {
  return tl::unexpected(NoDraft{kind, std::move(error), std::nullopt});
}

tl::unexpected<NoDraft> judged_ending(Ending ending) {
  switch (ending) {
    case Ending::stopped:
      return none(FailKind::unknown, "stopped: the call was given up");
    case Ending::too_large:
      return none(FailKind::permanent,
                  fmt::format("response_too_large: more than {} bytes came", most_answer_bytes));
    case Ending::name_not_found:
      return none(FailKind::retryable, "name_not_found: the endpoint's name has no address");
    case Ending::connect_failed:
      return none(FailKind::retryable, "connect_failed: nothing was sent");
    case Ending::connect_timed_out:
      return none(FailKind::retryable, "connect_timed_out: nothing was sent");
    case Ending::tls_failed:
      return none(FailKind::retryable, "tls_failed: nothing was sent");
    case Ending::tls_refused:
      return none(FailKind::permanent, "tls_refused: the endpoint's certificate is not trusted");
    case Ending::no_authorities:
      return none(FailKind::permanent,
                  "no_authorities: no certificates to trust are installed (ca-certificates)");
    case Ending::timed_out:
      return none(FailKind::unknown,
                  "http_timeout: the request was sent, and its answer was not there in time");
    case Ending::cut_off:
    case Ending::answered:
      break;
  }
  return none(FailKind::unknown,
              "http_cut_off: the request was sent, and the connection ended before its answer");
}

// An error status is a refusal, also when its page was cut short or too long.
tl::unexpected<NoDraft> judged_status(const HttpAnswer& answer) {
  const long status = answer.status;
  if (status < 400) {
    return none(FailKind::permanent,
                fmt::format("http_redirect: the endpoint answered {}; name the final address in "
                            "another job",
                            status));
  }
  const bool again = status == 408 || status == 429 || status >= 500;
  auto refused = none(again ? FailKind::retryable : FailKind::permanent,
                      fmt::format("http_{}: the endpoint refused the request", status));
  if (again) refused.value().retry_after_us = answer.retry_after_us;
  return refused;
}

const Json* member(const Json* value, const char* key) {
  if (value == nullptr || !value->is_object()) return nullptr;
  const auto found = value->find(key);
  return found != value->end() ? &*found : nullptr;
}

// The frame around a draft is the provider's own and may hold fractions, which our strict reader
// refuses; so it is read by the library.
tl::expected<std::string, std::string> content_of(const std::string& body) {
  const Json frame = Json::parse(body, nullptr, false);
  if (frame.is_discarded()) return tl::unexpected(std::string("bad_json: the answer is no JSON"));
  const Json* choices = member(&frame, "choices");
  const Json* first =
      choices != nullptr && choices->is_array() && !choices->empty() ? &choices->at(0) : nullptr;
  const Json* content = member(member(first, "message"), "content");
  if (content == nullptr || !content->is_string()) {
    return tl::unexpected(
        std::string("bad_shape: the answer has no text at choices[0].message.content"));
  }
  const Json* finish = member(first, "finish_reason");
  if (finish != nullptr && *finish == "length") {
    return tl::unexpected(std::string("draft_cut_short: the model reached its limit of tokens"));
  }
  return content->get<std::string>();
}

bool quotes(const Draft& draft, const std::string& key) {
  const auto holds = [&key](const std::string& text) {
    return text.find(key) != std::string::npos;
  };
  return holds(draft.summary) || std::any_of(draft.citations.begin(), draft.citations.end(), holds);
}

}  // namespace

HttpProvider::HttpProvider(std::string endpoint, std::string model, std::string key)
    : endpoint_(std::move(endpoint)), model_(std::move(model)), key_(std::move(key)) {}

std::string request_body(const std::string& model, const Assignment& assignment) {
  std::string told = "Sources:\n";
  for (const Source& source : assignment.sources) {
    told += fmt::format("[{}] {}\n{}\n", source.id, source.title, source.text);
  }
  if (!assignment.memory.empty()) told += "Memory:\n" + assignment.memory + "\n";
  const Json system = {
      {"role", "system"},
      {"content",
       "Summarize the sources for an engineer in at most five sentences. Use nothing but the "
       "sources. Answer with plain JSON, without a Markdown fence, in exactly this shape: "
       R"({"summary": "...", "citations": ["source id", ...]})"}};
  return canonical(Json{{"model", model},
                        {"messages", {system, {{"role", "user"}, {"content", told}}}},
                        {"temperature", 0},
                        {"max_tokens", 800}});
}

Judged judged(const HttpAnswer& answer, const std::string& key) {
  if (answer.ending != Ending::stopped && answer.status >= 300) return judged_status(answer);
  if (answer.ending != Ending::answered) return judged_ending(answer.ending);
  const auto content = content_of(answer.body);
  if (!content) return none(FailKind::permanent, content.error());
  auto draft = parse_draft(*content);
  if (!draft) return none(FailKind::permanent, draft.error());
  if (quotes(*draft, key)) {
    return none(FailKind::permanent, "key_echoed: the draft quotes the key of the endpoint");
  }
  return std::move(*draft);
}

Judged HttpProvider::draft(const Assignment& assignment, const Bounds& bounds) {
  return judged(post_json({endpoint_, key_, request_body(model_, assignment), bounds.within_us,
                           most_answer_bytes, bounds.stop}),
                key_);
}

}  // namespace leaseproof::scenarios::lab
