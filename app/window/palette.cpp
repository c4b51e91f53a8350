#include "app/window/palette.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "core/base/letters.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

constexpr const char* kPalette = "###palette";
constexpr std::size_t kMostRows = 200;  // more typing finds further ones

std::vector<std::string> text_of(std::string_view typed) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : base::lower(typed) + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

// If an entry cannot be chosen: the reason, as far as there is room, also when it is not marked.
std::string right_words(const views::Ui& ui, const PaletteEntry& entry) {
  if (entry.reason.empty()) return entry.right;
  const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float room = ImGui::GetContentRegionAvail().x - ui.px(40) -
                     sink.text_width(views::TextStyle::body, entry.words);
  return views::fitted(sink, views::TextStyle::small, entry.reason, room);
}

}  // namespace

std::vector<const PaletteEntry*> matching(const std::vector<PaletteEntry>& entries,
                                          std::string_view typed) {
  const std::vector<std::string> words = text_of(typed);
  const std::string whole = base::lower(typed);
  std::vector<const PaletteEntry*> found;
  for (const PaletteEntry& entry : entries) {
    const std::string text = base::lower(entry.words + " " + entry.right + " " + entry.id);
    const bool all = std::ranges::all_of(
        words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
    if (all) found.push_back(&entry);
  }
  std::ranges::stable_partition(found, [&](const PaletteEntry* entry) {
    return base::lower(entry->words).starts_with(whole) ||
           base::lower(entry->id).starts_with(whole);
  });
  std::ranges::stable_partition(found,
                                [](const PaletteEntry* entry) { return entry->reason.empty(); });
  return found;
}

std::optional<TypedSetting> typed_setting(std::string_view typed) {
  typed = base::trimmed(typed);
  const std::size_t end = typed.find_first_of("= ");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  TypedSetting setting{typed.substr(0, end), base::trimmed(typed.substr(end))};
  if (setting.value.starts_with('=')) setting.value = base::trimmed(setting.value.substr(1));
  if (setting.value.empty()) return std::nullopt;
  return setting;
}

void Palette::choose(const PaletteEntry& entry) {
  if (!entry.reason.empty()) return;
  if (!entry.completes.empty()) {
    typed_ = entry.completes;
    rewrite_ = true;
    return;
  }
  entry.perform();
  ImGui::CloseCurrentPopup();
}

void Palette::draw(const views::Ui& ui,
                   const std::function<std::vector<PaletteEntry>(std::string_view)>& entries) {
  if (asked_) {
    asked_ = false;
    typed_.clear();
    before_.clear();
    marked_ = 0;
    ImGui::OpenPopup(kPalette);
  }
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const float width = std::min(ui.px(640), viewport->WorkSize.x - ui.px(32));
  ImGui::SetNextWindowPos({viewport->GetCenter().x, viewport->WorkPos.y + ui.px(24)},
                          ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({width, 0});
  views::padded_popup(kPalette, ui.px(12), [&] {
    if (ImGui::IsWindowAppearing() || rewrite_) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    const bool entered = ImGui::InputTextWithHint("###palette_field", ui.texts("palette.hint"),
                                                  &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
    if (rewrite_ && ImGui::IsItemActive()) {
      if (ImGuiInputTextState* const state = ImGui::GetInputTextState(ImGui::GetItemID())) {
        state->ReloadUserBufAndMoveToEnd();
      }
      rewrite_ = false;
    }
    // The arrow keys move the mark, not the focus ring.
    for (const ImGuiKey key : {ImGuiKey_UpArrow, ImGuiKey_DownArrow}) {
      ImGui::SetKeyOwner(key, ImGui::GetItemID());
    }
    const std::vector<PaletteEntry> all = entries(typed_);
    const std::vector<const PaletteEntry*> found = matching(all, typed_);
    if (std::exchange(before_, typed_) != typed_) marked_ = 0;
    const std::size_t rows = std::min(found.size(), kMostRows);
    bool moved = false;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow) && marked_ + 1 < rows) {
      ++marked_;
      moved = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && marked_ > 0) {
      --marked_;
      moved = true;
    }
    const float room = std::min(ui.px(26 * 14), viewport->WorkSize.y * 0.6F);
    if (ImGui::BeginChild("###palette_rows", {0, room}, ImGuiChildFlags_None,
                          ImGuiWindowFlags_NoNav)) {
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
      for (std::size_t i = 0; i < rows; ++i) {
        const PaletteEntry& entry = *found[i];
        const std::string id = "###command_" + entry.id;
        const bool pressed = views::list_row(ui, id.c_str(), entry.words, right_words(ui, entry),
                                             i == marked_, entry.reason);
        if (moved && i == marked_) ImGui::SetScrollHereY();
        if (pressed || (entered && i == marked_)) choose(entry);
      }
      ImGui::PopStyleVar();
      if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
      if (found.empty()) {
        views::text(ui, views::TextStyle::body, ui.theme.text2, ui.texts("palette.nothing"));
      }
    }
    ImGui::EndChild();
    // The reason why the marked entry cannot be chosen; its line is always kept, so that nothing
    // moves.
    const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const std::string reason =
        views::fitted(sink, views::TextStyle::small, marked_ < rows ? found[marked_]->reason : "",
                      ImGui::GetContentRegionAvail().x);
    views::text(ui, views::TextStyle::small, ui.theme.warn, reason.empty() ? " " : reason);
  });
}

}  // namespace ts::app
