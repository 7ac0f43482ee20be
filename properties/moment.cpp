#include "properties/moment.hpp"

#include "properties/generators.hpp"

namespace leaseproof::properties {

std::vector<std::int64_t> violated_after(const MakeRig& make, const Case& failing,
                                         const std::string& invariant,
                                         const MomentOptions& options) {
  const Rig rig = make();
  Runner runner(*rig.sut, *rig.clock, options.runner);
  DrawOptions draw;
  draw.speaks = [&rig](const model::Action& action) { return rig.sut->speaks(action); };
  draw.disk = rig.sut->has_disk();

  std::vector<std::int64_t> violated;
  std::int64_t run = 0;
  for (std::size_t k = 0; k <= failing.steps.size(); ++k) {
    if (options.stop && options.stop()) break;
    const auto end = failing.steps.begin() + static_cast<std::ptrdiff_t>(k);
    const Case prefix{failing.config, {failing.steps.begin(), end}};
    std::int64_t& count = violated.emplace_back(0);
    for (std::int64_t i = 0; i < options.continuations; ++i) {
      const Case whole = continue_case(prefix, options.more, seed_of(options.seed, run++), draw);
      const std::optional<Violation> found = runner.run(whole.config, whole.steps);
      if (found && found->invariant == invariant) ++count;
    }
  }
  return violated;
}

std::size_t steepest_step(const std::vector<std::int64_t>& violated) {
  std::size_t steepest = 0;
  std::int64_t most = 0;
  for (std::size_t k = 1; k < violated.size(); ++k) {
    const std::int64_t rise = violated[k] - violated[k - 1];
    if (rise <= most) continue;
    most = rise;
    steepest = k;
  }
  return steepest;
}

}  // namespace leaseproof::properties
