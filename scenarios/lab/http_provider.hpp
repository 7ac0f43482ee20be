// Drafts from an OpenAI-compatible endpoint.
//
// Promise: says for each way in which a call can end whether the engine may try again. What comes
// back is taken only as strict JSON in the exact shape of a draft, never repaired; a draft that
// quotes the key is refused.
#pragma once

#include <string>

#include "scenarios/lab/http_exchange.hpp"
#include "scenarios/lab/provider.hpp"

namespace leaseproof::scenarios::lab {

inline constexpr std::size_t most_answer_bytes = std::size_t{1} << 20;

class HttpProvider final : public Provider {
 public:
  HttpProvider(std::string endpoint, std::string model, std::string key);
  tl::expected<Draft, NoDraft> draft(const Assignment& assignment, const Bounds& bounds) override;

 private:
  std::string endpoint_;
  std::string model_;
  std::string key_;
};

// The request's body: temperature 0, at most 800 tokens.
std::string request_body(const std::string& model, const Assignment& assignment);

// What an answer is worth.
tl::expected<Draft, NoDraft> judged(const HttpAnswer& answer, const std::string& key);

}  // namespace leaseproof::scenarios::lab
