#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/huge_page_allocator.h"
#include "core/snapshot/run_index.h"

namespace ts::snapshot {

// The content of a pickle or JSON file, in flat arrays: 8 bytes a value, 16 a container, 16 a text.
// A container that occurs twice (a pickle's memo) is stored once, so containers may be shared and
// may even contain themselves: code that walks a document must follow a schema and not recurse
// freely. Equal lists share their items, and dicts with the same keys in the same order share
// these. Not thread safe while it grows.
class Document {
 public:
  // Tuples and sets are stored as lists. An event is a dictionary that is stored as an Event.
  enum class Kind : std::uint8_t { none, boolean, integer, real, text, list, dict, event };

  class Value {
   public:
    Value() = default;  // none
    // No value at all, as no file holds; for tables with gaps.
    static Value absent() { return Value(~std::uint64_t{0}); }
    // The value at a place of the row that begins with `first` and `second`, all as far apart: the
    // same value again and again, or events or lists in the order in which they were made.
    static Value in_row(Value first, Value second, std::uint64_t place) {
      return Value(first.bits_ + place * (second.bits_ - first.bits_));
    }
    friend bool operator==(Value, Value) = default;

   private:
    friend class Document;
    explicit Value(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t bits_ = 0;
  };

  // The fields that many events of a trace have in common. A value is none where it is absent.
  struct EventRest {
    Value action;
    Value compile_context;
    Value user_metadata;
    Value category;
    Value pool;
    std::int64_t stream = 0;
    bool has_address = false;
    bool has_size = false;
    friend bool operator==(const EventRest&, const EventRest&) = default;
  };
  // One event of a trace with values of the right kinds and without any key that is not here.
  struct Event {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    std::int64_t time_us = 0;
    Value frames;            // a list or none
    std::uint32_t rest = 0;  // at most kMostRests
  };
  static constexpr std::uint32_t kMostRests = allocator::kMostNotes;
  // Where the items of a list lie, if it has one run of them; for lists with the same items.
  struct Items {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };

  // For a file of so many bytes.
  explicit Document(std::size_t file_bytes) : file_bytes_(file_bytes) {}

  [[nodiscard]] std::size_t file_bytes() const { return file_bytes_; }
  void set_file_bytes(std::size_t bytes) { file_bytes_ = bytes; }
  [[nodiscard]] std::size_t bytes() const;  // of all values
  // The number of values of the most frequent kind.
  [[nodiscard]] std::size_t most_values() const {
    return std::max({pool_.size(), containers_.size(), events_.size(), wide_.size()});
  }

  // Adding values.
  void reserve(std::size_t values) { pool_.reserve(values); }
  // So many events are expected in all. Pages that are never used cost no memory.
  void reserve_events(std::size_t events) {
    if (events_.empty()) events_.reserve(events);
  }
  // Makes room for what comes when this share of the file has been read.
  void expect_all(double part) {
    base::expect_all(containers_, part);
    base::expect_all(events_, part);
  }
  static Value boolean(bool value) { return Value((std::uint64_t{value} << kTagBits) | kBoolean); }
  Value integer(std::int64_t value);
  Value unsigned_integer(std::uint64_t value);
  // From -2^64 to below -2^63, as its 64 lowest bits; only as_address() gets it.
  Value low_integer(std::uint64_t bits) { return wide(kLowInteger, bits); }
  Value real(double value);
  Value text(std::string_view text);  // keeps a copy
  Value list() { return container(kList); }
  Value dict() { return container(kDict); }
  // Appends items to a list, or keys and values in turn to a dict.
  void append(Value to, std::span<const Value> items);
  // Another list with the items of this one, which has one run or none.
  Value same_list(Value list);
  Value event(const Event& event);
  // Events share lists of frames. A table of values that a file may ask for holds this in place of
  // the list of the event that comes next, until it is asked for: then the event gets its own.
  [[nodiscard]] Value frames_of_next_event() const {
    return Value((std::uint64_t{events_.size()} << kTagBits) | kFramesOfEvent);
  }
  static bool is_frames_of_event(Value value) { return tag(value) == kFramesOfEvent; }
  // Absent where the event has not come.
  Value own_frames(Value frames_of_event);
  std::uint32_t event_rest(const EventRest& rest);

  // Reading values. The typed getters are unset for other kinds and for numbers out of range.
  [[nodiscard]] static Kind kind(Value value);
  [[nodiscard]] static bool is_text(Value value) { return tag(value) == kText; }
  [[nodiscard]] static const char* kind_name(Value value);  // "a text", "a list"
  [[nodiscard]] static std::optional<bool> as_boolean(Value value);
  [[nodiscard]] std::optional<std::int64_t> as_integer(Value value) const;
  [[nodiscard]] std::optional<std::uint64_t> as_unsigned(Value value) const;
  // Also of a number that is negative because the file takes 64 bits for signed: these bits.
  [[nodiscard]] std::optional<std::uint64_t> as_address(Value value) const;
  [[nodiscard]] std::optional<double> as_real(Value value) const;  // also of an integer
  [[nodiscard]] std::optional<std::string_view> as_text(Value value) const;
  // Equal text values have equal indices; for caches by text or by container.
  [[nodiscard]] static std::uint32_t index(Value value) {
    return static_cast<std::uint32_t>(value.bits_ >> kTagBits);
  }
  [[nodiscard]] std::size_t item_count(Value container) const;  // of a dict: of its entries
  // Equal for lists that share their items; for caches by content. Unset for a list that was built
  // in several steps or has no items.
  [[nodiscard]] std::optional<std::uint64_t> shared_items(Value list) const;
  [[nodiscard]] std::optional<Items> items_of(Value list) const;
  [[nodiscard]] Event event_at(Value event) const { return unpacked(events_[index(event)]); }
  [[nodiscard]] std::size_t event_count() const { return events_.size(); }
  [[nodiscard]] std::size_t event_room() const { return events_.capacity(); }
  // All events in their order, as packed values; the document has none from here on.
  [[nodiscard]] allocator::Trace take_events() { return std::move(events_); }
  static Event unpacked(const allocator::TraceEntry& packed) {
    const bool stacked = packed.stack != kEnd;
    return {.address = packed.address,
            .size = packed.size,
            .time_us = packed.time_us,
            .frames = stacked ? Value((std::uint64_t{packed.stack} << kTagBits) | kList) : Value(),
            .rest = packed.notes};
  }
  // Gives the memory of the events before this one back to the system. They read as zeros from here
  // on.
  void drop_events_before(Value event);
  [[nodiscard]] const EventRest& rest_at(std::uint32_t rest) const { return rests_[rest]; }
  [[nodiscard]] std::size_t rest_count() const { return rests_.size(); }
  [[nodiscard]] std::size_t text_count() const { return texts_.size(); }

  // Items of a list or tuple in order; `visit(Value)` returns true to continue.
  template <class Visit>
  void for_each_item(Value list, Visit&& visit) const {
    for (std::uint32_t at = index(list); at != kEnd; at = containers_[at].next) {
      const std::uint32_t begin = containers_[at].begin;
      const std::uint32_t count = containers_[at].items();
      const bool events = containers_[at].are_events();
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!visit(events ? event_value(begin + i) : pool_[begin + i])) return;
      }
    }
  }
  // Entries of a dict in order; `visit(Value key, Value value)` returns true to continue.
  template <class Visit>
  void for_each_entry(Value dict, Visit&& visit) const {
    for (std::uint32_t at = index(dict); at != kEnd; at = containers_[at].next) {
      const std::uint32_t count = containers_[at].items();
      if (count == 0) continue;
      const std::uint32_t values = containers_[at].begin + 1;
      const std::uint32_t keys = index(pool_[values - 1]);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!visit(pool_[keys + i], pool_[values + i])) return;
      }
    }
  }

 private:
  static constexpr unsigned kTagBits = 4;
  static constexpr std::uint64_t kTagMask = 0xF;
  enum Tag : std::uint64_t {
    kNoneTag,
    kBoolean,
    kSmallInteger,  // 60 bits, in the value
    kSignedInteger,
    kUnsignedInteger,
    kLowInteger,
    kReal,
    kText,
    kList,
    kDict,
    kEvent,
    kFramesOfEvent,  // no value of a file
  };
  static constexpr std::uint32_t kEnd = 0xFFFFFFFFU;
  // A run of items in the pool, or of events one after another, which are not in the pool. A
  // container is a chain of runs and is represented by its first one. A run of a dict has its
  // values behind the place of its keys.
  struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;  // with kEventRun for events
    std::uint32_t next = kEnd;
    std::uint32_t last = 0;  // of the chain; valid in the first only
    [[nodiscard]] bool are_events() const { return (count & kEventRun) != 0; }
    [[nodiscard]] std::uint32_t items() const { return count & ~kEventRun; }
  };
  static constexpr std::uint32_t kEventRun = std::uint32_t{1} << 31U;
  static constexpr std::size_t kMostOfARun = std::size_t{1} << 30U;

  static std::uint64_t tag(Value value) { return value.bits_ & kTagMask; }
  static Value event_value(std::uint64_t event) { return Value((event << kTagBits) | kEvent); }
  // Whether these are events of which each is the one after the last.
  static bool is_event_run(std::span<const Value> items);
  Value wide(Tag tag, std::uint64_t bits);
  Value container(Tag tag);
  // Where these items lie, which may be where equal ones lay before.
  std::uint32_t store(std::span<const Value> items);
  void add_stretch(Value to, std::uint32_t begin, std::uint32_t count);
  std::uint32_t find_rest(const EventRest& rest);

  std::size_t file_bytes_;
  base::HugeVector<Value> pool_;
  base::HugeVector<Stretch> containers_;
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> letters_;  // blocks in which the texts lie one after another
  std::span<char> free_letters_;                  // of the last block
  std::size_t letter_bytes_ = 0;                  // of all blocks
  std::vector<std::uint64_t> wide_;               // values that do not fit beside a tag
  // Packed in the form of a snapshot's, so that a trace is made of them where they lie: `stack` is
  // the container of the frames (kEnd: none), `notes` the rest, `action` is not used.
  allocator::Trace events_;
  std::size_t dropped_events_ = 0;
  std::vector<EventRest> rests_;
  std::array<std::uint32_t, 256> rest_places_{};  // by hash: a place in rests_ and one more
  std::array<std::uint32_t, 32> last_rests_{};    // by action: a place in rests_
  RunIndex runs_;                                 // in pool_
  std::vector<Value> keys_;  // of the dict that is appended to, kept for its memory
};

}  // namespace ts::snapshot
