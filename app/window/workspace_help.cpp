// Help for the user: the glossary, leftovers of the last session, saved files.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "app/window/desktop.h"
#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "core/base/clock.h"
#include "core/text/numbers.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

using views::TextStyle;

}  // namespace

void Workspace::draw_glossary(const views::Ui& ui) {
  if (ImGui::IsWindowAppearing()) glossary_filter_.fill('\0');
  ImGui::SetNextItemWidth(ui.px(240));
  ImGui::InputTextWithHint("###glossary_filter", ui.texts("glossary.filter"),
                           glossary_filter_.data(), glossary_filter_.size());
  ImGui::Dummy({0, ui.px(6)});
  const ImGuiTextFilter filter(glossary_filter_.data());
  if (ImGui::BeginChild("###glossary_terms", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    for (const char* const term : views::glossary_terms()) {
      const std::string name = ui.texts("glossary.term." + std::string(term));
      const std::string text = views::meaning(ui.texts, term);
      if (!filter.PassFilter(name.c_str()) && !filter.PassFilter(text.c_str())) continue;
      views::text(ui, TextStyle::body_strong, ui.theme.text, name);
      views::wrapped_text(ui, TextStyle::body, ui.theme.text2, text, ui.px(16));
      ImGui::Dummy({0, ui.px(4)});
    }
  }
  ImGui::EndChild();
}

void Workspace::draw_limit_bar(const views::Ui& ui) {
  if (state_->old_limit == 0) return;
  spec::WorkloadSpec spec = state_->history.spec();
  if (spec.memory_limit != state_->old_limit) {
    state_->old_limit = 0;
    return;
  }
  const float height = ui.px(44);
  if (ImGui::BeginViewportSideBar("###limit_bar", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                  kStripFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    sink.fill(
        {origin.x, origin.y + height - 1, origin.x + ImGui::GetWindowWidth(), origin.y + height},
        ui.theme.line);
    const std::string words =
        ui.texts("bar.limit_kept", {{"size", text::bytes(state_->old_limit).joined()}});
    const float y = origin.y + (height - sink.text_height(TextStyle::body)) / 2;
    sink.text({origin.x + ui.px(16), y}, TextStyle::body, ui.theme.warn, words);
    ImGui::SetCursorScreenPos({origin.x + ui.px(32) + sink.text_width(TextStyle::body, words),
                               origin.y + (height - ui.px(28)) / 2});
    if (views::button(ui, "###limit_remove", "", ui.texts("bar.limit_remove"), "",
                      views::ButtonKind::primary)) {
      spec.memory_limit = 0;
      state_->history.set(spec);
      state_->old_limit = 0;
    }
    ImGui::SameLine(0, ui.px(8));
    if (views::button(ui, "###limit_keep", "", ui.texts("bar.limit_keep"), "",
                      views::ButtonKind::plain)) {
      state_->old_limit = 0;
    }
  }
  ImGui::End();
}

void Workspace::saved(const std::filesystem::path& path) {
  std::error_code ignored;
  toasts_.add(std::filesystem::absolute(path, ignored), base::now_ns());
}

void Workspace::draw_toasts(const views::Ui& ui) {
  const auto shown = toasts_.draw(ui, base::now_ns());
  if (!shown) return;
  if (const auto done = show_in_desktop(*shown); !done) notify(done.error());
}

}  // namespace ts::app
