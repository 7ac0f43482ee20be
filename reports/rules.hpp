// The verdict: a table of rules, each one predicate over the evidence.
//
// Promise: `not ready` where any rule of that verdict speaks, else `unknown` where any other does,
// else `ready`: nothing was found, and all that is required is there. Each rule that speaks says
// why, in sentences whose figures have their places.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/evidence.hpp"

namespace leaseproof::reports {

enum class Verdict : std::uint8_t { ready, unknown, not_ready };
std::string_view word(Verdict verdict);

struct Rule {
  std::string_view id;
  std::string_view sentence;  // what has to be so
  Verdict verdict;            // where it is not
  // Evidence that is required; somebody may say that the verdict can do without.
  bool can_be_waived;
  std::vector<Text> (*speaks)(const Evidence& evidence);
};
const std::vector<Rule>& rules();

struct Judged {
  const Rule* rule = nullptr;
  std::vector<Text> reasons;  // empty where it is kept
  bool waived = false;
};

struct Judgement {
  Verdict verdict = Verdict::ready;
  std::vector<Judged> rules;  // all, in the order of the table
};

// `waived` are ids of rules that can be.
Judgement judge(const Evidence& evidence, const std::set<std::string>& waived);

// The rows about required evidence (rules_required.cpp).
const std::vector<Rule>& required_evidence();

}  // namespace leaseproof::reports
