#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/text/numbers.h"
#include "views/common/ui.h"

// The design's flat widgets. Each takes a stable id ("###run"): words change with the language, ids
// do not. All return true when the user changed or pressed the widget in this frame.
namespace ts::views {

struct Choice {
  std::string id;      // stable, "attention"
  std::string label;   // shown
  std::string reason;  // why it cannot be chosen; empty when it can
};

// An area that is pressed with the mouse, or with Enter while it has the focus ring. Tab and the
// arrow keys move the ring. Draws nothing: call focus_ring() after drawing the content.
bool press_area(const char* id, float width, float height);
// Draws the ring if the item before it has the focus and the keyboard is in use.
void focus_ring(const Ui& ui);

// Joined buttons over `width`, one of them chosen. Equal widths where every label fits in its own.
bool segmented(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
               float width);

// The same in equal rows, as many as needed to fit every label.
bool choice_grid(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
                 float width);

// A switch with its label. Greyed, with `reason` as its tooltip, if `reason` is not empty.
bool toggle(const Ui& ui, const char* id, std::string_view label, bool& on, float width,
            std::string_view reason = {});

// on: as quiet, for a switch that is on.
enum class ButtonKind : std::uint8_t { plain, primary, quiet, on };
// `key` is the hint behind the label ("Space"); both may be empty when `icon` is set.
bool button(const Ui& ui, const char* id, std::string_view icon, std::string_view label,
            std::string_view key, ButtonKind kind, float width = 0);
// A button with the words of a text, without and with an icon before them.
bool text_button(const Ui& ui, const char* id, const char* text, ButtonKind kind,
                 std::string_view key = {});
bool icon_button(const Ui& ui, const char* id, std::string_view icon, const char* text,
                 ButtonKind kind, std::string_view key = {});

// A field that opens a list. `draw_list` is called while the list is open. It draws the rows and
// returns true when one was chosen. `indent` leaves room for a mark before the label.
bool select(const Ui& ui, const char* id, std::string_view label, std::string_view value,
            float width, const std::function<bool()>& draw_list, float indent = 0);

// A row of a list, in a select or elsewhere: `label` at the left, `right` at the right.
bool list_row(const Ui& ui, const char* id, std::string_view label, std::string_view right,
              bool chosen, std::string_view reason = {});

// Calls `draw` for those of `count` rows that are in view, each `height` pixels high; without it as
// high as the first one.
void rows_in_view(std::size_t count, const std::function<void(std::size_t row)>& draw);
void rows_in_view(std::size_t count, float height,
                  const std::function<void(std::size_t row)>& draw);

// A popup with so much room around its content, while it is open. Open it with
// ImGui::OpenPopup(id).
void padded_popup(const char* id, float padding, const std::function<void()>& draw);

// Words in a table cell. Without room they end in an ellipsis; true if they did.
bool cell_text(const std::string& words);
// A name in the font of now; wider than `width` it is cut in its middle.
std::string name_within(const std::string& name, float width);
// A name in a table cell. Without room it is cut in its middle, so that its end is seen.
void cell_name(const std::string& name);
// Words at the right edge of a table cell. Words that were cut are in the tooltip.
// right_aligned_column() moves to the next cell first.
void right_aligned(const std::string& words);
// The heading row of a table. Headings of number columns are right-aligned like their numbers.
void table_headings(const std::function<bool(int column)>& numbers);
void right_aligned_column(const std::string& words);

// Label left, value right-aligned, unit smaller in its own column. Height 24 at scale 1.
void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style = TextStyle::body_medium);
void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style, Color value_color);

// Small heading over a group, with an optional remark at the right end.
void section(const Ui& ui, std::string_view title, std::string_view remark = {});

// A section that a click opens and closes. Initially closed. Returns whether it is open.
bool folded_section(const Ui& ui, const char* id, std::string_view title, std::string_view remark);

// divider: a 1 px line over the full width of the window. left_edge: over its full height, at the
// left.
void divider(const Ui& ui);
void left_edge(const Ui& ui);

// Widgets in a row that ends at `right`, in screen pixels. Uses their widths of the last frame, so
// in the first frame they are out of sight. Returns the left end of the row.
float right_row(const char* id, float right, float top, const std::function<void()>& draw);

}  // namespace ts::views
