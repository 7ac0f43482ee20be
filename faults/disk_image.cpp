#include "faults/disk_image.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace leaseproof::faults {
namespace {

constexpr std::string_view image_title = "leaseproof-disk/1\n";
static_assert(std::endian::native == std::endian::little, "numbers stand low byte first");

// Of all bytes before it.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  std::uint64_t word = 0;
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    sum = fold(sum, word);
  }
  for (const char c : bytes) sum = fold(sum, static_cast<unsigned char>(c));
  return sum;
}

class ImageWriter {
 public:
  void number(std::uint64_t value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(text.size());
    out_.append(text);
  }
  void bytes(const std::vector<std::byte>& bytes) {
    text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void pages(const Pages& pages) {
    number(pages.size());
    const std::size_t begin = out_.size();
    out_.resize(begin + pages.size());
    pages.read(0, std::as_writable_bytes(std::span(out_)).subspan(begin));
  }
  std::string& out() { return out_; }

 private:
  std::string out_{image_title};
};

// Thrown by the reader alone, and caught where it is made.
struct BadImage {
  const char* why;
};

class ImageReader {
 public:
  explicit ImageReader(std::string_view bytes) : left_(bytes) {}

  std::string_view text() {
    const std::uint64_t size = number();
    if (size > left_.size()) throw BadImage{"it ends too early"};
    const std::string_view text = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(text.size());
    return text;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (left_.size() < sizeof value) throw BadImage{"it ends too early"};
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  // Not greater than `most`.
  template <class T>
  T number_to(std::uint64_t most) {
    const std::uint64_t value = number();
    if (value > most) throw BadImage{"a number in it is too large"};
    return static_cast<T>(value);
  }
  // Of things that each take at least so many bytes.
  std::size_t count(std::size_t least_bytes) {
    const std::uint64_t count = number();
    if (count > left_.size() / least_bytes) throw BadImage{"it ends too early"};
    return static_cast<std::size_t>(count);
  }
  Pages pages() {
    Pages pages;
    pages.write(0, std::as_bytes(std::span(text())));
    return pages;
  }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

constexpr std::uint64_t most_id = UINT32_MAX;

}  // namespace

// The parts of a disk that only its own image has to know.
class DiskParts {
 public:
  static void write(ImageWriter& out, const Disk& disk) {
    const Device& device = disk.device_;
    for (const std::uint64_t value :
         {std::uint64_t{device.sector_bytes}, std::uint64_t{device.atomic_bytes},
          std::uint64_t{device.sequential}, std::uint64_t{device.safe_append},
          std::uint64_t{disk.next_}}) {
      out.number(value);
    }
    out.number(disk.files_.size());
    for (const auto& [id, file] : disk.files_) {
      out.number(id);
      out.number(file.named ? 1 : 0);
      out.number(file.holds);
      out.pages(file.seen);
      out.pages(file.durable);
    }
    for (const Disk::Names* names : {&disk.names_, &disk.durable_names_}) {
      out.number(names->size());
      for (const auto& [name, id] : *names) {
        out.text(name);
        out.number(id);
      }
    }
    out.number(disk.unsynced_.size());
    for (const Unsynced& change : disk.unsynced_) {
      out.number(static_cast<std::uint64_t>(change.change));
      out.number(change.file);
      out.number(change.at);
      out.number(change.size_before);
      out.text(change.name);
      out.bytes(change.bytes == nullptr ? std::vector<std::byte>() : *change.bytes);
    }
  }

  static Disk read(ImageReader& in) {
    Device device;
    device.sector_bytes = in.number_to<std::uint32_t>(most_id);
    if (!std::has_single_bit(device.sector_bytes)) throw BadImage{"its sectors have no size"};
    device.atomic_bytes = in.number_to<std::uint32_t>(most_id);
    device.sequential = in.number_to<unsigned>(1) != 0;
    device.safe_append = in.number_to<unsigned>(1) != 0;
    Disk disk(device);
    disk.next_ = in.number_to<FileId>(most_id);
    constexpr std::size_t least_of_file = 5 * sizeof(std::uint64_t);
    for (std::size_t left = in.count(least_of_file); left > 0; --left) {
      Disk::File& file = disk.files_[in.number_to<FileId>(most_id)];
      file.named = in.number_to<unsigned>(1) != 0;
      file.holds = in.number_to<std::uint32_t>(most_id);
      file.seen = in.pages();
      file.durable = in.pages();
    }
    for (Disk::Names* names : {&disk.names_, &disk.durable_names_}) {
      for (std::size_t left = in.count(2 * sizeof(std::uint64_t)); left > 0; --left) {
        std::string name(in.text());
        names->insert_or_assign(std::move(name), known_file(in, disk));
      }
    }
    constexpr std::size_t least_of_change = 6 * sizeof(std::uint64_t);
    for (std::size_t left = in.count(least_of_change); left > 0; --left) {
      disk.unsynced_.push_back(read_change(in, disk));
    }
    return disk;
  }

 private:
  static FileId known_file(ImageReader& in, const Disk& disk) {
    const auto file = in.number_to<FileId>(most_id);
    if (!disk.has(file)) throw BadImage{"a name in it leads to no file"};
    return file;
  }
  static Unsynced read_change(ImageReader& in, const Disk& disk) {
    Unsynced change;
    change.change = in.number_to<Change>(static_cast<std::uint64_t>(Change::delete_));
    change.file = known_file(in, disk);
    change.at = in.number();
    change.size_before = in.number();
    change.name = in.text();
    const auto bytes = std::as_bytes(std::span(in.text()));
    if (change.change == Change::write) {
      change.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    }
    return change;
  }
};

std::string image_of(const Disk& disk) {
  ImageWriter out;
  DiskParts::write(out, disk);
  out.number(checksum(out.out()));
  return std::move(out.out());
}

ReadImage read_image(std::string_view bytes) {
  constexpr std::size_t sum_bytes = sizeof(std::uint64_t);
  if (bytes.substr(0, image_title.size()) != image_title.substr(0, bytes.size())) {
    return {std::nullopt, "it is no image of a disk"};
  }
  if (bytes.size() < image_title.size() + sum_bytes) return {std::nullopt, "it ends too early"};
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sum_bytes, sum_bytes);
  bytes.remove_suffix(sum_bytes);
  if (sum != checksum(bytes)) {
    return {std::nullopt, "its checksum is another, so it was cut off or changed"};
  }
  try {
    ImageReader in(bytes.substr(image_title.size()));
    Disk disk = DiskParts::read(in);
    if (!in.at_end()) return {std::nullopt, "something stands after its end"};
    return {std::move(disk), {}};
  } catch (const BadImage& bad) {
    return {std::nullopt, bad.why};
  }
}

}  // namespace leaseproof::faults
