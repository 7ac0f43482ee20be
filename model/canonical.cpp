#include "model/canonical.hpp"

#include <charconv>
#include <system_error>

#include "model/sha256.hpp"

namespace leaseproof::model {
namespace {

void append_json(std::string& out, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_json(std::string& out, std::optional<std::int64_t> number) {
  if (number) {
    append_json(out, *number);
  } else {
    out += "null";
  }
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
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
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\r':
        out += "\\r";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20) {
          out += "\\u00";
          out += hex[byte >> 4];
          out += hex[byte & 15];
        } else {
          out += c;
        }
      }
    }
  }
  out += '"';
}

// RFC 8785 sorts the keys; all of these are ASCII.
std::string canonical(const Envelope& envelope) {
  std::string out;
  out.reserve(512);
  out += "{\"action\":";
  append_json(out, envelope.action);
  out += ",\"context_expires_us\":";
  append_json(out, envelope.context_expires_us);
  out += ",\"context_revision\":";
  append_json(out, envelope.context_revision);
  out += ",\"input_hash\":\"";
  out += digest_of(envelope.input);
  out += "\",\"op\":";
  append_json(out, envelope.op);
  out += ",\"payload_hash\":\"";
  out += digest_of(envelope.payload);
  out += "\",\"request_no\":";
  append_json(out, envelope.request_no);
  out += ",\"requester\":";
  append_json(out, envelope.requester);
  out += ",\"scope\":";
  append_json(out, envelope.scope);
  out += ",\"target\":";
  append_json(out, envelope.target);
  out += ",\"workflow\":";
  append_json(out, envelope.workflow);
  out += '}';
  return out;
}

std::string binding_hash(const Envelope& envelope) { return sha256_hex(canonical(envelope)); }

namespace {
// In no UTF-8.
constexpr char digest_mark = '\xff';
}  // namespace

std::string digest_form(std::string_view sha256) {
  std::string form(1, digest_mark);
  return form += sha256;
}

bool is_digest_form(std::string_view value) {
  return !value.empty() && value.front() == digest_mark;
}

std::string digest_of(std::string_view value) {
  return is_digest_form(value) ? std::string(value.substr(1)) : sha256_hex(value);
}

std::string operation_key(std::string_view op) {
  std::string out = "[";
  append_json(out, op);
  out += ",\"effect/v1\"]";
  return sha256_hex(out);
}

std::uint64_t jitter_draw(std::string_view op, std::int64_t attempts) {
  std::string out = "[";
  append_json(out, op);
  out += ',';
  append_json(out, attempts);
  out += ",\"jitter/v1\"]";
  const auto digest = sha256(out);
  std::uint64_t draw = 0;
  for (int i = 0; i < 8; ++i) draw = (draw << 8) | digest[static_cast<std::size_t>(i)];
  return draw;
}

std::string reconciled_result(const std::optional<std::string>& receipt) {
  std::string out = R"({"fresh_write_performed":false,"receipt":)";
  if (receipt) {
    append_json(out, *receipt);
  } else {
    out += "null";
  }
  out += '}';
  return out;
}

}  // namespace leaseproof::model
