// Checks what each way in which an HTTP exchange can end is worth, and which addresses are allowed.
// That exchanges end in these ways is checked against a real server in http_job_test.cpp.
#include "scenarios/lab/http_provider.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/lab/endpoint.hpp"

namespace leaseproof::scenarios::lab {
namespace {

using model::FailKind;

NoDraft refused(Ending ending, long status = 0) {
  HttpAnswer answer;
  answer.ending = ending;
  answer.status = status;
  answer.retry_after_us = 7;
  const auto draft = judged(answer, "a-secret-key");
  EXPECT_FALSE(draft);
  return draft ? NoDraft{} : draft.error();
}

TEST(HttpProvider, only_what_a_server_may_yet_answer_is_retryable) {
  for (const long status : {408L, 429L, 500L, 502L, 503L, 529L, 599L}) {
    EXPECT_EQ(refused(Ending::answered, status).kind, FailKind::retryable) << status;
    EXPECT_EQ(refused(Ending::answered, status).retry_after_us, 7) << status;
  }
  for (const long status : {300L, 301L, 304L, 400L, 401L, 403L, 404L, 410L, 422L, 451L}) {
    EXPECT_EQ(refused(Ending::answered, status).kind, FailKind::permanent) << status;
    EXPECT_FALSE(refused(Ending::answered, status).retry_after_us.has_value()) << status;
  }
}

TEST(HttpProvider, a_refusal_is_one_however_its_page_ends) {
  for (const Ending ending : {Ending::too_large, Ending::cut_off, Ending::timed_out}) {
    EXPECT_EQ(refused(ending, 503).kind, FailKind::retryable);
    EXPECT_EQ(refused(ending, 404).kind, FailKind::permanent);
  }
}

TEST(HttpProvider, what_was_sent_without_an_answer_is_unknown_and_what_was_not_is_retryable) {
  for (const Ending ending : {Ending::timed_out, Ending::cut_off, Ending::stopped}) {
    EXPECT_EQ(refused(ending).kind, FailKind::unknown);
  }
  EXPECT_EQ(refused(Ending::timed_out, 200).kind, FailKind::unknown);
  for (const Ending ending : {Ending::name_not_found, Ending::connect_failed,
                              Ending::connect_timed_out, Ending::tls_failed}) {
    EXPECT_EQ(refused(ending).kind, FailKind::retryable);
  }
  EXPECT_EQ(refused(Ending::tls_refused).kind, FailKind::permanent);
  EXPECT_EQ(refused(Ending::too_large, 200).kind, FailKind::permanent);
}

TEST(HttpProvider, an_answer_that_reached_its_limit_of_tokens_is_said_to_be_cut_short) {
  HttpAnswer answer;
  answer.ending = Ending::answered;
  answer.status = 200;
  answer.body =
      R"({"choices": [{"finish_reason": "length", "message": {"content": "{\"summary\": \"a"}}]})";
  EXPECT_EQ(judged(answer, "a-secret-key").error().error.rfind("draft_cut_short: ", 0), 0U);
}

TEST(HttpProvider, no_frame_however_odd_is_more_than_a_bad_shape) {
  HttpAnswer answer;
  answer.ending = Ending::answered;
  answer.status = 200;
  for (const char* body :
       {"null", "[]", "7", R"({"choices": {}})", R"({"choices": [7]})",
        R"({"choices": [{"message": "text"}]})", R"({"choices": [{"message": {"content": null}}]})",
        R"({"choices": [{"message": {"content": ["text"]}}]})"}) {
    answer.body = body;
    EXPECT_EQ(judged(answer, "a-secret-key").error().error.rfind("bad_shape: ", 0), 0U) << body;
  }
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("\xff"), std::string(1'000'000, '[')}) {
    answer.body = body;
    EXPECT_EQ(judged(answer, "a-secret-key").error().error.rfind("bad_json: ", 0), 0U);
  }
}

TEST(Endpoint, only_https_or_this_machine) {
  for (const char* good :
       {"https://api.example.com/v1/chat/completions", "https://10.0.0.1:8443/x",
        "http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:80/v1"}) {
    EXPECT_EQ(complaint_about_endpoint(good), "") << good;
  }
  for (const char* bad : {"", "nonsense", "/v1", "http://example.com/v1",
                          "http://127.0.0.1.example.com/", "http://127.0.0.2/", "http://0.0.0.0/",
                          "ftp://127.0.0.1/", "file:///etc/passwd", "https://", "https://a b/"}) {
    EXPECT_NE(complaint_about_endpoint(bad), "") << bad;
  }
}

TEST(Endpoint, no_part_that_could_carry_a_credential) {
  for (const char* bad :
       {"https://user@h.example/", "https://user:pass@h.example/", "https://:pass@h.example/",
        "https://h.example/?key=1", "https://h.example/#key", "http://127.0.0.1@h.example/"}) {
    EXPECT_NE(complaint_about_endpoint(bad).find("credential"), std::string::npos) << bad;
  }
}

TEST(Endpoint, a_proxy_is_passed_by_for_this_machine_only) {
  EXPECT_TRUE(is_loopback_http("http://localhost:1/x"));
  EXPECT_FALSE(is_loopback_http("https://localhost:1/x"));
  EXPECT_FALSE(is_loopback_http("http://h.example/x"));
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
