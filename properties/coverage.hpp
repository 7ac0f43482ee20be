// The matrix of what calls met: where their op stood × what was asked × what was answered × which
// fault struck. Each call of a run falls into one cell, the interleaved ones and those of the fair
// schedule too.
//
// Promise: counts only, ordered; nothing here decides what is possible, so a cell that is missing
// was not reached, and that is all that is known of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "faults/plan.hpp"
#include "model/vocabulary.hpp"

namespace leaseproof::properties {

// Where the op that the call names stood in the instant before it, by the model: a status, or one
// of the two words after them.
using Stood = std::uint8_t;
inline constexpr Stood op_absent = model::op_status_count;       // no such op
inline constexpr Stood op_unnamed = model::op_status_count + 1;  // the call names none
inline constexpr std::size_t stood_count = model::op_status_count + 2;
std::string_view word_of_stood(Stood stood);

struct Cell {
  Stood stood = op_unnamed;
  std::uint8_t action = 0;  // as in the variant, and one more: `reject`
  model::Word word = model::Word::ok;
  std::uint8_t fault = 0;  // 0: none struck; else place and kind

  // In the words of traces; the fault is "none", or place and kind: "commit crash", "vfs/sync
  // io_error".
  [[nodiscard]] std::string_view action_word() const;
  [[nodiscard]] std::string fault_words() const;
  bool operator==(const Cell&) const = default;
};

inline constexpr std::size_t action_kind_count = std::variant_size_v<model::Action> + 1;
// What strikes an engine call at one of its places, a listener, the service or the disk. Of which
// call a place is, the action says.
inline constexpr std::size_t fault_site_count =
    faults::place_count + (faults::point_count - faults::effect_before_call);
inline constexpr std::size_t fault_kind_count = 1 + fault_site_count * faults::kind_words.size();

std::uint8_t action_kind(const model::Action& action);
std::uint8_t fault_kind(const faults::Plan& plan);

// Cells by number, in the order fault, action, status, word.
using CellId = std::uint32_t;
inline constexpr std::size_t cells_a_fault =
    action_kind_count * stood_count * model::Words<model::Word>::all.size();
constexpr CellId id_of(const Cell& cell) {
  std::size_t id = cell.fault;
  id = id * action_kind_count + cell.action;
  id = id * stood_count + cell.stood;
  id = id * model::Words<model::Word>::all.size() + static_cast<std::size_t>(cell.word);
  return static_cast<CellId>(id);
}
Cell cell_of(CellId id);

// One cell as a run reached it.
struct CellCount {
  CellId cell = 0;
  std::uint32_t count = 0;
  std::uint32_t step = 0;  // the top-level step in which the run reached it first
};

// The counts of one run, on the path of every checked step: dense, a page for each fault that
// struck.
class CellCounts {
 public:
  void count(const Cell& cell, std::size_t step);
  // What was counted since the last time, in the order of cells.
  std::vector<CellCount> take();

 private:
  std::array<std::vector<std::uint32_t>, fault_kind_count> pages_;
  std::vector<CellCount> reached_;  // each once; counts are in the pages
};

// The sum over runs. To be added in the order of runs, so that it depends on no number of jobs.
class Coverage {
 public:
  struct Reached {
    std::int64_t count = 0;
    std::int64_t first_run = 0;
  };

  // Answers the steps in which the run reached cells that no run before it had, each once.
  std::vector<std::size_t> add(const std::vector<CellCount>& cells, std::int64_t run);

  [[nodiscard]] const std::map<CellId, Reached>& cells() const { return cells_; }
  // The last run that reached a new cell, or nothing.
  [[nodiscard]] std::optional<std::int64_t> last_new() const { return last_new_; }

 private:
  std::map<CellId, Reached> cells_;
  std::optional<std::int64_t> last_new_;
};

}  // namespace leaseproof::properties
