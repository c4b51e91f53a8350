// The field for the target card, and its list: searched by typing, recent cards first.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec/gpu_catalogue.h"
#include "core/spec/typed_card.h"
#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

namespace ts::views {
namespace {

constexpr std::size_t kMostRecent = 5;

// The card in use, then the cards chosen before it.
std::vector<const spec::Gpu*> recent_cards(const ControlsContext& context) {
  std::vector<const spec::Gpu*> cards;
  const auto add = [&](const std::string& name) {
    const spec::Gpu* card = spec::is_typed_card(name) ? nullptr : context.gpus.find(name);
    if (card != nullptr && std::ranges::find(cards, card) == cards.end()) cards.push_back(card);
  };
  add(context.history.spec().target_gpu);
  for (const std::string& name : context.targets->recent) add(name);
  return cards;
}

void choose_card(const ControlsContext& context, const std::string& name) {
  spec::WorkloadSpec spec = context.history.spec();
  if (context.targets != nullptr) {
    std::vector<std::string>& recent = context.targets->recent;
    for (const std::string& used : {spec.target_gpu, name}) {
      if (spec::is_typed_card(used)) continue;
      std::erase(recent, used);
      recent.insert(recent.begin(), used);
    }
    if (recent.size() > kMostRecent) recent.resize(kMostRecent);
  }
  spec.target_gpu = name;
  context.history.set(spec);
}

// The rows of the list in their order; the arrow keys mark one.
class TargetRows {
 public:
  TargetRows(const ControlsContext& context, bool entered, bool moved)
      : context_(context), entered_(entered), moved_(moved) {}

  bool card(const spec::Gpu& card) {
    if (!row("###target_" + card.name, card.name, text::bytes(card.advertised_bytes()).joined(),
             card.name == context_.history.spec().target_gpu))
      return false;
    choose_card(context_, card.name);
    return true;
  }
  // True when it was pressed, or marked when Enter was pressed.
  bool row(const std::string& id, std::string_view label, const std::string& right, bool current) {
    const bool marked = context_.targets != nullptr && context_.targets->marked.has_value();
    const bool here = marked && *context_.targets->marked == count_;
    ++count_;
    const bool pressed = list_row(context_.ui, id.c_str(), label, right, marked ? here : current);
    if (here && moved_) ImGui::SetScrollHereY();
    return pressed || (here && entered_);
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  const ControlsContext& context_;
  bool entered_;
  bool moved_;
  std::size_t count_ = 0;
};

// The keys of the search field at the head of the list.
struct FindKeys {
  bool entered = false;
  int down = 0;  // rows; negative: up
};

FindKeys draw_find(const ControlsContext& context) {
  const Ui& ui = context.ui;
  TargetChoice& choice = *context.targets;
  if (ImGui::IsWindowAppearing()) {
    choice.typed.clear();
    choice.before.clear();
    choice.marked.reset();
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x, ui.px(320)));
  FindKeys keys;
  keys.entered = ImGui::InputTextWithHint("###target_find", ui.texts("controls.target.find"),
                                          &choice.typed, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemActive()) {
    // The arrow keys move the mark, not the focus: Enter right after one finds the field active.
    for (const ImGuiKey key : {ImGuiKey_UpArrow, ImGuiKey_DownArrow})
      ImGui::SetKeyOwner(key, ImGui::GetItemID());
    keys.down = (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
                (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
  }
  if (std::exchange(choice.before, choice.typed) != choice.typed) {
    choice.marked = choice.typed.empty() ? std::nullopt : std::optional<std::size_t>(0);
  }
  if (keys.down > 0) choice.marked = choice.marked ? *choice.marked + 1 : 0;
  if (keys.down < 0 && choice.marked && *choice.marked > 0) --*choice.marked;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  return keys;
}

bool draw_cards(const ControlsContext& context, TargetRows& rows) {
  const Ui& ui = context.ui;
  const std::string_view typed =
      context.targets != nullptr ? context.targets->typed : std::string_view();
  bool chosen = false;
  if (typed.empty() && context.targets != nullptr) {
    ImGui::PushID("recent");
    section(ui, ui.texts("controls.target.recent"));
    for (const spec::Gpu* card : recent_cards(context)) chosen = chosen || rows.card(*card);
    ImGui::PopID();
    section(ui, ui.texts("controls.target.all"));
  }
  const std::size_t before = rows.count();
  for (const spec::Gpu& card : context.gpus.gpus()) {
    if (spec::is_meant(card, typed)) chosen = chosen || rows.card(card);
  }
  if (chosen) return true;
  if (rows.count() == before) {
    text(ui, TextStyle::body, ui.theme.text2,
         ui.texts("controls.target.not_found", {{"typed", std::string(typed)}}));
  }
  // Begins with the numbers of the current card.
  const std::string& current = context.history.spec().target_gpu;
  const spec::Gpu* const gpu = context.gpus.find(current);
  const bool own = spec::is_typed_card(current);
  if (gpu != nullptr && rows.row("###target_typed", ui.texts("controls.card.own"), "", own)) {
    if (!own) choose_card(context, spec::typed_card_name(*gpu));
    return true;
  }
  return false;
}

bool draw_target_list(const ControlsContext& context) {
  const Ui& ui = context.ui;
  const FindKeys keys = context.targets != nullptr ? draw_find(context) : FindKeys{};
  bool changed = false;
  // The list scrolls below the field.
  if (ImGui::BeginChild("###target_cards",
                        {std::max(ImGui::GetContentRegionAvail().x, ui.px(320)), ui.px(360)})) {
    TargetRows rows(context, keys.entered, keys.down != 0);
    changed = draw_cards(context, rows);
    if (context.targets != nullptr && context.targets->marked && !changed) {
      const std::size_t last = std::max<std::size_t>(rows.count(), 1) - 1;
      context.targets->marked = std::min(*context.targets->marked, last);
    }
  }
  ImGui::EndChild();
  return changed;
}

}  // namespace

void draw_target_select(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const std::string& name = context.history.spec().target_gpu;
  const spec::Gpu* gpu = context.gpus.find(name);
  // The card's line would repeat the size shown after it.
  const std::string label = spec::is_typed_card(name) ? ui.texts("controls.card.own") : name;
  std::string size = gpu != nullptr ? text::bytes(gpu->advertised_bytes()).joined() : std::string();
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float needed = sink.text_width(TextStyle::body_medium, label) +
                       sink.text_width(TextStyle::body, size) + ui.px(44);
  if (needed > width) size.clear();
  select(ui, "###target", label, size, width, [&] { return draw_target_list(context); });
}

}  // namespace ts::views
