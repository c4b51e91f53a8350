// The field for the target card, and its list: searched by typing, recent cards first.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>
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

bool draw_card(const ControlsContext& context, const spec::Gpu& card) {
  if (!list_row(context.ui, ("###target_" + card.name).c_str(), card.name,
                text::bytes(card.memory_bytes).joined(),
                card.name == context.history.spec().target_gpu))
    return false;
  choose_card(context, card.name);
  return true;
}

// The search field at the head of the list. True when Enter was pressed in it.
bool draw_find(const ControlsContext& context) {
  const Ui& ui = context.ui;
  TargetChoice& choice = *context.targets;
  if (ImGui::IsWindowAppearing()) {
    choice.typed = {};
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x, ui.px(320)));
  const bool entered = ImGui::InputTextWithHint("###target_find", ui.texts("controls.target.find"),
                                                choice.typed.data(), choice.typed.size(),
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) ImGui::CloseCurrentPopup();
  return entered;
}

bool draw_cards(const ControlsContext& context, bool entered) {
  const Ui& ui = context.ui;
  const std::string_view typed =
      context.targets != nullptr ? context.targets->typed.data() : std::string_view();
  if (typed.empty() && context.targets != nullptr) {
    ImGui::PushID("recent");
    section(ui, ui.texts("controls.target.recent"));
    for (const spec::Gpu* card : recent_cards(context)) {
      if (draw_card(context, *card)) {
        ImGui::PopID();
        return true;
      }
    }
    ImGui::PopID();
    section(ui, ui.texts("controls.target.all"));
  }
  bool found = false;
  for (const spec::Gpu& card : context.gpus.gpus()) {
    if (!spec::is_meant(card, typed)) continue;
    // Enter chooses the first card that matches.
    if (entered && !found && !typed.empty()) {
      choose_card(context, card.name);
      return true;
    }
    found = true;
    if (draw_card(context, card)) return true;
  }
  if (!found) {
    text(ui, TextStyle::body, ui.theme.text2,
         ui.texts("controls.target.not_found", {{"typed", std::string(typed)}}));
  }
  // Begins with the numbers of the current card.
  const std::string& current = context.history.spec().target_gpu;
  const spec::Gpu* const gpu = context.gpus.find(current);
  const bool own = spec::is_typed_card(current);
  if (gpu != nullptr && list_row(ui, "###target_typed", ui.texts("controls.card.own"), "", own)) {
    if (!own) choose_card(context, spec::typed_card_name(*gpu));
    return true;
  }
  return false;
}

bool draw_target_list(const ControlsContext& context) {
  const Ui& ui = context.ui;
  const bool entered = context.targets != nullptr && draw_find(context);
  bool changed = false;
  // The list scrolls below the field.
  if (ImGui::BeginChild("###target_cards",
                        {std::max(ImGui::GetContentRegionAvail().x, ui.px(320)), ui.px(360)})) {
    changed = draw_cards(context, entered);
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
  std::string size = gpu != nullptr ? text::bytes(gpu->memory_bytes).joined() : std::string();
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float needed = sink.text_width(TextStyle::body_medium, label) +
                       sink.text_width(TextStyle::body, size) + ui.px(44);
  if (needed > width) size.clear();
  select(ui, "###target", label, size, width, [&] { return draw_target_list(context); });
}

}  // namespace ts::views
