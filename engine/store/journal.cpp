#include "engine/store/journal.hpp"

#include <algorithm>
#include <utility>

#include "engine/store/catalog.hpp"
#include "engine/store/reading.hpp"

namespace leaseproof::engine::store {

namespace {
bool is_for_a_person(std::string_view status) {
  return status == "waiting_approval" || status == "reconciling";
}

// An alert can hang on an event that lets an op wait for a person, or wait no longer: it carries
// how many wait once its call has committed.
std::string for_a_person(sqlite::Connection& db) {
  const ForAPerson counts = count_for_a_person(db);
  return ",\"for_a_person\":{\"reconciling\":" + std::to_string(counts.reconciling) +
         ",\"waiting_approval\":" + std::to_string(counts.waiting_approval) + "}";
}
}  // namespace

void Journal::Places::clear() {
  first_.clear();
  // It keeps its buckets, and would walk over those of the largest call ever made.
  if (!index_.empty()) index_.clear();
}

std::size_t& Journal::Places::of(std::int64_t row, std::size_t next) {
  const auto among_first = std::find_if(first_.begin(), first_.end(),
                                        [&](const auto& place) { return place.first == row; });
  if (among_first != first_.end()) return among_first->second;
  if (first_.size() < few) return first_.emplace_back(row, next).second;
  return index_.try_emplace(row, next).first->second;
}

void Journal::begin() {
  clear();
  workflows_.clear();
  stamps_.clear();
}

void Journal::clear() {
  events_.clear();
  ops_.clear();
}

bool Journal::makes_ready() const {
  return std::any_of(events_.begin(), events_.end(),
                     [](const Event& event) { return event.to == "ready"; });
}

void Journal::op(std::int64_t op_row, std::int64_t workflow_row, std::int64_t generation,
                 std::string_view kind, std::string_view from, std::string_view to) {
  std::size_t& place = ops_.of(op_row, events_.size());
  if (place < events_.size()) {
    from = events_[place].from;
    events_[place].kind = {};
    place = events_.size();
  }
  events_.push_back({op_row, workflow_row, generation, kind, from, to});
}

void Journal::workflow(std::int64_t workflow_row, std::string_view kind) {
  events_.push_back({std::nullopt, workflow_row, 0, kind, {}, {}});
}

void Journal::other(std::string_view kind) {
  events_.push_back({std::nullopt, std::nullopt, 0, kind, {}, {}});
}

std::int64_t Journal::write(sqlite::Connection& db, std::int64_t now_us,
                            const std::string& action) {
  if (events_.empty()) return 0;
  if (!last_seq_) {
    auto rows = db.query(std::size_t(Sql::last_event));
    if (!rows.next()) return 0;
    last_seq_ = rows.integer(0);
  }
  std::int64_t& seq = *last_seq_;
  const std::int64_t call = seq + 1;
  std::string waiting;
  for (const Event& event : events_) {
    if (event.kind.empty()) continue;
    ++seq;
    detail_.clear();
    detail_.push_back('{');
    if (seq == call) {
      detail_ += "\"action\":";
      detail_ += action;
    }
    if (!event.to.empty()) {
      if (seq == call) detail_.push_back(',');
      detail_ += "\"from\":\"";
      detail_ += event.from;
      detail_ += "\",\"to\":\"";
      detail_ += event.to;
      detail_ += "\"";
      if (is_for_a_person(event.from) || is_for_a_person(event.to)) {
        if (waiting.empty()) waiting = for_a_person(db);
        detail_ += waiting;
      }
    }
    detail_.push_back('}');
    if (seq == call) first_detail_ = detail_;
    db.execute(std::size_t(Sql::insert_event), seq, call, event.workflow, event.op, now_us,
               event.generation, event.kind, detail_);
    if (!event.workflow) continue;
    const std::size_t place = workflows_.of(*event.workflow, stamps_.size());
    if (place == stamps_.size()) stamps_.push_back({*event.workflow, seq, now_us});
    stamps_[place].seq = seq;
    stamps_[place].at_us = now_us;
  }
  return db.fault() == sqlite::Fault::none ? call : 0;
}

void Journal::stamp(sqlite::Connection& db) {
  for (const Stamp& stamp : stamps_) {
    db.execute(std::size_t(Sql::stamp_workflow), stamp.workflow, stamp.seq, stamp.at_us);
  }
}

}  // namespace leaseproof::engine::store
