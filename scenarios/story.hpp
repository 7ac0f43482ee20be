// A run told to a person: what each step asked, what it was answered and what it changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/vocabulary.hpp"
#include "properties/step.hpp"

namespace leaseproof::scenarios {

struct StoryLine {
  std::int64_t time_us = 0;  // the common clock after the step
  std::string asked;
  std::string answered;
  std::vector<std::string> changed;
};

// "complete A a result={"n":1}": the words of the trace without its punctuation.
std::string told(const properties::Step& step);
std::string told(const model::Outcome& outcome);
// One phrase for each thing that differs: "a ready → running".
std::vector<std::string> changes(const model::Observation& before, const model::Observation& after);

// A table of numbered steps; `broken` is the index of the step to mark, or past the end for none.
std::string table(const std::vector<StoryLine>& story, std::size_t broken);

}  // namespace leaseproof::scenarios
