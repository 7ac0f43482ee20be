// Planted bugs of the engine's C++: each a file under mutants/, four lines about it and a unified
// diff.
//
// Promise: pure. What is read is exactly what is said here, or one sentence that names file, line
// and mend; what is applied stands where it belongs, line by line, or nothing is changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace leaseproof::properties {

// Lines that stand together, before and after. Lines and places count from 1.
struct Hunk {
  std::size_t line = 0;   // of the patch file, for messages
  std::size_t place = 0;  // in the source, where it was when the patch was made
  std::vector<std::string> before;
  std::vector<std::string> after;
};

struct PatchedFile {
  std::string path;  // from the root of the source tree
  std::vector<Hunk> hunks;
};

struct PatchedBug {
  std::string name;
  std::string suffering;               // what a user of such an engine would suffer
  std::string source;                  // the guard, the seed or the public report it comes from
  std::vector<std::string> caught_by;  // invariants; at least one, each once
  std::vector<PatchedFile> files;      // at least one, each once
};

// Reads the text of `file`, whose last part must be the name + ".patch":
//
//   Name: …
//   Suffers: …
//   Source: …
//   Caught-by: an invariant of `invariants`, …
//
// then an empty line and a unified diff of files in engine/ that end in .cpp. Tests, and the
// catalogues of SQL, whose bugs are rows of mutants.cpp, are refused.
tl::expected<PatchedBug, std::string> read_patched_bug(std::string_view file,
                                                       std::string_view text);

// The source with the hunks applied, in their order. Each must stand at its place or, where the
// source has moved since, in exactly one other; the error says which hunk does not.
tl::expected<std::string, std::string> applied(const PatchedFile& patch, std::string_view source);

}  // namespace leaseproof::properties
