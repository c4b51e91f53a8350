#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/message.h"
#include "core/snapshot/document.h"
#include "core/snapshot/snapshot_keys.h"
#include "core/snapshot/snapshot_place.h"
#include "core/snapshot/snapshot_read.h"
#include "core/text/message.h"

namespace ts::snapshot {

// Reads fields of a snapshot file and checks their types. Shared texts, frames and stacks of a
// pickle are looked up once. Private to the snapshot reader.
class SnapshotFields {
 public:
  using Key = SnapshotKey;
  using Kind = Document::Kind;
  using Value = Document::Value;

  SnapshotFields(Document& document, SnapshotFile& file);

  Document& document;
  allocator::Snapshot& snapshot;
  SnapshotPlace place;
  bool block_addresses = false;  // a block has one
  int lists_of_traces = 0;       // that the file has: names may stand twice in a dictionary

  [[nodiscard]] Key key_of(Value name);
  // The key stands somewhere in the file, also where key_of() was not asked.
  void saw(Key key) { seen_ |= std::uint64_t{1} << static_cast<unsigned>(key); }
  [[nodiscard]] allocator::SnapshotLayout layout() const;
  void ignore(Value name);  // a key that is not used here
  void ignore(std::string_view name);
  void note(base::Message fault);  // only the first is kept
  // Both note the fault and return false.
  bool wrong(Key key, Value value, const char* wanted);
  bool lacks(const char* what);
  // True for sizes and times that memory and clocks can have; else notes the fault.
  bool is_size(Key key, std::int64_t bytes);
  bool is_time(Key key, std::int64_t time_us);
  static bool possible_time(std::int64_t time_us);
  bool size(Key key, Value value, std::int64_t& to);
  bool time(Key key, Value value, std::int64_t& to);  // a fraction is rounded
  // Counts an item of a list or dictionary. Containers may be shared, so a small file could
  // represent an endless one: reading stops when there are more items than bytes.
  bool visit() {
    if (visited_ < document.file_bytes()) {
      ++visited_;
      return true;
    }
    note(text::message("snapshot_error.endless"));
    return false;
  }
  // Space to reserve for the items of a list; no more than visit() will allow.
  [[nodiscard]] std::size_t room_for(Value list) const {
    return std::min(document.item_count(list), document.file_bytes() - visited_);
  }

  // Reads a field that can be missing: `read()` notes no fault. If it returns false, the key is
  // listed among the unused ones. A value that is none counts as missing. Always true.
  template <class Read>
  bool optional(Key key, Value value, Read&& read) {
    if (Document::kind(value) == Kind::none) return true;
    const bool outer = std::exchange(optional_, true);
    const bool good = read();
    optional_ = outer;
    if (!good) ignore(name_of(key));
    return true;
  }
  // If a value cannot be read, each function notes the fault, leaves `to` unchanged and returns
  // false.
  bool is(Kind kind, Key key, Value value, const char* wanted) {
    return Document::kind(value) == kind || wrong(key, value, wanted);
  }
  bool integer(Key key, Value value, std::int64_t& to);
  bool device(Key key, Value value, std::int64_t& to);  // 1, "cuda:1" or "cuda"
  bool address(Key key, Value value, std::uint64_t& to);
  bool boolean(Key key, Value value, bool& to);
  bool string(Key key, Value value, base::StringId& to);
  // A text, or a number or dictionary in words ("rank: 3, name: a").
  bool words(Key key, Value value, base::StringId& to);
  // A dictionary of texts, numbers and nothing as such; kNone for others, of which words() tell.
  std::uint32_t metadata(Value value);
  bool pool(Key key, Value value, allocator::PoolId& to);
  bool stack(Key key, Value value, allocator::StackIndex& to);
  bool names(Key key, Value value, allocator::StackIndex& to);  // a list of texts
  base::StringId string_id(Value text);

  // Visits the items of the list `name`, with `place` set to each, until one cannot be read.
  template <class Visit>
  bool each_item(std::string_view name, Value list, Visit&& visit) {
    const auto inside = place.enter(name);
    bool good = true;
    document.for_each_item(list, [&](Value item) {
      good = this->visit() && visit(item);
      place.next();
      return good;
    });
    return good;
  }
  // Visits the entries of a dictionary until one cannot be read.
  template <class Visit>
  bool each_entry(Value dict, Visit&& visit) {
    if (!is(Kind::dict, Key::unknown, dict, "a dictionary")) return false;
    bool good = true;
    document.for_each_entry(dict, [&](Value name, Value value) {
      const Key key = key_of(name);
      if (key == Key::unknown) ignore(name);
      return good = this->visit() && (key == Key::unknown || visit(key, name, value));
    });
    return good;
  }

 private:
  bool new_stack(Key key, Value value, allocator::StackIndex& to);
  bool frame(Value value, allocator::FrameIndex& to);
  bool frame_field(Key key, Value value, allocator::Frame& frame);

  [[nodiscard]] std::optional<std::string> as_text(Value value) const;  // not of containers
  [[nodiscard]] std::optional<allocator::MetadataDict::Value> scalar(Value value);

  SnapshotFile& file_;
  bool optional_ = false;  // faults are not noted
  std::size_t visited_ = 0;
  std::uint64_t seen_ = 0;                    // a bit for each key
  std::vector<std::uint8_t> keys_;            // by text: its key
  std::vector<base::StringId> strings_;       // by text
  std::vector<std::uint32_t> frames_;         // by container, up to the last frame: its index
  std::vector<allocator::StackIndex> lists_;  // by container, up to the last list: its stack
  std::unordered_map<std::uint64_t, allocator::StackIndex> stacks_;  // by shared items
  std::optional<allocator::StackIndex> empty_stack_;
  std::vector<allocator::FrameIndex> stack_frames_;  // of the stack that is being read
};

// Read the four lists of a snapshot file into fields.snapshot.
void read_segments(SnapshotFields& fields, Document::Value list);
void read_device_traces(SnapshotFields& fields, Document::Value list);
void read_allocator_settings(SnapshotFields& fields, Document::Value dict);
void read_external_annotations(SnapshotFields& fields, Document::Value list);

}  // namespace ts::snapshot
