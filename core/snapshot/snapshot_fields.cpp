#include "core/snapshot/snapshot_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/text/message.h"

namespace ts::snapshot {
namespace {

constexpr std::uint8_t kNotLookedUp = 0xFF;
constexpr std::uint32_t kNotCached = 0xFFFFFFFEU;  // memory::kNone is a valid stack
constexpr std::size_t kMostIgnoredKeys = 20;
constexpr std::size_t kMostLists = std::size_t{1} << 20U;  // with a place in a table

}  // namespace

SnapshotFields::SnapshotFields(Document& from, SnapshotFile& file)
    : document(from),
      snapshot(file.snapshot),
      file_(file),
      keys_(from.text_count(), kNotLookedUp),
      strings_(from.text_count(), kNotCached) {}

SnapshotKey SnapshotFields::key_of(Value name) {
  if (Document::kind(name) != Kind::text) return Key::unknown;
  std::uint8_t& key = keys_[Document::index(name)];
  if (key == kNotLookedUp) {
    const auto found = std::ranges::find(kSnapshotKeyNames, *document.as_text(name));
    const bool known = found != kSnapshotKeyNames.end() && !found->empty();
    key = known ? static_cast<std::uint8_t>(found - kSnapshotKeyNames.begin()) : std::uint8_t{0};
  }
  saw(static_cast<Key>(key));
  return static_cast<Key>(key);
}

allocator::SnapshotLayout SnapshotFields::layout() const {
  const auto has = [this](Key key) { return (seen_ >> static_cast<unsigned>(key) & 1U) != 0; };
  return {.allocator_settings = has(Key::allocator_settings),
          .external_annotations = has(Key::external_annotations),
          .requested_size = has(Key::requested_size),
          .segment_pool_id = has(Key::segment_pool_id),
          .is_expandable = has(Key::is_expandable),
          .time_us = has(Key::time_us),
          .compile_context = has(Key::compile_context),
          .user_metadata = has(Key::user_metadata),
          .block_address = block_addresses};
}

void SnapshotFields::ignore(Value name) {
  if (const auto text = document.as_text(name)) ignore(*text);
}

void SnapshotFields::ignore(std::string_view name) {
  auto& ignored = file_.ignored_keys;
  if (ignored.size() == kMostIgnoredKeys) return;
  if (std::ranges::find(ignored, name) == ignored.end()) ignored.emplace_back(name);
}

void SnapshotFields::note(base::Message fault) {
  if (file_.fault.empty() && !optional_) file_.fault = std::move(fault);
}

bool SnapshotFields::wrong(Key key, Value value, const char* wanted) {
  constexpr std::size_t kMostShown = 40;
  const auto text = document.as_text(value);
  const std::string is = text && text->size() <= kMostShown ? fmt::format("\"{}\"", *text)
                                                            : Document::kind_name(value);
  note(text::message("snapshot_error.is_not",
                     {{"place", place.with(name_of(key))}, {"is", is}, {"wanted", wanted}}));
  return false;
}

bool SnapshotFields::lacks(const char* what) {
  note(text::message("snapshot_error.lacks", {{"place", place.text()}, {"what", what}}));
  return false;
}

bool SnapshotFields::is_size(Key key, std::int64_t bytes) {
  if (bytes >= 0) return true;
  note(text::message("snapshot_error.is_not", {{"place", place.with(name_of(key))},
                                               {"is", std::to_string(bytes)},
                                               {"wanted", "a size of memory"}}));
  return false;
}

bool SnapshotFields::possible_time(std::int64_t time_us) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;  // 285 years
  return time_us >= -kMost && time_us <= kMost;
}

bool SnapshotFields::is_time(Key key, std::int64_t time_us) {
  if (possible_time(time_us)) return true;
  note(text::message("snapshot_error.is_not", {{"place", place.with(name_of(key))},
                                               {"is", std::to_string(time_us)},
                                               {"wanted", "a time in microseconds"}}));
  return false;
}

bool SnapshotFields::integer(Key key, Value value, std::int64_t& to) {
  const auto number = document.as_integer(value);
  if (!number) return wrong(key, value, "a whole number of 64 bits");
  to = *number;
  return true;
}

bool SnapshotFields::time(Key key, Value value, std::int64_t& to) {
  constexpr double kMost = 1e18;
  const auto number = document.as_real(value);
  const bool fraction = Document::kind(value) == Kind::real && number && std::abs(*number) < kMost;
  std::int64_t time_us = fraction ? std::llround(*number) : 0;
  if (!fraction && !integer(key, value, time_us)) return false;
  if (!is_time(key, time_us)) return false;
  to = time_us;
  return true;
}

bool SnapshotFields::size(Key key, Value value, std::int64_t& to) {
  std::int64_t bytes = 0;
  if (!integer(key, value, bytes) || !is_size(key, bytes)) return false;
  to = bytes;
  return true;
}

bool SnapshotFields::device(Key key, Value value, std::int64_t& to) {
  const auto text = document.as_text(value);
  if (!text) return integer(key, value, to);
  const std::size_t kind = std::min(text->find(':'), text->size());
  const std::string_view number = text->substr(std::min(kind + 1, text->size()));
  std::uint16_t read = 0;
  const auto rest = std::from_chars(number.data(), number.data() + number.size(), read);
  const bool good = kind == text->size() || (rest.ec == std::errc() && !number.empty() &&
                                             rest.ptr == number.data() + number.size());
  if (kind == 0 || !good) return wrong(key, value, "the number or the name of a device");
  to = read;
  return true;
}

bool SnapshotFields::address(Key key, Value value, std::uint64_t& to) {
  const bool bytes = key == Key::device_free;
  const auto number = bytes ? document.as_unsigned(value) : document.as_address(value);
  if (!number) return wrong(key, value, bytes ? "a size of memory" : "an address");
  to = *number;
  return true;
}

bool SnapshotFields::boolean(Key key, Value value, bool& to) {
  const auto flag = Document::as_boolean(value);
  if (!flag) return wrong(key, value, "true or false");
  to = *flag;
  return true;
}

bool SnapshotFields::string(Key key, Value value, base::StringId& to) {
  if (Document::kind(value) != Kind::text) return wrong(key, value, "a text");
  to = string_id(value);
  return true;
}

std::optional<std::string> SnapshotFields::as_text(Value value) const {
  if (const auto text = document.as_text(value)) return std::string(*text);
  if (const auto flag = Document::as_boolean(value)) return *flag ? "true" : "false";
  if (const auto number = document.as_integer(value)) return std::to_string(*number);
  if (const auto number = document.as_real(value)) return fmt::format("{}", *number);
  if (Document::kind(value) == Kind::none) return "none";
  return std::nullopt;
}

bool SnapshotFields::words(Key key, Value value, base::StringId& to) {
  if (Document::kind(value) == Kind::text) return string(key, value, to);
  std::string all;
  bool good = true;
  if (Document::kind(value) == Kind::dict) {
    document.for_each_entry(value, [&](Value name, Value one) {
      const auto of = as_text(name);
      good = visit() && of.has_value();
      const auto words = as_text(one);
      if (good) all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", *of, words.value_or("…"));
      return good;
    });
  } else {
    const auto words = as_text(value);
    good = words.has_value();
    all = words.value_or("");
  }
  if (!good) return wrong(key, value, "a text");
  to = snapshot.strings->intern(all);
  return true;
}

std::optional<allocator::MetadataDict::Value> SnapshotFields::scalar(Value value) {
  if (Document::kind(value) == Kind::none) return std::monostate();
  if (Document::kind(value) == Kind::text) return string_id(value);
  if (const auto flag = Document::as_boolean(value)) return *flag;
  if (const auto number = document.as_integer(value)) return *number;
  if (Document::kind(value) == Kind::real) return document.as_real(value);
  return std::nullopt;
}

std::uint32_t SnapshotFields::metadata(Value value) {
  if (Document::kind(value) != Kind::dict) return memory::kNone;
  allocator::MetadataDict dict;
  bool good = true;
  document.for_each_entry(value, [&](Value name, Value one) {
    const auto known = scalar(one);
    good = visit() && Document::kind(name) == Kind::text && known.has_value();
    if (good) dict.entries.emplace_back(string_id(name), *known);
    return good;
  });
  return good ? snapshot.metadata.add(dict) : memory::kNone;
}

base::StringId SnapshotFields::string_id(Value text) {
  base::StringId& id = strings_[Document::index(text)];
  if (id == kNotCached) id = snapshot.strings->intern(*document.as_text(text));
  return id;
}

bool SnapshotFields::pool(Key key, Value value, allocator::PoolId& to) {
  std::int64_t parts[2] = {};
  std::size_t count = 0;
  if (Document::kind(value) == Kind::list) {
    document.for_each_item(value, [&](Value item) {
      const auto number = document.as_integer(item);
      if (number && count < 2) parts[count] = *number;
      count = number ? count + 1 : 3;
      return count <= 2;
    });
  }
  if (count != 2) return wrong(key, value, "a pair of whole numbers");
  to = {parts[0], parts[1]};
  return true;
}

bool SnapshotFields::stack(Key key, Value value, allocator::StackIndex& to) {
  if (Document::kind(value) == Kind::none) return true;
  if (!is(Kind::list, key, value, "a list")) return false;
  const std::size_t list = Document::index(value);
  if (list >= lists_.size()) lists_.resize(std::min(list + 1, kMostLists), kNotCached);
  if (list < lists_.size() && lists_[list] != kNotCached) {
    to = lists_[list];
    return true;
  }
  if (!new_stack(key, value, to)) return false;
  const bool whole = document.shared_items(value) || document.item_count(value) == 0;
  if (list < lists_.size() && whole) lists_[list] = to;
  return true;
}

// A list that was not read before; one with the same items may have been.
bool SnapshotFields::new_stack(Key key, Value value, allocator::StackIndex& to) {
  const auto items = document.shared_items(value);
  if (items) {
    if (const auto found = stacks_.find(*items); found != stacks_.end()) {
      to = found->second;
      return true;
    }
  }
  stack_frames_.clear();
  const bool good = each_item(
      name_of(key), value, [&](Value item) { return frame(item, stack_frames_.emplace_back()); });
  if (!good) return false;
  if (stack_frames_.empty()) {
    if (!empty_stack_) empty_stack_ = snapshot.stacks.add_stack(stack_frames_);
    to = *empty_stack_;
    return true;
  }
  to = snapshot.stacks.add_stack(stack_frames_);
  if (items) stacks_.emplace(*items, to);
  return true;
}

bool SnapshotFields::names(Key key, Value value, allocator::StackIndex& to) {
  if (!is(Kind::list, key, value, "a list")) return false;
  std::vector<allocator::FrameIndex> frames;
  const bool good = each_item(name_of(key), value, [&](Value item) {
    allocator::Frame frame;
    if (!string(Key::unknown, item, frame.name)) return false;
    frames.push_back(snapshot.stacks.add_frame(frame));
    return true;
  });
  if (good) to = snapshot.stacks.add_stack(frames);
  return good;
}

bool SnapshotFields::frame(Value value, allocator::FrameIndex& to) {
  if (!is(Kind::dict, Key::unknown, value, "a dictionary")) return false;
  const std::size_t container = Document::index(value);
  if (container >= frames_.size()) frames_.resize(container + 1, kNotCached);
  std::uint32_t& cached = frames_[container];
  if (cached == kNotCached) {
    allocator::Frame frame;
    const bool good = each_entry(value, [&](Key key, Value name, Value field) {
      if (key < Key::name || key > Key::fx_original_trace) ignore(name);
      return frame_field(key, field, frame);
    });
    if (!good) return false;
    cached = snapshot.stacks.add_frame(frame);
  }
  to = cached;
  return true;
}

bool SnapshotFields::frame_field(Key key, Value value, allocator::Frame& frame) {
  return optional(key, value, [&] {
    switch (key) {
      case Key::name:
        return string(key, value, frame.name);
      case Key::filename:
        return string(key, value, frame.filename);
      case Key::line:
        // PyTorch also writes "no line" of a C++ frame as the largest unsigned number.
        if (document.as_unsigned(value) == ~std::uint64_t{0}) {
          frame.line = -1;
          return true;
        }
        return integer(key, value, frame.line);
      case Key::fx_node_op:
        return string(key, value, frame.fx_node_op);
      case Key::fx_node_name:
        return string(key, value, frame.fx_node_name);
      case Key::fx_node_target:
        return string(key, value, frame.fx_node_target);
      case Key::fx_original_trace:
        return string(key, value, frame.fx_original_trace);
      default:
        return true;
    }
  });
}

}  // namespace ts::snapshot
