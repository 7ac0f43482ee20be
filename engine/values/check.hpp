// A broken promise inside the engine ends the process: going on would write what nobody can trust.
#pragma once

namespace leaseproof::engine {

[[noreturn]] void broken_promise(const char* condition, const char* why, const char* file,
                                 int line);

}  // namespace leaseproof::engine

// Never compiled out.
#define LP_CHECK(condition, why)                                                   \
  do {                                                                             \
    if (!(condition)) {                                                            \
      ::leaseproof::engine::broken_promise(#condition, (why), __FILE__, __LINE__); \
    }                                                                              \
  } while (false)
