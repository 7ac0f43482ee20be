#include "faults/disk.hpp"

#include <algorithm>
#include <utility>

namespace leaseproof::faults {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = fold(hash, static_cast<unsigned char>(c));
  return hash;
}

bool is_about_bytes(const Unsynced& change) {
  return change.change == Change::write || change.change == Change::truncate;
}

bool is_whole(const Device& device, const Unsynced& write) {
  return device.atomic_bytes > 0 && write.size() == device.atomic_bytes &&
         write.at % device.atomic_bytes == 0;
}

}  // namespace

std::optional<FileId> Disk::find(std::string_view name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

FileId Disk::create(std::string_view name) {
  if (!name.empty()) remove(name);
  const FileId file = next_++;
  files_[file].named = !name.empty();
  if (!name.empty()) {
    names_.emplace(name, file);
    unsynced_.push_back({Change::create, file, 0, 0, std::string(name), nullptr});
  }
  return file;
}

bool Disk::remove(std::string_view name) {
  const auto found = names_.find(name);
  if (found == names_.end()) return false;
  const FileId file = found->second;
  names_.erase(found);
  unsynced_.push_back({Change::delete_, file, 0, 0, std::string(name), nullptr});
  return true;
}

void Disk::hold(FileId file) { ++files_.at(file).holds; }

void Disk::release(FileId file) {
  --files_.at(file).holds;
  collect(file);
}

void Disk::release_all() {
  std::vector<FileId> held;
  for (auto& [file, kept] : files_) {
    if (std::exchange(kept.holds, 0) > 0) held.push_back(file);
  }
  for (const FileId file : held) collect(file);
}

// A file goes when no handle, no name and no name that may come back leads to it.
void Disk::collect(FileId file) {
  const auto found = files_.find(file);
  if (found == files_.end() || found->second.holds > 0) return;
  const auto leads_here = [&](const auto& entry) { return entry.second == file; };
  if (std::any_of(names_.begin(), names_.end(), leads_here) ||
      std::any_of(durable_names_.begin(), durable_names_.end(), leads_here) ||
      std::any_of(unsynced_.begin(), unsynced_.end(), [&](const Unsynced& change) {
        return change.file == file && !is_about_bytes(change);
      })) {
    return;
  }
  std::erase_if(unsynced_, [&](const Unsynced& change) { return change.file == file; });
  files_.erase(found);
}

std::uint64_t Disk::size(FileId file) const { return files_.at(file).seen.size(); }

std::size_t Disk::read(FileId file, std::uint64_t offset, std::span<std::byte> into) const {
  return files_.at(file).seen.read(offset, into);
}

void Disk::write(FileId file, std::uint64_t offset, std::span<const std::byte> bytes) {
  File& written = files_.at(file);
  const std::uint64_t size_before = written.seen.size();
  written.seen.write(offset, bytes);
  if (!written.named) return;
  auto kept = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  unsynced_.push_back({Change::write, file, offset, size_before, std::string(), std::move(kept)});
}

void Disk::truncate(FileId file, std::uint64_t size) {
  File& cut = files_.at(file);
  cut.seen.resize(size);
  if (cut.named) unsynced_.push_back({Change::truncate, file, size, 0, std::string(), nullptr});
}

void Disk::sync_all() {
  std::vector<FileId> maybe_gone;
  for (const Unsynced& change : unsynced_) {
    stay_whole(change);
    if (change.change == Change::delete_) maybe_gone.push_back(change.file);
  }
  unsynced_.clear();
  for (const FileId file : maybe_gone) collect(file);
}

void Disk::sync(FileId file) {
  if (device_.sequential) return sync_all();
  std::erase_if(unsynced_, [&](const Unsynced& change) {
    if (change.file != file || !is_about_bytes(change)) return false;
    stay_whole(change);
    return true;
  });
}

void Disk::sync_directory() {
  if (device_.sequential) return sync_all();
  durable_names_ = names_;
  std::vector<FileId> maybe_gone;
  std::erase_if(unsynced_, [&](const Unsynced& change) {
    if (change.change == Change::delete_) maybe_gone.push_back(change.file);
    return !is_about_bytes(change);
  });
  for (const FileId file : maybe_gone) collect(file);
}

std::vector<Unit> Disk::units() const {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    const Unsynced& change = unsynced_[i];
    const std::size_t size = change.size();
    if (change.change != Change::write || is_whole(device_, change)) {
      units.push_back({i, false, 0, size});
      continue;
    }
    if (change.grows() && !device_.safe_append) units.push_back({i, true, 0, 0});
    for (std::size_t begin = 0; begin < size;) {
      const std::uint64_t inside = (change.at + begin) % device_.sector_bytes;
      const auto left = static_cast<std::size_t>(device_.sector_bytes - inside);
      const std::size_t end = std::min(size, begin + left);
      units.push_back({i, false, begin, end});
      begin = end;
    }
  }
  return units;
}

// What a sync has made durable is all there, whatever a loss before it could have kept.
void Disk::stay_whole(const Unsynced& change) {
  if (change.change == Change::write) {
    files_.at(change.file).durable.write(change.at, *change.bytes);
  } else {
    stay(change, {});
  }
}

void Disk::stay(const Unsynced& change, const Unit& unit) {
  Pages& durable = files_.at(change.file).durable;
  switch (change.change) {
    case Change::write:
      if (unit.size_only) {
        const std::uint64_t end = change.at + change.size();
        if (durable.size() < end) durable.resize(end);
        return;
      }
      // With safe append the bytes before these came first. A hole that the write itself leaves is
      // none of them.
      if (device_.safe_append &&
          durable.size() < (unit.begin == 0 ? std::min(change.at, change.size_before)
                                            : change.at + unit.begin)) {
        return;
      }
      durable.write(change.at + unit.begin,
                    std::span(*change.bytes).subspan(unit.begin, unit.end - unit.begin));
      return;
    case Change::truncate:
      durable.resize(change.at);
      return;
    case Change::create:
      durable_names_[change.name] = change.file;
      return;
    case Change::delete_: {
      const auto found = durable_names_.find(change.name);
      if (found != durable_names_.end() && found->second == change.file) {
        durable_names_.erase(found);
      }
      return;
    }
  }
}

void Disk::lose_power(const PowerLoss& plan) {
  const std::vector<Unit> all = units();
  const std::size_t known = std::min(all.size(), plan.stays.size());
  for (std::size_t i = 0; i < known; ++i) {
    if (plan.stays[i]) {
      stay(unsynced_[all[i].operation], all[i]);
    } else if (device_.sequential) {
      break;
    }
  }
  unsynced_.clear();
  names_ = durable_names_;
  std::map<FileId, File> left;
  for (const auto& [name, file] : names_) {
    File& kept = left[file];
    kept.durable = files_.at(file).durable;
    kept.seen = kept.durable;
  }
  files_ = std::move(left);
}

std::uint64_t Disk::hash() const {
  std::uint64_t hash = 1;
  for (const auto& [name, file] : names_) {
    hash = fold(fold(hash, hash_of(name)), files_.at(file).seen.hash());
  }
  return hash;
}

std::uint64_t Disk::durable_hash() const {
  std::uint64_t hash = 1;
  for (const auto& [name, file] : durable_names_) {
    hash = fold(fold(hash, hash_of(name)), files_.at(file).durable.hash());
  }
  return hash;
}

}  // namespace leaseproof::faults
