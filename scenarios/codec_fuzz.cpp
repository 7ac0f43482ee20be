// Feeds the trace codec with anything. What it accepts must be written and read back to the same
// bytes; what it refuses must be refused in one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenarios/codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace scenarios = leaseproof::scenarios;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = scenarios::read_scenario(text, "fuzz");
  if (!scenario) {
    if (scenario.error().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  const std::string written = scenarios::write_scenario(*scenario);
  const auto again = scenarios::read_scenario(written, "fuzz");
  if (!again || scenarios::write_scenario(*again) != written) std::abort();
  return 0;
}
