// A model's endpoint on this machine that answers as a test tells it to.
#pragma once

#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "scenarios/json.hpp"

namespace leaseproof::scenarios::lab {

class ModelServer {
 public:
  using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

  explicit ModelServer(Answer answer, std::unique_ptr<httplib::Server> server = nullptr)
      : answer_(std::move(answer)),
        server_(server != nullptr ? std::move(server) : std::make_unique<httplib::Server>()) {
    server_->Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      ++requests_;
      answer_(request, response);
      ++answered_;
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~ModelServer() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    server_->stop();
    thread_.join();
  }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  [[nodiscard]] std::string address(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/v1/chat/completions";
  }
  // What answers that have ended by then left behind may be read afterwards.
  [[nodiscard]] int requests() const {
    answered_.load();
    return requests_;
  }

  // Lets that much time pass, or less when the test is over.
  void linger_ms(int duration) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(duration), [this] { return over_.load(); });
  }
  // Blanks, one every so often, until the other side goes away: never a whole answer.
  void drip(httplib::Response& response) {
    response.set_chunked_content_provider("application/json",
                                          [this](std::size_t, httplib::DataSink& sink) {
                                            linger_ms(20);
                                            return !over_ && sink.write(" ", 1);
                                          });
  }

 private:
  Answer answer_;
  std::unique_ptr<httplib::Server> server_;
  std::atomic<int> requests_ = 0;
  std::atomic<int> answered_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> over_ = false;
  int port_ = 0;
  std::thread thread_;
};

// The same over TLS, with a certificate that nobody has signed but itself.
inline std::unique_ptr<httplib::Server> self_signed_server() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  const unsigned char host[] = "127.0.0.1";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  auto server = std::make_unique<httplib::SSLServer>(certificate, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return server;
}

// The frame that such endpoints put around a draft, with fractions as some have them.
inline std::string framed(const std::string& content) {
  return R"({"id": "c-1", "created": 1.5, "usage": {"total_tokens": 40}, "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": )" +
         canonical(Json(content)) + "}}]}";
}

inline constexpr const char* good_draft =
    R"({"summary": "Old generations are refused [S1].", "citations": ["S1", "S2"]})";

}  // namespace leaseproof::scenarios::lab
