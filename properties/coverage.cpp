#include "properties/coverage.hpp"

#include <algorithm>
#include <utility>

namespace leaseproof::properties {

namespace {

constexpr std::size_t word_count = model::Words<model::Word>::all.size();
constexpr std::array<std::string_view, faults::place_count> place_words{"begin", "write", "commit",
                                                                        "committed"};
constexpr auto reject_kind = static_cast<std::uint8_t>(std::variant_size_v<model::Action>);

static_assert(fault_kind_count <= 256, "the fault of a cell is one byte");

template <std::size_t... I>
constexpr std::array<std::string_view, sizeof...(I)> names(std::index_sequence<I...> /*kinds*/) {
  return {std::variant_alternative_t<I, model::Action>::name...};
}

}  // namespace

std::string_view word_of_stood(Stood stood) {
  if (stood == op_absent) return "absent";
  if (stood == op_unnamed) return "no op named";
  return model::word(static_cast<model::OpStatus>(stood));
}

std::string_view Cell::action_word() const {
  static constexpr auto all = names(std::make_index_sequence<std::variant_size_v<model::Action>>{});
  if (action == reject_kind) return "reject";
  return all[action] == model::Decide::name ? "approve" : all[action];
}

std::string Cell::fault_words() const {
  if (fault == 0) return "none";
  const std::size_t kinds = faults::kind_words.size();
  const std::size_t site = (fault - 1U) / kinds;
  std::string text(
      site < faults::place_count
          ? place_words[site]
          : faults::point_names[faults::effect_before_call + site - faults::place_count]);
  text += ' ';
  return text += faults::kind_words[(fault - 1U) % kinds];
}

std::uint8_t action_kind(const model::Action& action) {
  const auto* decide = std::get_if<model::Decide>(&action);
  if (decide != nullptr && !decide->approve) return reject_kind;
  return static_cast<std::uint8_t>(action.index());
}

std::uint8_t fault_kind(const faults::Plan& plan) {
  const std::optional<faults::Place> place = faults::place_of(plan.point);
  const std::size_t site = place ? static_cast<std::size_t>(*place)
                                 : faults::place_count + plan.point - faults::effect_before_call;
  return static_cast<std::uint8_t>(1 + site * faults::kind_words.size() +
                                   static_cast<std::size_t>(plan.kind));
}

Cell cell_of(CellId id) {
  Cell cell;
  std::size_t rest = id;
  cell.word = static_cast<model::Word>(rest % word_count);
  rest /= word_count;
  cell.stood = static_cast<Stood>(rest % stood_count);
  rest /= stood_count;
  cell.action = static_cast<std::uint8_t>(rest % action_kind_count);
  cell.fault = static_cast<std::uint8_t>(rest / action_kind_count);
  return cell;
}

void CellCounts::count(const Cell& cell, std::size_t step) {
  std::vector<std::uint32_t>& page = pages_[cell.fault];
  if (page.empty()) page.resize(cells_a_fault);
  const CellId id = id_of(cell);
  if (page[id % cells_a_fault]++ == 0) {
    reached_.push_back({id, 0, static_cast<std::uint32_t>(step)});
  }
}

std::vector<CellCount> CellCounts::take() {
  std::sort(reached_.begin(), reached_.end(),
            [](const CellCount& a, const CellCount& b) { return a.cell < b.cell; });
  for (CellCount& one : reached_) {
    one.count = std::exchange(pages_[one.cell / cells_a_fault][one.cell % cells_a_fault], 0);
  }
  return std::exchange(reached_, {});
}

std::vector<std::size_t> Coverage::add(const std::vector<CellCount>& cells, std::int64_t run) {
  std::vector<std::size_t> steps;
  for (const CellCount& one : cells) {
    const auto [at, is_new] = cells_.try_emplace(one.cell, Reached{0, run});
    at->second.count += one.count;
    if (is_new) steps.push_back(one.step);
  }
  if (!steps.empty()) last_new_ = run;
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace leaseproof::properties
