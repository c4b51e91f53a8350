// Opened files: the tabs above the panels, the panels of a file, and the sheet to open one by path.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/output/sweep_files.h"
#include "app/session/file_list.h"
#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "views/common/ids.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"
#include "views/inspector/file_panel.h"

namespace ts::app {
namespace {

using views::TextStyle;

}  // namespace

void Workspace::draw_file_tabs(const views::Ui& ui) {
  OpenedFiles& files = session_->files();
  if (files.entries().empty()) {
    shown_tab_.reset();
    return;
  }
  // Positions change when a tab is closed, ids do not.
  const OpenedFiles::Entry* current = files.current();
  const auto wanted =
      current != nullptr ? std::optional(static_cast<std::size_t>(current->id)) : std::nullopt;
  const bool moved = wanted != shown_tab_;
  std::optional<std::size_t> chosen = files.current_index();
  std::optional<std::size_t> closed;
  if (ImGui::BeginViewportSideBar(views::ids::kFileTabs, ImGui::GetMainViewport(), ImGuiDir_Up,
                                  ui.px(34), kStripFlags)) {
    const views::FontScope font(ui, TextStyle::body);
    ImGui::SetCursorPos({ui.px(12), ui.px(3)});
    const auto flags_of = [&](bool shown) {
      return moved && shown ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None;
    };
    if (ImGui::BeginTabBar("###tabs", ImGuiTabBarFlags_FittingPolicyScroll |
                                          ImGuiTabBarFlags_NoTabListScrollingButtons)) {
      const std::string run = std::string((*texts_)("file.tab_run")) + "###tab_run";
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
  const OpenedFiles::Entry* now = files.current();
  shown_tab_.reset();
  if (now != nullptr) shown_tab_ = static_cast<std::size_t>(now->id);
  if (closed) files.close(*closed);
}

void Workspace::draw_file_problem(const views::Ui& ui, const OpenedFiles::Entry& entry) {
  ImGui::SetCursorPos({ui.px(16), ui.px(16)});
  ImGui::BeginGroup();
  if (entry.loading()) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2,
                        (*texts_)("file.reading", {{"name", entry.path.filename().string()}}),
                        ui.px(16));
  } else {
    views::wrapped_text(ui, TextStyle::large, ui.theme.text, (*texts_)("file.cannot_open"),
                        ui.px(16));
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2,
                        views::message_words(*texts_, entry.problem), ui.px(16));
  }
  ImGui::EndGroup();
}

void Workspace::draw_file_controls(const views::Ui& ui, const views::ViewContext& view) {
  if (const auto device = views::draw_file_panel(ui, view)) {
    session_->files().choose_device(*device);
  }
}

void Workspace::open_files(const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) {
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
    // Nothing to show: no tab, and no place among the recent files.
    if (!whole.empty() && listed(whole).kind == FileKind::missing) {
      forget_file(state_->preferences.recent_files, whole);
      notify((*texts_)("file.missing", {{"path", whole.string()}}));
      continue;
    }
    const auto lesson = state_->lessons->open_file(*session_, whole);
    if (!lesson) {
      notify(lesson.error().sentence);
      continue;
    }
    remember_file(state_->preferences.recent_files, whole);
    if (*lesson) {
      state_->page = Page::lessons;
      continue;
    }
    if (is_sweep(whole)) {
      open_sweep(whole);
      continue;
    }
    session_->files().open(whole.empty() ? path : whole);
    state_->page = Page::run;
  }
}

// The current folder, a field for another one, and the default one.
void Workspace::draw_save_folder(const views::Ui& ui) {
  if (ImGui::IsWindowAppearing()) {
    save_folder_.fill('\0');
    state_->save_folder().string().copy(save_folder_.data(), save_folder_.size() - 1);
  }
  views::wrapped_text(ui, TextStyle::body, ui.theme.text2, (*texts_)("save.what"), ui.px(16));
  ImGui::Dummy({0, ui.px(6)});
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputText("###save_folder_path", save_folder_.data(),
                                        save_folder_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  const std::filesystem::path typed(save_folder_.data());
  const bool whole = typed.is_absolute();
  if (!whole) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.bad, (*texts_)("save.whole_path"), ui.px(16));
  }
  ImGui::Dummy({0, ui.px(6)});
  ImGui::BeginDisabled(!whole);
  const bool pressed = views::button(ui, "###save_folder_use", "", (*texts_)("save.use"), "",
                                     views::ButtonKind::primary);
  ImGui::EndDisabled();
  ImGui::SameLine(0, ui.px(8));
  const bool back = views::button(ui, "###save_folder_default", "", (*texts_)("save.default"), "",
                                  views::ButtonKind::plain);
  const bool chosen = whole && (pressed || entered);
  if (!back && !chosen) return;
  state_->choose_save_folder(back ? std::filesystem::path() : typed);
  show_save_folder_ = false;
}

void Workspace::draw_open_sheet(const views::Ui& ui) {
  open_files(file_dialog_.take());
  if (ask_for_file_) open_sheet_.open();
  ask_for_file_ = false;
  const OpenSheet::Answer answer =
      open_sheet_.draw(ui, state_->preferences.recent_files, &FileDialog::available);
  if (answer.browse) file_dialog_.open((*texts_)("file.open_title"));
  if (answer.chosen) open_files({*answer.chosen});
  if (answer.forgotten) forget_file(state_->preferences.recent_files, *answer.forgotten);
}

}  // namespace ts::app
