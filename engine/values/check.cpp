#include "engine/values/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace leaseproof::engine {

void broken_promise(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "leaseproof: broken promise: %s (%s) at %s:%d\n", why, condition, file,
               line);
  std::abort();
}

}  // namespace leaseproof::engine
