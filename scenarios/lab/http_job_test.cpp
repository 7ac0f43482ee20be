// Checks jobs whose draft comes over HTTP: the program as a process of its own against a server of
// this machine that answers in good and bad ways; and that the key stays out of every file. No real
// model is called, and no good certificate is at hand here.
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <string>

#include "scenarios/lab/lab_fixture_test.hpp"
#include "scenarios/lab/model_server_test.hpp"

namespace leaseproof::scenarios::lab {
namespace {

constexpr const char* secret_key = "sk-lab-0123456789abcdef";
constexpr const char* with_key = "env LLM_API_KEY=sk-lab-0123456789abcdef";

class HttpJob : public Lab {
 protected:
  void submit(const std::string& address, const std::string& more = "") const {
    expect_exit(0, "submit --provider api --model m-1 --endpoint " + address + more, with_key);
  }
  // One run against such a server; the job as it is afterwards.
  [[nodiscard]] Json job_after(const ModelServer::Answer& answer,
                               const std::string& options = "") const {
    const ModelServer server(answer);
    submit(server.address());
    told("run" + options, with_key);
    expect_no_key();
    return inspected();
  }
  [[nodiscard]] Json job_after_text(const std::string& body) const {
    return job_after([body](const httplib::Request&, httplib::Response& response) {
      response.set_content(body, "application/json");
    });
  }
  void expect_failed(const Json& job, const std::string& error) const {
    EXPECT_EQ(job.at("status"), "failed");
    EXPECT_EQ(job.at("error").get<std::string>().rfind(error + ": ", 0), 0U) << job.at("error");
    EXPECT_TRUE(job.at("steps").at("draft").is_null());
    EXPECT_EQ(job.at("receipts").size(), 0U);
  }
  void expect_retried(const Json& job, const std::string& error) const {
    EXPECT_EQ(job.at("status"), "ready");
    EXPECT_EQ(job.at("error").get<std::string>().rfind(error + ": ", 0), 0U) << job.at("error");
    EXPECT_FALSE(job.at("next_attempt_us").is_null());
  }
  // In no file of the folder, so neither in a database, its WAL, nor in what was printed last.
  void expect_no_key() const {
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (!entry.is_regular_file()) continue;
      ++files;
      const auto text = read_file(entry.path());
      ASSERT_TRUE(text);
      EXPECT_EQ(text->find(secret_key), std::string::npos) << entry.path();
    }
    EXPECT_GE(files, 3);
  }
};

void answer_well(const httplib::Request& /*request*/, httplib::Response& response) {
  response.set_content(framed(good_draft), "application/json");
}

TEST_F(HttpJob, a_good_answer_is_accepted_and_the_key_is_in_no_file) {
  std::string authorization;
  Json asked;
  ModelServer server([&](const httplib::Request& request, httplib::Response& response) {
    authorization = request.get_header_value("Authorization");
    asked = parse_json(request.body).value_or(Json(nullptr));
    answer_well(request, response);
  });
  expect_exit(0, "memory-put --text 'remember this'");
  submit(server.address());
  // Left by a crash, so that the write-ahead logs are there to be looked into.
  expect_exit(75, "run --lease-seconds 1 --fault after_effect", with_key);
  EXPECT_TRUE(std::filesystem::exists(path("lab.sqlite-wal")));
  expect_no_key();
  EXPECT_EQ(server.requests(), 1);
  EXPECT_EQ(authorization, std::string("Bearer ") + secret_key);
  ASSERT_TRUE(asked.is_object());
  EXPECT_EQ(asked.at("model"), "m-1");
  EXPECT_EQ(asked.at("temperature"), 0);
  EXPECT_EQ(asked.at("max_tokens"), 800);
  EXPECT_NE(canonical(asked).find("remember this"), std::string::npos);

  run_until("succeeded", "", "env -u LLM_API_KEY");
  const Json job = inspected();
  EXPECT_EQ(job.at("steps").at("draft").at("summary"), "Old generations are refused [S1].");
  EXPECT_EQ(server.requests(), 1) << "a committed draft is not asked for again";
  expect_accepted();
  expect_no_key();
}

TEST_F(HttpJob, a_missing_or_broken_key_is_wrong_input_and_takes_no_claim) {
  const ModelServer server(answer_well);
  submit(server.address());
  for (const char* environment :
       {"env -u LLM_API_KEY", "env LLM_API_KEY=short", "env LLM_API_KEY='sk-lab with a blank'"}) {
    const cli::Ended ended = lab("run", environment);
    EXPECT_EQ(ended.exit, 2) << environment;
    EXPECT_EQ(ended.err.rfind("leaseproof: LLM_API_KEY is", 0), 0U) << ended.err;
    EXPECT_EQ(ended.err.find("sk-lab"), std::string::npos) << ended.err;
  }
  EXPECT_EQ(inspected().at("attempts"), 0);
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpJob, a_key_among_what_would_be_stored_is_refused) {
  const std::string secret = secret_key;
  write("sources.json", R"([{"id": "a", "title": "t", "text": "see )" + secret + R"("}])");
  for (const std::string& arguments :
       {"memory-put --text 'it is " + secret + "'",
        "submit --provider api --model m --endpoint https://h.example/" + secret,
        "submit --provider api --model m --endpoint http://" + secret + "/",
        "submit --scope " + secret, "submit --job " + secret,
        std::string("submit --sources sources.json")}) {
    const cli::Ended ended = lab(arguments, with_key);
    EXPECT_EQ(ended.exit, 2) << arguments;
    EXPECT_NE(ended.err.find("holds the key"), std::string::npos) << ended.err;
    EXPECT_EQ(ended.err.find(secret), std::string::npos) << ended.err;
  }
  EXPECT_FALSE(std::filesystem::exists(path("lab.sqlite")));
}

TEST_F(HttpJob, a_key_that_was_stored_before_it_was_set_is_neither_claimed_nor_shown) {
  const std::string secret = secret_key;
  write("sources.json", R"([{"id": "a", "title": "t", "text": "see )" + secret + R"("}])");
  expect_exit(0, "submit --job sources --sources sources.json", "env -u LLM_API_KEY");
  expect_exit(0, "memory-put --text 'it is " + secret + "'", "env -u LLM_API_KEY");
  expect_exit(0, "submit --job memory", "env -u LLM_API_KEY");
  for (const std::string job : {" --job sources", " --job memory"}) {
    const cli::Ended ended = lab("run" + job, with_key);
    EXPECT_EQ(ended.exit, 2) << job;
    EXPECT_EQ(ended.out, "") << job;
    EXPECT_NE(ended.err.find("holds the key"), std::string::npos) << ended.err;
    EXPECT_EQ(ended.err.find(secret), std::string::npos) << ended.err;
    EXPECT_EQ(told("inspect" + job).at("attempts"), 0) << job;
  }
}

TEST_F(HttpJob, a_refusal_for_now_is_tried_again) {
  int asked = 0;
  const ModelServer server([&](const httplib::Request& request, httplib::Response& response) {
    if (++asked > 1) return answer_well(request, response);
    response.status = 500;
    response.set_content(request.get_header_value("Authorization"), "text/plain");
  });
  submit(server.address());
  EXPECT_EQ(told("run", with_key).at("ended_with"), "retry_scheduled");
  expect_retried(inspected(), "http_500");
  run_until("succeeded", "", with_key);
  EXPECT_EQ(inspected().at("attempts"), 2);
  expect_no_key();
}

TEST_F(HttpJob, a_pause_in_seconds_is_kept) {
  std::int64_t asked_us = 0;
  const Json job = job_after(
      [&](const httplib::Request&, httplib::Response& response) {
        asked_us = clock_.now_us();
        response.status = 429;
        response.set_header("Retry-After", "4");
      },
      " --lease-seconds 1.5");
  expect_retried(job, "http_429");
  EXPECT_GE(job.at("next_attempt_us").get<std::int64_t>(), asked_us + 4'000'000);
  EXPECT_EQ(job.at("attempts"), 1);
}

TEST_F(HttpJob, a_pause_until_a_date_is_kept) {
  std::time_t until = 0;
  const Json job = job_after([&](const httplib::Request&, httplib::Response& response) {
    until = clock_.now_us() / 1'000'000 + 4;
    std::tm parts{};
    gmtime_r(&until, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    response.status = 503;
    response.set_header("Retry-After", text);
  });
  expect_retried(job, "http_503");
  EXPECT_GE(job.at("next_attempt_us").get<std::int64_t>(), until * 1'000'000);
}

TEST_F(HttpJob, a_pause_past_the_deadline_ends_the_job) {
  const Json job = job_after([](const httplib::Request&, httplib::Response& response) {
    response.status = 429;
    response.set_header("Retry-After", "99999999999");
  });
  expect_failed(job, "http_429");
  EXPECT_NE(job.at("error").get<std::string>().find("past the job's deadline"), std::string::npos);
}

TEST_F(HttpJob, a_refusal_for_good_ends_the_job_and_its_page_is_not_kept) {
  const Json job = job_after([](const httplib::Request& request, httplib::Response& response) {
    response.status = 401;
    response.set_header("WWW-Authenticate", request.get_header_value("Authorization"));
    response.set_content("no such key: " + request.get_header_value("Authorization"), "text/plain");
  });
  expect_failed(job, "http_401");
}

TEST_F(HttpJob, a_redirect_is_not_followed) {
  ModelServer elsewhere(answer_well);
  const Json job = job_after([&](const httplib::Request&, httplib::Response& response) {
    response.set_redirect(elsewhere.address(), 307);
  });
  expect_failed(job, "http_redirect");
  EXPECT_EQ(elsewhere.requests(), 0);
}

TEST_F(HttpJob, an_answer_that_drips_is_over_with_the_lease_and_its_fate_unknown) {
  std::atomic<ModelServer*> dripping = nullptr;
  ModelServer server([&](const httplib::Request&, httplib::Response& response) {
    dripping.load()->drip(response);
  });
  dripping = &server;
  submit(server.address());
  const std::int64_t begun_us = clock_.now_us();
  told("run --lease-seconds 1", with_key);
  EXPECT_LT(clock_.now_us() - begun_us, 3'000'000);
  expect_retried(inspected(), "http_timeout");
}

TEST_F(HttpJob, an_answer_that_is_too_large_is_dropped) {
  const Json job = job_after_text(std::string(std::size_t{3} << 20, ' '));
  expect_failed(job, "response_too_large");
}

TEST_F(HttpJob, an_answer_that_is_cut_off_is_unknown) {
  const Json job = job_after([](const httplib::Request&, httplib::Response& response) {
    response.set_content_provider(1000, "application/json",
                                  [](std::size_t, std::size_t, httplib::DataSink& sink) {
                                    sink.write("{", 1);
                                    return false;
                                  });
  });
  expect_retried(job, "http_cut_off");
}

TEST_F(HttpJob, a_draft_is_taken_as_it_is_or_not_at_all) {
  struct Case {
    const char* error;
    std::string body;
  };
  int count = 0;
  for (const Case& bad : std::initializer_list<Case>{
           {"fenced_json", framed(std::string("```json\n") + good_draft + "\n```")},
           {"bad_json", framed("Here is your summary.")},
           {"bad_json", "<html>not JSON</html>"},
           {"bad_shape", R"({"choices": []})"},
           {"bad_shape", framed(R"({"summary": "s", "citations": []})")},
           {"bad_shape", framed(R"({"summary": "s", "citations": ["S1"], "more": 1})")},
           {"unknown_citation", framed(R"({"summary": "s", "citations": ["S1", "S9"]})")},
           {"key_echoed",
            framed(std::string(R"({"citations": ["S1"], "summary": ")") + secret_key + "\"}")},
           {"key_echoed",
            framed(R"({"citations": ["S1"], "summary": "\u0073k-lab-0123456789abcdef"})")},
           {"key_echoed",
            framed(std::string(R"({"summary": "s", "citations": [")") + secret_key + "\"]}")}}) {
    const ModelServer server([&](const httplib::Request&, httplib::Response& response) {
      response.set_content(bad.body, "application/json");
    });
    const std::string job = fmt::format(" --job {}", ++count);
    submit(server.address(), job);
    expect_exit(1, "run" + job, with_key);
    expect_failed(told("inspect" + job), bad.error);
  }
  expect_no_key();
}

TEST_F(HttpJob, where_nobody_listens_nothing_was_sent) {
  std::string address;
  {
    const ModelServer server(answer_well);
    address = server.address();
  }
  submit(address);
  told("run", with_key);
  expect_retried(inspected(), "connect_failed");
}

TEST_F(HttpJob, a_server_without_tls_is_sent_no_request_over_https) {
  const ModelServer server(answer_well);
  submit(server.address("https"));
  told("run", with_key);
  expect_retried(inspected(), "tls_failed");
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpJob, a_certificate_that_nobody_vouches_for_gets_no_request) {
  const ModelServer server(answer_well, self_signed_server());
  submit(server.address("https"));
  expect_exit(1, "run", with_key);
  expect_failed(inspected(), "tls_refused");
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(HttpJob, a_call_to_this_machine_takes_no_proxy) {
  const ModelServer server(answer_well);
  submit(server.address());
  EXPECT_EQ(told("run", std::string(with_key) +
                            " http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1")
                .at("status"),
            "succeeded");
}

TEST_F(HttpJob, a_lease_stays_alive_while_the_model_thinks) {
  std::atomic<ModelServer*> slow = nullptr;
  ModelServer server([&](const httplib::Request& request, httplib::Response& response) {
    slow.load()->linger_ms(1000);
    answer_well(request, response);
  });
  slow = &server;
  submit(server.address());
  EXPECT_EQ(told("run --lease-seconds 1.5", with_key).at("status"), "succeeded");
  int extended = 0;
  const Json job = inspected();
  for (const Json& event : job.at("events")) extended += event.at("kind") == "op_extended";
  EXPECT_GT(extended, 4) << "four steps, and signs of life between them";
}

TEST_F(HttpJob, a_call_ends_soon_after_its_lease_is_lost) {
  std::atomic<ModelServer*> dripping = nullptr;
  ModelServer server([&](const httplib::Request&, httplib::Response& response) {
    EXPECT_EQ(engine()->cancel({"research-001"}).word, model::Word::ok);
    dripping.load()->drip(response);
  });
  dripping = &server;
  submit(server.address());
  const std::int64_t begun_us = clock_.now_us();
  const Json ran = told("run --lease-seconds 9", with_key);
  EXPECT_LT(clock_.now_us() - begun_us, 7'000'000) << "a heartbeat is due every 3 s";
  EXPECT_EQ(ran.at("ended_with"), "lease_lost");
  EXPECT_EQ(ran.at("status"), "canceled");
  EXPECT_EQ(inspected().at("error"), nullptr);
}

TEST_F(HttpJob, an_interrupted_call_is_reported_and_may_be_tried_again) {
  std::atomic<ModelServer*> dripping = nullptr;
  ModelServer server([&](const httplib::Request&, httplib::Response& response) {
    dripping.load()->drip(response);
  });
  dripping = &server;
  submit(server.address());
  expect_exit(130, "run", std::string(with_key) + " timeout --preserve-status -s INT 0.8");
  expect_retried(inspected(), "stopped");
}

}  // namespace
}  // namespace leaseproof::scenarios::lab
