// The words of a run: what a step asked, what it was answered, and what was changed by it.
//
// Promise: each text is one line that is fit for a terminal, whatever names and payloads hold; long
// values are cut. Equal values give equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/vocabulary.hpp"
#include "properties/step.hpp"

namespace leaseproof::scenarios {

// "30 s", "1.5 s", "12 ms" or "7 µs"; nothing is rounded.
std::string told_time(std::int64_t us);
// "complete A a result={"n":1}": the words of the trace without its punctuation, and without what
// the config says already. Its fault is told by `told_fault`.
std::string told(const properties::Step& step, const properties::Config& config = {});
std::string told_fault(const properties::StepFault& fault);
std::string told(const model::Outcome& outcome);

struct Field {
  std::string name;   // empty for the status, which needs none
  std::string value;  // empty where it is absent
};
// A workflow, an op, a queue or the service's writes.
struct Thing {
  std::string name;
  std::vector<Field> fields;
  bool is_op = false;
};
// Everything that can be observed, in the order of TRACE 4.
std::vector<Thing> things(const model::Observation& observation);
// One line for each thing that changed: "a: ready → running, generation 0 → 1, lease A until 30 s";
// ops that changed alike share one.
std::vector<std::string> changes(const model::Observation& before, const model::Observation& after);

}  // namespace leaseproof::scenarios
