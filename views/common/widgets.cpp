#include "views/common/widgets.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "views/common/imgui_sink.h"
#include "views/common/wrapping.h"

namespace ts::views {
namespace {

Rect item_rect() {
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  return {min.x, min.y, max.x, max.y};
}

ImGuiSink sink_of(const Ui& ui) {
  return {*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale};
}

float middle(const Rect& rect, const ImGuiSink& sink, TextStyle style) {
  return (rect.y0 + rect.y1 - sink.text_height(style)) / 2;
}

void centred(ImGuiSink& sink, const Rect& rect, TextStyle style, Color color,
             std::string_view words) {
  sink.push_clip(rect);
  sink.text({(rect.x0 + rect.x1 - sink.text_width(style, words)) / 2, middle(rect, sink, style)},
            style, color, words);
  sink.pop_clip();
}

// The largest number of columns in which every label fits, with all rows full if possible.
std::size_t columns_for(const Ui& ui, std::span<const Choice> choices, float width) {
  const ImGuiSink sink = sink_of(ui);
  float widest = 1;
  for (const Choice& choice : choices)
    widest = std::max(widest, sink.text_width(TextStyle::body_medium, choice.label) + ui.px(10));
  const auto fits = [&](std::size_t columns) {
    return widest * static_cast<float>(columns) <= width;
  };
  std::size_t most = std::max<std::size_t>(choices.size(), 1);
  while (most > 1 && !fits(most)) --most;
  for (std::size_t columns = most; columns > 1; --columns)
    if (choices.size() % columns == 0) return columns;
  return most;
}

// Widths of buttons in one row over `width`: equal, or where a label would not fit, each as its
// label needs with the rest shared evenly.
std::vector<float> widths_in_row(const Ui& ui, std::span<const Choice> choices, float width) {
  const auto count = static_cast<float>(choices.size());
  const float each = std::floor(width / count);
  std::vector<float> widths;
  float rest = width;
  for (const Choice& choice : choices) {
    widths.push_back(sink_of(ui).text_width(TextStyle::body_medium, choice.label) + ui.px(10));
    rest -= widths.back();
  }
  const bool fit = std::ranges::all_of(widths, [each](float one) { return one <= each; });
  for (float& one : widths) one = fit || rest < 0 ? each : std::floor(one + rest / count);
  return widths;
}

bool joined_buttons(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
                    std::span<const float> widths) {
  bool changed = false;
  ImGui::PushID(id);
  const float height = ui.px(28);
  const std::size_t columns = widths.size();
  const std::size_t rows = (choices.size() + columns - 1) / columns;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGuiSink sink = sink_of(ui);
  const float width = std::accumulate(widths.begin(), widths.end(), 0.0F);
  sink.fill({origin.x, origin.y, origin.x + width, origin.y + height * static_cast<float>(rows)},
            ui.theme.surface2, ui.px(4));
  float x = origin.x;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    const float each = widths[i % columns];
    if (i % columns == 0) x = origin.x;
    ImGui::SetCursorScreenPos({x, origin.y + height * static_cast<float>(i / columns)});
    x += each;
    ImGui::BeginDisabled(!choice.reason.empty());
    if (press_area(("###" + choice.id).c_str(), each, height) && chosen != static_cast<int>(i)) {
      chosen = static_cast<int>(i);
      changed = true;
    }
    ImGui::EndDisabled();
    const bool on = chosen == static_cast<int>(i);
    const Rect rect = item_rect();
    if (on || (ImGui::IsItemHovered() && choice.reason.empty())) {
      sink.fill({rect.x0 + 1, rect.y0 + 1, rect.x1 - 1, rect.y1 - 1},
                on ? ui.theme.surface3 : with_alpha(ui.theme.surface3, 0.5F), ui.px(3));
    }
    const Color color = !choice.reason.empty() ? ui.theme.text3
                        : on                   ? ui.theme.text
                                               : ui.theme.text2;
    centred(sink, rect, on ? TextStyle::body_medium : TextStyle::body, color, choice.label);
    focus_ring(ui);
    tooltip(ui, choice.reason);
  }
  ImGui::PopID();
  return changed;
}

}  // namespace

bool press_area(const char* id, float width, float height) {
  // Dear ImGui draws its ring outside the item, where the next widget covers it.
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  const bool pressed = ImGui::InvisibleButton(id, {width, height}, ImGuiButtonFlags_EnableNav);
  ImGui::PopStyleColor();
  return pressed;
}

void focus_ring(const Ui& ui) {
  if (!ImGui::IsItemFocused() || !ImGui::GetIO().NavVisible) return;
  const Rect rect = item_rect();
  const float inside = ui.px(1);
  sink_of(ui).outline({rect.x0 + inside, rect.y0 + inside, rect.x1 - inside, rect.y1 - inside},
                      ui.theme.accent, ui.px(2), ui.px(3));
}

bool segmented(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
               float width) {
  return joined_buttons(ui, id, choices, chosen, widths_in_row(ui, choices, width));
}

bool choice_grid(const Ui& ui, const char* id, std::span<const Choice> choices, int& chosen,
                 float width) {
  const std::size_t columns = columns_for(ui, choices, width);
  const std::vector<float> widths(columns, std::floor(width / static_cast<float>(columns)));
  return joined_buttons(ui, id, choices, chosen, widths);
}

bool toggle(const Ui& ui, const char* id, std::string_view label, bool& on, float width,
            std::string_view reason) {
  const float height = ui.px(24);
  ImGui::BeginDisabled(!reason.empty());
  const bool pressed = press_area(id, width, height);
  ImGui::EndDisabled();
  if (pressed) on = !on;
  const Rect rect = item_rect();
  ImGuiSink sink = sink_of(ui);
  const float track_height = ui.px(16);
  const float track_width = ui.px(28);
  const Rect track{rect.x0, (rect.y0 + rect.y1 - track_height) / 2, rect.x0 + track_width,
                   (rect.y0 + rect.y1 + track_height) / 2};
  const float fade = reason.empty() ? 1.0F : 0.4F;
  sink.fill(track, with_alpha(on ? ui.theme.accent_fill : ui.theme.surface3, fade),
            track_height / 2);
  const float radius = ui.px(6);
  const float x = on ? track.x1 - track_height / 2 : track.x0 + track_height / 2;
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {x, (rect.y0 + rect.y1) / 2}, radius,
      with_alpha(on ? ui.theme.on_accent : ui.theme.text2, fade));
  sink.text({track.x1 + ui.px(8), middle(rect, sink, TextStyle::body)}, TextStyle::body,
            label_color(ui.theme, reason.empty()), label);
  focus_ring(ui);
  tooltip(ui, reason);
  return pressed;
}

bool button(const Ui& ui, const char* id, std::string_view icon, std::string_view label,
            std::string_view key, ButtonKind kind, float width) {
  ImGuiSink sink = sink_of(ui);
  const bool quiet = kind == ButtonKind::quiet || kind == ButtonKind::on;
  const float padding = quiet ? ui.px(8) : ui.px(12);
  const float gap = ui.px(8);
  const float icon_width = sink.text_width(TextStyle::body, icon);
  const float label_width = sink.text_width(TextStyle::body_medium, label);
  const float key_width = sink.text_width(TextStyle::small, key);
  float content = icon_width + label_width + key_width;
  if (!icon.empty() && !label.empty()) content += gap;
  if (!key.empty() && !label.empty()) content += gap;
  const float total = width > 0 ? width : content + 2 * padding;
  const bool pressed = press_area(id, total, ui.px(28));
  const Rect rect = item_rect();
  const bool hovered = ImGui::IsItemHovered();
  Color color = kind == ButtonKind::on ? ui.theme.accent : ui.theme.text;
  if (kind == ButtonKind::primary) {
    sink.fill(rect, hovered ? darker(ui.theme.accent_fill) : ui.theme.accent_fill, ui.px(3));
    color = ui.theme.on_accent;
  } else if (kind == ButtonKind::plain || hovered) {
    sink.fill(rect, hovered ? ui.theme.surface3 : ui.theme.surface2, ui.px(3));
  }
  float x = rect.x0 + (total - content) / 2;
  sink.text({x, middle(rect, sink, TextStyle::body)}, TextStyle::body, color, icon);
  if (!icon.empty()) x += icon_width + gap;
  sink.text({x, middle(rect, sink, TextStyle::body_medium)}, TextStyle::body_medium, color, label);
  x += label_width + gap;
  sink.text({x, middle(rect, sink, TextStyle::small)}, TextStyle::small,
            kind == ButtonKind::primary ? ui.theme.on_accent : ui.theme.text2, key);
  focus_ring(ui);
  return pressed;
}

bool text_button(const Ui& ui, const char* id, const char* text, ButtonKind kind,
                 std::string_view key) {
  return button(ui, id, "", ui.texts(text), key, kind);
}

bool icon_button(const Ui& ui, const char* id, std::string_view icon, const char* text,
                 ButtonKind kind, std::string_view key) {
  return button(ui, id, icon, ui.texts(text), key, kind);
}

bool select(const Ui& ui, const char* id, std::string_view label, std::string_view value,
            float width, const std::function<bool()>& draw_list, float indent) {
  const float height = ui.px(28);
  const std::string popup = std::string("popup") + id;
  if (press_area(id, width, height)) ImGui::OpenPopup(popup.c_str());
  const Rect rect = item_rect();
  ImGuiSink sink = sink_of(ui);
  sink.fill(rect, ImGui::IsItemHovered() ? ui.theme.surface3 : ui.theme.surface2, ui.px(3));
  const float arrow = sink.text_width(TextStyle::small, "\xef\x83\x97");
  const Rect inner{rect.x0 + ui.px(10) + indent, rect.y0, rect.x1 - ui.px(14) - arrow, rect.y1};
  sink.push_clip(inner);
  sink.text({inner.x0, middle(rect, sink, TextStyle::body_medium)}, TextStyle::body_medium,
            ui.theme.text, label);
  const float label_width = sink.text_width(TextStyle::body_medium, label);
  const float value_width = sink.text_width(TextStyle::body, value);
  // Right-aligned if it fits beside the label, else directly after the label and clipped.
  const float value_x = std::max(inner.x1 - value_width, inner.x0 + label_width + ui.px(8));
  sink.text({value_x, middle(rect, sink, TextStyle::body)}, TextStyle::body, ui.theme.text2, value);
  sink.pop_clip();
  sink.text({rect.x1 - ui.px(8) - arrow, middle(rect, sink, TextStyle::small)}, TextStyle::small,
            ui.theme.text3, "\xef\x83\x97");
  focus_ring(ui);

  bool changed = false;
  ImGui::SetNextWindowPos({rect.x0, rect.y1 + 1});
  ImGui::SetNextWindowSizeConstraints({rect.width(), 0}, {FLT_MAX, ui.px(420)});
  padded_popup(popup.c_str(), ui.px(4), [&] {
    changed = draw_list();
    if (changed) ImGui::CloseCurrentPopup();
  });
  return changed;
}

bool list_row(const Ui& ui, const char* id, std::string_view label, std::string_view right,
              bool chosen, std::string_view reason) {
  ImGuiSink sink = sink_of(ui);
  const float wanted = sink.text_width(TextStyle::body, label) + ui.px(32) +
                       sink.text_width(TextStyle::small, right);
  const float width = std::max(ImGui::GetContentRegionAvail().x, wanted);
  ImGui::BeginDisabled(!reason.empty());
  const bool pressed = press_area(id, width, ui.px(26));
  ImGui::EndDisabled();
  const Rect rect = item_rect();
  if (chosen || ImGui::IsItemHovered()) sink.fill(rect, ui.theme.surface3, ui.px(3));
  sink.text({rect.x0 + ui.px(8), middle(rect, sink, TextStyle::body)}, TextStyle::body,
            reason.empty() ? ui.theme.text : ui.theme.text3, label);
  sink.text({rect.x1 - ui.px(8) - sink.text_width(TextStyle::small, right),
             middle(rect, sink, TextStyle::small)},
            TextStyle::small, ui.theme.text3, right);
  focus_ring(ui);
  tooltip(ui, reason);
  return pressed;
}

void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style) {
  value_row(ui, label, value, unit_width, value_style, ui.theme.text);
}

void value_row(const Ui& ui, std::string_view label, const text::Quantity& value, float unit_width,
               TextStyle value_style, Color value_color) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(24);
  ImGui::Dummy({width, height});
  const Rect rect{origin.x, origin.y, origin.x + width, origin.y + height};
  ImGuiSink sink = sink_of(ui);
  const float value_x = rect.x1 - unit_width - ui.px(6) - sink.text_width(value_style, value.value);
  sink.push_clip({rect.x0, rect.y0, value_x - ui.px(6), rect.y1});
  sink.text({rect.x0, middle(rect, sink, TextStyle::body)}, TextStyle::body, ui.theme.text2, label);
  sink.pop_clip();
  sink.text({value_x, middle(rect, sink, value_style)}, value_style, value_color, value.value);
  sink.text({rect.x1 - unit_width, middle(rect, sink, TextStyle::small) + ui.px(0.5F)},
            TextStyle::small, ui.theme.text3, value.unit);
}

void section(const Ui& ui, std::string_view title, std::string_view remark) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(24);
  ImGui::Dummy({width, height});
  ImGuiSink sink = sink_of(ui);
  const Rect rect{origin.x, origin.y, origin.x + width, origin.y + height};
  sink.text({rect.x0, middle(rect, sink, TextStyle::small)}, TextStyle::small, ui.theme.text2,
            title);
  sink.text(
      {rect.x1 - sink.text_width(TextStyle::small, remark), middle(rect, sink, TextStyle::small)},
      TextStyle::small, ui.theme.text3, remark);
}

bool folded_section(const Ui& ui, const char* id, std::string_view title, std::string_view remark) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGuiStorage* const storage = ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID(id);
  bool open = storage->GetBool(key);
  if (press_area(id, width, ui.px(28))) storage->SetBool(key, open = !open);
  ImGuiSink sink = sink_of(ui);
  const Rect rect = item_rect();
  const bool lit = ImGui::IsItemHovered();
  const Color color = lit ? ui.theme.text : ui.theme.text2;
  const Point centre{origin.x + ui.px(5), (rect.y0 + rect.y1) / 2};
  const float size = ui.px(3.5F);
  if (open) {
    sink.triangle({centre.x - size, centre.y - size / 2}, {centre.x + size, centre.y - size / 2},
                  {centre.x, centre.y + size}, color);
  } else {
    sink.triangle({centre.x - size / 2, centre.y - size}, {centre.x + size, centre.y},
                  {centre.x - size / 2, centre.y + size}, color);
  }
  sink.text({rect.x0 + ui.px(16), middle(rect, sink, TextStyle::small)}, TextStyle::small, color,
            title);
  sink.text(
      {rect.x1 - sink.text_width(TextStyle::small, remark), middle(rect, sink, TextStyle::small)},
      TextStyle::small, ui.theme.text3, remark);
  focus_ring(ui);
  return open;
}

void divider(const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetWindowPos().x;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {left, at.y}, {left + ImGui::GetWindowWidth(), at.y + 1}, ui.theme.line);
  ImGui::Dummy({0, 1});
}

void left_edge(const Ui& ui) {
  const ImVec2 at = ImGui::GetWindowPos();
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 1, at.y + ImGui::GetWindowHeight()},
                                            ui.theme.line);
}

float right_row(const char* id, float right, float top, const std::function<void()>& draw) {
  ImGuiStorage* const storage = ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID(id);
  const float left = right - storage->GetFloat(key);
  ImGui::SetCursorScreenPos({left, top});
  ImGui::BeginGroup();
  draw();
  ImGui::EndGroup();
  storage->SetFloat(key, ImGui::GetItemRectSize().x);
  return left;
}

void rows_in_view(std::size_t count, const std::function<void(std::size_t row)>& draw) {
  rows_in_view(count, -1, draw);
}

void rows_in_view(std::size_t count, float height,
                  const std::function<void(std::size_t row)>& draw) {
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw(static_cast<std::size_t>(row));
  }
}

void padded_popup(const char* id, float padding, const std::function<void()>& draw) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, padding));
  if (ImGui::BeginPopup(id)) {
    draw();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

bool cell_text(const std::string& words) {
  const float room = ImGui::GetContentRegionAvail().x;
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  if (size.x <= room) {
    ImGui::TextUnformatted(words.c_str());
    return false;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // Letters reach below the line of text: a face's size is that of its em.
  const ImVec2 end = {at.x + std::max(1.0F, room), at.y + size.y + ImGui::GetFontSize() / 2};
  ImGui::Dummy(size);  // a column that fits its content grows
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), at, end, end.x, words.c_str(), nullptr,
                            &size);
  return true;
}

std::string name_within(const std::string& name, float width) {
  return cut_in_the_middle(name, width, [](std::string_view words) {
    return ImGui::CalcTextSize(words.data(), words.data() + words.size()).x;
  });
}

void cell_name(const std::string& name) {
  const std::string shown = name_within(name, ImGui::GetContentRegionAvail().x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // As in cell_text().
  ImGui::Dummy({ImGui::CalcTextSize(name.c_str()).x, ImGui::GetTextLineHeight()});
  ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), shown.c_str());
}

void right_aligned(const std::string& words) {
  const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, free));
  if (cell_text(words)) ImGui::SetItemTooltip("%s", words.c_str());
}

void table_headings(const std::function<bool(int column)>& numbers) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const int columns = ImGui::TableGetColumnCount();
  for (int i = 0; i < columns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const char* const name = ImGui::TableGetColumnName(i);
    // The arrow of the sorted column is at the right, where the name would be.
    const bool sorted = (ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsSorted) != 0;
    const float free =
        ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(name, nullptr, true).x;
    if (!numbers(i) || sorted || free <= 0) {
      ImGui::TableHeader(name);
      continue;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_Text);
    ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32_BLACK_TRANS);
    ImGui::TableHeader(name);
    ImGui::PopStyleColor();
    const std::string_view whole(name);
    const std::string_view shown = whole.substr(0, whole.find("##"));
    ImGui::GetWindowDrawList()->AddText({at.x + free, at.y}, color, shown.data(),
                                        shown.data() + shown.size());
  }
}

void right_aligned_column(const std::string& words) {
  ImGui::TableNextColumn();
  right_aligned(words);
}

}  // namespace ts::views
