#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/ui.h"

namespace ts::app {

// One line of the palette.
struct PaletteEntry {
  std::string id;           // stable, found as well as the words: "backend=flash"
  std::string words;        // what it does
  std::string right = {};   // its keys, or the value that is set now
  std::string reason = {};  // why it cannot be chosen; empty: it can
  std::function<void()> perform = {};
  // The text that choosing it writes into the field; empty: choosing it performs it.
  std::string completes = {};
};

// The entries that contain every word of `typed`, in their order: first those that begin with it,
// last those that cannot be chosen. ASCII case is ignored.
std::vector<const PaletteEntry*> matching(const std::vector<PaletteEntry>& entries,
                                          std::string_view typed);

// "T=1024", "T = 1024" and "T 1024" as a name and a value; empty if one of them is missing.
struct TypedSetting {
  std::string_view name, value;
};
std::optional<TypedSetting> typed_setting(std::string_view typed);

// A text field and the entries that match. Enter performs the marked one, the arrow keys move the
// mark, Escape closes. Owned by the workspace.
class Palette {
 public:
  void open() { asked_ = true; }
  // Call once a frame, after everything else. While it is open, calls `entries` with the typed
  // text.
  void draw(const views::Ui& ui,
            const std::function<std::vector<PaletteEntry>(std::string_view)>& entries);

 private:
  void choose(const PaletteEntry& entry);

  bool asked_ = false;
  std::string typed_;
  std::string before_;  // the text in the last frame
  std::size_t marked_ = 0;
  bool rewrite_ = false;  // the field takes over text written into it
};

}  // namespace ts::app
