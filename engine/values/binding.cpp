#include "engine/values/binding.hpp"

#include "engine/values/canonical_json.hpp"
#include "engine/values/digest.hpp"

namespace leaseproof::engine {
namespace {

void append_maybe(std::string& out, const std::optional<std::int64_t>& number) {
  out += number ? std::to_string(*number) : "null";
}

}  // namespace

// The keys stand in the order of RFC 8785.
std::string envelope_text(const Envelope& envelope) {
  std::string out = R"({"action":)";
  append_json_string(out, envelope.action);
  out += R"(,"context_expires_us":)";
  append_maybe(out, envelope.context_expires_us);
  out += R"(,"context_revision":)";
  append_maybe(out, envelope.context_revision);
  out += R"(,"input_hash":)";
  append_json_string(out, sha256_hex(envelope.input));
  out += R"(,"op":)";
  append_json_string(out, envelope.op);
  out += R"(,"payload_hash":)";
  append_json_string(out, sha256_hex(envelope.payload));
  out += R"(,"request_no":)";
  out += std::to_string(envelope.request_no);
  out += R"(,"requester":)";
  append_json_string(out, envelope.requester);
  out += R"(,"scope":)";
  append_json_string(out, envelope.scope);
  out += R"(,"target":)";
  append_json_string(out, envelope.target);
  out += R"(,"workflow":)";
  append_json_string(out, envelope.workflow);
  out.push_back('}');
  return out;
}

std::string operation_key(std::string_view op) {
  std::string out = "[";
  append_json_string(out, op);
  out += R"(,"effect/v1"])";
  return sha256_hex(out);
}

std::string confirmed_result(const std::optional<std::string>& receipt) {
  std::string out = R"({"fresh_write_performed":false,"receipt":)";
  if (receipt) {
    append_json_string(out, *receipt);
  } else {
    out += "null";
  }
  out.push_back('}');
  return out;
}

}  // namespace leaseproof::engine
