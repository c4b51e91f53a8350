#pragma once

#include <string_view>

#include "core/text/text.h"
#include "views/common/fonts.h"
#include "views/common/theme.h"

namespace ts::views {

// Shared input of every widget: colours, lengths, faces and words. One per frame; keep no
// reference.
struct Ui {
  const Theme& theme;
  Metrics metrics;
  const Fonts::Faces& faces;
  const text::Texts& texts;
  [[nodiscard]] float px(float at_scale_1) const { return metrics.px(at_scale_1); }
};

// Dear ImGui's own colours and spacing, for menus, popups, tooltips and docking.
void apply_style(const Theme& theme, Metrics metrics);

// Sets a face and size for Dear ImGui's own text functions within a scope.
class FontScope {
 public:
  FontScope(const Ui& ui, TextStyle style);
  ~FontScope();
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};

// Sets the look of tables within a scope.
class TableColors {
 public:
  explicit TableColors(const Ui& ui);
  ~TableColors();
  TableColors(const TableColors&) = delete;
  TableColors& operator=(const TableColors&) = delete;
};

// Pixels between the lines of a multi-line text. Line height = em of the style + this gap.
float line_gap(TextStyle style, float scale);

// Draws text at the cursor of the window. Never wraps.
void text(const Ui& ui, TextStyle style, Color color, std::string_view words);
// Wraps at the right edge of the window less `right_margin`, never before a unit; without it less
// the usual one.
void wrapped_text(const Ui& ui, TextStyle style, Color color, std::string_view words);
void wrapped_text(const Ui& ui, TextStyle style, Color color, std::string_view words,
                  float right_margin);
// Height in pixels of the text wrapped at `width`.
float wrapped_height(const Ui& ui, TextStyle style, std::string_view words, float width);
// Tooltip of the widget drawn before it. Nothing for an empty sentence.
void tooltip(const Ui& ui, std::string_view words);

}  // namespace ts::views
