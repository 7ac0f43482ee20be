// One POST over HTTP: what was sent, what came back, and how it ended.
//
// Promise: one overall deadline, no redirects, at most so many bytes, an end soon after somebody
// asks for it. Of an answer only status, pause and body are kept, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace leaseproof::scenarios::lab {

struct HttpRequest {
  std::string address;
  std::string bearer;  // goes into one header and nowhere else
  std::string body;    // JSON
  std::int64_t within_us = 0;
  std::size_t most_bytes = 0;  // of the answer: head and body each
  std::function<bool()> stop;
};

enum class Ending : std::uint8_t {
  answered,
  stopped,         // `stop` said so
  too_large,       // more than `most_bytes`
  name_not_found,  // nothing was sent, as in the three that follow
  connect_failed,
  connect_timed_out,
  tls_failed,
  tls_refused,     // the peer's certificate is not trusted; nothing was sent
  no_authorities,  // none are known here that could vouch for it; nothing was sent
  timed_out,       // after the request was sent, as in `cut_off`
  cut_off
};

struct HttpAnswer {
  Ending ending = Ending::connect_failed;
  long status = 0;  // 0: no answer's first line was seen
  std::string body;
  std::optional<std::int64_t> retry_after_us;  // from a number or a date, from now on; > 0
};

// Call it from one thread at a time.
HttpAnswer post_json(const HttpRequest& request);

}  // namespace leaseproof::scenarios::lab
