#include "views/timeline/timeline_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "views/charts/chart_text.h"
#include "views/charts/icons.h"
#include "views/charts/imgui_input.h"

namespace ts::views {
namespace {

Rect centered(const Rect& row, float height) {
  const float y = std::round((row.y0 + row.y1 - height) / 2);
  return {std::round(row.x0), y, std::round(row.x1), y + std::round(height)};
}

}  // namespace

void TimelineView::draw(ViewContext& context, std::span<const MenuRow> of_panel) {
  draw_chart_region(context,
                    [&](DrawSink& sink, const Rect& area) { draw(sink, area, context, of_panel); });
}

void TimelineView::draw(DrawSink& sink, const Rect& area, ViewContext& context,
                        std::span<const MenuRow> of_panel) {
  chart_.lay_out(sink, area, context);

  const Rect canvas{area.x0, chart_.regions().title.y1, area.x1, area.y1};
  const bool takes_keys = !context.state.memory_has_keys;
  ChartInput input = read_chart_input("###timeline", canvas, takes_keys, context.now_ns);
  if (input.hovered) context.state.memory_has_keys = false;
  // During a run, Escape cancels the run.
  if (context.run != nullptr && !context.run->finished) input.clear = false;
  if (input.search ||
      (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_F, false) && takes_keys))
    focus_search_ = true;
  if (key_button(context, sink, TimelineChart::kFit, "###timeline_fit", icon::kFit,
                 context.texts("timeline.fit"), "F"))
    input.fit = true;
  if (key_button(context, sink, TimelineChart::kMark, "###timeline_mark", icon::kMark,
                 context.texts("timeline.mark"), "M"))
    input.mark = true;
  search_field(context, sink);
  input.fit = input.fit || std::exchange(fit_next_, false);
  input.mark = input.mark || std::exchange(mark_next_, false);

  chart_.update(input, context);
  release_cursor(input, own_cursor_, context.state);
  chart_.draw(sink, context);
  menu(context, input, of_panel);
}

// Actions for the slice and the track under the mouse, else for the selection; and for the panel.
void TimelineView::menu(ViewContext& context, const ChartInput& input,
                        std::span<const MenuRow> of_panel) {
  constexpr const char* kMenu = "###timeline_menu";
  ViewState& state = context.state;
  if (input.menu && context.run != nullptr) {
    menu_run_ = context.run->id;
    menu_slice_ = state.hovered_slice ? state.hovered_slice : state.selected_slice;
    menu_track_ = chart_.track_at(input.mouse);
    if (menu_slice_ || menu_track_ || !of_panel.empty()) ImGui::OpenPopup(kMenu);
  }
  if (context.run == nullptr || context.run->id != menu_run_) return;
  std::vector<MenuRow> rows;
  std::string title = context.texts("timeline.title");
  if (menu_slice_) {
    const std::string name(context.strings.view(context.run->trace.slice(*menu_slice_).name));
    title = name;
    const auto select = [this, &state] { state.selected_slice = menu_slice_; };
    rows.push_back({"###slice_select", context.texts("menu.select"), "", select});
    rows.push_back({"###slice_zoom", context.texts("menu.zoom"), "F", [this, select] {
                      select();
                      fit_next_ = true;
                    }});
    rows.push_back({"###slice_mark", context.texts("menu.mark"), "M", [this, select] {
                      select();
                      mark_next_ = true;
                    }});
    rows.push_back({"###slice_search", context.texts("menu.search"), "/",
                    [&state, name] { state.search = name; }});
    rows.push_back({"###slice_copy", context.texts("menu.copy_name"), "",
                    [name] { ImGui::SetClipboardText(name.c_str()); }});
  }
  if (menu_track_) {
    rows.push_back({"###track_fold", context.texts("menu.fold_track"), "",
                    [this] { chart_.fold(*menu_track_); }});
  }
  rows.insert(rows.end(), of_panel.begin(), of_panel.end());
  context_menu({context.theme, context.metrics, *context.faces, context.texts}, kMenu, title, rows);
}

bool TimelineView::key_button(const ViewContext& context, DrawSink& sink, TimelineChart::Item item,
                              const char* id, const char* icon, const char* label,
                              const char* key) {
  const Rect row = chart_.item(item);
  if (row.width() <= 0) return false;
  const Metrics& metrics = context.metrics;
  const Rect box = centered(row, metrics.px(26));
  const HotSpot spot = hot_spot(id, box);
  const Theme& theme = context.theme;
  if (spot.hovered) sink.fill(box, theme.surface2, metrics.px(3));
  text_in(sink, {box.x0 + metrics.px(2), box.y0, box.x1, box.y1}, TextStyle::small, theme.text2,
          icon);
  const float x = box.x0 + metrics.px(20);
  text_in(sink, {x, box.y0, box.x1, box.y1}, TextStyle::small,
          spot.hovered ? theme.text : theme.text2, label);
  const float cap = std::round(metrics.px(16));
  const Rect hint = centered({box.x1 - cap - metrics.px(1), box.y0, box.x1 - metrics.px(1), box.y1},
                             metrics.px(18));
  sink.outline(hint, theme.line, 1, metrics.px(2));
  const float width = sink.text_width(TextStyle::small, key);
  const float left = (hint.x0 + hint.x1 - width) / 2;
  text_in(sink, {left, hint.y0, hint.x1, hint.y1}, TextStyle::small, theme.text3, key);
  return spot.pressed;
}

void TimelineView::search_field(ViewContext& context, DrawSink& sink) {
  const Rect row = chart_.item(TimelineChart::kSearch);
  std::string& search = context.state.search;
  if (row.width() <= 0) {
    focus_search_ = false;
    return;
  }
  const Metrics& metrics = context.metrics;
  const Theme& theme = context.theme;
  const Rect box = centered(row, metrics.px(26));
  sink.fill(box, theme.surface2, metrics.px(3));
  if (typing_) sink.outline(box, theme.accent, 1, metrics.px(3));
  text_in(sink, {box.x0 + metrics.px(8), box.y0, box.x1, box.y1}, TextStyle::small, theme.text3,
          icon::kSearch);
  const std::string words = search.empty() ? "/" : chart_.hit_text(context);
  const float words_width = sink.text_width(TextStyle::small, words) + metrics.px(10);

  const float size = text_pixels(TextStyle::small, metrics.scale);
  ImGui::PushFont(context.faces->face(TextStyle::small), size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(metrics.px(2), std::max(0.0F, (box.height() - size) / 2)));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text);
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, theme.text3);
  const float left = box.x0 + metrics.px(24);
  ImGui::SetCursorScreenPos({left, box.y0});
  ImGui::SetNextItemWidth(std::max(1.0F, box.x1 - words_width - left));
  if (focus_search_) ImGui::SetKeyboardFocusHere();
  focus_search_ = false;
  const bool entered = ImGui::InputTextWithHint(
      "###timeline_search", context.texts("timeline.search"), &search,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_EscapeClearsAll);
  typing_ = ImGui::IsItemActive();
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();

  const Rect right{box.x1 - words_width, box.y0, box.x1 - metrics.px(6), box.y1};
  text_right(sink, right, TextStyle::small, theme.text3, words);
  const Rect previous = chart_.item(TimelineChart::kPrevious);
  const Rect next = chart_.item(TimelineChart::kNext);
  const auto arrow = [&](const Rect& item, const char* id, const char* icon) {
    if (item.width() <= 0) return false;
    const Rect button = centered(item, metrics.px(26));
    const HotSpot spot = hot_spot(id, button);
    text_in(sink, {button.x0 + metrics.px(3), button.y0, button.x1 + 1, button.y1},
            TextStyle::small, spot.hovered ? theme.text : theme.text2, icon);
    return spot.pressed;
  };
  const bool back = arrow(previous, "###timeline_previous", icon::kPrevious);
  const bool forth = arrow(next, "###timeline_next", icon::kNext);
  if (back || (entered && ImGui::GetIO().KeyShift)) {
    chart_.step_search(-1, context);
  } else if (forth || entered) {
    chart_.step_search(1, context);
  }
  // Enter moves to the next hit. The field keeps the focus for further hits.
  if (entered) focus_search_ = true;
}

}  // namespace ts::views
