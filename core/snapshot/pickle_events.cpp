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

// An opcode, a length and a word.
constexpr std::size_t kMostOfANumber = kWord + 2;

// By opcode from kBinint on; 0: no such number. Those of four bytes have a sign.
static_assert(kBinint1 == kBinint + 1 && kBinint2 == kBinint + 3);
constexpr std::array<std::uint8_t, 4> kNumberBytes = {4, 1, 0, 2};

// Reads a number that has kMostOfANumber bytes to the end, and moves `at` behind it. Sizes have
// one, two or four bytes by chance: these are told apart without a branch.
inline bool number_at(const char*& at, std::int64_t& value) {
  constexpr unsigned kBits = 8;
  const auto opcode = static_cast<std::uint8_t>(*at);
  const bool is_long = opcode == kLong1;
  std::size_t bytes = 0;
  if (is_long) {
    bytes = static_cast<std::uint8_t>(at[1]);
    if (bytes == 0 || bytes > kWord) return false;
    at += 2;
  } else {
    const unsigned place = unsigned{opcode} - kBinint;
    bytes = place < kNumberBytes.size() ? kNumberBytes[place] : 0;
    if (bytes == 0) return false;
    at += 1;
  }
  std::uint64_t word = 0;  // what is behind the number is shifted out
  std::memcpy(&word, at, kWord);
  at += bytes;
  const auto unused = static_cast<unsigned>(kBits * (kWord - bytes));
  const auto with_sign = static_cast<std::int64_t>(word << unused) >> unused;
  const auto without = static_cast<std::int64_t>((word << unused) >> unused);
  value = is_long || bytes == 4 ? with_sign : without;
  return true;
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
  if (entry >= memo_.size()) return false;
  const Value found = memo_.recall(entry, document_);
  if (found == Value::absent()) return false;
  value = found;
  return true;
}

// If the next opcode puts a value into the memo, it must be as the next entry.
inline bool EventReader::remember(Value value) {
  if (at_ < end_ && next() == kMemoize) [[likely]] {
    ++at_;
    memo_.push_back(value);
    return true;
  }
  return remember_numbered(value);
}

bool EventReader::remember_numbered(Value value) {
  std::uint64_t entry = memo_.size();
  if (!has(1)) return false;
  if (next() == kBinput && has(2)) {
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

// A frame helps readers of streams only, and may begin before each key and each value. Python
// begins one after about a thousand events.
bool EventReader::skip_frame() {
  constexpr std::size_t kFrameBytes = 1 + kWord;  // with its length
  if (!has(kFrameBytes + kMostOfAPair) || next() != kFrame) return false;
  at_ += kFrameBytes;
  return true;
}

bool EventReader::read_integer(std::int64_t& value) {
  if (has(kMostOfANumber) && number_at(at_, value)) [[likely]]
    return true;
  return skip_frame() && number_at(at_, value);
}

EventReader::Value EventReader::text_of(std::string_view text) {
  Value& known = texts_[hash_of(text) % kTexts];
  if (document_.as_text(known) != text) known = document_.text(text);
  return known;
}

// Events have the same text under a key as the event before, nearly always.
bool EventReader::read_text(Key key, Value& text) {
  skip_frame();
  if (recall(text)) return Document::kind(text) == Kind::text;
  const char* const from = at_;
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
  TextBytes& last = last_texts_[static_cast<std::size_t>(key) % kPlaces];
  if (document_.as_text(last.text) != letters) last = {.text = text_of(letters)};
  text = last.text;
  at_ += length;
  const auto bytes = static_cast<std::size_t>(at_ - from);
  if (last.mask == 0 && bytes <= kWord) {
    constexpr unsigned kBits = 8;
    last.bytes = static_cast<std::uint8_t>(bytes);
    last.mask = ~std::uint64_t{0} >> (kBits * (kWord - bytes));
    std::memcpy(&last.word, from, bytes);
  }
  return remember(text);
}

// A list in the memo, or a pair of numbers.
bool EventReader::read_pool(Value& pool) {
  skip_frame();
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

// The items up to what is most likely the end of the list: a byte like the opcode, with one behind
// it that may follow a list, and none before it whose number it would be.
std::string_view EventReader::likely_list() const {
  constexpr std::size_t kMost = 4096;
  constexpr std::size_t kLeast = 2;  // bytes of an item
  const std::string_view text(at_,
                              std::min<std::size_t>(kMost, static_cast<std::size_t>(end_ - at_)));
  const auto is = [text](std::size_t at, Opcode opcode) {
    return static_cast<std::uint8_t>(text[at]) == opcode;
  };
  const auto recalls = [&is](std::size_t at) { return is(at, kBinget) || is(at, kLongBinget); };
  for (std::size_t at = kLeast; at + 1 < text.size(); ++at) {
    at = text.find(static_cast<char>(kAppends), at);
    if (at == std::string_view::npos || at + 1 == text.size()) break;
    const bool number = recalls(at - 1) && !is(at - 2, kBinget);
    if (!number && (is(at + 1, kSetitems) || recalls(at + 1))) return text.substr(0, at);
  }
  return {};
}

// The items up to the end of the list, all from the memo. Null: they are cut off.
std::string_view EventReader::whole_list() const {
  const char* at = at_;
  while (at < end_) {
    if (*at == static_cast<char>(kBinget)) {
      at += 2;
    } else if (*at == static_cast<char>(kLongBinget)) {
      at += 5;
    } else {
      return {at_, static_cast<std::size_t>(at - at_)};
    }
  }
  return {};
}

// Frames from the memo. Equal bytes are equal frames, because entries of the memo that change make
// this forget what it knows. A known list ends where its bytes end, wherever that was looked for.
bool EventReader::read_items() {
  const std::string_view likely = likely_list();
  if (!likely.empty() && known_list(likely, hash_of(likely))) return true;
  const std::string_view bytes = whole_list();
  if (bytes.data() == nullptr) return false;
  const std::uint64_t hash = hash_of(bytes);
  return known_list(bytes, hash) || new_list(bytes, hash);
}

bool EventReader::known_list(std::string_view bytes, std::uint64_t hash) {
  const Value known = lists_.find(hash, bytes);
  if (known == Value::absent()) return false;
  at_ += bytes.size();
  event_.frames = known;
  shared_ = true;
  return true;
}

bool EventReader::new_list(std::string_view bytes, std::uint64_t hash) {
  frames_.clear();
  const char* const end = at_ + bytes.size();
  for (Value frame; at_ < end;) {
    if (!recall(frame)) return false;
    frames_.push_back(frame);
  }
  event_.frames = document_.list();
  document_.append(event_.frames, frames_);
  shared_ = document_.items_of(event_.frames).has_value();
  if (shared_) lists_.add(hash, bytes, event_.frames);
  return true;
}

bool EventReader::read_frames() {
  event_.frames = Value();
  skip_frame();
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
    if (!read_items() || !has(1) || next() != kAppends) return false;
    ++at_;
  } else if (!read_short_list()) {
    return false;
  }
  if (entry < memo_.size()) {
    if (shared_ && !keeps_) event_.frames = document_.same_list(event_.frames);
    memo_.set(entry, shared_ && keeps_ ? document_.frames_of_next_event() : event_.frames);
  }
  return !has(1) || next() != kMark;  // a list in several pieces
}

// A list without a mark has one item, from the memo, or none: then a key comes, or the end.
bool EventReader::read_short_list() {
  constexpr std::size_t kMostOfAnItem = 6;  // with its opcode that adds it
  if (!has(kMostOfAnItem)) return false;
  const bool known = next() == kBinget || next() == kLongBinget;
  if (!known && next() != kSetitems) return false;
  const std::size_t size = next() == kBinget ? 2 : 5;
  if (!known || at_[size] != static_cast<char>(kAppend)) {
    if (!no_frames_) no_frames_ = document_.list();
    event_.frames = *no_frames_;
    shared_ = true;
    return true;
  }
  const std::string_view bytes(at_, size);
  const std::uint64_t hash = hash_of(bytes);
  if (!known_list(bytes, hash) && !new_list(bytes, hash)) return false;
  ++at_;
  return true;
}

// The place of a text of an event; null for other keys.
inline EventReader::Value* EventReader::text_place(Key key) {
  switch (key) {
    case Key::action:
      return &rest_.action;
    case Key::compile_context:
      return &rest_.compile_context;
    case Key::user_metadata:
      return &rest_.user_metadata;
    case Key::category:
      return &rest_.category;
    default:
      return nullptr;
  }
}

inline bool EventReader::is_number(Key key) {
  return key == Key::address || key == Key::size || key == Key::stream || key == Key::time_us;
}

// The value of a key of which is_number() is true. False: no event has it.
inline bool EventReader::take_number(Key key, std::int64_t number) {
  switch (key) {
    case Key::address:
      rest_.has_address = true;
      event_.address = static_cast<std::uint64_t>(number);
      return number >= 0;
    case Key::size:
      rest_.has_size = true;
      event_.size = number;
      return true;
    case Key::stream:
      rest_.stream = number;
      return true;
    case Key::time_us:
      event_.time_us = number;
      return true;
    default:
      return false;
  }
}

bool EventReader::read_value(Key key) {
  if (key == Key::frames) return read_frames();
  if (key == Key::pool) return read_pool(rest_.pool);
  if (Value* const text = text_place(key)) return read_text(key, *text);
  std::int64_t number = 0;
  return is_number(key) && read_integer(number) && take_number(key, number);
}

// A text from the memo, or as under this key in the event before. False: it is to be read as any.
inline bool EventReader::usual_text(const char*& at, Key key, Value& text) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, kWord);
  const TextBytes& known = last_texts_[static_cast<std::size_t>(key) % kPlaces];
  if (known.mask != 0 && (word & known.mask) == known.word) {
    const auto behind = static_cast<std::uint8_t>(at[known.bytes]);
    if (behind == kBinput || behind == kLongBinput) return false;
    text = known.text;
    at += known.bytes;
    if (behind == kMemoize) {
      ++at;
      memo_.push_back(text);
    }
    return true;
  }
  const auto opcode = static_cast<std::uint8_t>(*at);
  if (opcode != kBinget && opcode != kLongBinget) return false;
  std::uint32_t entry = static_cast<std::uint8_t>(at[1]);
  if (opcode == kLongBinget) std::memcpy(&entry, at + 1, sizeof entry);
  if (entry >= memo_.size()) return false;
  text = memo_[entry];
  at += opcode == kBinget ? 2 : 5;
  return Document::is_text(text);
}

// Reads the pairs that are as in the event before, whose keys stand in the same order: their
// numbers, and texts that are known. The others are left to read_event(). A file is mostly these
// pairs, so the place in it is not kept in memory between them.
void EventReader::read_usual_pairs(std::size_t& place, unsigned& seen) {
  const char* at = at_;
  while (static_cast<std::size_t>(end_ - at) >= kMostOfAPair) {
    const KeyBytes& known = order_[place % kPlaces];
    std::uint64_t word = 0;
    std::memcpy(&word, at, kWord);
    if (known.mask == 0 || (word & known.mask) != known.word) break;
    const unsigned bit = 1U << static_cast<unsigned>(known.key);
    if ((seen & bit) != 0) break;
    const char* value = at + known.bytes;
    std::int64_t number = 0;
    if (Value* const text = text_place(known.key)) {
      if (!usual_text(value, known.key, *text)) break;
    } else if (!is_number(known.key) || !number_at(value, number) ||
               !take_number(known.key, number)) {
      break;
    }
    at = value;
    seen |= bit;
    ++place;
  }
  at_ = at;
}

bool EventReader::read_event() {
  if (!has(1) || next() != kMark) return false;
  ++at_;
  unsigned seen = 0;
  std::size_t place = 0;
  while (true) {
    read_usual_pairs(place, seen);
    if (has(1) && next() == kSetitems) {
      ++at_;
      return true;
    }
    if (!has(kMostOfAPair)) return false;
    if (next() == kFrame) {
      if (!skip_frame()) return false;
      continue;
    }
    bool good = false;
    const Key key = key_at(place++, good);
    const unsigned bit = 1U << static_cast<unsigned>(key);
    if (!good || (seen & bit) != 0 || !read_value(key)) return false;
    seen |= bit;
  }
}

std::optional<EventReader::Value> EventReader::read(const char*& at, const char* end) {
  const std::size_t entry = memo_.size();
  const auto read = read_fields(at, end, true);
  if (!read) return std::nullopt;
  const Value event = document_.event(*read);
  if (remembered_) memo_.set(entry, event);
  return event;
}

std::optional<Document::Event> EventReader::read_fields(const char*& at, const char* end,
                                                        bool keeps) {
  keeps_ = keeps;
  shared_ = false;
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
    memo_.take_back_to(entries);
    return std::nullopt;
  }
  event_.rest = document_.event_rest(rest_);
  if (remembered_) memo_.set(entries, Value());
  at = at_;
  return event_;
}

}  // namespace ts::snapshot::pickle
