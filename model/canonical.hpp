// The canonical JSON (RFC 8785) of the forms that are hashed, and the hashes (SEMANTICS 9).
//
// Promise: writes only; strings are valid UTF-8 and are copied as they are, apart from what RFC
// 8785 tells to escape. Hashes are lower-case hex SHA-256.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leaseproof::model {

// SEMANTICS 5: what an approval is bound to. `context_*` are both null without a context.
struct Envelope {
  std::string_view workflow;
  std::string_view op;
  std::string_view action;
  std::string_view target;
  std::string_view scope;
  std::string_view requester;
  std::string_view input;
  std::string_view payload;
  std::optional<std::int64_t> context_revision;
  std::optional<std::int64_t> context_expires_us;
  std::int64_t request_no = 0;
};

// Appends `text` as a JSON string.
void append_json(std::string& out, std::string_view text);

std::string canonical(const Envelope& envelope);
std::string binding_hash(const Envelope& envelope);

// A value of which only the SHA-256 is known, as a journal keeps large ones, in a form that no JSON
// and no text has. It stands for the value wherever values are compared or hashed.
std::string digest_form(std::string_view sha256);
bool is_digest_form(std::string_view value);
// The SHA-256 of a value, or of the one that a digest form stands for.
std::string digest_of(std::string_view value);

// SEMANTICS 6: the same on every retry.
std::string operation_key(std::string_view op);

// SEMANTICS 3, delay: the first 16 hex digits of the hash, as a number.
std::uint64_t jitter_draw(std::string_view op, std::int64_t attempts);

// The result of an op that was confirmed afterwards; without a receipt (closed by evidence) null.
std::string reconciled_result(const std::optional<std::string>& receipt);

}  // namespace leaseproof::model
