// Checks that what is taken apart as plain JSON is what the strict reader reads: texts of every
// kind, and rows of a journal that were changed here and there. Does not check how fast it is.
#include "scenarios/plain_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>
#include <vector>

#include "scenarios/journal_codec.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios {
namespace {

using namespace std::string_literals;

properties::JournalEvent event_of(const std::string& detail) {
  properties::JournalEvent event;
  event.detail = detail;
  return event;
}
std::optional<properties::DecodedEvent> plain(const std::string& detail) {
  return decode_plain_journal(event_of(detail));
}
std::optional<properties::DecodedEvent> any(const std::string& detail) {
  return decode_any_journal(event_of(detail));
}

bool same(const properties::DecodedEvent& a, const properties::DecodedEvent& b) {
  if (a.change != b.change || a.call.has_value() != b.call.has_value()) return false;
  return !a.call || (a.call->action == b.call->action && a.call->given == b.call->given &&
                     a.call->outcome == b.call->outcome && a.call->token == b.call->token);
}

// Rows as this engine writes them: each call, and most of the fields that a call can have.
const std::vector<std::string>& rows() {
  static const std::string token = R"("token":")" + std::string(64, 'a') + R"(",)";
  static const std::string digest = R"({"sha256":")" + std::string(64, 'b') + R"("})";
  static const std::vector<std::string> all{
      R"({"from":"","to":"pending"})",
      R"({"from":"reconciling","to":"effect_confirmed","for_a_person":{"reconciling":0,)"
      R"("waiting_approval":12}})",
      R"({"action":{"do":"ensure","workflow":"w","package":"p","identity":{"a":[1,"x"],"b":null},)"
      R"("input":)" +
          digest +
          R"(,"ops":[{"id":"w-a","kind":"task","site":"default",)"
          R"("queue":"narrow","input":{"part":"ä€😀","q":"\"\\\n\t"},"max_attempts":3,)"
          R"("deadline_us":-5,"retry":{"policy":"fixed","delays_us":[5000,20000]},)"
          R"("effect":{"contract":"queryable","approval":true,"retention_us":0,"target":"t",)"
          R"("scope":"s","requester":"r"},"context":"team"},{"id":"w-b","needs":["w-a",{"op":"w-c",)"
          R"("optional":true}],"kind":"k\"","site":"s","queue":"q","input":null,"max_attempts":1,)"
          R"("retry":{"policy":"exponential","multiplier":2,"base_us":1,"cap_us":9}}],"now_us":17,)"
          R"("outcome":{"outcome":"created","workflow":"w"}}})",
      R"({"action":{"do":"start","package":"p","input":[],"ops":[],"now_us":1,"outcome":)"
      R"({"outcome":"created","workflow":"0123"}}})",
      R"({"action":{"do":"queue","queue":"q","site":"s","max_in_flight":1,"rate_per_s":2,)"
      R"("burst":3,"now_us":4,"outcome":{"outcome":"ok"}}})",
      R"({"action":{"do":"context_put","scope":"s","payload":{"a":true,"b":false},"ttl_us":9,)"
      R"("now_us":4,"outcome":{"outcome":"ok"}}})",
      R"({"action":{"do":"context_revoke","scope":"s","now_us":4,"outcome":{"outcome":"ok"}}})",
      R"({"action":{"do":"refresh","now_us":1790000000019758,"outcome":{"outcome":"ok",)"
      R"("recovered":0,"expired":1,"blocked":2,"unblocked":3,"readied":4}},"from":"pending",)"
      R"("to":"ready"})",
      R"({"action":{"do":"lease","worker":"A","owner":"o","queue":"q","site":"s",)"
      R"("lease_us":30000000,)" +
          token +
          R"("now_us":5,"outcome":{"outcome":"leased","op":"a",)"
          R"("generation":1,"expires_us":35}},"from":"ready","to":"running"})",
      R"({"action":{"do":"heartbeat","op":"a","lease_us":3,)" + token +
          R"("now_us":5,"outcome":)"
          R"({"outcome":"extended","expires_us":8}},"from":"running","to":"running"})",
      R"({"action":{"do":"checkpoint","op":"a","step":"draft","payload":{"at":1},)" + token +
          R"("now_us":5,"outcome":{"outcome":"ok"}},"from":"running","to":"running"})",
      R"({"action":{"do":"complete","op":"a","result":"done\n","completed_at_us":7,)"
      R"("artifacts":[{"name":"out","text":"{}"},{"name":"long","text":)" +
          digest +
          R"(}],"emit":[{"id":"e","retry":{"policy":"linear","base_us":1,"cap_us":2}}],)"
          R"("receipt":"r-1",)" +
          token +
          R"("now_us":5,"outcome":{"outcome":"ok"}},)"
          R"("from":"running","to":"succeeded"})",
      R"({"action":{"do":"fail","op":"a","kind":"unknown","error":"lost\t",)" + token +
          R"("now_us":5,"outcome":{"outcome":"retry_scheduled","next_attempt_us":8}},)"
          R"("from":"running","to":"ready"})",
      R"({"action":{"do":"request_approval","op":"a","payload":[1,{"z":-1}],"ttl_us":9,)" + token +
          R"("now_us":5,"outcome":{"outcome":"waiting","hash":"0f"}},"from":"running",)"
          R"("to":"waiting_approval","for_a_person":{"reconciling":0,"waiting_approval":1}})",
      R"({"action":{"do":"approve","op":"a","hash":"0f","actor":{"id":"rita","roles":["reviewer"],)"
      R"("scopes":["team","b"]},"now_us":5,"outcome":{"outcome":"ok"}},"from":"waiting_approval",)"
      R"("to":"ready","for_a_person":{"reconciling":0,"waiting_approval":0}})",
      R"({"action":{"do":"reject","op":"a","hash":"stale","actor":{"id":"x","roles":[],)"
      R"("scopes":[]},"now_us":5,"outcome":{"outcome":"already_decided","status":"void"}}})",
      R"({"action":{"do":"dispatch","op":"a","payload":"p",)" + token +
          R"("now_us":5,)"
          R"("outcome":{"outcome":"dispatching","key":"k","call_before_us":9}},"from":"running",)"
          R"("to":"running"})",
      R"({"action":{"do":"reconcile","op":"a","found":"r","now_us":5,"outcome":)"
      R"({"outcome":"confirmed"}}})",
      R"({"action":{"do":"close","op":"a","happened":true,"evidence":"e","actor":{"id":"o",)"
      R"("roles":["operator"],"scopes":["team"]},"now_us":5,"outcome":{"outcome":"ok"}}})",
      R"({"action":{"do":"retry","op":"a","deadline_us":99,"now_us":5,"outcome":{"outcome":"ok",)"
      R"("reopened":2}},"from":"failed","to":"ready"})",
      R"({"action":{"do":"cancel","workflow":"w","now_us":5,"outcome":{"outcome":"ok",)"
      R"("canceled":2,"reconciling":0}}})"};
  return all;
}

TEST(PlainJson, reads_each_row_that_an_engine_writes) {
  for (const std::string& row : rows()) {
    const auto strict = any(row);
    ASSERT_TRUE(strict) << row;
    const auto found = plain(row);
    ASSERT_TRUE(found) << row;
    EXPECT_TRUE(same(*found, *strict)) << row;
  }
}

// What a changed row is made of: bytes and words at which readers of JSON part ways.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all{"\"",
                                            "\\",
                                            "{",
                                            "}",
                                            "[",
                                            "]",
                                            ":",
                                            ",",
                                            "0",
                                            "1",
                                            "9",
                                            "-",
                                            "+",
                                            ".",
                                            "e",
                                            "E",
                                            " ",
                                            "\n",
                                            "\t",
                                            "\0"s,
                                            "\x1f",
                                            "\x7f",
                                            "\x80",
                                            "\xbf",
                                            "\xc0\x80",
                                            "\xc1\xbf",
                                            "\xc3",
                                            "\xc3\xa4",
                                            "\xe0\x80\x80",
                                            "\xe2\x82\xac",
                                            "\xed\xa0\x80",
                                            "\xef\xbf\xbf",
                                            "\xee\x80\x80",
                                            "\xf0\x80\x80\x80",
                                            "\xf0\x9f\x98\x80",
                                            "\xf4\x8f\xbf\xbf",
                                            "\xf4\x90\x80\x80",
                                            "\xf5",
                                            "\xff",
                                            "\xef\xbb\xbf",
                                            "\\u0041",
                                            "\\ud800",
                                            "\\ud83d\\ude00",
                                            "\\/",
                                            "\\b",
                                            "\\f",
                                            "\\n",
                                            "\\r",
                                            "\\t",
                                            "\\\"",
                                            "\\\\",
                                            "\\x",
                                            "true",
                                            "false",
                                            "null",
                                            "tru",
                                            "nullnull",
                                            "NaN",
                                            "-0",
                                            "007",
                                            "1.0",
                                            "1e3",
                                            "999999999999999999",
                                            "1000000000000000000",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "-9223372036854775808",
                                            "-9223372036854775809",
                                            "18446744073709551616",
                                            std::string(400, '9'),
                                            std::string(150, '['),
                                            std::string(40, '['),
                                            std::string(150, ']'),
                                            "\"a\":1,",
                                            ",\"a\":1",
                                            "\"to\":\"ready\",",
                                            "\"worker\":\"A\",",
                                            "\"token\":\"t\",",
                                            "\"do\":\"refresh\",",
                                            "{\"b\":1,\"a\":2}",
                                            "{\"a\":1,\"a\":2}",
                                            "{\"a\":1,\"b\":2}",
                                            "{\"\":1}",
                                            "{\"\xc3\xa4\":1}",
                                            "/**/",
                                            "'"};
  return all;
}

std::string changed(std::string row) {
  const auto place = [&](std::size_t most) { return *rc::gen::inRange<std::size_t>(0, most + 1); };
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const std::size_t at = place(row.size());
    const std::size_t length = std::min(place(8), row.size() - at);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        row.erase(at, length);
        break;
      case 1:
        row.insert(at, *rc::gen::elementOf(pieces()));
        break;
      case 2:
        row.replace(at, length, *rc::gen::elementOf(pieces()));
        break;
      case 3:  // a part twice, as of a key
        row.insert(at, row.substr(at, place(40)));
        break;
      default: {  // a whole value in the place of another
        const std::size_t colon = row.find(':', at);
        if (colon == std::string::npos) break;
        const std::size_t end = row.find_first_of(",}", colon);
        row.replace(colon + 1, end == std::string::npos ? 0 : end - colon - 1,
                    *rc::gen::elementOf(pieces()));
      }
    }
  }
  return row;
}

TEST(PlainJson, reads_a_changed_row_as_the_strict_reader_or_leaves_it_alone) {
  int read = 0;
  int left_alone = 0;
  int refused = 0;
  EXPECT_TRUE(rc::check([&] {
    for (const std::string& row : rows()) {
      for (int i = 0; i < 40; ++i) {
        const std::string text = changed(row);
        const auto found = plain(text);
        const auto strict = any(text);
        if (found) {
          if (!strict || !same(*found, *strict)) RC_FAIL(text);
          ++read;
        } else {
          ++(strict ? left_alone : refused);
        }
      }
    }
  }));
  EXPECT_GT(read, 1'000);
  EXPECT_GT(left_alone, 100);
  EXPECT_GT(refused, 1'000);
}

// Values in any order and shape, written as a program would that knows nothing of canonical form.
std::string drawn_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 5)) {
    case 0:
      return *rc::gen::element("null"s, "true"s, "false"s, "0"s, "-1"s, "[]"s, "{}"s);
    case 1:
      return std::to_string(*rc::gen::arbitrary<std::int64_t>());
    case 2:
      return "\"" + *rc::gen::elementOf(pieces()) + "\"";
    case 3:
    case 4:
      return *rc::gen::element(R"("")"s, R"("a")"s, R"("é")"s, R"("\n")"s, R"("\\\"")"s);
    case 5: {
      std::string list = "[";
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list += drawn_value(depth - 1) + ",";
      if (list.size() > 1) list.pop_back();
      return list + "]";
    }
    default: {
      std::string object = "{";
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        object += *rc::gen::element("\"a\":"s, "\"b\":"s, "\"ab\":"s, "\"B\":"s, "\"\":"s,
                                    "\"é\":"s, "\"a\\n\":"s);
        object += drawn_value(depth - 1) + ",";
      }
      if (object.size() > 1) object.pop_back();
      return object + "}";
    }
  }
}

TEST(PlainJson, knows_a_canonical_value_when_it_sees_one) {
  int canonicals = 0;
  int others = 0;
  EXPECT_TRUE(rc::check([&] {
    for (int i = 0; i < 1000; ++i) {
      const std::string text = drawn_value(3);
      const auto found = PlainJson::read(text);
      if (!found) continue;
      RC_ASSERT(found->node(0).written == text);
      const auto strict = parse_json(text);
      // Whoever reads an object that is not canonical sees a name that stands twice.
      if (!strict && found->node(0).is_canonical) RC_FAIL(text);
      if (!strict) continue;
      if (found->node(0).is_canonical) {
        if (canonical(*strict) != text) RC_FAIL(text);
        ++canonicals;
      } else {
        ++others;
      }
      if (found->node(0).kind == PlainJson::Kind::text) {
        RC_ASSERT(strict->get<std::string>() == text_of(found->node(0)));
      }
      if (found->node(0).kind == PlainJson::Kind::integer) {
        RC_ASSERT(as_int64(*strict) == found->node(0).number);
      }
    }
  }));
  EXPECT_GT(canonicals, 1'000);
  EXPECT_GT(others, 100);
}

TEST(PlainJson, leaves_alone_what_is_nested_too_deeply) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(PlainJson::read(nested(PlainJson::max_depth)));
  EXPECT_FALSE(PlainJson::read(nested(PlainJson::max_depth + 2)));
  EXPECT_FALSE(PlainJson::read(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace leaseproof::scenarios
