// Checks the hashed forms against each vector of SEMANTICS 9 and the escapes of RFC 8785. Does not
// check that a caller's own JSON is canonical: the codec of scenarios/ does.
#include "model/canonical.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "model/delay.hpp"
#include "model/sha256.hpp"

namespace leaseproof::model {
namespace {

// Without a kind of its own the action is `task`.
Envelope draft_by_paul() {
  Envelope envelope;
  envelope.workflow = "w";
  envelope.op = "p";
  envelope.action = "task";
  envelope.scope = "team";
  envelope.requester = "paul";
  envelope.input = "null";
  envelope.payload = "\"draft\"";
  envelope.request_no = 1;
  return envelope;
}

std::string json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

TEST(Canonical, operation_keys_are_those_of_semantics_9) {
  EXPECT_EQ(operation_key("f"), "9c03760903e64c55d5b4e1cf43b8f09937472c93a02d516565eb091a30246bc9");
  EXPECT_EQ(operation_key("Größe \"1\""),
            "b451757170c3606c657d3585e38918f46315586803349c6cab7f13618dd9a5ae");
}

TEST(Canonical, an_identity_digest_is_that_of_semantics_9) {
  EXPECT_EQ(sha256_hex(R"({"input":"digest-1"})"),
            "990c8d863d9c01836db2352f94eae509db759e0dd7b1cc0b105eab0fd4befd7f");
}

TEST(Canonical, binding_hashes_are_those_of_semantics_9) {
  Envelope envelope = draft_by_paul();
  EXPECT_EQ(binding_hash(envelope),
            "7eb47dfe0a5724bb36b93b0cb28b7e97988764f5bcbaa3742359f1d565c5c1aa");
  envelope.action = "publish";
  envelope.context_revision = 1;
  envelope.context_expires_us = 50'000'000;
  EXPECT_EQ(binding_hash(envelope),
            "17b1c8313dc32932c6a0d7d42ac4410ec9e3240a0dd70a077d288bf57eb55730");
}

TEST(Canonical, full_jitter_draws_those_of_semantics_9) {
  RetryPolicy jitter;
  jitter.policy = DelayPolicy::full_jitter;
  jitter.base_us = 1'000'000;
  jitter.cap_us = 60'000'000;
  EXPECT_EQ(retry_delay_us("f", jitter, 3), 3'948'611);
  EXPECT_EQ(retry_delay_us("Größe", jitter, 3), 2'148'400);
}

TEST(Canonical, the_envelope_is_one_object_with_sorted_keys) {
  EXPECT_EQ(canonical(draft_by_paul()),
            R"({"action":"task","context_expires_us":null,"context_revision":null,"input_hash":")" +
                sha256_hex("null") + R"(","op":"p","payload_hash":")" + sha256_hex("\"draft\"") +
                R"(","request_no":1,"requester":"paul","scope":"team","target":"",)" +
                R"("workflow":"w"})");
}

TEST(Canonical, every_part_of_the_envelope_changes_its_hash) {
  const std::string hash = binding_hash(draft_by_paul());
  const auto differs = [&](auto change) {
    Envelope envelope = draft_by_paul();
    change(envelope);
    return binding_hash(envelope) != hash;
  };
  EXPECT_TRUE(differs([](Envelope& e) { e.workflow = "v"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.op = "q"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.action = "publish"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.target = "site"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.scope = "other"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.requester = "rita"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.input = "1"; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.payload = "\"other\""; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.context_revision = 1; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.context_expires_us = 1; }));
  EXPECT_TRUE(differs([](Envelope& e) { e.request_no = 2; }));
}

TEST(Canonical, strings_escape_what_rfc_8785_tells_and_nothing_else) {
  EXPECT_EQ(json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(json(std::string("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(json("/\x7f é \xF0\x9F\x98\x80"), "\"/\x7f é \xF0\x9F\x98\x80\"");
}

TEST(Canonical, numbers_keep_all_their_digits) {
  Envelope envelope = draft_by_paul();
  envelope.context_revision = 1;
  envelope.context_expires_us = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(canonical(envelope).find(R"("context_expires_us":9223372036854775807,)"),
            std::string::npos);
  envelope.context_expires_us = std::numeric_limits<std::int64_t>::min();
  EXPECT_NE(canonical(envelope).find(R"("context_expires_us":-9223372036854775808,)"),
            std::string::npos);
}

TEST(Canonical, a_result_found_afterwards_says_that_nothing_new_was_written) {
  EXPECT_EQ(reconciled_result("r-\"1\""), R"({"fresh_write_performed":false,"receipt":"r-\"1\""})");
  EXPECT_EQ(reconciled_result(std::nullopt), R"({"fresh_write_performed":false,"receipt":null})");
}

}  // namespace
}  // namespace leaseproof::model
