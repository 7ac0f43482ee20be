#include "model/promise.hpp"

#include <cstdio>
#include <cstdlib>

namespace leaseproof::model {

void promise_broken(const char* sentence, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken promise of the model: %s\n", file, line, sentence);
  std::fflush(stderr);
  std::abort();
}

}  // namespace leaseproof::model
