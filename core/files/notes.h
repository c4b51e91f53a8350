#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/block.h"

namespace ts::files {

// A note of the user about a moment, or about a block of memory.
struct Note {
  std::int64_t time_ns = 0;                      // the moment; of a block that of its allocation
  std::optional<memory::BlockIndex> block = {};  // unset: it is about the moment
  std::string text = {};
  friend bool operator==(const Note&, const Note&) = default;
};

// The notes on one run, trace or device of a snapshot, by time; every change can be undone. One
// owner thread.
class Notes {
 public:
  static constexpr std::size_t kMost = 10'000;

  // Replaces all; there is nothing to undo then.
  void set(std::vector<Note> notes);
  // False: there are kMost already.
  bool add(Note note);
  // Without a text it is removed.
  void change(std::size_t index, const std::string& text);
  void remove(std::size_t index);

  [[nodiscard]] std::span<const Note> all() const { return now_; }
  // The note on that block; unset: none.
  [[nodiscard]] std::optional<std::size_t> of_block(memory::BlockIndex block) const;
  [[nodiscard]] bool can_undo() const { return !before_.empty(); }
  [[nodiscard]] bool can_redo() const { return !after_.empty(); }
  void undo();
  void redo();

 private:
  void keep();

  std::vector<Note> now_;
  std::vector<std::vector<Note>> before_, after_;  // the last is the next to undo, to redo
};

}  // namespace ts::files
