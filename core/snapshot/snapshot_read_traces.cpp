#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/huge_page_allocator.h"
#include "core/snapshot/snapshot_fields.h"

namespace ts::snapshot {
namespace {

using Key = SnapshotKey;
using Kind = Document::Kind;
using Value = Document::Value;
using allocator::TraceAction;

class TraceReader {
 public:
  explicit TraceReader(SnapshotFields& fields) : fields_(fields) {
    for (int i = 0; i < allocator::kTraceActionCount; ++i) {
      actions_.push_back(fields.snapshot.strings->intern(to_string(static_cast<TraceAction>(i))));
    }
  }

  bool read(Value dict, allocator::TraceEntry& entry) {
    return Document::kind(dict) == Kind::event ? read_event(dict, entry) : read_dict(dict, entry);
  }

 private:
  // The fields that an event shares with others, in the form of an entry.
  struct Rest {
    allocator::NotesIndex notes = 0;
    TraceAction action = TraceAction::other;
    bool known = false;
  };

  bool read_dict(Value dict, allocator::TraceEntry& entry);
  bool read_event(Value event, allocator::TraceEntry& entry);
  bool read_rest(const Document::EventRest& from, Rest& to);
  bool check(TraceAction action);
  bool read_field(Key key, Value name, Value value, allocator::TraceEntry& entry);
  bool read_action(Value value, allocator::TraceEntry& entry);

  SnapshotFields& fields_;
  std::vector<base::StringId> actions_;
  std::vector<Rest> rests_;  // by the document's
  allocator::EntryNotes notes_;
  // Neighbours usually share their notes.
  allocator::EntryNotes last_notes_;
  std::optional<allocator::NotesIndex> last_index_;
  bool has_action_ = false;
  bool has_address_ = false;
  bool has_size_ = false;
};

bool TraceReader::read_dict(Value dict, allocator::TraceEntry& entry) {
  has_action_ = has_address_ = has_size_ = false;
  notes_ = {};
  const bool good = fields_.each_entry(
      dict, [&](Key key, Value name, Value value) { return read_field(key, name, value, entry); });
  if (!good) return false;
  if (!check(entry.action)) return false;
  if (!last_index_ || notes_ != last_notes_) {
    last_index_ = fields_.snapshot.notes.add(notes_);
    last_notes_ = notes_;
  }
  entry.notes = *last_index_;
  return true;
}

bool TraceReader::check(TraceAction action) {
  if (!has_action_) return fields_.lacks("action");
  if (!has_address_ && action <= TraceAction::segment_unmap) return fields_.lacks("addr");
  return has_size_ || action > TraceAction::segment_unmap || fields_.lacks("size");
}

bool TraceReader::read_event(Value event, allocator::TraceEntry& entry) {
  const Document::Event from = fields_.document.event_at(event);
  if (rests_.empty()) rests_.resize(fields_.document.rest_count());
  Rest& rest = rests_[from.rest];
  if (!rest.known && !read_rest(fields_.document.rest_at(from.rest), rest)) return false;
  if (!fields_.is_size(Key::size, from.size) || !fields_.is_time(Key::time_us, from.time_us))
    return false;
  entry.address = from.address;
  entry.size = from.size;
  entry.time_us = from.time_us;
  entry.stream = fields_.document.rest_at(from.rest).stream;
  entry.action = rest.action;
  entry.notes = rest.notes;
  return fields_.stack(Key::frames, from.frames, entry.stack);
}

// The document has checked the kinds of the values.
bool TraceReader::read_rest(const Document::EventRest& from, Rest& to) {
  notes_ = {};
  const auto text = [this](Value value, base::StringId& id) {
    if (Document::kind(value) == Kind::text) id = fields_.string_id(value);
  };
  has_action_ = Document::kind(from.action) == Kind::text;
  has_address_ = from.has_address;
  has_size_ = from.has_size;
  allocator::TraceEntry entry;
  if (has_action_) read_action(from.action, entry);
  if (!check(entry.action)) return false;
  text(from.compile_context, notes_.compile_context);
  text(from.user_metadata, notes_.user_metadata);
  text(from.category, notes_.category);
  if (Document::kind(from.pool) == Kind::list &&
      !fields_.pool(Key::pool_id, from.pool, notes_.pool.emplace())) {
    return false;
  }
  to = {fields_.snapshot.notes.add(notes_), entry.action, true};
  return true;
}

bool TraceReader::read_field(Key key, Value name, Value value, allocator::TraceEntry& entry) {
  switch (key) {
    case Key::action:
      has_action_ = true;
      return read_action(value, entry);
    case Key::addr:
    case Key::device_free:
      has_address_ = true;
      return fields_.address(key, value, entry.address);
    case Key::size:
      has_size_ = true;
      return fields_.size(key, value, entry.size);
    case Key::stream:
      return fields_.integer(key, value, entry.stream);
    case Key::time_us:
      return fields_.time(key, value, entry.time_us);
    case Key::frames:
      return fields_.stack(key, value, entry.stack);
    case Key::compile_context:
      return fields_.string(key, value, notes_.compile_context);
    case Key::user_metadata:
      return fields_.string(key, value, notes_.user_metadata);
    case Key::category:
      return fields_.string(key, value, notes_.category);
    case Key::forward_frames:
      return fields_.names(key, value, notes_.forward_frames);
    case Key::pool_id:
      return fields_.pool(key, value, notes_.pool.emplace());
    default:
      fields_.ignore(name);
      return true;
  }
}

bool TraceReader::read_action(Value value, allocator::TraceEntry& entry) {
  base::StringId id = base::kNoString;
  if (!fields_.string(Key::action, value, id)) return false;
  const auto found = std::find(actions_.begin(), actions_.end() - 1, id);
  entry.action = static_cast<TraceAction>(found - actions_.begin());
  if (entry.action == TraceAction::other) notes_.other_action = id;
  return true;
}

}  // namespace

namespace {

// True if every event comes once, in the order of the file: what has been read is not read again.
bool each_comes_once(const Document& document, Value list) {
  std::int64_t last = -1;
  std::size_t items = 0;
  bool once = Document::kind(list) == Kind::list;
  const auto in_order = [&](Value item) {
    const bool event = Document::kind(item) == Kind::event;
    once = ++items < document.file_bytes() && (!event || Document::index(item) > last);
    if (event) last = Document::index(item);
    return once;
  };
  const auto device_in_order = [&](Value device) {
    if (Document::kind(device) == Kind::list) document.for_each_item(device, in_order);
    return once;
  };
  if (once) document.for_each_item(list, device_in_order);
  return once;
}

}  // namespace

void read_device_traces(SnapshotFields& fields, Value list) {
  constexpr std::size_t kDropped = 1U << 16U;  // so many events at a time
  fields.snapshot.device_traces.clear();
  TraceReader reader(fields);
  const bool once = fields.lists_of_traces == 1 && each_comes_once(fields.document, list);
  fields.each_item(name_of(Key::device_traces), list, [&](Value device) {
    auto& trace = fields.snapshot.device_traces.emplace_back();
    if (!fields.is(Kind::list, Key::unknown, device, "a list")) return true;
    base::reserve_in_huge_pages(trace, fields.room_for(device));
    fields.each_item("", device, [&](Value item) {
      allocator::TraceEntry entry;
      if (!reader.read(item, entry)) return false;
      trace.push_back(entry);
      if (once && trace.size() % kDropped == 0 && Document::kind(item) == Kind::event)
        fields.document.drop_events_before(item);
      return true;
    });
    return true;
  });
}

}  // namespace ts::snapshot
