#include "scenarios/cli/answer.hpp"

namespace leaseproof::scenarios::cli {

using model::Word;

void check_answer(const model::Outcome& outcome) {
  switch (outcome.word) {
    case Word::busy:
    case Word::storage_error:
      throw EnvironmentFailed{outcome.why};
    case Word::commit_unknown:
      throw EnvironmentFailed{"a commit failed, and whether it stands is unknown; look again"};
    case Word::invalid:
      throw InputWrong{outcome.why};
    default:
      return;
  }
}

bool is_done(const model::Outcome& outcome) {
  return outcome.word == Word::ok || outcome.word == Word::confirmed;
}

Exit exit_of(const model::Outcome& outcome) {
  if (is_done(outcome)) return Exit::held;
  return outcome.word == Word::unknown ? Exit::inconclusive : Exit::wrong_input;
}

}  // namespace leaseproof::scenarios::cli
