#include "bench/recorded_statements.hpp"

#include <sqlite3.h>

#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace leaseproof::bench {
namespace {

Literal read_literal(std::string_view text, std::size_t& at) {
  Literal literal;
  if (text.substr(at, 4) == "NULL") {
    at += 4;
  } else if (text[at] == '\'') {
    literal.kind = Literal::Kind::text;
    for (++at; at < text.size(); ++at) {
      if (text[at] == '\'') {
        if (at + 1 >= text.size() || text[at + 1] != '\'') break;
        ++at;
      }
      literal.text.push_back(text[at]);
    }
    ++at;
  } else {
    literal.kind = Literal::Kind::integer;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), literal.integer);
    at = static_cast<std::size_t>(read.ptr - text.data());
  }
  return literal;
}

}  // namespace

void RecordedStatements::record(const std::vector<sqlite3*>& connections) {
  for (sqlite3* db : connections) {
    sources_.push_back(std::make_unique<Source>(Source{this, sources_.size(), db}));
    sqlite3_trace_v2(
        db, SQLITE_TRACE_STMT,
        [](unsigned, void* source, void* statement, void*) {
          const auto* from = static_cast<Source*>(source);
          auto* prepared = static_cast<sqlite3_stmt*>(statement);
          char* expanded = sqlite3_expanded_sql(prepared);
          from->into->note(from->place, sqlite3_sql(prepared), expanded);
          sqlite3_free(expanded);
          return 0;
        },
        sources_.back().get());
  }
}

void RecordedStatements::stop() {
  for (const auto& source : sources_) sqlite3_trace_v2(source->db, 0, nullptr, nullptr);
  sources_.clear();
}

// The expanded text differs from the template only where a parameter stood.
void RecordedStatements::note(std::size_t place, const char* sql, const char* expanded) {
  const std::string_view pattern(sql);
  const std::string_view text(expanded);
  const auto [known, fresh] = index_.try_emplace({place, std::string(pattern)}, texts_.size());
  if (fresh) texts_.emplace_back(place, pattern);
  Run run{known->second, {}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '?') {
      ++at;
      continue;
    }
    int number = 0;
    while (i + 1 < pattern.size() &&
           std::isdigit(static_cast<unsigned char>(pattern[i + 1])) != 0) {
      number = number * 10 + (pattern[++i] - '0');
    }
    run.values.emplace_back(number, read_literal(text, at));
  }
  runs_.push_back(std::move(run));
}

void RecordedStatements::prepare(const std::vector<sqlite3*>& connections) {
  prepared_.assign(texts_.size(), nullptr);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto& [place, text] = texts_[i];
    sqlite3_prepare_v3(connections[place], text.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                       &prepared_[i], nullptr);
  }
}

bool RecordedStatements::run() {
  bool well = true;
  for (const Run& run : runs_) {
    sqlite3_stmt* statement = prepared_[run.statement];
    for (const auto& [number, literal] : run.values) {
      switch (literal.kind) {
        case Literal::Kind::null:
          sqlite3_bind_null(statement, number);
          break;
        case Literal::Kind::integer:
          sqlite3_bind_int64(statement, number, literal.integer);
          break;
        case Literal::Kind::text:
          sqlite3_bind_text64(statement, number, literal.text.data(), literal.text.size(),
                              SQLITE_STATIC, SQLITE_UTF8);
          break;
      }
    }
    int code = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    }
    well = well && code == SQLITE_DONE;
    sqlite3_reset(statement);
  }
  return well;
}

void RecordedStatements::finalize() {
  for (auto* statement : prepared_) sqlite3_finalize(statement);
  prepared_.clear();
}

}  // namespace leaseproof::bench
