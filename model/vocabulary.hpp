// The one vocabulary (ARCHITECTURE, idea 1): actions, outcomes, observed state and their words.
// This is the only header of `model/` that the engine may see.
#pragma once

#include "model/action.hpp"       // IWYU pragma: export
#include "model/observation.hpp"  // IWYU pragma: export
#include "model/outcome.hpp"      // IWYU pragma: export
#include "model/words.hpp"        // IWYU pragma: export
