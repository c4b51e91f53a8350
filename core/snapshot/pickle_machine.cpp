#include "core/snapshot/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/snapshot/pickle_opcodes.h"

namespace ts::snapshot::pickle {
namespace {

constexpr std::size_t kMostIntegerBytes = 16;
// Memory limit for values; valid files need a third of it.
constexpr std::size_t kMostBytesPerByte = 8;
constexpr std::size_t kFreeBytes = std::size_t{1} << 20;
// They are numbered with 32 bits; some are added between two checks.
constexpr std::size_t kMostValues = (std::size_t{1} << 32U) - (std::size_t{1} << 24U);
constexpr std::ptrdiff_t kUsualEvent = std::ptrdiff_t{1} << 14U;  // bytes, with its stack

}  // namespace

bool Machine::fetch(std::uint64_t bytes) {
  while (bytes > static_cast<std::uint64_t>(end_ - at_)) {
    const bool came = input_.more(static_cast<std::size_t>(at_ - begin_));
    take_text();
    if (came) continue;
    fault_ = text::message("pickle_error.ends",
                           {{"byte", std::to_string(input_.offset() + input_.text().size())}});
    return false;
  }
  return true;
}

void Machine::fault(const std::string& key, std::vector<base::Argument> arguments) {
  fault_ = text::message(
      "pickle_error.at",
      {{"byte", std::to_string(opcode_at_)},
       text::argument("reason", text::message("pickle_error." + key, std::move(arguments)))});
}

void Machine::fault_of_entry(const char* key, std::uint64_t entry) {
  fault(key, {{"entry", std::to_string(entry)}});
}

void Machine::refuse(std::uint8_t opcode) {
  const RefusedOpcode refused = refused_opcode(opcode);
  switch (refused.why) {
    case Refusal::runs_code:
      refused_ = true;
      return fault("runs_code", {{"opcode", std::string(refused.name)}});
    case Refusal::old:
      return fault("old_opcode", {{"opcode", std::string(refused.name)}});
    case Refusal::unknown:
      return fault("unknown_opcode", {{"opcode", fmt::format("0x{:02x}", opcode)}});
  }
}

bool Machine::opens_trace() const {
  const auto is_list = [this](std::size_t at) {
    return Document::kind(stack_[at]) == Document::Kind::list;
  };
  const auto of_traces = [&](std::size_t list) {
    return list > 0 && list < stack_.size() && is_list(list) &&
           document_.as_text(stack_[list - 1]) == "device_traces";
  };
  const std::size_t size = stack_.size();
  if (size < 3 || !is_list(size - 1)) return false;
  // The devices' list may have a mark of its own, or be given its only device without one.
  const std::size_t open = marks_.size() < 2 ? 0 : marks_[marks_.size() - 2];
  return of_traces(size - 2) || (open > 0 && of_traces(open - 1));
}

// Events are nearly all that follows: with room for them they never move.
void Machine::expect_events() {
  constexpr std::uint64_t kLeastEvent = 48;  // bytes
  const std::uint64_t left = std::min(input_.expected(), kMostExpected) -
                             std::min({input_.expected(), kMostExpected, position()});
  if (!filter_) document_.reserve_events(static_cast<std::size_t>(left / kLeastEvent));
}

bool Machine::event() {
  // So that all of it is there, but at the end of the content.
  if (end_ - at_ < kUsualEvent && !input_.ended()) {
    input_.more(static_cast<std::size_t>(at_ - begin_));
    take_text();
  }
  if (filter_) return filtered_event();
  const char* at = at_;
  const auto read = events_.read(at, end_);
  if (!read) return false;
  at_ = at;
  stack_.push_back(*read);
  return true;
}

bool Machine::filtered_event() {
  filter_dict();
  const char* at = at_;
  const auto read = events_.read_apart(at, end_);
  dict_open_ = !read;
  if (!read) return false;
  at_ = at;
  filter_->take(open_trace(), *read, stack_);
  return true;
}

void Machine::filter_dict() {
  const bool read = dict_open_ && stack_.size() > marks_.back() &&
                    Document::kind(stack_.back()) == Document::Kind::dict;
  dict_open_ = false;
  if (!read) return;
  const Value dict = stack_.back();
  stack_.pop_back();
  filter_->take(open_trace(), dict, stack_);
}

std::vector<TraceStart> Machine::starts(Value root) const {
  std::vector<TraceStart> all;
  if (!filter_ || Document::kind(root) != Document::Kind::dict) return all;
  document_.for_each_entry(root, [&](Value key, Value value) {
    if (document_.as_text(key) != "device_traces" || Document::kind(value) != Document::Kind::list)
      return true;
    document_.for_each_item(value, [&](Value list) {
      all.push_back(filter_->start_of(list));
      return true;
    });
    return false;
  });
  return all;
}

void Machine::long_integer(std::uint64_t bytes) {
  if (bytes > kMostIntegerBytes) {
    return fault("long_integer", {{"bytes", std::to_string(bytes)}});
  }
  if (!need(bytes)) return;
  if (bytes == 0) return stack_.push_back(document_.integer(0));
  const bool negative = (static_cast<std::uint8_t>(at_[bytes - 1]) & 0x80U) != 0;
  const std::uint64_t fill = negative ? ~std::uint64_t{0} : 0;
  const auto low_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 8));
  std::uint64_t low = low_bytes == 8 ? take(8) : take(low_bytes);
  if (low_bytes < 8) low |= fill << (8 * low_bytes);
  bool fits = true;
  for (std::uint64_t i = 8; i < bytes; ++i) {
    fits = fits && static_cast<std::uint8_t>(*at_++) == static_cast<std::uint8_t>(fill);
  }
  if (!fits) return fault("large_integer");
  if (negative && static_cast<std::int64_t>(low) >= 0)
    return stack_.push_back(document_.low_integer(low));
  stack_.push_back(negative ? document_.integer(static_cast<std::int64_t>(low))
                            : document_.unsigned_integer(low));
}

void Machine::add_marked(Document::Kind kind) {
  if (marks_.empty() || marks_.back() == 0) return fault("batch_without_mark");
  if (filter_ && trace_depth_ == marks_.size()) filter_dict();
  const std::size_t mark = marks_.back();
  const Value target = stack_[mark - 1];
  if (Document::kind(target) != kind) return fault("items_to_nothing");
  if (kind == Document::Kind::dict && (stack_.size() - mark) % 2 != 0) {
    return fault("key_without_value");
  }
  document_.append(target, above(mark));
  stack_.resize(mark);
  marks_.pop_back();
}

void Machine::add_unmarked(Document::Kind kind, std::size_t count) {
  if (stack_.size() < floor() + count + 1) return fault("item_alone");
  const std::size_t base = stack_.size() - count;
  const Value target = stack_[base - 1];
  if (Document::kind(target) != kind) return fault("item_to_nothing");
  document_.append(target, above(base));
  stack_.resize(base);
}

void Machine::new_marked(Value container) {
  if (marks_.empty()) return fault("container_without_mark");
  const std::size_t mark = marks_.back();
  if (Document::kind(container) == Document::Kind::dict && (stack_.size() - mark) % 2 != 0) {
    return fault("key_without_value");
  }
  document_.append(container, above(mark));
  stack_.resize(mark);
  stack_.push_back(container);
  marks_.pop_back();
}

void Machine::new_tuple(std::size_t count) {
  if (stack_.size() < floor() + count) return fault("short_tuple");
  const Value tuple = document_.list();
  const std::size_t base = stack_.size() - count;
  document_.append(tuple, above(base));
  stack_.resize(base);
  stack_.push_back(tuple);
}

// After a fault: moves the values above a mark into the container below it, from the inside out.
void Machine::close_all() {
  for (; !marks_.empty(); marks_.pop_back()) close(marks_.back());
  close(1);
}

// A list that has one item, as the list of devices where there is one, is followed by it without a
// mark: behind the last key and value of a dictionary are lists that each belong to the one before.
void Machine::close_unmarked(std::size_t mark) {
  std::size_t end = mark;
  while (end < stack_.size() && Document::kind(stack_[end]) == Document::Kind::text) end += 2;
  if (end == mark) return;
  while (stack_.size() > end) {
    const Value item = stack_.back();
    stack_.pop_back();
    if (Document::kind(stack_.back()) == Document::Kind::list)
      document_.append(stack_.back(), {&item, 1});
  }
}

void Machine::close(std::size_t mark) {
  if (mark == 0 || mark > stack_.size()) return;
  const Value target = stack_[mark - 1];
  const Document::Kind kind = Document::kind(target);
  // The pairs of an event come at once. One that has its own gets none of another that began.
  const bool whole_event = kind == Document::Kind::dict && trace_depth_ != 0 &&
                           marks_.size() == trace_depth_ + 1 && document_.item_count(target) > 0;
  if (whole_event) return stack_.resize(mark);
  if (kind == Document::Kind::dict) close_unmarked(mark);
  std::size_t count = stack_.size() - mark;
  if (kind == Document::Kind::dict) count -= count % 2;
  if (kind == Document::Kind::dict || kind == Document::Kind::list) {
    document_.append(target, above(mark).first(count));
  }
  stack_.resize(mark);
}

// The bytes behind the pickle belong to the file.
std::uint64_t Machine::end_of_content() {
  if (input_.packed() == 0) return input_.expected();
  while (input_.more(input_.text().size())) {
  }
  return input_.offset() + input_.text().size();
}

void Machine::check_memory() {
  if (!fault_.empty()) return;
  const std::size_t taken = document_.bytes() + stack_.size() * sizeof(Value) + memo_.bytes();
  if (taken > kMostBytesPerByte * position() + kFreeBytes) return fault("grows");
  if (document_.most_values() + stack_.size() > kMostValues) fault("huge");
}

void Machine::make_room() {
  const double part = static_cast<double>(position()) /
                      static_cast<double>(std::max<std::uint64_t>(input_.expected(), 1));
  document_.expect_all(part);
  memo_.expect_all(part);
}

}  // namespace ts::snapshot::pickle
