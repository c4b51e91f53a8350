#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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
    return Document::kind(dict) == Kind::event ? read_event(fields_.document.event_at(dict), entry)
                                               : read_dict(dict, entry);
  }
  bool read_event(const Document::Event& from, allocator::TraceEntry& entry);
  bool read_dict(Value dict, allocator::TraceEntry& entry);

 private:
  // The fields that an event shares with others, in the form of an entry.
  struct Rest {
    allocator::NotesIndex notes = 0;
    TraceAction action = TraceAction::other;
    bool known = false;
  };

  bool read_rest(const Document::EventRest& from, Rest& to);
  bool check(TraceAction action);
  bool read_field(Key key, Value name, Value value, allocator::TraceEntry& entry);
  bool read_optional(Key key, Value name, Value value, allocator::TraceEntry& entry);
  bool read_pool(Value value);
  bool read_action(Value value, allocator::TraceEntry& entry);

  SnapshotFields& fields_;
  std::vector<base::StringId> actions_;
  std::vector<Rest> rests_;  // by the document's
  allocator::EntryNotes notes_;
  // Neighbours usually share their notes.
  allocator::EntryNotes last_notes_;
  std::optional<allocator::NotesIndex> last_index_;
  std::optional<std::uint64_t> address_;
  std::optional<std::uint64_t> free_;  // of an oom
  bool has_action_ = false;
  bool has_address_ = false;
  bool has_size_ = false;
};

bool TraceReader::read_dict(Value dict, allocator::TraceEntry& entry) {
  has_action_ = has_address_ = has_size_ = false;
  notes_ = {};
  address_ = free_ = std::nullopt;
  const bool good = fields_.each_entry(
      dict, [&](Key key, Value name, Value value) { return read_field(key, name, value, entry); });
  if (!good) return false;
  if (!check(entry.action)) return false;
  entry.address = free_.value_or(address_.value_or(0));
  if (entry.action == TraceAction::oom && free_) notes_.oom_address = address_;
  if (!last_index_ || notes_ != last_notes_) {
    last_index_ = fields_.snapshot.notes.add(notes_);
    last_notes_ = notes_;
  }
  entry.notes = *last_index_ & allocator::kMostNotes;
  return true;
}

bool TraceReader::check(TraceAction action) {
  if (!has_action_) return fields_.lacks("action");
  if (!has_address_ && action <= TraceAction::segment_unmap) return fields_.lacks("addr");
  return has_size_ || action > TraceAction::segment_unmap || fields_.lacks("size");
}

bool TraceReader::read_event(const Document::Event& from, allocator::TraceEntry& entry) {
  if (rests_.empty()) rests_.resize(fields_.document.rest_count());
  Rest& rest = rests_[from.rest];
  if (!rest.known && !read_rest(fields_.document.rest_at(from.rest), rest)) return false;
  if (!fields_.is_size(Key::size, from.size)) return false;
  entry.address = from.address;
  entry.size = from.size;
  entry.time_us = from.time_us;
  if (from.time_us != 0) fields_.saw(Key::time_us);
  if (!SnapshotFields::possible_time(from.time_us)) {
    entry.time_us = 0;
    fields_.ignore(name_of(Key::time_us));
  }
  entry.action = rest.action;
  entry.notes = rest.notes & allocator::kMostNotes;
  entry.stack = memory::kNone;
  return fields_.optional(Key::frames, from.frames,
                          [&] { return fields_.stack(Key::frames, from.frames, entry.stack); });
}

// The document has checked the kinds of the values.
bool TraceReader::read_rest(const Document::EventRest& from, Rest& to) {
  notes_ = {.stream = from.stream};
  const auto text = [this](Key key, Value value, base::StringId& id) {
    if (Document::kind(value) != Kind::text) return;
    fields_.saw(key);
    id = fields_.string_id(value);
  };
  has_action_ = Document::kind(from.action) == Kind::text;
  has_address_ = from.has_address;
  has_size_ = from.has_size;
  allocator::TraceEntry entry;
  if (has_action_) read_action(from.action, entry);
  if (!check(entry.action)) return false;
  text(Key::compile_context, from.compile_context, notes_.compile_context);
  text(Key::user_metadata, from.user_metadata, notes_.user_metadata);
  text(Key::category, from.category, notes_.category);
  fields_.optional(Key::pool_id, from.pool, [&] { return read_pool(from.pool); });
  to = {fields_.snapshot.notes.add(notes_), entry.action, true};
  return true;
}

bool TraceReader::read_field(Key key, Value name, Value value, allocator::TraceEntry& entry) {
  switch (key) {
    case Key::action:
      has_action_ = true;
      return read_action(value, entry);
    case Key::addr:
      has_address_ = true;
      return fields_.address(key, value, address_.emplace());
    case Key::device_free:
      has_address_ = true;
      return fields_.address(key, value, free_.emplace());
    case Key::size:
      has_size_ = true;
      return fields_.size(key, value, entry.size);
    default:
      return fields_.optional(key, value, [&] { return read_optional(key, name, value, entry); });
  }
}

bool TraceReader::read_optional(Key key, Value name, Value value, allocator::TraceEntry& entry) {
  switch (key) {
    case Key::stream:
      return fields_.integer(key, value, notes_.stream);
    case Key::time_us:
      return fields_.time(key, value, entry.time_us);
    case Key::frames:
      return fields_.stack(key, value, entry.stack);
    case Key::compile_context:
      return fields_.words(key, value, notes_.compile_context);
    case Key::user_metadata:
      if (!fields_.words(key, value, notes_.user_metadata)) return false;
      notes_.metadata = fields_.metadata(value);
      return true;
    case Key::category:
      return fields_.words(key, value, notes_.category);
    case Key::forward_frames:
      return fields_.names(key, value, notes_.forward_frames);
    case Key::pool_id:
      return read_pool(value);
    default:
      fields_.ignore(name);
      return true;
  }
}

bool TraceReader::read_pool(Value value) {
  allocator::PoolId pool;
  const bool good = fields_.pool(Key::pool_id, value, pool);
  if (good) notes_.pool = pool;
  return good;
}

bool TraceReader::read_action(Value value, allocator::TraceEntry& entry) {
  base::StringId id = base::kNoString;
  if (!fields_.string(Key::action, value, id)) return false;
  const auto found = std::find(actions_.begin(), actions_.end() - 1, id);
  entry.action = static_cast<TraceAction>(found - actions_.begin());
  if (entry.action == TraceAction::other) notes_.other_action = id;
  return true;
}

// Which events of the document the traces have.
struct Order {
  bool once = true;     // each once, in the order of the file: what has been read is not read again
  bool all_in = false;  // one trace has all of them, and little else
};

Order order_of(const Document& document, Value list) {
  std::int64_t last = -1;
  std::size_t items = 0;
  std::size_t events = 0;
  std::size_t traces = 0;
  Order order{.once = Document::kind(list) == Kind::list};
  const auto in_order = [&](Value item) {
    const bool event = Document::kind(item) == Kind::event;
    order.once = ++items < document.file_bytes() && (!event || Document::index(item) > last);
    if (event) {
      last = Document::index(item);
      ++events;
    }
    return order.once;
  };
  const auto device_in_order = [&](Value device) {
    const std::size_t before = items;
    if (Document::kind(device) == Kind::list) document.for_each_item(device, in_order);
    if (items > before) ++traces;
    return order.once;
  };
  if (order.once) document.for_each_item(list, device_in_order);
  constexpr std::size_t kLeast = 4;  // events for each item that is none
  order.all_in = order.once && traces == 1 && events == document.event_count() &&
                 items <= document.event_room() && kLeast * (items - events) <= events;
  return order;
}

// An entry of a trace that is no event of the document, such as the first, which names the keys.
struct Other {
  std::size_t place = 0;
  allocator::TraceEntry entry;
};

// Puts entries between those of a trace, by rising place.
void insert(allocator::Trace& trace, std::span<const Other> others) {
  auto from = static_cast<std::ptrdiff_t>(trace.size());
  trace.resize(trace.size() + others.size());
  auto to = static_cast<std::ptrdiff_t>(trace.size());
  for (std::size_t i = others.size(); i > 0; --i) {
    const auto place = static_cast<std::ptrdiff_t>(others[i - 1].place);
    const std::ptrdiff_t behind = to - place - 1;
    std::move_backward(trace.begin() + from - behind, trace.begin() + from, trace.begin() + to);
    trace[others[i - 1].place] = others[i - 1].entry;
    from -= behind;
    to = place;
  }
}

// Makes the trace of the document's events where they lie: new memory for millions of them would
// cost more than what is done here.
void read_in_place(SnapshotFields& fields, TraceReader& reader, Value device,
                   allocator::Trace& trace) {
  trace = fields.document.take_events();
  std::size_t events = 0;
  std::vector<Other> others;
  fields.each_item("", device, [&](Value item) {
    if (Document::kind(item) == Kind::event) {
      if (!reader.read_event(Document::unpacked(trace[events]), trace[events])) return false;
      ++events;
      return true;
    }
    Other other{.place = events + others.size(), .entry = {}};
    if (!reader.read_dict(item, other.entry)) return false;
    others.push_back(other);
    return true;
  });
  trace.resize(events);
  insert(trace, others);
}

}  // namespace

void read_device_traces(SnapshotFields& fields, Value list) {
  constexpr std::size_t kDropped = 1U << 16U;  // so many events at a time
  fields.snapshot.device_traces.clear();
  TraceReader reader(fields);
  const Order order =
      fields.lists_of_traces == 1 ? order_of(fields.document, list) : Order{.once = false};
  fields.each_item(name_of(Key::device_traces), list, [&](Value device) {
    auto& trace = fields.snapshot.device_traces.emplace_back();
    if (!fields.is(Kind::list, Key::unknown, device, "a list")) return true;
    if (order.all_in && fields.document.item_count(device) > 0) {
      read_in_place(fields, reader, device, trace);
      return true;
    }
    trace.reserve(fields.room_for(device));
    fields.each_item("", device, [&](Value item) {
      allocator::TraceEntry entry;
      if (!reader.read(item, entry)) return false;
      trace.push_back(entry);
      if (order.once && trace.size() % kDropped == 0 && Document::kind(item) == Kind::event)
        fields.document.drop_events_before(item);
      return true;
    });
    return true;
  });
}

}  // namespace ts::snapshot
