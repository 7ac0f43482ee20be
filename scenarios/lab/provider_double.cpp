#include "scenarios/lab/provider_double.hpp"

namespace leaseproof::scenarios::lab {

tl::expected<Draft, NoDraft> ProviderDouble::draft(const Assignment& assignment,
                                                   const Bounds& /*bounds*/) {
  Draft draft;
  for (const Source& source : assignment.sources) {
    if (!draft.summary.empty()) draft.summary += ' ';
    draft.summary += source.text.substr(0, source.text.find('.')) + ". [" + source.id + "]";
    draft.citations.push_back(source.id);
  }
  if (!assignment.memory.empty()) draft.summary += " (Under the memory: " + assignment.memory + ")";
  return draft;
}

}  // namespace leaseproof::scenarios::lab
