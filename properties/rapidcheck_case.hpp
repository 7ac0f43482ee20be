// RapidCheck's view of a case, for the .cpp files of this folder: every includer pays seconds of
// compile time for RapidCheck's headers.
#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Seq.h>

#include "properties/case.hpp"
#include "properties/generators.hpp"

namespace leaseproof::properties {

// Cases with the tree of what is smaller.
rc::Gen<Case> arbitrary_case(DrawOptions options);
// What is smaller than a case by one cut, the biggest cuts first.
rc::Seq<Case> smaller_cases(const Case& whole);

}  // namespace leaseproof::properties
