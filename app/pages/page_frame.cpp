#include "app/pages/page_frame.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/common/wrapping.h"
#include "views/controls/controls_view.h"

namespace ts::app {

namespace {

constexpr float kLine = 28;      // of a headline, at scale 1
constexpr float kOneLine = 900;  // the width from which a headline has one line

}  // namespace

float second_line(const views::Ui& ui, float width) {
  return width < ui.px(kOneLine) ? ui.px(kLine) : 0;
}

void draw_headline(const views::Ui& ui, float width, const std::string& sentence) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  constexpr auto kStyle = views::TextStyle::large;
  const float more = second_line(ui, width);
  const std::size_t most = more > 0 ? 2 : 1;
  float y = at.y;
  for (const std::string& line : views::wrapped_fitted(sink, kStyle, sentence, width, most)) {
    sink.text({at.x, y}, kStyle, ui.theme.text, line);
    y += ui.px(kLine);
  }
  ImGui::Dummy({std::max(1.0F, width), ui.px(kLine) + more});
  if (views::wrapped(sink, kStyle, sentence, width).size() > most) views::tooltip(ui, sentence);
}

float controls_width(const views::Ui& ui, float page) {
  return std::floor(std::min(ui.px(320), page * 0.28F));
}

float side_width(const views::Ui& ui, float page) {
  return std::floor(std::min(ui.px(360), page * 0.3F));
}

PageArea PageArea::cut_left(float width) {
  const PageArea part{origin, {width, size.y}};
  origin.x += width;
  size.x -= width;
  return part;
}

PageArea PageArea::cut_right(float width) {
  size.x -= width;
  return {{origin.x + size.x, origin.y}, {width, size.y}};
}

PageArea PageArea::cut_top(float height) {
  const PageArea part{origin, {size.x, height}};
  origin.y += height;
  size.y -= height;
  return part;
}

PageArea whole_page() {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  return {viewport->WorkPos, viewport->WorkSize};
}

void draw_window(const views::Ui& ui, const PageWindow& window, const PageArea& area,
                 const std::function<void()>& draw) {
  ImGui::SetNextWindowPos(area.origin);
  ImGui::SetNextWindowSize(area.size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, window.padding);
  const bool open = ImGui::Begin(window.id, nullptr, window.flags);
  ImGui::PopStyleVar();
  if (open) {
    draw();
    if (window.line_below) {
      const float end = area.origin.y + area.size.y;
      ImGui::GetWindowDrawList()->AddRectFilled({area.origin.x, end - 1},
                                                {area.origin.x + area.size.x, end}, ui.theme.line);
    }
    if (area.origin.x > ImGui::GetMainViewport()->WorkPos.x) views::left_edge(ui);
  }
  ImGui::End();
}

PageArea PageFrame::begin(const views::Ui& ui) {
  PageArea area = whole_page();
  if (!projector()) return area;
  const PageArea strip = area.cut_top(std::floor(ui.px(44)));
  draw_window(ui, {.id = "###projector_controls", .line_below = true}, strip, [&] {
    if (views::draw_controls_strip(contexts_->controls(ui), show_form_)) toggle_form();
  });
  return area;
}

void PageFrame::draw_form(const views::Ui& ui, PageArea& area, const char* id,
                          const std::function<void()>& head, ImGuiWindowFlags flags) {
  if (!shows_form()) return;
  const PageArea column = area.cut_left(controls_width(ui, area.size.x));
  draw_window(ui, {id, rows_padding(ui), flags}, column, [&] {
    if (head) {
      head();
      views::divider(ui);
    }
    views::draw_controls(contexts_->controls(ui));
  });
}

}  // namespace ts::app
