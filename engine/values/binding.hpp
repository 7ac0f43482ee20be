// What an approval is bound to, and under which key a write is made (SEMANTICS 5 and 6).
//
// Promise: the texts are canonical JSON, so that every implementation hashes the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leaseproof::engine {

// `input` and `payload` are canonical JSON; the envelope holds their SHA-256.
struct Envelope {
  std::string_view workflow;
  std::string_view op;
  std::string_view action;
  std::string_view target;
  std::string_view scope;
  std::string_view requester;
  std::string_view input;
  std::string_view payload;
  // Of the context that the op pinned; absent without one.
  std::optional<std::int64_t> context_revision;
  std::optional<std::int64_t> context_expires_us;
  std::int64_t request_no = 0;
};

// SEMANTICS 5, envelope: what a reviewer sees; its SHA-256 is the binding hash.
std::string envelope_text(const Envelope& envelope);

// SEMANTICS 6: without generation, attempt or request number, so that every retry has the same.
std::string operation_key(std::string_view op);

// The result of an op that a reconciliation confirmed; `receipt` is absent where only evidence is
// known.
std::string confirmed_result(const std::optional<std::string>& receipt);

}  // namespace leaseproof::engine
