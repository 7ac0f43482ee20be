#include "scenarios/lab/endpoint.hpp"

#include <fmt/format.h>

#include <memory>

#include "scenarios/lab/curl_library.hpp"

namespace leaseproof::scenarios::lab {

namespace {

// As libcurl itself will take it: a parser of our own could see another host than the one called.
class Address {
 public:
  explicit Address(const std::string& text) : url_(curl().url()) {
    good_ = url_ != nullptr && curl().url_set(url_.get(), CURLUPART_URL, text.c_str(),
                                              CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
  }
  [[nodiscard]] bool good() const { return good_; }
  // Empty where the address has no such part.
  [[nodiscard]] std::string part(CURLUPart which) const {
    char* text = nullptr;
    if (!good_ || curl().url_get(url_.get(), which, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl().free(text);
    return copy;
  }

 private:
  struct Cleanup {
    void operator()(CURLU* url) const { curl().url_cleanup(url); }
  };
  std::unique_ptr<CURLU, Cleanup> url_;
  bool good_ = false;
};

bool is_loopback(const std::string& host) {
  return host == "127.0.0.1" || host == "[::1]" || host == "localhost";
}

}  // namespace

std::string complaint_about_endpoint(const std::string& address) {
  const Address parsed(address);
  const std::string host = parsed.part(CURLUPART_HOST);
  if (host.empty()) return "is no address; write https://HOST/PATH";
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS,
                               CURLUPART_QUERY, CURLUPART_FRAGMENT}) {
    if (!parsed.part(part).empty()) {
      return "has a user, a query or a fragment, which could hold a credential and would be "
             "stored; leave them out and set LLM_API_KEY";
    }
  }
  const std::string scheme = parsed.part(CURLUPART_SCHEME);
  if (scheme == "https" || (scheme == "http" && is_loopback(host))) return {};
  return fmt::format("is {} to {}; only https is allowed, or http to 127.0.0.1, [::1] or localhost",
                     scheme, host);
}

bool is_loopback_http(const std::string& address) {
  const Address parsed(address);
  return parsed.part(CURLUPART_SCHEME) == "http" && is_loopback(parsed.part(CURLUPART_HOST));
}

}  // namespace leaseproof::scenarios::lab
