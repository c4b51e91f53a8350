#pragma once

#include <imgui.h>

#include <functional>
#include <string>

#include "app/pages/view_contexts.h"
#include "views/common/ui.h"

namespace ts::app {

// Flags of ImGui's windows: dockable panels, panels that a page keeps in place, and the windows of
// a page, which have no title. A page that takes the keyboard when it appears omits
// ImGuiWindowFlags_NoFocusOnAppearing.
inline constexpr ImGuiWindowFlags kPanelFlags =
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoFocusOnAppearing;
inline constexpr ImGuiWindowFlags kFixedFlags =
    kPanelFlags | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoDocking |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
inline constexpr ImGuiWindowFlags kUnmovingFlags =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
// Strips along the edge of the main window: bars and tabs.
inline constexpr ImGuiWindowFlags kStripFlags = kUnmovingFlags | ImGuiWindowFlags_NoSavedSettings;

// From the top of a page to its first sentence, at scale 1.
inline constexpr float kHeadMargin = 14;

// The first sentence of a page, in large type at the cursor. It is never smaller because it is
// long: a narrow page has two lines for it. Only the width decides that, so what is below does not
// move when the words change. Words without room end in an ellipsis; the tooltip has all of them.
void draw_headline(const views::Ui& ui, float width, const std::string& sentence);
// The height of its second line in pixels; 0 where it has one.
float second_line(const views::Ui& ui, float width);

// Widths of the left and the right column of a page: about a third of a small window at most.
float controls_width(const views::Ui& ui, float page);
float side_width(const views::Ui& ui, float page);

// A rectangle in screen pixels from which the columns and rows of a page are cut.
struct PageArea {
  ImVec2 origin, size;
  // Each returns the part that was cut off; this keeps the rest.
  PageArea cut_left(float width);
  PageArea cut_right(float width);
  PageArea cut_top(float height);
};

// All that the bars leave of the main window.
PageArea whole_page();

// One window of a page.
struct PageWindow {
  const char* id;
  ImVec2 padding = {0, 0};
  ImGuiWindowFlags flags = kFixedFlags | kUnmovingFlags;
  bool line_below = false;
};
inline ImVec2 rows_padding(const views::Ui& ui) {
  return {ui.px(16), ui.px(12)};
}
// Draws it, with a line at its left edge if something stands left of it.
void draw_window(const views::Ui& ui, const PageWindow& window, const PageArea& area,
                 const std::function<void()>& draw);

// The three columns that pages are made of: the settings at the left, the page itself, and what it
// lists at the right. On the projector a strip of controls replaces the settings until they are
// wanted. Main thread.
class PageFrame {
 public:
  // `settings_keys`: the keys that show the settings on the projector.
  PageFrame(WorkspaceState& state, ViewContexts& contexts, const char* settings_keys)
      : state_(&state), contexts_(&contexts), settings_keys_(settings_keys) {}

  // Before anything of a frame is drawn: a button that switches the projector acts in the next one.
  void begin_frame() { projector_ = state_->preferences.projector; }

  // The whole page; on the projector it draws the strip of controls and returns what is below.
  PageArea begin(const views::Ui& ui);
  // Draws `head` and the controls of all settings in a column cut from the left of `area`; nothing
  // while they are hidden.
  void draw_form(const views::Ui& ui, PageArea& area, const char* id,
                 const std::function<void()>& head = {}, ImGuiWindowFlags flags = kFixedFlags);

  [[nodiscard]] bool projector() const { return projector_; }
  [[nodiscard]] bool shows_form() const { return !projector_ || show_form_; }
  void toggle_form() { show_form_ = !show_form_; }
  // Empty while the settings are shown.
  [[nodiscard]] const char* settings_keys() const { return shows_form() ? "" : settings_keys_; }

 private:
  WorkspaceState* state_;
  ViewContexts* contexts_;
  const char* settings_keys_;
  bool projector_ = false;
  bool show_form_ = false;  // on the projector
};

}  // namespace ts::app
