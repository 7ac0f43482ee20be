#include "reports/report_json.hpp"

#include <utility>

namespace leaseproof::reports {

namespace {

Json json_of(const Figure& one) {
  Json from = Json::array();
  for (const Origin& origin : one.from) {
    from.push_back({{"file", origin.source->file}, {"pointer", origin.pointer}});
  }
  return {{"value", one.value}, {"shown", one.shown}, {"by", word(one.by)}, {"from", from}};
}

// The text as it is shown, and the figures in it in their order.
Json json_of(const Text& text) {
  Json figures = Json::array();
  for (const Piece& piece : text.pieces) {
    if (const auto* one = std::get_if<Figure>(&piece)) figures.push_back(json_of(*one));
  }
  return {{"text", text.plain()}, {"figures", std::move(figures)}};
}

Json json_of(const std::vector<Text>& texts) {
  Json list = Json::array();
  for (const Text& text : texts) list.push_back(json_of(text));
  return list;
}

Json json_of(const Judged& one) {
  return {{"rule", one.rule->id},
          {"sentence", one.rule->sentence},
          {"otherwise", word(one.rule->verdict)},
          {"kept", one.reasons.empty()},
          {"waived", one.waived},
          {"reasons", json_of(one.reasons)}};
}

Json json_of(const Table& table) {
  Json rows = Json::array();
  for (const std::vector<Text>& row : table.rows) rows.push_back(json_of(row));
  return {{"id", table.id},
          {"title", table.title},
          {"columns", table.columns},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string report_json(const Report& report) {
  Json document{{"format", "leaseproof-report/1"},
                {"verdict", word(report.judgement.verdict)},
                {"rules", Json::array()},
                {"tables", Json::array()},
                {"not_checked", json_of(report.unchecked)},
                {"counterexamples", Json::array()},
                {"results", Json::array()}};
  for (const Source& source : *report.sources) {
    document["results"].push_back({{"id", source.id}, {"file", source.file}});
  }
  for (const Judged& one : report.judgement.rules) document["rules"].push_back(json_of(one));
  for (const Table& table : report.tables) document["tables"].push_back(json_of(table));
  for (const Counterexample& one : report.counterexamples) {
    document["counterexamples"].push_back({{"title", json_of(one.title)},
                                           {"why", json_of(one.why)},
                                           {"replay", json_of(one.replay)}});
  }
  return document.dump(1) + "\n";
}

}  // namespace leaseproof::reports
