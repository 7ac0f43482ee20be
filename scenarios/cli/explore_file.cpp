#include "scenarios/cli/explore_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/values/digest.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/file.hpp"
#include "scenarios/json.hpp"

namespace leaseproof::scenarios::cli {

namespace {

constexpr std::string_view format_name = "leaseproof-explore/1";

Json header_of(const SearchedWorld& searched) {
  return {{"world", searched.world},
          {"engine", searched.engine},
          {"crashes", searched.faults.crashes},
          {"busies", searched.faults.busies},
          {"losses", searched.faults.losses},
          {"refusals", searched.faults.refusals}};
}

Json body_of(const properties::ExhaustiveProgress& progress) {
  // One row a state: its way there and its key.
  Json states = Json::array();
  for (std::size_t i = 0; i < progress.visits.size(); ++i) {
    const auto& visit = progress.visits[i];
    const auto& key = progress.keys[i];
    states.push_back({visit.parent, visit.move, visit.variant, key.high, key.low});
  }
  return {{"states", std::move(states)},         {"waiting", progress.waiting},
          {"transitions", progress.transitions}, {"calls", progress.calls},
          {"crashes", progress.crashes},         {"depth", progress.depth}};
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw InputWrong{
      fmt::format("{}: {}; name another file, or remove it to begin again", file.string(), why)};
}

}  // namespace

properties::ExhaustiveProgress read_progress(const std::filesystem::path& file,
                                             const SearchedWorld& searched) {
  const auto text = read_file(file);
  if (!text) throw InputWrong{text.error().text};
  const Json whole = Json::parse(*text, nullptr, false);
  if (!whole.is_object() || whole.value("format", Json()) != format_name) {
    refuse(file, "is no search that was ended");
  }
  // Everything below was written by this program if the digest is that of what it covers.
  const Json search = whole.value("search", Json::object());
  const Json body = whole.value("progress", Json::object());
  if (whole.value("sha256", Json()) != engine::sha256_hex(search.dump() + body.dump())) {
    refuse(file, "was changed since it was written");
  }
  if (search != header_of(searched)) {
    refuse(file, fmt::format("is of another search, {}", search.dump()));
  }
  properties::ExhaustiveProgress progress;
  for (const Json& row : body.at("states")) {
    progress.visits.push_back(
        {row[0].get<std::uint32_t>(), row[1].get<std::uint32_t>(), row[2].get<std::uint8_t>()});
    progress.keys.push_back({row[3].get<std::uint64_t>(), row[4].get<std::uint64_t>()});
  }
  progress.waiting = body.at("waiting").get<std::vector<std::uint32_t>>();
  progress.transitions = body.at("transitions");
  progress.calls = body.at("calls");
  progress.crashes = body.at("crashes");
  progress.depth = body.at("depth");
  return progress;
}

void write_progress(const std::filesystem::path& file, const SearchedWorld& searched,
                    const properties::ExhaustiveProgress& progress) {
  const Json search = header_of(searched);
  const Json body = body_of(progress);
  const Json whole{{"format", format_name},
                   {"search", search},
                   {"progress", body},
                   {"sha256", engine::sha256_hex(search.dump() + body.dump())}};
  if (const auto written = write_file(file, whole.dump() + "\n"); !written) {
    throw EnvironmentFailed{written.error().text};
  }
}

}  // namespace leaseproof::scenarios::cli
