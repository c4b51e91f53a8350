#include "app/pages/toasts.h"

#include <imgui.h>

#include <algorithm>

#include "views/common/widgets.h"

namespace ts::app {
namespace {

// In nanoseconds.
constexpr std::int64_t kShown = 8'000'000'000;
constexpr std::int64_t kShownOnNextPage = 2'000'000'000;

constexpr std::size_t kMost = 4;

}  // namespace

void Toasts::add(const std::filesystem::path& saved, std::int64_t now_ns) {
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.path == saved; });
  toasts_.push_back({saved, now_ns + kShown});
  if (toasts_.size() > kMost) toasts_.erase(toasts_.begin());
}

void Toasts::page_changed(std::int64_t now_ns) {
  for (Toast& toast : toasts_) toast.until_ns = std::min(toast.until_ns, now_ns + kShownOnNextPage);
}

void Toasts::expire(std::int64_t now_ns) {
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.until_ns < now_ns; });
}

std::optional<std::filesystem::path> Toasts::draw(const views::Ui& ui, std::int64_t now_ns) {
  std::optional<std::filesystem::path> shown;
  if (toasts_.empty()) return shown;
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->WorkPos.x + viewport->WorkSize.x - ui.px(16),
                           viewport->WorkPos.y + viewport->WorkSize.y - ui.px(12)},
                          ImGuiCond_Always, {1, 1});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(12)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.surface2);
  if (ImGui::Begin("###toasts", nullptr,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                       ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoMove)) {
    const bool read = ImGui::IsWindowHovered();
    std::optional<std::size_t> closed;
    for (std::size_t i = 0; i < toasts_.size(); ++i) {
      Toast& toast = toasts_[i];
      if (read) toast.until_ns = std::max(toast.until_ns, now_ns + kShown / 2);
      ImGui::PushID(static_cast<int>(i));
      views::text(ui, views::TextStyle::body_medium, ui.theme.text,
                  ui.texts("toast.saved", {{"name", toast.path.filename().string()}}));
      views::text(ui, views::TextStyle::small, ui.theme.text2, toast.path.parent_path().string());
      if (views::text_button(ui, "###toast_show", "toast.show", views::ButtonKind::plain))
        shown = toast.path;
      ImGui::SameLine(0, ui.px(8));
      if (views::text_button(ui, "###toast_copy", "toast.copy_path", views::ButtonKind::quiet))
        ImGui::SetClipboardText(toast.path.string().c_str());
      ImGui::SameLine(0, ui.px(8));
      if (views::text_button(ui, "###toast_close", "toast.close", views::ButtonKind::quiet))
        closed = i;
      if (i + 1 < toasts_.size()) ImGui::Dummy({0, ui.px(6)});
      ImGui::PopID();
    }
    if (closed) toasts_.erase(toasts_.begin() + static_cast<std::ptrdiff_t>(*closed));
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  return shown;
}

}  // namespace ts::app
