#include "scenarios/lab/http_exchange.hpp"

#include <algorithm>
#include <memory>

#include "scenarios/lab/curl_library.hpp"
#include "scenarios/lab/endpoint.hpp"

namespace leaseproof::scenarios::lab {

namespace {

struct EasyCleanup {
  void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
struct ListCleanup {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyCleanup>;
using List = std::unique_ptr<curl_slist, ListCleanup>;

struct Incoming {
  const HttpRequest* request;
  CURL* easy;
  std::string body;
  std::size_t body_bytes = 0;
  std::size_t head_bytes = 0;
  bool too_large = false;

  // Less than `count` makes libcurl end the transfer.
  std::size_t counted(std::size_t& sum, std::size_t count) {
    sum += count;
    too_large = too_large || sum > request->most_bytes;
    return too_large ? 0 : count;
  }
};

long status_of(CURL* easy) {
  long status = 0;
  curl().easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::size_t on_body(char* data, std::size_t /*one*/, std::size_t count, void* user) {
  auto& in = *static_cast<Incoming*>(user);
  const std::size_t taken = in.counted(in.body_bytes, count);
  if (taken == count) in.body.append(data, count);
  return taken;
}

std::size_t on_head(char* /*data*/, std::size_t /*one*/, std::size_t count, void* user) {
  auto& in = *static_cast<Incoming*>(user);
  return in.counted(in.head_bytes, count);
}

int on_progress(void* user, curl_off_t /*a*/, curl_off_t /*b*/, curl_off_t /*c*/,
                curl_off_t /*d*/) {
  const auto& in = *static_cast<Incoming*>(user);
  return in.request->stop && in.request->stop() ? 1 : 0;
}

Ending ending_of(CURLcode code, const Incoming& in) {
  long sent_bytes = 0;
  curl().easy_getinfo(in.easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
  const bool sent = sent_bytes > 0;
  if (in.too_large) return Ending::too_large;
  switch (code) {
    case CURLE_OK:
      return Ending::answered;
    case CURLE_ABORTED_BY_CALLBACK:
      return Ending::stopped;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Ending::name_not_found;
    case CURLE_PEER_FAILED_VERIFICATION:
      return Ending::tls_refused;
    case CURLE_SSL_CACERT_BADFILE:
      return Ending::no_authorities;
    case CURLE_SSL_CONNECT_ERROR:
      return sent ? Ending::cut_off : Ending::tls_failed;
    case CURLE_OPERATION_TIMEDOUT:
      return sent ? Ending::timed_out : Ending::connect_timed_out;
    default:
      return sent ? Ending::cut_off : Ending::connect_failed;
  }
}

std::optional<std::int64_t> retry_after_us(CURL* easy) {
  // libcurl reads both forms, and answers 0 where there is none.
  curl_off_t seconds = 0;
  curl().easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds <= 0) return std::nullopt;
  constexpr std::int64_t longest_s = 1'000'000'000;  // the product stays within 64 bits
  return std::min<std::int64_t>(seconds, longest_s) * 1'000'000;
}

List headers_of(const HttpRequest& request) {
  List list;
  for (const std::string& line :
       {std::string("Content-Type: application/json"), std::string("Accept: application/json"),
        "Authorization: Bearer " + request.bearer, std::string("Expect:")}) {
    curl_slist* longer = curl().slist_append(list.get(), line.c_str());
    if (longer == nullptr) return nullptr;
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

void set_up(CURL* easy, const HttpRequest& request, const List& headers, Incoming& in) {
  curl().easy_setopt(easy, CURLOPT_URL, request.address.c_str());
  const bool loopback = is_loopback_http(request.address);
  curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, loopback ? "http" : "https");
  // A proxy would read what is meant for this machine.
  if (loopback) curl().easy_setopt(easy, CURLOPT_PROXY, "");
  curl().easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl().easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // The end does not wait for a name server that does not answer.
  curl().easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl().easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl().easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  const std::int64_t within_ms = std::clamp<std::int64_t>(request.within_us / 1000, 1, 86'400'000);
  curl().easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(within_ms));
  curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl().easy_setopt(easy, CURLOPT_WRITEDATA, &in);
  curl().easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
  curl().easy_setopt(easy, CURLOPT_HEADERDATA, &in);
  curl().easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl().easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl().easy_setopt(easy, CURLOPT_XFERINFODATA, &in);
}

}  // namespace

HttpAnswer post_json(const HttpRequest& request) {
  HttpAnswer answer;
  const Easy easy(curl().easy_init());
  const List headers = headers_of(request);
  if (easy == nullptr || headers == nullptr) return answer;
  Incoming in{&request, easy.get(), {}, 0, 0, false};
  set_up(easy.get(), request, headers, in);
  const CURLcode code = curl().easy_perform(easy.get());
  answer.ending = ending_of(code, in);
  answer.status = status_of(easy.get());
  answer.retry_after_us = retry_after_us(easy.get());
  answer.body = std::move(in.body);
  return answer;
}

}  // namespace leaseproof::scenarios::lab
