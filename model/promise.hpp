// A check of the model's own promises that no build leaves out.
//
// Promise: a false condition prints place and sentence on standard error and aborts; a true one has
// no effect. A broken promise means that the model, or whoever drives it, is wrong: no verdict that
// came after it would be worth anything.
#pragma once

namespace leaseproof::model {

[[noreturn]] void promise_broken(const char* sentence, const char* file, int line);

constexpr void promise(bool holds, const char* sentence, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  if (!holds) promise_broken(sentence, file, line);
}

}  // namespace leaseproof::model
