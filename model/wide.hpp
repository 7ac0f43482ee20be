// Sums of times that leave 64 bits (SEMANTICS 6: retention and clock slack, which are added to what
// is stored and so never make a call `invalid`).
#pragma once

namespace leaseproof::model {

__extension__ using Wide = __int128;

}  // namespace leaseproof::model
