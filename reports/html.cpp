#include "reports/html.hpp"

#include <algorithm>
#include <utility>

#include "reports/escape.hpp"
#include "reports/lanes_svg.hpp"
#include "reports/latency_svg.hpp"
#include "reports/markup.hpp"

namespace leaseproof::reports {

namespace {

constexpr double picture_width = 1180;
constexpr std::size_t most_unfolded = 12;

std::string class_of(Verdict verdict) {
  return verdict == Verdict::not_ready ? "bad" : verdict == Verdict::ready ? "good" : "doubtful";
}

std::string list_of(const std::vector<Text>& texts) {
  std::string items;
  for (const Text& text : texts) items += element("li", {}, marked_up(text)) + "\n";
  return element("ul", {}, items);
}

// A long list shows its beginning, and the rest to who asks for it.
std::string folded_list(const std::vector<Text>& texts) {
  if (texts.size() <= most_unfolded) return list_of(texts);
  const auto middle = texts.begin() + static_cast<std::ptrdiff_t>(most_unfolded);
  return list_of({texts.begin(), middle}) +
         element("details", {},
                 element("summary", {}, "and more") + list_of({middle, texts.end()}));
}

// Of the rules of one verdict those that speak.
std::string reasons_of(const Judgement& judgement, Verdict verdict) {
  std::string out;
  for (const Judged& one : judgement.rules) {
    if (one.reasons.empty() || one.waived || one.rule->verdict != verdict) continue;
    const std::string rule = element("b", {}, xml_text(one.rule->id)) +
                             " – the rule is: " + xml_text(one.rule->sentence);
    out += element("li", {{"class", class_of(verdict)}}, rule + folded_list(one.reasons)) + "\n";
  }
  return out.empty() ? out : element("ul", {{"class", "reasons"}}, out);
}

// What is missing is of little interest as long as something is wrong.
std::string reasons(const Judgement& judgement) {
  const std::string wrong = reasons_of(judgement, Verdict::not_ready);
  const std::string open = reasons_of(judgement, Verdict::unknown);
  if (wrong.empty()) return open.empty() ? element("p", {}, "Every rule is kept.") : open;
  if (open.empty()) return wrong;
  return wrong +
         element("details", {},
                 element("summary", {}, "Without that the verdict would be unknown") + open);
}

std::string cell(const Text& text, bool numeric) {
  std::string classes = numeric ? "n" : "";
  if (text.tone != Tone::plain) {
    classes += (classes.empty() ? "" : " ") + std::string(word(text.tone));
  }
  return element("td", classes.empty() ? Attributes{} : Attributes{{"class", classes}},
                 marked_up(text));
}

std::string table(const Table& table) {
  const bool wide = table.columns.size() > 12;
  std::string head;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    head += element("th", table.is_numeric(i) ? Attributes{{"class", "n"}} : Attributes{},
                    xml_text(table.columns[i]));
  }
  std::string body;
  for (const std::vector<Text>& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells += cell(row[i], table.is_numeric(i));
    body += element("tr", {}, cells) + "\n";
  }
  std::string out = table.note.pieces.empty() ? "" : element("p", {}, marked_up(table.note));
  out += element(
      "div", {{"class", "scroll"}},
      element("table", {{"id", table.id}, {"class", wide ? "wide" : "narrow"}},
              element("thead", {}, element("tr", {}, head)) + "\n" + element("tbody", {}, body)));
  if (table.folded) {
    return element("details", {},
                   element("summary", {}, element("h2", {}, xml_text(table.title))) + out);
  }
  return element("h2", {}, xml_text(table.title)) + out;
}

std::string counterexample(const Counterexample& one) {
  std::string out = element("h3", {}, marked_up(one.title)) +
                    element("p", {{"class", "why"}}, marked_up(one.why));
  if (!one.replay.pieces.empty()) {
    out += element("pre", {{"class", "replay"}}, marked_up(one.replay));
  }
  if (one.interleaving) {
    out += element("div", {{"class", "scroll"}}, lanes_svg(*one.interleaving, picture_width));
  }
  return element("article", {}, out) + "\n";
}

constexpr std::string_view legend =
    "Time runs down. A bar is a lease, from the moment in which it was granted to the one in which "
    "it was gone; it is faint from when it had expired. A dot is a call, a ring one that begins "
    "and "
    "stands still while others run (indented), a cross a crash, a bolt a fault, a diamond the "
    "outside service. The violating step is on red.";

std::string counterexamples(const Report& report) {
  if (report.counterexamples.empty()) return {};
  std::string out = element("h2", {}, "Counterexamples");
  const bool has_pictures =
      std::any_of(report.counterexamples.begin(), report.counterexamples.end(),
                  [](const Counterexample& one) { return one.interleaving.has_value(); });
  if (has_pictures) out += element("p", {{"class", "legend"}}, std::string(legend));
  for (const Counterexample& one : report.counterexamples) out += counterexample(one);
  return element("section", {{"id", "counterexamples"}}, out) + "\n";
}

std::string latency(const Report& report) {
  const std::string plot = latency_svg(report.evidence, picture_width);
  if (plot.empty()) return {};
  return element("section", {{"id", "latency"}},
                 element("h2", {}, "Latency") +
                     element("p", {{"class", "legend"}},
                             "From the median, the large dot, to all but one of a thousand, whose "
                             "figure is told in µs. The scale is logarithmic.") +
                     element("div", {{"class", "scroll"}}, plot)) +
         "\n";
}

std::string not_checked(const Report& report) {
  if (report.unchecked.empty()) return {};
  return element("section", {{"id", "not_checked"}},
                 element("h2", {}, "What was not checked") + folded_list(report.unchecked)) +
         "\n";
}

}  // namespace

std::string html(const Report& report) {
  const Verdict verdict = report.judgement.verdict;
  std::string body =
      element("header", {{"class", class_of(verdict)}},
              element("p", {{"class", "what"}}, "leaseproof: release verdict") +
                  element("h1", {}, xml_text(word(verdict))) + reasons(report.judgement));
  body += "\n" + counterexamples(report);
  for (const Table& one : report.tables) {
    body += element("section", {}, table(one)) + "\n";
    if (one.id == "benchmarks") body += latency(report);
  }
  body += not_checked(report);
  body += element("footer", {},
                  "Each figure comes from a result file: point at it to see which and where. What "
                  "was worked out of several names them all.");
  const std::string head =
      element("meta", {{"charset", "utf-8"}}) +
      element("meta", {{"http-equiv", "Content-Security-Policy"},
                       {"content", "default-src 'none'; style-src 'unsafe-inline'"}}) +
      element("meta", {{"name", "viewport"}, {"content", "width=device-width"}}) +
      element("title", {}, "leaseproof: " + xml_text(word(verdict))) +
      element("style", {}, std::string(page_style()));
  return "<!DOCTYPE html>\n" +
         element(
             "html", {{"lang", "en"}},
             element("head", {}, head) + "\n" + element("body", {}, element("main", {}, body))) +
         "\n";
}

}  // namespace leaseproof::reports
