#include "properties/mutants_automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "engine/values/check.hpp"
#include "model/words.hpp"
#include "properties/mutants.hpp"
#include "properties/sql_tokens.hpp"

namespace leaseproof::properties {

namespace {

// Where a condition or one of its conjuncts ends, at its own depth.
constexpr std::array<std::string_view, 20> clause_words{
    "WHERE", "ON",   "AND",  "OR",   "ORDER", "GROUP", "LIMIT", "RETURNING", "LEFT", "CROSS",
    "JOIN",  "FROM", "THEN", "WHEN", "ELSE",  "END",   "UNION", "SELECT",    "SET",  "CONFLICT"};

bool ends_clause(const SqlToken& token) {
  return token.is(",") ||
         std::find(clause_words.begin(), clause_words.end(), token.text) != clause_words.end();
}

// Always true, and still has the parameters of what it stands for.
std::string truth(const std::set<std::string>& parameters) {
  std::string text = "1";
  for (const std::string& one : parameters) text += fmt::format(" AND {0} IS {0}", one);
  return parameters.empty() ? text : "(" + text + ")";
}

template <class E>
void add_words(std::vector<std::vector<std::string_view>>& families) {
  const auto& all = model::Words<E>::all;
  families.emplace_back(all.begin(), all.end());
}

// Another word of the same kind: what stands after it in its vocabulary.
std::optional<std::string_view> other_status(std::string_view word) {
  static const auto families = [] {
    std::vector<std::vector<std::string_view>> all;
    add_words<model::OpStatus>(all);
    add_words<model::EffectStatus>(all);
    add_words<model::ApprovalStatus>(all);
    add_words<model::Contract>(all);
    return all;
  }();
  for (const auto& family : families) {
    const auto found = std::find(family.begin(), family.end(), word);
    if (found == family.end()) continue;
    return std::next(found) == family.end() ? family.front() : *std::next(found);
  }
  return std::nullopt;
}

class Maker {
 public:
  Maker(std::string_view name, std::string_view text)
      : name_(name), text_(text), tokens_(tokens_of(text)) {}

  std::vector<CatalogueMutant> make() {
    drop_conjuncts();
    change_comparisons();
    leave_out_assignments();
    exchange_statuses();
    skip();
    for (const SqlToken& token : tokens_) {
      if (token.is("IMMEDIATE")) replace("deferred", token.begin, token.end(), "DEFERRED");
    }
    return std::move(mutants_);
  }

 private:
  void replace(std::string_view kind, std::size_t begin, std::size_t end, std::string_view by) {
    CatalogueMutant mutant;
    const auto number =
        std::count_if(mutants_.begin(), mutants_.end(), [&](const CatalogueMutant& other) {
          return other.name.find(fmt::format("/{}/", kind)) != std::string::npos;
        });
    mutant.name = fmt::format("{}/{}/{}", name_, kind, number + 1);
    mutant.change = fmt::format("{} -> {}", text_.substr(begin, end - begin), by);
    mutant.text = std::string(text_);
    mutant.text.replace(begin, end - begin, by);
    mutants_.push_back(std::move(mutant));
  }

  std::set<std::string> parameters(std::size_t first, std::size_t last) const {
    std::set<std::string> found;
    for (std::size_t i = first; i < last; ++i) {
      if (tokens_[i].is_parameter()) found.emplace(tokens_[i].text);
    }
    return found;
  }

  // One past the last token of what starts at `first`, at its depth.
  std::size_t end_of_operand(std::size_t first) const {
    const int depth = tokens_[first].depth;
    std::size_t end = first;
    int cases = 0;
    while (end < tokens_.size() && tokens_[end].depth >= depth) {
      const SqlToken& token = tokens_[end];
      if (token.depth == depth && token.is("CASE")) ++cases;
      if (token.depth == depth && cases == 0 && ends_clause(token)) break;
      if (token.depth == depth && token.is("END")) --cases;
      ++end;
    }
    return end;
  }

  // Whether what starts at `first` is a conjunct: a whole condition, or a part of one with AND.
  bool is_conjunct(std::size_t first, std::size_t end) const {
    const std::string_view before = tokens_[first - 1].text;
    if (before == "WHERE" || before == "ON" || before == "AND") return true;
    const bool goes_on = end < tokens_.size() && tokens_[end].is("AND") &&
                         tokens_[end].depth == tokens_[first].depth;
    return goes_on && (before == "(" || before == "," || before == "WHEN" || before == "SELECT");
  }

  void drop_conjuncts() {
    for (std::size_t first = 1; first < tokens_.size(); ++first) {
      const std::string_view before = tokens_[first - 1].text;
      if (before != "WHERE" && before != "ON" && before != "AND" && before != "(" &&
          before != "," && before != "WHEN" && before != "SELECT") {
        continue;
      }
      if (tokens_[first].is("CONFLICT") || tokens_[first].is(")")) continue;
      const std::size_t end = end_of_operand(first);
      if (end == first || !is_conjunct(first, end)) continue;
      replace("drop", tokens_[first].begin, tokens_[end - 1].end(), truth(parameters(first, end)));
    }
  }

  bool is_assignment(std::size_t equals) const {
    if (equals < 2 || !tokens_[equals].is("=")) return false;
    const SqlToken& before = tokens_[equals - 2];
    if (before.is("SET")) return true;
    if (!before.is(",")) return false;
    // Among assignments if SET stands before it and no WHERE in between, at the same depth.
    for (std::size_t i = equals - 1; i > 0; --i) {
      if (tokens_[i - 1].depth != tokens_[equals].depth) continue;
      if (tokens_[i - 1].is("SET")) return true;
      if (tokens_[i - 1].is("WHERE") || tokens_[i - 1].is("SELECT")) return false;
    }
    return false;
  }

  void change_comparisons() {
    static const std::array<std::array<std::string_view, 3>, 4> shifted{
        {{"<", "<=", ">="}, {"<=", "<", ">"}, {">", ">=", "<="}, {">=", ">", "<"}}};
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const SqlToken& token = tokens_[i];
      for (const auto& row : shifted) {
        if (!token.is(row[0])) continue;
        replace("shift", token.begin, token.end(), row[1]);
        replace("turn", token.begin, token.end(), row[2]);
      }
      if ((token.is("=") && !is_assignment(i))) replace("turn", token.begin, token.end(), "<>");
    }
  }

  void leave_out_assignments() {
    for (std::size_t i = 2; i + 1 < tokens_.size(); ++i) {
      if (!is_assignment(i)) continue;
      const std::size_t end = end_of_operand(i + 1);
      const std::string_view column = tokens_[i - 1].text;
      const auto bound = parameters(i + 1, end);
      const std::string by = bound.empty()
                                 ? std::string(column)
                                 : fmt::format("CASE WHEN {} THEN {} END", truth(bound), column);
      replace("keep", tokens_[i + 1].begin, tokens_[end - 1].end(), by);
    }
  }

  void exchange_statuses() {
    for (const SqlToken& token : tokens_) {
      if (!token.is_string()) continue;
      const auto other = other_status(token.text.substr(1, token.text.size() - 2));
      if (other) replace("status", token.begin, token.end(), fmt::format("'{}'", *other));
    }
  }

  std::optional<std::size_t> find_outside(std::string_view word) const {
    for (const SqlToken& token : tokens_) {
      if (token.depth == 0 && token.is(word)) return token.begin;
    }
    return std::nullopt;
  }

  // The statement runs and does, or finds, nothing.
  void skip() {
    const SqlToken& first = tokens_.front();
    const std::size_t length = text_.size();
    if (first.is("SELECT")) {
      replace("skip", 0, length, fmt::format("SELECT * FROM ({}) WHERE 0", text_));
    } else if (first.is("UPDATE") || first.is("DELETE")) {
      const std::size_t returning = find_outside("RETURNING").value_or(length);
      if (const auto where = find_outside("WHERE")) {
        const std::size_t begin = *where + std::string_view("WHERE").size();
        replace("skip", begin, returning,
                fmt::format(" 0 AND ({}) ", text_.substr(begin, returning - begin)));
      } else {
        replace("skip", returning, returning, " WHERE 0 ");
      }
    } else if (first.is("INSERT")) {
      skip_insert();
    } else {
      replace("skip", 0, length, "SELECT 0 WHERE 0");
    }
  }

  void skip_insert() {
    const auto values = find_outside("VALUES");
    const std::size_t rest = std::min(find_outside("ON").value_or(text_.size()),
                                      find_outside("RETURNING").value_or(text_.size()));
    if (!values) {
      const auto where = find_outside("WHERE");
      if (!where) return;
      const std::size_t begin = *where + std::string_view("WHERE").size();
      replace("skip", begin, begin, " 0 AND");
      return;
    }
    const std::size_t open = text_.find('(', *values);
    const std::size_t close = text_.rfind(')', rest);
    replace("skip", *values, rest,
            fmt::format("SELECT {} WHERE 0 ", text_.substr(open + 1, close - open - 1)));
  }

  const std::string_view name_;
  const std::string_view text_;
  const std::vector<SqlToken> tokens_;
  std::vector<CatalogueMutant> mutants_;
};

}  // namespace

std::vector<CatalogueMutant> mutants_of(std::string_view name, std::string_view text) {
  return Maker(name, text).make();
}

// Statements that a test bed runs between the cases and to look behind the calls; the engine runs
// none of them.
constexpr std::array<std::string_view, 2> of_the_test_bed{"erase_", "unobserved_"};

const std::vector<CatalogueMutant>& catalogue_mutants() {
  static const std::vector<CatalogueMutant> all = [] {
    std::vector<CatalogueMutant> made;
    for (const engine::store::Statement& statement : engine::store::catalog) {
      if (std::ranges::any_of(of_the_test_bed, [&](std::string_view prefix) {
            return statement.name.starts_with(prefix);
          })) {
        continue;
      }
      for (CatalogueMutant& mutant : mutants_of(statement.name, statement.text)) {
        mutant.statement = engine::store::index(statement.id);
        made.push_back(std::move(mutant));
      }
    }
    return made;
  }();
  return all;
}

const CatalogueMutant* find_catalogue_mutant(std::string_view name) {
  for (const CatalogueMutant& mutant : catalogue_mutants()) {
    if (mutant.name == name) return &mutant;
  }
  return nullptr;
}

bool compiles(const CatalogueMutant& mutant, sqlite3* database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, mutant.text.c_str(), -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return code == SQLITE_OK;
}

std::shared_ptr<const engine::sqlite::StatementTexts> mutated(const CatalogueMutant& mutant) {
  auto texts = std::make_shared<engine::sqlite::StatementTexts>(engine::store::catalog_texts());
  LP_CHECK((*texts)[mutant.statement] != mutant.text, "a mutant changes its statement");
  (*texts)[mutant.statement] = mutant.text;
  return texts;
}

std::shared_ptr<const engine::sqlite::StatementTexts> texts_of_mutant(std::string_view name) {
  if (const Mutant* planted = find_mutant(name)) return mutated(*planted);
  if (const CatalogueMutant* automatic = find_catalogue_mutant(name)) return mutated(*automatic);
  return nullptr;
}

}  // namespace leaseproof::properties
