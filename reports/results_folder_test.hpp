// A fresh folder that goes away with everything in it, and results in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "reports/json.hpp"

namespace leaseproof::reports {

class ResultsFolder {
 public:
  ResultsFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "leaseproof-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ResultsFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void write(const std::map<std::string, Json>& documents) const {
    for (const auto& [folder, document] : documents)
      write(folder + "/result.json", document.dump());
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace leaseproof::reports
