#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/text/numbers.h"
#include "views/common/ui.h"

// The design's flat widgets. Each takes a stable id ("###run"): words change with the language, ids
// do not. All return true when the user changed or pressed them in this frame.
namespace ts::views {

struct Choice {
  std::string id;      // stable, "attention"
  std::string label;   // shown
  std::string reason;  // why it cannot be chosen; empty when it can
};

// A place that is pressed with the mouse or, while it has the focus ring, with Enter; Tab and the
// arrow keys bring the ring there. Draws nothing: focus_ring() does, over what is drawn into it.
bool press_area(const char* id, float width, float height);
// The ring, while the item before it has it and the keyboard is in use.
void focus_ring(const Ui& ui);

// Joined buttons, one of which is chosen; equal widths over `width`.
bool segmented(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
               float width);

// The same in as many equal rows as it takes for every label to have room.
bool choice_grid(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
                 float width);

// A switch with its label. Greyed with the reason as its tooltip when there is one.
bool toggle(const Ui& ui, const char* id, std::string_view label, bool& on, float width,
            std::string_view reason = {});

// on: quiet, of a switch that is on.
enum class ButtonKind : std::uint8_t { plain, primary, quiet, on };
// `key` is the hint behind the label ("Space"); both may be empty when `icon` is set.
bool button(const Ui& ui, const char* id, std::string_view icon, std::string_view label,
            std::string_view key, ButtonKind kind, float width = 0);

// A field that opens a list. `draw_list` draws list rows and returns true when one was chosen;
// called while it is open. `indent` leaves room for a mark before the label.
bool select(const Ui& ui, const char* id, std::string_view label, std::string_view value,
            float width, const std::function<bool()>& draw_list, float indent = 0);

// A row of a list that is open in a select, or of any list: label left, `right` right.
bool list_row(const Ui& ui, const char* id, std::string_view label, std::string_view right,
              bool chosen, std::string_view reason = {});

// Words at the right edge of a table's cell; `_column` goes to the next cell first.
void right_aligned(const std::string& words);
// The row of headings of a table, those of columns of numbers at the right like their numbers.
void table_headings(const std::function<bool(int column)>& numbers);
void right_aligned_column(const std::string& words);

// Label left, value right-aligned, unit smaller in its own column. Height 24.
void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style = TextStyle::body_medium);
void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style, Color value_color);

// Small heading over a group, with an optional remark at the right end.
void section(const Ui& ui, std::string_view title, std::string_view remark = {});

// A section that opens and closes when it is clicked; closed at first. Returns whether it is open.
bool folded_section(const Ui& ui, const char* id, std::string_view title, std::string_view remark);

// 1 px line over the whole width of the window; over its whole height, at its left edge.
void divider(const Ui& ui);
void left_edge(const Ui& ui);

// Widgets in a row that ends at `right`, screen pixels: as wide as they were in the last frame, so
// that in the first they are out of sight. Returns the left end of the row.
float right_row(const char* id, float right, float top, const std::function<void()>& draw);

}  // namespace ts::views
