#include "scenarios/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace leaseproof::scenarios {

namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;

// A descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  // A network file system tells a full disk only here.
  [[nodiscard]] bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

std::string mend(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose a place that may be written";
    default:
      return "";
  }
}

bool is_environment(int code) {
  return code != ENOENT && code != EISDIR && code != ENOTDIR && code != EACCES &&
         code != ENAMETOOLONG;
}

}  // namespace

tl::expected<std::string, FileError> read_file(const std::filesystem::path& path) {
  const auto failed = [&path](int code) {
    return tl::unexpected(
        FileError{fmt::format("{}: cannot be read: {}", path.string(), std::strerror(code)),
                  is_environment(code)});
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed(errno);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(errno);
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > largest_file) {
      return tl::unexpected(FileError{
          fmt::format("{}: is larger than {} MB; no trace is", path.string(), largest_file >> 20),
          false});
    }
  }
}

tl::expected<void, FileError> write_file(const std::filesystem::path& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.part", path.string(), ::getpid());
  const auto failed = [&](int code) {
    ::unlink(temporary.c_str());
    return tl::unexpected(FileError{
        fmt::format("{}: cannot be written: {}{}", path.string(), std::strerror(code), mend(code)),
        true});
  };
  std::error_code problem;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
  if (problem) return failed(problem.value());

  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return failed(errno);
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(file.get()) != 0 && errno != EINVAL) return failed(errno);
  if (!file.close()) return failed(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed(errno);
  return {};
}

}  // namespace leaseproof::scenarios
