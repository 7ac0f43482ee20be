// What the bench programs take on their command line beside Google Benchmark's own options.
#pragma once

#include <string>
#include <vector>

namespace leaseproof::bench {

struct OwnOptions {
  bool takes_long = false;  // --long: also the rows that need minutes or gigabytes
  std::string folder;       // --folder=DIR: where databases lie; empty: where temporary files do
};

// Takes them out of the arguments, which Google Benchmark would refuse.
inline OwnOptions take_own(std::vector<char*>& arguments) {
  OwnOptions own;
  const std::string folder = "--folder=";
  std::vector<char*> others;
  for (char* argument : arguments) {
    const std::string text = argument;
    if (text == "--long") {
      own.takes_long = true;
    } else if (text.starts_with(folder)) {
      own.folder = text.substr(folder.size());
    } else {
      others.push_back(argument);
    }
  }
  arguments = others;
  return own;
}

}  // namespace leaseproof::bench
