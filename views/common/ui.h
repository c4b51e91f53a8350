#pragma once

#include <string>
#include <string_view>

#include "core/text/text.h"
#include "views/common/fonts.h"
#include "views/common/theme.h"

namespace ts::views {

// What every widget needs: colours, lengths, faces and words. One per frame; nothing may be kept.
struct Ui {
  const Theme& theme;
  Metrics metrics;
  const Fonts::Faces& faces;
  const text::Texts& texts;
  [[nodiscard]] float px(float at_scale_1) const { return metrics.px(at_scale_1); }
};

// Dear ImGui's own colours and spacing, for menus, popups, tooltips and docking.
void apply_style(const Theme& theme, Metrics metrics);

// Scope of a face and size for Dear ImGui's own text functions.
class FontScope {
 public:
  FontScope(const Ui& ui, TextStyle style);
  ~FontScope();
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};

// The look of tables, while it lives.
class TableColors {
 public:
  explicit TableColors(const Ui& ui);
  ~TableColors();
  TableColors(const TableColors&) = delete;
  TableColors& operator=(const TableColors&) = delete;
};

// Pixels between the lines of a text of several: with the em of the style they make its line.
float line_gap(TextStyle style, float scale);

// Text at the cursor of the window; never wraps.
void text(const Ui& ui, TextStyle style, Color color, std::string_view words);
// Wraps at the right edge of the window less `right_margin`, never before a unit.
void wrapped_text(const Ui& ui, TextStyle style, Color color, std::string_view words,
                  float right_margin);
// Pixels that it takes when it wraps at `width`.
float wrapped_height(const Ui& ui, TextStyle style, std::string_view words, float width);
// Explains the widget before it while the mouse rests on it; nothing for an empty sentence.
void tooltip(const Ui& ui, std::string_view words);

}  // namespace ts::views
