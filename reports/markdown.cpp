#include "reports/markdown.hpp"

#include "reports/escape.hpp"

namespace leaseproof::reports {

namespace {

std::string told(const Text& text) { return markdown_text(text.plain()); }

std::string row_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string told(const Table& table) {
  std::string out = "\n## " + table.title + "\n\n";
  if (!table.note.pieces.empty()) out += told(table.note) + "\n\n";
  std::vector<std::string> heads;
  std::vector<std::string> rulers;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    heads.push_back(markdown_text(table.columns[i]));
    rulers.emplace_back(table.is_numeric(i) ? "---:" : "---");
  }
  out += row_of(heads) + row_of(rulers);
  for (const std::vector<Text>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Text& cell : row) cells.push_back(told(cell));
    out += row_of(cells);
  }
  return out;
}

// As code, which ends at no backtick of the line itself.
std::string code(const std::string& line) {
  std::string fence = "`";
  while (line.find(fence) != std::string::npos) fence += '`';
  std::string shown;
  for (const char c : line) shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return fence + " " + shown + " " + fence;
}

std::string told(const Counterexample& one) {
  std::string out = "- " + told(one.title) + ": " + told(one.why) + "\n";
  if (!one.replay.pieces.empty()) out += "  " + code(one.replay.plain()) + "\n";
  return out;
}

}  // namespace

std::string markdown(const Report& report) {
  std::string out = "# leaseproof: " + std::string(word(report.judgement.verdict)) + "\n\n";
  bool any = false;
  for (const Judged& one : report.judgement.rules) {
    if (one.reasons.empty() || one.waived) continue;
    any = true;
    out += "- **" + std::string(word(one.rule->verdict)) + "**, " + markdown_text(one.rule->id) +
           " (the rule is: " + markdown_text(one.rule->sentence) + ")\n";
    for (const Text& reason : one.reasons) out += "  - " + told(reason) + "\n";
  }
  if (!any) out += "Every rule is kept.\n";
  if (!report.counterexamples.empty()) {
    out += "\n## Counterexamples\n\n";
    for (const Counterexample& one : report.counterexamples) out += told(one);
  }
  for (const Table& table : report.tables) out += told(table);
  if (!report.unchecked.empty()) {
    out += "\n## What was not checked\n\n";
    for (const Text& one : report.unchecked) out += "- " + told(one) + "\n";
  }
  return out;
}

}  // namespace leaseproof::reports
