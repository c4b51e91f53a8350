#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/ui.h"

namespace ts::app {

// One line of the palette.
struct PaletteEntry {
  std::string id;      // stable, found as well as the words: "backend=flash"
  std::string words;   // what it does
  std::string right;   // its keys, or the value that is set now
  std::string reason;  // why it cannot be chosen; empty: it can
  std::function<void()> perform;
  // Chosen, it is written into the field to be completed; empty: it is performed.
  std::string completes = {};
};

// The entries that have every word of `typed`, in their order: those that begin with it first,
// those that cannot be chosen last. Letters of ASCII are the same in both cases.
std::vector<const PaletteEntry*> matching(const std::vector<PaletteEntry>& entries,
                                          std::string_view typed);

// "T=1024", "T = 1024" and "T 1024" as a name and a value; nothing where one of them is missing.
struct TypedSetting {
  std::string_view name, value;
};
std::optional<TypedSetting> typed_setting(std::string_view typed);

// A field to type in and the entries that match. Enter performs the marked one, the arrow keys move
// the mark, Escape closes. Owned by the workspace.
class Palette {
 public:
  void open() { asked_ = true; }
  // Once a frame, after everything else. `entries` is called while it is open, with what is typed.
  void draw(const views::Ui& ui,
            const std::function<std::vector<PaletteEntry>(std::string_view)>& entries);

 private:
  void choose(const PaletteEntry& entry);

  bool asked_ = false;
  std::array<char, 256> typed_{};
  std::string before_;  // what was typed in the last frame
  std::size_t marked_ = 0;
  bool rewrite_ = false;  // the field takes over what was written into it
};

}  // namespace ts::app
