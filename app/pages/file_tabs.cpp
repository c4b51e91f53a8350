#include "app/pages/file_tabs.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/pages/page_frame.h"
#include "views/common/ids.h"

namespace ts::app {

void FileTabs::draw(const views::Ui& ui, OpenedFiles& files) {
  if (files.entries().empty()) {
    shown_.reset();
    return;
  }
  const auto id_of_current = [&files] {
    const OpenedFiles::Entry* const current = files.current();
    return current != nullptr ? std::optional(current->id) : std::nullopt;
  };
  // Ids, because places move when a tab is closed.
  const bool moved = id_of_current() != shown_;
  std::optional<std::size_t> chosen = files.current_index();
  std::optional<std::size_t> closed;
  if (ImGui::BeginViewportSideBar(views::ids::kFileTabs, ImGui::GetMainViewport(), ImGuiDir_Up,
                                  ui.px(34), kStripFlags)) {
    const views::FontScope font(ui, views::TextStyle::body);
    ImGui::SetCursorPos({ui.px(12), ui.px(3)});
    const auto flags_of = [&](bool shown) {
      return moved && shown ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None;
    };
    if (ImGui::BeginTabBar("###tabs", ImGuiTabBarFlags_FittingPolicyScroll |
                                          ImGuiTabBarFlags_NoTabListScrollingButtons)) {
      const std::string run = std::string(ui.texts("file.tab_run")) + "###tab_run";
      if (ImGui::BeginTabItem(run.c_str(), nullptr, flags_of(!files.current_index()))) {
        if (!moved) chosen.reset();
        ImGui::EndTabItem();
      }
      for (std::size_t i = 0; i < files.entries().size(); ++i) {
        const OpenedFiles::Entry& entry = files.entries()[i];
        const std::string label =
            entry.path.filename().string() + "###file_" + std::to_string(entry.id);
        bool open = true;
        if (ImGui::BeginTabItem(label.c_str(), &open, flags_of(files.current_index() == i))) {
          if (!moved) chosen = i;
          ImGui::EndTabItem();
        }
        views::tooltip(ui, entry.path.string());
        if (!open) closed = i;
      }
      ImGui::EndTabBar();
    }
  }
  ImGui::End();
  files.choose(chosen);
  shown_ = id_of_current();
  if (closed) files.close(*closed);
}

}  // namespace ts::app
