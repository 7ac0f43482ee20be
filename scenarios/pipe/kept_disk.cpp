#include "scenarios/pipe/kept_disk.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "faults/disk_image.hpp"
#include "scenarios/file.hpp"

namespace leaseproof::scenarios {

KeptDisk::KeptDisk(std::shared_ptr<faults::Vfs> vfs, std::filesystem::path file)
    : vfs_(std::move(vfs)), file_(std::move(file)) {}

tl::expected<bool, std::string> KeptDisk::bring_back() {
  std::error_code problem;
  if (!std::filesystem::exists(file_, problem) && !problem) return false;
  auto bytes = read_file(file_);
  if (!bytes) return tl::unexpected(std::move(bytes.error().text));
  const faults::ReadImage read = faults::read_image(*bytes);
  if (!read.disk) {
    return tl::unexpected(fmt::format(
        "{}: is no simulated disk that can be gone on with: {}; remove it to begin anew",
        file_.string(), read.why));
  }
  vfs_->restore(*read.disk);
  kept_ = std::move(*bytes);
  return true;
}

tl::expected<void, std::string> KeptDisk::keep() {
  std::string bytes = faults::image_of(vfs_->snapshot());
  if (bytes == kept_) return {};
  const auto written = write_file(file_, bytes);
  if (!written) return tl::unexpected(written.error().text);
  kept_ = std::move(bytes);
  return {};
}

}  // namespace leaseproof::scenarios
