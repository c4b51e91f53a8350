#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/input.h"
#include "core/snapshot/document.h"
#include "core/snapshot/event_filter.h"
#include "core/snapshot/pickle.h"
#include "core/snapshot/pickle_events.h"
#include "core/snapshot/pickle_memo.h"
#include "core/text/message.h"

namespace ts::snapshot::pickle {

// Room is made at once for a file of at most so many bytes.
inline constexpr std::uint64_t kMostExpected = std::uint64_t{4} << 30U;

// The stack machine of pickle, for data only. Private to the reader.
class Machine {
 public:
  using Value = Document::Value;

  Machine(io::Input& input, Document& document, EventForm form, const base::FileRange& range)
      : document_(document), input_(input), form_(form) {
    if (!range.is_all()) filter_.emplace(document, range);
    take_text();
  }

  base::Result<ParsedContent> run() {
    while (!stopped_ && fault_.empty()) {
      for (std::size_t i = 0; i < kOpcodesBetweenChecks && !stopped_ && fault_.empty(); ++i) step();
      check_memory();
      make_room();
    }
    if (input_.problem()) return tl::unexpected(*input_.problem());
    if (refused_) return tl::unexpected(fault_);
    if (!stopped_) close_all();
    if (filter_) filter_->finish();
    const Value root = stack_.empty() ? Value() : stack_.front();
    return ParsedContent{root, std::move(fault_), end_of_content(), starts(root)};
  }

 private:
  static constexpr std::size_t kMostMarks = 1000;
  static constexpr std::size_t kOpcodesBetweenChecks = std::size_t{1} << 14;

  void step();
  void step_text_or_number(std::uint8_t opcode);
  void step_rare(std::uint8_t opcode);

  // Returns false after a fault.
  bool need(std::uint64_t bytes) {
    return bytes <= static_cast<std::uint64_t>(end_ - at_) || fetch(bytes);
  }
  // Rare paths are out of line, so that the opcodes themselves are inlined.
  bool fetch(std::uint64_t bytes);  // false: the content ends before
  void take_text() {
    begin_ = input_.text().data();
    at_ = begin_;
    end_ = begin_ + input_.text().size();
  }
  // In the whole content.
  [[nodiscard]] std::uint64_t position() const {
    return input_.offset() + static_cast<std::uint64_t>(at_ - begin_);
  }
  // The message is the text pickle_error.KEY.
  void fault(const std::string& key, std::vector<base::Argument> arguments = {});
  void fault_of_entry(const char* key, std::uint64_t entry);
  // Little endian, as the machine is. Call it only after need().
  std::uint64_t take(std::size_t bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    std::memcpy(&value, at_, bytes);
    at_ += bytes;
    return value;
  }
  // A number of so many bytes: a constant, because a copy of a length that is known is one load.
  template <std::size_t Bytes>
  std::optional<std::uint64_t> number() {
    if (!need(Bytes)) return std::nullopt;
    return take(Bytes);
  }

  template <std::size_t LengthBytes>
  void text() {
    const auto length = number<LengthBytes>();
    if (!length || !need(*length)) return;
    stack_.push_back(document_.text({at_, static_cast<std::size_t>(*length)}));
    at_ += *length;
  }
  // Whether what a mark begins are the events of a device: the list before it is in the list behind
  // "device_traces".
  [[nodiscard]] bool opens_trace() const;
  void note_mark() {
    if (trace_depth_ != 0 && marks_.size() > trace_depth_) return;
    trace_depth_ = opens_trace() ? marks_.size() : 0;
    if (trace_depth_ != 0) expect_events();
  }
  void expect_events();
  // Reads an event of a trace whose opcode is read. False: nothing has changed, it is read as any
  // dictionary.
  bool event();
  void long_integer(std::uint64_t bytes);
  void real() {
    if (!need(8)) return;
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = (bits << 8U) | static_cast<std::uint8_t>(at_[i]);
    at_ += 8;
    stack_.push_back(document_.real(std::bit_cast<double>(bits)));
  }

  void put(std::uint64_t id) {
    if (stack_.empty()) return fault_of_entry("nothing_to_remember", id);
    // A valid file numbers its memo entries without gaps and needs a byte for each.
    if (id > position()) {
      return fault_of_entry("memo_out_of_reach", id);
    }
    const auto index = static_cast<std::size_t>(id);
    if (index < memo_.size()) {
      events_.forget();
      return memo_.set(index, stack_.back());
    }
    while (memo_.size() < index) memo_.push_back(Value::absent());
    memo_.push_back(stack_.back());
  }
  // Recalls a value, and with it all that follow by the same opcode: a stack is a list of them.
  template <std::size_t Bytes>
  void get_all(std::uint8_t opcode) {
    while (true) {
      const auto id = number<Bytes>();
      if (!id) return;
      const Value value = *id < memo_.size() ? memo_.recall(*id, document_) : Value::absent();
      if (value == Value::absent()) {
        return fault_of_entry("memo_not_set", *id);
      }
      stack_.push_back(value);
      if (at_ == end_ || static_cast<std::uint8_t>(*at_) != opcode) return;
      opcode_at_ = position();
      ++at_;
    }
  }

  [[nodiscard]] std::span<const Value> above(std::size_t base) const {
    return std::span(stack_).subspan(base);
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  void add_marked(Document::Kind kind);
  void add_unmarked(Document::Kind kind, std::size_t count);
  void new_marked(Value container);
  void new_tuple(std::size_t count);
  void close_all();
  void close(std::size_t mark);
  void close_unmarked(std::size_t mark);
  void check_memory();
  void make_room();
  std::uint64_t end_of_content();
  [[nodiscard]] std::vector<TraceStart> starts(Value root) const;
  // Where a range is asked for: an event, and one that was read as a dictionary.
  bool filtered_event();
  void filter_dict();
  [[nodiscard]] Value open_trace() const { return stack_[marks_.back() - 1]; }
  void refuse(std::uint8_t opcode);

  Document& document_;
  io::Input& input_;
  EventForm form_;
  const char* begin_ = nullptr;  // of what is there of the content
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t opcode_at_ = 0;  // in the whole content
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  Memo memo_;
  std::size_t trace_depth_ = 0;  // marks_.size() in a list of events; 0: none is open
  EventReader events_{document_, memo_};
  std::optional<EventFilter> filter_;  // unset: all events are kept
  bool dict_open_ = false;             // the last event is read as a dictionary
  base::Message fault_;
  bool stopped_ = false;
  bool refused_ = false;
};

}  // namespace ts::snapshot::pickle
