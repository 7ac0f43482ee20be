#include "scenarios/pipe/journal_lines.hpp"

#include <string_view>

namespace leaseproof::scenarios {

using properties::JournalEvent;

namespace {

std::string text_or_empty(Reader& reader, std::string_view key) {
  std::string text;
  const Json* json = reader.find(key);
  if (json != nullptr && !json->is_null()) reader.must(key, text);
  return text;
}

JournalEvent read_event(Reader& reader) {
  JournalEvent event;
  reader.must("seq", event.seq);
  reader.must("call", event.call);
  reader.must("at_us", event.at_us);
  reader.must("generation", event.generation);
  event.workflow = text_or_empty(reader, "workflow");
  event.op = text_or_empty(reader, "op");
  reader.must("kind", event.kind);
  reader.must("detail", event.detail);
  return event;
}

void write_member(std::string& out, std::string_view key, std::int64_t number) {
  out += '"';
  out += key;
  out += "\":";
  out += std::to_string(number);
  out += ',';
}
void write_member(std::string& out, std::string_view key, const std::string& text) {
  out += '"';
  out += key;
  out += "\":";
  write_string(out, text);
  out += ',';
}

}  // namespace

void write_events(std::string& out, const std::vector<JournalEvent>& events) {
  out += '[';
  for (const JournalEvent& event : events) {
    if (&event != events.data()) out += ',';
    out += '{';
    write_member(out, "seq", event.seq);
    write_member(out, "call", event.call);
    write_member(out, "at_us", event.at_us);
    write_member(out, "generation", event.generation);
    if (!event.workflow.empty()) write_member(out, "workflow", event.workflow);
    if (!event.op.empty()) write_member(out, "op", event.op);
    write_member(out, "kind", event.kind);
    write_member(out, "detail", event.detail);
    out.back() = '}';
  }
  out += ']';
}

SeenJournal read_journal(Reader& reader, std::int64_t after) {
  SeenJournal seen;
  const Place at_counts = reader.at("events");
  Reader counts(reader.require("events"), at_counts, reader.config());
  counts.must("count", seen.count);
  counts.must("last_seq", seen.last_seq);
  counts.end();
  const Json& list = reader.require("journal");
  const Place at_list = reader.at("journal");
  if (!list.is_array()) at_list.refuse(fmt::format("must be a list, but is {}", type_name(list)));
  std::int64_t seq = after;
  for (const Json& json : list) {
    const Place place{&at_list, "", seen.events.size()};
    Reader inner(json, place, reader.config());
    const JournalEvent& event = seen.events.emplace_back(read_event(inner));
    inner.end();
    if (event.seq <= seq) {
      place.refuse(fmt::format("event {} cannot follow {}; asked for were those after {}",
                               event.seq, seq, after));
    }
    seq = event.seq;
  }
  if (seen.last_seq > after ? seq != seen.last_seq : !seen.events.empty()) {
    at_list.refuse(fmt::format("ends at event {}, but the last one is {}", seq, seen.last_seq));
  }
  return seen;
}

}  // namespace leaseproof::scenarios
