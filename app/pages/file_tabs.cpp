#include "app/pages/file_tabs.h"

#include <imgui.h>
#include <imgui_internal.h>

#include "app/pages/page_frame.h"
#include "core/base/clock.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

std::string tab_name(const text::Texts& texts, const OpenedFiles::Entry& entry) {
  std::string name = entry.path.filename().string();
  if (entry.live == nullptr || entry.live->state() == live::Incoming::State::ended) return name;
  return texts(entry.live->grows() ? "live.tab" : "live.tab_lost", {{"name", std::move(name)}});
}

}  // namespace

std::string reading_text(const text::Texts& texts, const OpenedFiles::Entry& entry) {
  constexpr float kPercent = 100;
  const std::string percent = std::to_string(static_cast<int>(entry.reading->share() * kPercent));
  return texts(entry.in_part ? "file.reading_beginning" : "file.reading_share",
               {{"name", entry.path.filename().string()}, {"percent", percent}});
}

void FileTabs::draw(const views::Ui& ui, OpenedFiles& files) {
  draw_tabs(ui, files);
  draw_reading_bar(ui, files);
}

// How far the file on screen is read, as words and as a line, and Cancel.
void FileTabs::draw_reading_bar(const views::Ui& ui, OpenedFiles& files) {
  const OpenedFiles::Entry* const entry = files.current();
  if (entry == nullptr || !entry->loading()) {
    reading_since_ns_ = 0;
    return;
  }
  // Most files are there at once; a bar would only move the page.
  constexpr std::int64_t kPatienceNs = 300'000'000;
  if (reading_since_ns_ == 0) reading_since_ns_ = base::now_ns();
  if (base::now_ns() - reading_since_ns_ < kPatienceNs) return;
  const float height = ui.px(36);
  bool stop = false;
  if (ImGui::BeginViewportSideBar("###reading_bar", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                  kStripFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    const float bottom = origin.y + height;
    sink.fill({origin.x, bottom - ui.px(2), origin.x + width, bottom}, ui.theme.line);
    sink.fill({origin.x, bottom - ui.px(2), origin.x + width * entry->reading->share(), bottom},
              ui.theme.accent);
    const std::string words = reading_text(ui.texts, *entry);
    const float y = origin.y + (height - sink.text_height(views::TextStyle::body)) / 2;
    sink.text({origin.x + ui.px(16), y}, views::TextStyle::body, ui.theme.text2, words);
    ImGui::SetCursorScreenPos(
        {origin.x + ui.px(32) + sink.text_width(views::TextStyle::body, words),
         origin.y + (height - ui.px(28)) / 2});
    stop = views::text_button(ui, "###stop_reading", "file.cancel", views::ButtonKind::plain);
  }
  ImGui::End();
  if (stop) files.stop_reading(*files.current_index());
}

void FileTabs::draw_tabs(const views::Ui& ui, OpenedFiles& files) {
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
        const std::string label = tab_name(ui.texts, entry) + "###file_" + std::to_string(entry.id);
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
