#include "core/snapshot/pickle_events.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/snapshot/pickle_opcodes.h"
#include "core/snapshot/run_index.h"

namespace ts::snapshot::pickle {

enum class EventReader::Key : std::uint8_t {
  unknown,
  action,
  address,
  size,
  stream,
  time_us,
  frames,
  compile_context,
  user_metadata,
  category,
  pool,
  not_looked_up,
};

namespace {

using Kind = Document::Kind;

// Order as in EventReader::Key.
constexpr std::array<std::string_view, 11> kEventKeys = {
    "",       "action",          "addr",          "size",     "stream", "time_us",
    "frames", "compile_context", "user_metadata", "category", "pool_id"};
// The most bytes of a key, a number and an entry of the memo.
constexpr std::size_t kMostOfAPair = 32;

constexpr std::size_t kWord = sizeof(std::uint64_t);

// The last word ends where the text ends.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t word = 0;
  if (text.size() < kWord) {
    std::memcpy(&word, text.data(), text.size());
    return RunIndex::hash_of(1, [word](std::size_t /*i*/) { return word; });
  }
  const std::size_t last = text.size() - kWord;
  return RunIndex::hash_of((text.size() + kWord - 1) / kWord, [&](std::size_t i) {
    std::memcpy(&word, text.data() + std::min(i * kWord, last), kWord);
    return word;
  });
}

}  // namespace

void EventReader::forget() {
  keys_.clear();
  order_.fill({});
  lists_.clear();
}

std::uint64_t EventReader::take(std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at_, bytes);
  at_ += bytes;
  return value;
}

bool EventReader::recall(Value& value) {
  std::uint64_t entry = 0;
  if (has(2) && next() == kBinget) {
    ++at_;
    entry = take(1);
  } else if (has(5) && next() == kLongBinget) {
    ++at_;
    entry = take(4);
  } else {
    return false;
  }
  if (entry >= memo_.size() || memo_[entry] == Value::absent()) return false;
  value = memo_[entry];
  return true;
}

// If the next opcode puts a value into the memo, it must be as the next entry.
bool EventReader::remember(Value value) {
  std::uint64_t entry = memo_.size();
  if (!has(1)) return false;
  if (next() == kMemoize) {
    ++at_;
  } else if (next() == kBinput && has(2)) {
    ++at_;
    entry = take(1);
  } else if (next() == kLongBinput && has(5)) {
    ++at_;
    entry = take(4);
  } else {
    return true;
  }
  if (entry != memo_.size()) return false;
  memo_.push_back(value);
  return true;
}

EventReader::Key EventReader::next_key(bool& good) {
  const char* const from = at_;
  Value text;
  good = recall(text) && Document::kind(text) == Kind::text;
  if (!good) return Key::unknown;
  const std::size_t bytes = static_cast<std::size_t>(at_ - from) - 1;
  std::uint32_t entry = 0;
  std::memcpy(&entry, from + 1, bytes);
  // Entries of this event are taken back if it cannot be read here.
  good = entry < entries_before_;
  if (!good) return Key::unknown;
  if (entry >= keys_.size()) keys_.resize(entry + 1, Key::not_looked_up);
  Key& key = keys_[entry];
  if (key == Key::not_looked_up) {
    const auto found = std::ranges::find(kEventKeys, *document_.as_text(text));
    key = found == kEventKeys.end() || found->empty()
              ? Key::unknown
              : static_cast<Key>(found - kEventKeys.begin());
  }
  return key;
}

// Events have their keys in the order of the event before, nearly always: the same bytes are the
// same key.
EventReader::Key EventReader::key_at(std::size_t place, bool& good) {
  std::uint64_t word = 0;
  std::memcpy(&word, at_, kWord);
  KeyBytes& known = order_[place % kPlaces];
  if (known.mask != 0 && (word & known.mask) == known.word) {
    at_ += known.bytes;
    good = true;
    return known.key;
  }
  const char* const from = at_;
  const Key key = next_key(good);
  if (!good) return key;
  constexpr unsigned kBits = 8;
  const auto bytes = static_cast<std::uint8_t>(at_ - from);
  const std::uint64_t mask = (std::uint64_t{1} << (kBits * bytes)) - 1;
  known = {.word = word & mask, .mask = mask, .bytes = bytes, .key = key};
  return key;
}

bool EventReader::read_integer(std::int64_t& value) {
  constexpr unsigned kBits = 8;
  if (!has(kWord + 2)) return false;
  switch (static_cast<std::uint8_t>(*at_++)) {
    case kBinint1:
      value = static_cast<std::int64_t>(take(1));
      return true;
    case kBinint2:
      value = static_cast<std::int64_t>(take(2));
      return true;
    case kBinint:
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(take(4)));
      return true;
    case kLong1: {
      const auto bytes = static_cast<std::size_t>(take(1));
      if (bytes == 0 || bytes > kWord) return false;
      const auto unused = static_cast<unsigned>(kBits * (kWord - bytes));
      std::uint64_t word = 0;  // what is behind the number is shifted out
      std::memcpy(&word, at_, kWord);
      at_ += bytes;
      value = static_cast<std::int64_t>(word << unused) >> unused;
      return true;
    }
    default:
      return false;
  }
}

EventReader::Value EventReader::text_of(std::string_view text) {
  Value& known = texts_[hash_of(text) % kTexts];
  if (document_.as_text(known) != text) known = document_.text(text);
  return known;
}

// Events have the same text under a key as the event before, nearly always.
bool EventReader::read_text(Key key, Value& text) {
  if (recall(text)) return Document::kind(text) == Kind::text;
  if (!has(5)) return false;
  std::uint64_t length = 0;
  if (next() == kShortBinunicode) {
    ++at_;
    length = take(1);
  } else if (next() == kBinunicode) {
    ++at_;
    length = take(4);
  } else {
    return false;
  }
  if (!has(length)) return false;
  const std::string_view letters(at_, static_cast<std::size_t>(length));
  Value& last = last_texts_[static_cast<std::size_t>(key) % kPlaces];
  if (document_.as_text(last) != letters) last = text_of(letters);
  text = last;
  at_ += length;
  return remember(text);
}

// A list in the memo, or a pair of numbers.
bool EventReader::read_pool(Value& pool) {
  if (recall(pool)) return Document::kind(pool) == Kind::list;
  std::int64_t first = 0;
  std::int64_t second = 0;
  if (!read_integer(first) || !read_integer(second) || !has(1) || next() != kTuple2) return false;
  ++at_;
  const std::array<Value, 2> pair = {document_.integer(first), document_.integer(second)};
  pool = document_.list();
  document_.append(pool, pair);
  return remember(pool);
}

EventReader::List& EventReader::list_place(std::string_view bytes) {
  if (lists_.empty()) lists_.resize(kLists);
  return lists_[hash_of(bytes) % kLists];
}

// The frames up to the end of the list, all from the memo. Equal bytes are equal frames, because
// entries of the memo that change make this forget what it knows.
bool EventReader::read_items(Value& list) {
  const char* at = at_;
  while (at < end_) {
    if (*at == static_cast<char>(kBinget)) {
      at += 2;
    } else if (*at == static_cast<char>(kLongBinget)) {
      at += 5;
    } else {
      break;
    }
  }
  if (at >= end_) return false;
  const std::string_view bytes(at_, static_cast<std::size_t>(at - at_));
  List& known = list_place(bytes);
  if (known.bytes == bytes && known.items.count > 0) {
    at_ = at;
    list = document_.list_of(known.items);
    return true;
  }
  frames_.clear();
  for (Value frame; has(1) && (next() == kBinget || next() == kLongBinget);) {
    if (!recall(frame)) return false;
    frames_.push_back(frame);
  }
  list = document_.list();
  document_.append(list, frames_);
  const auto items = document_.items_of(list);
  if (items && at == at_) known = {std::string(bytes), *items};
  return true;
}

bool EventReader::read_frames() {
  event_.frames = Value();
  if (!has(2)) return false;
  if (next() == kNone) {
    ++at_;
    return true;
  }
  if (recall(event_.frames)) return Document::kind(event_.frames) == Kind::list;
  if (next() != kEmptyList) return false;
  ++at_;
  const std::size_t entry = memo_.size();
  if (!remember(Value::absent()) || !has(1)) return false;
  if (next() == kMark) {
    ++at_;
    if (!read_items(event_.frames) || !has(1) || next() != kAppends) return false;
    ++at_;
  } else if (!read_short_list(event_.frames)) {
    return false;
  }
  if (entry < memo_.size()) memo_[entry] = event_.frames;
  return !has(1) || next() != kMark;  // a list in several pieces
}

// A list without a mark has one item, from the memo, or none: then a key comes, or the end.
bool EventReader::read_short_list(Value& list) {
  constexpr std::size_t kMostOfAnItem = 6;  // with its opcode that adds it
  if (!has(kMostOfAnItem)) return false;
  const bool known = next() == kBinget || next() == kLongBinget;
  if (!known && next() != kSetitems) return false;
  list = document_.list();
  const std::size_t bytes = next() == kBinget ? 2 : 5;
  if (!known || at_[bytes] != static_cast<char>(kAppend)) return true;
  Value frame;
  if (!recall(frame)) return false;
  ++at_;
  document_.append(list, {&frame, 1});
  return true;
}

bool EventReader::read_value(Key key) {
  std::int64_t address = 0;
  switch (key) {
    case Key::action:
      return read_text(key, rest_.action);
    case Key::address:
      rest_.has_address = true;
      if (!read_integer(address) || address < 0) return false;
      event_.address = static_cast<std::uint64_t>(address);
      return true;
    case Key::size:
      rest_.has_size = true;
      return read_integer(event_.size);
    case Key::stream:
      return read_integer(rest_.stream);
    case Key::time_us:
      return read_integer(event_.time_us);
    case Key::frames:
      return read_frames();
    case Key::compile_context:
      return read_text(key, rest_.compile_context);
    case Key::user_metadata:
      return read_text(key, rest_.user_metadata);
    case Key::category:
      return read_text(key, rest_.category);
    case Key::pool:
      return read_pool(rest_.pool);
    default:
      return false;
  }
}

bool EventReader::read_event() {
  if (!has(1) || next() != kMark) return false;
  ++at_;
  unsigned seen = 0;
  std::size_t place = 0;
  while (has(kMostOfAPair) || (has(1) && next() == kSetitems)) {
    if (next() == kSetitems) {
      ++at_;
      return true;
    }
    bool good = false;
    const Key key = key_at(place++, good);
    const unsigned bit = 1U << static_cast<unsigned>(key);
    if (!good || (seen & bit) != 0 || !read_value(key)) return false;
    seen |= bit;
  }
  return false;
}

std::optional<EventReader::Value> EventReader::read(const char*& at, const char* end) {
  const std::size_t entry = memo_.size();
  const auto read = read_apart(at, end);
  if (!read) return std::nullopt;
  const Value event = document_.event(*read);
  if (remembered_) memo_[entry] = event;
  return event;
}

std::optional<Document::Event> EventReader::read_apart(const char*& at, const char* end) {
  at_ = at;
  end_ = end;
  event_ = {};
  rest_ = {};
  const std::size_t entries = memo_.size();
  entries_before_ = entries;
  // An entry of the memo that holds the event is set when there is one.
  const bool begun = remember(Value::absent());
  remembered_ = memo_.size() > entries;
  if (!begun || !read_event()) {
    memo_.resize(entries);
    return std::nullopt;
  }
  event_.rest = document_.event_rest(rest_);
  if (remembered_) memo_[entries] = Value();
  at = at_;
  return event_;
}

}  // namespace ts::snapshot::pickle
