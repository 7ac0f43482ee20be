// A provider without a model: the same draft for the same assignment, at once.
#pragma once

#include "scenarios/lab/provider.hpp"

namespace leaseproof::scenarios::lab {

class ProviderDouble final : public Provider {
 public:
  // The first sentence of each source with its id; never fails.
  tl::expected<Draft, NoDraft> draft(const Assignment& assignment, const Bounds& bounds) override;
};

}  // namespace leaseproof::scenarios::lab
