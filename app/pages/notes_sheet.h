#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/files/notes.h"
#include "views/common/draw_sink.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::app {

// The notes on what is on screen: a list, and a field in which one is written. Main thread.
class NotesSheet {
 public:
  // Begins a note about a moment or a block; a block that has one already: goes on with that.
  void write(files::Note about, const files::Notes& notes);
  // In the current window. A click on a note shows its place and lets it be changed.
  void draw(const views::Ui& ui, views::ViewContext& context, files::Notes& notes);

  bool open = false;

 private:
  // The text in the field: a new note, or a note that exists.
  struct Draft {
    files::Note note;
    std::optional<std::size_t> index;
  };
  void edit(Draft draft);
  void draw_field(const views::Ui& ui, const views::ViewContext& context, files::Notes& notes);

  std::optional<Draft> draft_;
  std::string typed_;
  bool focus_ = false;
};

// "12.3 ms", "12.3 ms, aten::mm 4.00 MiB".
std::string note_place(const views::ViewContext& context, const files::Note& note);

// A line over a chart with a numbered flag, for each note that is in sight. `x_of`: pixels of a
// time. In the current window, over what was drawn.
enum class FlagSide : std::uint8_t { top, bottom };
void draw_note_flags(const views::Ui& ui, std::span<const files::Note> notes,
                     const views::Rect& plot, FlagSide side,
                     const std::function<float(std::int64_t)>& x_of);

}  // namespace ts::app
