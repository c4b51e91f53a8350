#include "views/calculate/stepper_view.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "core/stepper/step_table.h"
#include "views/calculate/chosen_inputs.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr const char* kToBegin = "\xef\x81\x89";
constexpr const char* kBack = "\xef\x81\x88";
constexpr const char* kPlay = "\xef\x81\x8b";
constexpr const char* kPause = "\xef\x81\x8c";
constexpr const char* kNext = "\xef\x81\x91";
constexpr const char* kToEnd = "\xef\x81\x90";
// Playing goes a step at a time, and through all of them within kWhole.
constexpr double kStep = 0.8;    // seconds
constexpr double kWhole = 20;    // seconds
constexpr double kFrame = 0.03;  // seconds, at least between two steps
constexpr float kNumbers = 300;  // at scale 1

std::string title_of(const Ui& ui, const stepper::Stepper& one) {
  return ui.texts("stepper.title." + std::string(one.id));
}

}  // namespace

StepperView::StepperView()
    : walk_(stepper::steppers()[0].begin({"", stepper::steppers()[0].inputs})) {
  for (const stepper::Stepper& one : stepper::steppers()) numbers_.emplace_back(one.id, one.inputs);
}

const stepper::Stepper& StepperView::shown() const {
  return stepper::steppers()[shown_];
}

void StepperView::choose(std::size_t stepper) {
  shown_ = stepper;
  step_ = 0;
  playing_ = false;
  problem_ = {};
  begin_walk();
}

// The step stays where it is, if there are as many.
void StepperView::begin_walk() {
  walk_ = shown().begin(numbers_[shown_]);
  step_ = std::min(step_, last());
}

void StepperView::go_to(std::size_t step) {
  step_ = std::min(step, last());
  playing_ = false;
}

void StepperView::show_tiles(const calculate::Chosen& from) {
  const auto all = stepper::steppers();
  const auto tiles = std::ranges::find(all, std::string_view("tiles"), &stepper::Stepper::id);
  const auto index = static_cast<std::size_t>(tiles - all.begin());
  calculate::Chosen& numbers = numbers_[index];
  for (std::size_t i = 0; i < numbers.inputs().size(); ++i) {
    const calculate::Input& input = numbers.inputs()[i];
    for (const calculate::Input& given : from.inputs()) {
      if (std::string_view(given.name) != input.name) continue;
      (void)numbers.set(i, std::clamp(from.number(given.name), input.least, input.most));
    }
  }
  choose(index);
}

void StepperView::closed() {
  playing_ = false;
  has_keys_ = false;
}

std::optional<stepper::TileFit> StepperView::fit(const Card& card) const {
  const auto* const tiles = std::get_if<stepper::TiledAttention>(&walk_);
  if (tiles == nullptr) return std::nullopt;
  return stepper::fit_of(card.name, card.limit, tiles->sizes());
}

StepperView::Drawn StepperView::drawn(const Card& card) const {
  return [walk = walk_, step = step_, fit = fit(card)](DrawSink& sink, const Rect& area,
                                                       const Theme& theme, Metrics metrics,
                                                       const text::Texts& texts) mutable {
    draw_stepper(sink, area,
                 {.theme = theme,
                  .metrics = metrics,
                  .texts = texts,
                  .walk = walk,
                  .step = step,
                  .fit = fit ? &*fit : nullptr});
  };
}

// The arrow keys move the focus ring elsewhere; while a slider has it, they move that slider.
void StepperView::take_keys() {
  has_keys_ = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
              !ImGui::GetIO().WantTextInput &&
              !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (!has_keys_) return;
  const ImGuiID owner = ImGui::GetID("###stepper_keys");
  const auto pressed = [owner](ImGuiKey key) {
    ImGui::SetKeyOwner(key, owner);
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
  };
  bool back = pressed(ImGuiKey_PageUp), forth = pressed(ImGuiKey_PageDown);
  if (!inputs_focused_) {
    back = pressed(ImGuiKey_LeftArrow) || back;
    forth = pressed(ImGuiKey_RightArrow) || forth;
  }
  if (back) go_to(step_ == 0 ? 0 : step_ - 1);
  if (forth) go_to(step_ + 1);
  if (pressed(ImGuiKey_Home)) go_to(0);
  if (pressed(ImGuiKey_End)) go_to(last());
  if (ImGui::IsKeyPressed(ImGuiKey_Space, ImGuiInputFlags_None, ImGuiKeyOwner_Any)) {
    playing_ = !playing_;
    next_ = 0;
  }
}

void StepperView::play_on() {
  if (!playing_) return;
  if (step_ == last() && next_ == 0) step_ = 0;  // from the beginning again
  const double now = ImGui::GetTime();
  const double wanted = std::min(kStep, kWhole / static_cast<double>(last()));
  if (next_ == 0) next_ = now + std::max(wanted, kFrame);
  if (now < next_) return;
  const auto steps = static_cast<std::size_t>(std::max(1.0, kFrame / wanted));
  step_ = std::min(step_ + steps, last());
  next_ = now + std::max(wanted, kFrame);
  if (step_ == last()) playing_ = false;
}

void StepperView::draw_head(const Ui& ui, const Card& card, Asked& asked) {
  const auto all = stepper::steppers();
  const float width = std::min(ui.px(340), ImGui::GetContentRegionAvail().x * 0.36F);
  select(ui, "###stepper", title_of(ui, shown()), "", width, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id = "###stepper_" + std::string(all[i].id);
      if (!list_row(ui, id.c_str(), title_of(ui, all[i]), "", i == shown_)) continue;
      choose(i);
      return true;
    }
    return false;
  });
  ImGui::SameLine(0, ui.px(8));
  if (std::holds_alternative<stepper::TiledAttention>(walk_)) {
    card.draw_select(std::min(ui.px(260), ImGui::GetContentRegionAvail().x * 0.4F));
    tooltip(ui, ui.texts("stepper.card_about"));
    ImGui::SameLine(0, ui.px(8));
  }
  if (icon_button(ui, "###stepper_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) {
    const io::TextTable table = stepper::step_table(shown(), walk_, ui.texts, false);
    ImGui::SetClipboardText((title_of(ui, shown()) + "\n\n" + io::to_markdown(table)).c_str());
  }
  ImGui::SameLine(0, ui.px(8));
  asked.picture =
      icon_button(ui, "###stepper_picture", icon::kPicture, "stepper.picture", ButtonKind::quiet);
  text(ui, TextStyle::small, ui.theme.text2,
       ui.texts("calculate.source", {{"source", shown().source}}));
  ImGui::Dummy({0, ui.px(4)});
}

void StepperView::draw_step_slider(const Ui& ui, float width) {
  const float height = ui.px(28);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  press_area("###stepper_at", width, height);
  const float knob = ui.px(7), from = at.x + knob, to = at.x + width - knob;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const float part =
        std::clamp((ImGui::GetIO().MousePos.x - from) / std::max(1.0F, to - from), 0.0F, 1.0F);
    go_to(static_cast<std::size_t>(std::lround(part * static_cast<float>(last()))));
  }
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float y = at.y + height / 2;
  const float x = from + (to - from) * static_cast<float>(step_) / static_cast<float>(last());
  sink.fill({from, y - ui.px(2), to, y + ui.px(2)}, ui.theme.surface3, ui.px(2));
  sink.fill({from, y - ui.px(2), x, y + ui.px(2)}, ui.theme.accent, ui.px(2));
  sink.fill({x - knob, y - knob, x + knob, y + knob}, ui.theme.accent, knob);
  focus_ring(ui);
}

void StepperView::draw_transport(const Ui& ui) {
  struct One {
    const char* id;
    const char* icon;
    const char* label;  // key of its text; empty: the icon alone
    const char* key;
    bool possible;
  };
  const bool begun = step_ > 0, left = step_ < last();
  const std::array<One, 5> all = {{{.id = "###stepper_begin",
                                    .icon = kToBegin,
                                    .label = "stepper.to_begin",
                                    .key = "Home",
                                    .possible = begun},
                                   {.id = "###stepper_back",
                                    .icon = kBack,
                                    .label = "stepper.back",
                                    .key = "\xe2\x86\x90",
                                    .possible = begun},
                                   {.id = "###stepper_play",
                                    .icon = playing_ ? kPause : kPlay,
                                    .label = playing_ ? "stepper.pause" : "stepper.play",
                                    .key = "",
                                    .possible = true},
                                   {.id = "###stepper_next",
                                    .icon = kNext,
                                    .label = "stepper.next",
                                    .key = "\xe2\x86\x92",
                                    .possible = left},
                                   {.id = "###stepper_end",
                                    .icon = kToEnd,
                                    .label = "stepper.to_end",
                                    .key = "End",
                                    .possible = left}}};
  // Words where there is room for them; each says them in its tooltip.
  const bool words = ImGui::GetContentRegionAvail().x > ui.px(860);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const One& one = all[i];
    const bool labelled = words && i > 0 && i + 1 < all.size();
    ImGui::BeginDisabled(!one.possible);
    if (button(ui, one.id, one.icon, labelled ? ui.texts(one.label) : "", labelled ? one.key : "",
               i == 2 ? ButtonKind::primary : ButtonKind::plain)) {
      if (i == 2) {
        playing_ = !playing_;
        next_ = 0;
      } else {
        go_to(i == 0 ? 0 : i == 1 ? step_ - 1 : i == 3 ? step_ + 1 : last());
      }
    }
    ImGui::EndDisabled();
    tooltip(ui, ui.texts(one.label) + std::string(*one.key != '\0' ? "  " : "") + one.key);
    ImGui::SameLine(0, ui.px(6));
  }
  const std::string place =
      ui.texts("stepper.place", {{"step", text::grouped(step_)}, {"last", text::grouped(last())}});
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float wide = sink.text_width(TextStyle::body_medium, place) + ui.px(10);
  draw_step_slider(ui, std::max(ui.px(60), ImGui::GetContentRegionAvail().x - wide));
  ImGui::SameLine(0, ui.px(8));
  const float down = (ui.px(28) - sink.text_height(TextStyle::body_medium)) / 2;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + down);
  text(ui, TextStyle::body_medium, ui.theme.text, place);
}

StepperView::Asked StepperView::draw(const Ui& ui, const Card& card) {
  Asked asked;
  take_keys();
  play_on();
  draw_head(ui, card, asked);
  const float numbers = std::min(ui.px(kNumbers), ImGui::GetContentRegionAvail().x * 0.3F);
  if (ImGui::BeginChild("###stepper_inputs", {numbers, 0}, ImGuiChildFlags_NavFlattened)) {
    if (draw_chosen_inputs(ui, numbers_[shown_], problem_)) begin_walk();
    wrapped_text(ui, TextStyle::small, ui.theme.text2,
                 ui.texts("stepper.about." + std::string(shown().id)), ui.px(12));
  }
  inputs_focused_ = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###stepper_steps", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const float transport = ui.px(38);
    const Rect area{at.x, at.y, at.x + room.x, at.y + room.y - transport};
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const auto fits = fit(card);
    draw_stepper(sink, area,
                 {.theme = ui.theme,
                  .metrics = ui.metrics,
                  .texts = ui.texts,
                  .walk = walk_,
                  .step = step_,
                  .fit = fits ? &*fits : nullptr});
    ImGui::SetCursorScreenPos({at.x, area.y1 + ui.px(8)});
    draw_transport(ui);
  }
  ImGui::EndChild();
  return asked;
}

}  // namespace ts::views
