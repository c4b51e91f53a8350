#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/snapshot/document.h"
#include "core/snapshot/pickle_lists.h"
#include "core/snapshot/pickle_memo.h"

namespace ts::snapshot::pickle {

// Reads events of a trace in the form in which PyTorch writes nearly all of them: known keys from
// the memo, numbers of 64 bits, texts, and a list of frames from the memo. Anything else is left to
// the machine, which gives the same values more slowly. Private to the machine.
class EventReader {
 public:
  using Value = Document::Value;

  EventReader(Document& document, Memo& memo) : document_(document), memo_(memo) {}

  // Reads the event whose opcode EMPTY_DICT ends at `at`, and moves `at` behind it. Unset: it has
  // another form, or goes on after the end; `at` and the memo are then as before.
  std::optional<Value> read(const char*& at, const char* end);
  // The same, and the event is left out of the document; where the memo has it, it has nothing.
  std::optional<Document::Event> read_apart(const char*& at, const char* end) {
    return read_fields(at, end, false);
  }
  // An entry of the memo has changed.
  void forget();

 private:
  // Known keys, none for all other texts.
  enum class Key : std::uint8_t;
  // How the file recalls a key: the first bytes of `word`.
  struct KeyBytes {
    std::uint64_t word = 0;
    std::uint64_t mask = 0;  // 0: not known
    std::uint8_t bytes = 0;
    Key key = {};
  };

  // The last text under a key, and how it stands in the file: the first bytes of `word`.
  struct TextBytes {
    std::uint64_t word = 0;
    std::uint64_t mask = 0;  // 0: it is longer than a word
    std::uint8_t bytes = 0;
    Value text;
  };

  std::optional<Document::Event> read_fields(const char*& at, const char* end, bool keeps);
  bool read_event();
  bool read_value(Key key);
  bool read_short_list();
  bool read_frames();
  bool read_items();
  bool read_pool(Value& pool);
  bool read_text(Key key, Value& text);
  Value* text_place(Key key);
  bool usual_text(const char*& at, Key key, Value& text);
  static bool is_number(Key key);
  bool take_number(Key key, std::int64_t number);
  void read_usual_pairs(std::size_t& place, unsigned& seen);
  bool read_integer(std::int64_t& value);
  bool skip_frame();
  // A value of the memo, if the next opcode recalls one.
  bool recall(Value& value);
  bool remember(Value value);
  bool remember_numbered(Value value);
  Key next_key(bool& good);
  Key key_at(std::size_t place, bool& good);
  Value text_of(std::string_view text);
  [[nodiscard]] bool has(std::uint64_t bytes) const {
    return bytes <= static_cast<std::uint64_t>(end_ - at_);
  }
  [[nodiscard]] std::uint8_t next() const { return static_cast<std::uint8_t>(*at_); }
  std::uint64_t take(std::size_t bytes);
  [[nodiscard]] std::string_view likely_list() const;
  [[nodiscard]] std::string_view whole_list() const;
  bool known_list(std::string_view bytes, std::uint64_t hash);
  bool new_list(std::string_view bytes, std::uint64_t hash);

  static constexpr std::size_t kPlaces = 16;
  static constexpr std::size_t kTexts = 64;

  Document& document_;
  Memo& memo_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  Document::Event event_;
  Document::EventRest rest_;
  bool keeps_ = false;                           // the event is the next of the document
  bool shared_ = false;                          // other events have its list of frames, too
  bool remembered_ = false;                      // the memo has an entry for the event
  std::size_t entries_before_ = 0;               // of the memo, before the event that is read
  std::vector<Key> keys_;                        // by entry of the memo
  std::array<KeyBytes, kPlaces> order_{};        // of the event before, by place
  std::array<Value, kTexts> texts_{};            // that were read here, by a hash
  std::array<TextBytes, kPlaces> last_texts_{};  // the same, by key
  KnownLists lists_;                             // the same
  std::optional<Value> no_frames_;               // the same; a list without items
  std::vector<Value> frames_;                    // of the list that is read
};

}  // namespace ts::snapshot::pickle
