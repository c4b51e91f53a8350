#include "app/sheets/open_sheet.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

constexpr const char* kSheet = "###open_sheet";

// By FileKind.
constexpr std::array kKindKeys = {
    "file.kind.folder",    "file.kind.sweep",  "file.kind.snapshot", "file.kind.recording",
    "file.kind.json_file", "file.kind.model",  "file.kind.python",   "file.kind.session",
    "file.kind.other",     "file.kind.missing"};

const char* kind_text(const views::Ui& ui, FileKind kind) {
  return ui.texts(kKindKeys[static_cast<std::size_t>(kind)]);
}

std::string size_text(const ListedFile& file) {
  return file.bytes == 0 ? std::string()
                         : text::bytes(static_cast<std::int64_t>(file.bytes)).joined();
}

}  // namespace

void OpenSheet::go_to(const std::filesystem::path& folder) {
  list_ = list_folder(folder);
}

// Writes the path into the field; Enter opens the path in the field.
void OpenSheet::mark(const std::filesystem::path& path) {
  typed_ = path.string();
  rewritten_ = true;
}

bool OpenSheet::draw_file(const views::Ui& ui, const std::string& id, const ListedFile& file,
                          const std::string& words) {
  const std::string size = size_text(file);
  const std::string right = kind_text(ui, file.kind) + (size.empty() ? "" : ", " + size);
  if (views::list_row(ui, id.c_str(), words, right, marked_ && marked_->path == file.path)) {
    mark(file.path);
    // The keyboard has no double click.
    return ImGui::GetIO().NavVisible;
  }
  // The second click of a pair, also when pairs in quick succession open one folder after the
  // other.
  const int clicks = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
  return ImGui::IsItemHovered() && clicks > 0 && clicks % 2 == 0;
}

void OpenSheet::draw_preview(const views::Ui& ui) const {
  if (!marked_) {
    const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    // One line, like the text that replaces it: the list below must not move under a double click.
    views::text(ui, TextStyle::small, ui.theme.text3,
                views::fitted(sink, TextStyle::small, ui.texts("file.open_hint"),
                              ImGui::GetContentRegionAvail().x));
    views::tooltip(ui, ui.texts("file.open_hint"));
    return;
  }
  if (refused_) {
    views::text(ui, TextStyle::small, ui.theme.bad,
                ui.texts("file.missing", {{"path", marked_->path.string()}}));
    return;
  }
  const std::string size = size_text(*marked_);
  views::text(ui, TextStyle::small, ui.theme.text2,
              marked_->path.filename().string() + ": " + kind_text(ui, marked_->kind) +
                  (size.empty() ? "" : ", " + size));
}

// A missing file stays visible, and leaves the list when it is pressed.
bool OpenSheet::draw_recent(const views::Ui& ui, Answer& answer) {
  bool done = false;
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    const std::filesystem::path& path = recent_[i].path;
    const std::string words = path.filename().string() + "   " + path.parent_path().string();
    const std::string id = "###recent_" + std::to_string(i);
    if (recent_[i].kind != FileKind::missing) {
      done = draw_file(ui, id, recent_[i], words) || done;
      continue;
    }
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, ImGui::GetStyle().DisabledAlpha);
    if (views::list_row(ui, id.c_str(), words, ui.texts("file.forget"), false))
      answer.forgotten = path;
    ImGui::PopStyleVar();
  }
  if (answer.forgotten)
    std::erase_if(recent_, [&](const ListedFile& file) { return file.path == *answer.forgotten; });
  return done;
}

OpenSheet::Answer OpenSheet::draw(const views::Ui& ui, std::span<const std::string> recent,
                                  bool (*can_browse)()) {
  Answer answer;
  if (asked_) {
    asked_ = false;
    typed_.clear();
    marked_.reset();
    marked_text_.clear();
    recent_.clear();
    for (const std::string& path : recent) recent_.push_back(listed(path));
    std::erase_if(recent_, [](const ListedFile& file) { return file.kind == FileKind::other; });
    std::error_code ignored;
    if (list_.folder.empty()) {
      go_to(recent_.empty() ? std::filesystem::current_path(ignored)
                            : recent_.front().path.parent_path());
    } else {
      go_to(list_.folder);
    }
    ImGui::OpenPopup(kSheet);
  }
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(ui.px(720), viewport->WorkSize.x - ui.px(32)), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  if (ImGui::BeginPopupModal(kSheet, nullptr,
                             ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings)) {
    views::text(ui, TextStyle::body_strong, ui.theme.text, ui.texts(title_));
    ImGui::Dummy({0, ui.px(4)});
    if (ImGui::IsWindowAppearing() || focus_field_) ImGui::SetKeyboardFocusHere();
    focus_field_ = false;
    ImGui::SetNextItemWidth(-1);
    bool done = ImGui::InputTextWithHint("###open_path", ui.texts("file.open_path"), &typed_,
                                         ImGuiInputTextFlags_EnterReturnsTrue);
    if (rewritten_) {
      if (ImGuiInputTextState* const state = ImGui::GetInputTextState(ImGui::GetItemID()))
        state->ReloadUserBufAndMoveToEnd();
      rewritten_ = false;
    }
    if (std::exchange(marked_text_, typed_) != typed_) {
      marked_.reset();
      refused_ = false;
      if (!typed_.empty()) marked_ = listed(typed_);
    }
    draw_preview(ui);
    ImGui::Dummy({0, ui.px(4)});
    const float rows = std::min(ui.px(26 * 12), viewport->WorkSize.y * 0.5F);
    std::optional<std::filesystem::path> entered;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    if (ImGui::BeginChild("###open_list", {0, rows}, ImGuiChildFlags_NavFlattened)) {
      if (!recent_.empty()) views::section(ui, ui.texts("file.recent"));
      done = draw_recent(ui, answer) || done;
      views::section(ui, list_.folder.string(), list_.cut ? ui.texts("file.cut") : "");
      if (list_.folder.has_parent_path() && list_.folder != list_.folder.root_path() &&
          views::list_row(ui, "###file_up", "..", ui.texts("file.kind.folder"), false)) {
        entered = list_.folder.parent_path();
      }
      for (std::size_t i = 0; i < list_.files.size(); ++i) {
        const std::string words = list_.files[i].path.filename().string();
        if (draw_file(ui, "###entry_" + std::to_string(i), list_.files[i], words)) done = true;
      }
      if (list_.files.empty())
        views::text(ui, TextStyle::small, ui.theme.text3, ui.texts("file.nothing_here"));
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::Dummy({0, ui.px(6)});
    done = views::text_button(ui, "###open_ok", "file.open", views::ButtonKind::primary, "Enter") ||
           done;
    ImGui::SameLine(0, ui.px(8));
    if (can_browse() &&
        views::text_button(ui, "###open_browse", "file.browse", views::ButtonKind::plain)) {
      answer.browse = true;
      ImGui::CloseCurrentPopup();
    }
    ImGui::SameLine(0, ui.px(8));
    if (views::text_button(ui, "###open_cancel", "file.cancel", views::ButtonKind::plain, "Esc") ||
        ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
      ImGui::CloseCurrentPopup();
    } else if (done && !typed_.empty()) {
      // Enters a folder, opens anything else.
      const ListedFile file = listed(typed_);
      if (file.kind == FileKind::folder) {
        entered = file.path;
      } else if (file.kind == FileKind::missing) {
        refused_ = true;
        focus_field_ = true;
      } else {
        answer.chosen = file.path;
        ImGui::CloseCurrentPopup();
      }
    }
    if (entered) {
      go_to(*entered);
      mark({});
      focus_field_ = true;
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return answer;
}

}  // namespace ts::app
