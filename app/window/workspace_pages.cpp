// The places of the panels: docked, one alone, or the projector's page.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "views/common/ids.h"
#include "views/common/widgets.h"
#include "views/inspector/projector_head.h"

namespace ts::app {
namespace {

constexpr float kMemoryPart = 0.54F;  // of the height, below the timeline

// Panels of rows have a margin; charts use every pixel.
class Margin {
 public:
  explicit Margin(const views::Ui& ui) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(12)));
  }
  ~Margin() { ImGui::PopStyleVar(); }
  Margin(const Margin&) = delete;
  Margin& operator=(const Margin&) = delete;
};

}  // namespace

void Workspace::draw_timeline(const views::Ui& ui, const OpenedFiles::Entry* entry) {
  views::ViewContext view = context(ui);
  if (entry == nullptr) {
    timeline_.draw(view);
  } else if (view.trace != nullptr) {
    timeline_.draw(view);
  } else if (entry->opened != nullptr) {
    segments_.draw(view);
  } else {
    draw_file_problem(ui, *entry);
  }
}

// The panels around the timeline follow the window and the scale until one of them is dragged:
// otherwise a smaller window would leave the timeline no room.
void Workspace::fit_panels(const views::Ui& ui) {
  const ImVec2 size = ImGui::GetMainViewport()->WorkSize;
  const auto fit = [](const char* window, float ImVec2::*extent, float& fitted, float wanted) {
    const ImGuiWindow* const panel = ImGui::FindWindowByName(window);
    ImGuiDockNode* const node = panel != nullptr ? panel->DockNode : nullptr;
    if (node != nullptr && fitted != wanted && std::abs(node->Size.*extent - fitted) < 2) {
      ImVec2 changed = node->Size;
      changed.*extent = wanted;
      ImGui::DockBuilderSetNodeSize(node->ID, changed);
    }
    fitted = wanted;
  };
  fit(views::ids::kControls, &ImVec2::x, fitted_left_, controls_width(ui, size.x));
  fit(views::ids::kInspector, &ImVec2::x, fitted_right_, side_width(ui, size.x));
  fit(views::ids::kMemory, &ImVec2::y, fitted_below_, std::floor(size.y * kMemoryPart));
}

void Workspace::draw_panels(const views::Ui& ui) {
  const ImGuiID dock = ImGui::GetID("###dock");
  dock_id_ = dock;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  if (ImGui::DockBuilderGetNode(dock) == nullptr) {
    ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dock, viewport->WorkSize);
    ImGuiID centre = dock;
    const float width = std::max(1.0F, viewport->WorkSize.x);
    const float left_part = controls_width(ui, width) / width;
    const ImGuiID left =
        ImGui::DockBuilderSplitNode(centre, ImGuiDir_Left, left_part, nullptr, &centre);
    const float right_part = side_width(ui, width) / (width * (1 - left_part));
    const ImGuiID right =
        ImGui::DockBuilderSplitNode(centre, ImGuiDir_Right, right_part, nullptr, &centre);
    const ImGuiID below =
        ImGui::DockBuilderSplitNode(centre, ImGuiDir_Down, kMemoryPart, nullptr, &centre);
    ImGui::DockBuilderDockWindow(views::ids::kControls, left);
    ImGui::DockBuilderDockWindow(views::ids::kTimeline, centre);
    ImGui::DockBuilderDockWindow(views::ids::kMemory, below);
    ImGui::DockBuilderDockWindow(views::ids::kInspector, right);
    ImGui::DockBuilderFinish(dock);
  }
  fit_panels(ui);
  ImGui::DockSpaceOverViewport(dock, viewport, ImGuiDockNodeFlags_AutoHideTabBar);
  const OpenedFiles::Entry* entry = session_->files().current();
  // Controls first: the charts of this frame show their changes. Then the timeline, which shows no
  // predictions.
  {
    const Margin margin(ui);
    if (ImGui::Begin(views::ids::kControls, nullptr, kPanelFlags)) {
      entry == nullptr ? views::draw_controls(controls(ui)) : draw_file_controls(ui, context(ui));
    }
    ImGui::End();
  }
  if (ImGui::Begin(views::ids::kTimeline, nullptr, kPanelFlags | kUnmovingFlags)) {
    draw_timeline(ui, entry);
  }
  ImGui::End();
  wait_for_prediction();
  views::ViewContext view = context(ui);
  if (ImGui::Begin(views::ids::kMemory, nullptr, kPanelFlags | kUnmovingFlags)) {
    memory_.draw(view);
  }
  ImGui::End();
  const Margin margin(ui);
  if (ImGui::Begin(views::ids::kInspector, nullptr, kPanelFlags)) {
    if (entry == nullptr || entry->opened != nullptr) {
      const auto tried = inspector_.draw(ui, view, session_->engine_problem());
      if (tried) state_->history.set(*tried);
    }
  }
  ImGui::End();
}

void Workspace::draw_one(const views::Ui& ui, Layout layout) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  std::optional<Margin> margin;
  if (layout == Layout::controls || layout == Layout::inspector || layout == Layout::operators ||
      layout == Layout::agreement)
    margin.emplace(ui);
  if (ImGui::Begin("###one", nullptr, kFixedFlags | ImGuiWindowFlags_NoScrollbar)) {
    views::ViewContext view = context(ui);
    switch (layout) {
      case Layout::timeline:
        timeline_.draw(view);
        break;
      case Layout::memory:
        memory_.draw(view);
        break;
      case Layout::segments:
        segments_.draw(view);
        break;
      case Layout::operators:
        operators_.draw(ui, view, state_->operators_tab);
        break;
      case Layout::agreement:
        agreement_.draw(ui, view);
        break;
      case Layout::controls:
        if (view.file == nullptr && view.trace == nullptr) {
          views::draw_controls(controls(ui));
        } else {
          draw_file_controls(ui, view);
        }
        break;
      default:
        if (const auto tried = inspector_.draw(ui, view, session_->engine_problem()))
          state_->history.set(*tried);
    }
  }
  ImGui::End();
}

namespace {

// Draws a panel over the whole width, with a line below it.
void wide_panel(const views::Ui& ui, const char* id, const ImVec2& corner, const ImVec2& size,
                const std::function<void()>& draw) {
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize(size);
  if (ImGui::Begin(id, nullptr, kFixedFlags | kUnmovingFlags)) {
    draw();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {corner.x, corner.y + size.y - 1}, {corner.x + size.x, corner.y + size.y}, ui.theme.line);
    if (corner.x > ImGui::GetMainViewport()->WorkPos.x) views::left_edge(ui);
  }
  ImGui::End();
}

}  // namespace

// The area of a page: on the projector below the strip of controls, which this function draws.
Workspace::PageArea Workspace::page_area(const views::Ui& ui, bool projector) {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  PageArea area{viewport->WorkPos, viewport->WorkSize};
  if (!projector) return area;
  const float strip = std::floor(ui.px(44));
  wide_panel(ui, "###projector_controls", area.origin, {area.size.x, strip}, [&] {
    if (views::draw_controls_strip(controls(ui), show_form_)) show_form_ = !show_form_;
  });
  area.origin.y += strip;
  area.size.y -= strip;
  return area;
}

void Workspace::draw_projector(const views::Ui& ui) {
  const OpenedFiles::Entry* entry = session_->files().current();
  PageArea area = page_area(ui, entry == nullptr);
  const auto panel = [&](const char* id, float y, float height, const std::function<void()>& draw) {
    wide_panel(ui, id, {area.origin.x, y}, {area.size.x, height}, draw);
  };
  if (entry != nullptr && entry->opened == nullptr) {
    panel("###projector_problem", area.origin.y, area.size.y,
          [&] { draw_file_problem(ui, *entry); });
    return;
  }
  if (entry == nullptr && shows_form(true)) {
    const float left = controls_width(ui, area.size.x);
    form_panel(ui, "###projector_form", area.origin, {left, area.size.y}, kFixedFlags,
               [&] { views::draw_controls(controls(ui)); });
    area.origin.x += left;
    area.size.x -= left;
  }
  // Whole pixels; otherwise the background shows between two panels.
  const float end = area.origin.y + area.size.y;
  const float head =
      std::floor(std::min(views::projector_head_height(ui.metrics.scale), area.size.y * 0.4F));
  const float timeline_y = area.origin.y + head;
  const float timeline_height = std::floor((end - timeline_y) * 0.4F);
  const float memory_y = timeline_y + timeline_height;
  // The same order as in draw_panels(), for the same reason.
  panel("###projector_timeline", timeline_y, timeline_height, [&] { draw_timeline(ui, entry); });
  wait_for_prediction();
  views::ViewContext view = context(ui);
  panel("###projector_verdict", area.origin.y, head, [&] {
    if (const auto tried = views::draw_projector_head(ui, view, session_->engine_problem()))
      state_->history.set(*tried);
  });
  panel("###projector_memory", memory_y, end - memory_y, [&] { memory_.draw(view); });
}

}  // namespace ts::app
