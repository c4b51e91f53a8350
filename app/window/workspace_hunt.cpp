// The hunt page: the map of the settings, the timeline of their cell, the log.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/imgui_input.h"
#include "views/charts/stale_mark.h"
#include "views/common/context_menu.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"
#include "views/hunt/hunt_figure.h"
#include "views/hunt/hunt_log.h"
#include "views/hunt/hunt_words.h"
#include "views/inspector/remedy_list.h"

namespace ts::app {
namespace {

std::string count(std::size_t number) {
  return text::grouped(static_cast<std::int64_t>(number));
}

// The settings of an earlier map that differ from the current ones.
std::string earlier_settings(const text::Texts& texts, const predict::HuntProgress& hunt,
                             const spec::WorkloadSpec& now) {
  spec::WorkloadSpec mapped = hunt.map.base();
  mapped.device = now.device;
  for (const spec::Field field : {hunt.map.x().field, hunt.map.y().field}) {
    static_cast<void>(spec::set_number(mapped, field, spec::number_of(now, field)));
  }
  std::string words = views::difference_words(texts, mapped, now);
  return words.empty() ? hunt.target.name : words;
}

}  // namespace

void Workspace::open_cell(std::size_t cell) {
  open_spec(state_->hunts->spec_of(cell, state_->history.spec()));
}

void Workspace::open_spec(const spec::WorkloadSpec& spec) {
  state_->history.set(spec);
  // Live would treat the changed settings as a request to run.
  run_spec_ = seen_spec_ = state_->history.spec();
}

void Workspace::save_hunt(Requests& requests) {
  const auto saved = state_->hunts->save();
  saved ? this->saved(*saved) : notify(saved.error());
  if (saved) requests.hunt_picture = *saved / "hunt.png";
}

// `narrow`: without the text of the last button, which its tooltip has.
void Workspace::draw_hunt_buttons(const views::Ui& ui, bool narrow, Requests& requests) {
  HuntSession& hunts = *state_->hunts;
  const bool busy = session_->predictions().hunt_busy();
  const auto next = [&] { ImGui::SameLine(0, ui.px(8)); };
  const auto small = [&](const char* id, const char* icon, const char* tip) {
    const bool pressed = views::button(ui, id, icon, "", "", views::ButtonKind::plain);
    views::tooltip(ui, ui.texts(tip));
    next();
    return pressed;
  };
  if (small("###hunt_zoom_in", "\xef\x80\x8e", "hunt.zoom_in")) zoom_hunt(0.5);
  if (small("###hunt_zoom_out", "\xef\x80\x90", "hunt.zoom_out")) zoom_hunt(2);
  if (busy) {
    if (small("###hunt_cancel", "\xef\x81\x8d", "hunt.cancel"))
      session_->predictions().cancel_hunt();
  } else if (small("###hunt_again", "\xef\x80\xa1", "hunt.again")) {
    hunts.restart();
  }
  ImGui::BeginDisabled(hunts.progress() == nullptr);
  if (views::button(ui, "###hunt_png", "", "PNG", "", views::ButtonKind::plain))
    requests.hunt_picture = std::filesystem::path();
  next();
  if (small("###hunt_save", "\xef\x80\x99", "hunt.save")) save_hunt(requests);
  ImGui::EndDisabled();
  if (const auto round = hunts.confirming()) {
    const std::string words =
        (*texts_)("hunt.confirming", {{"done", count(round->done)}, {"all", count(round->all)}});
    if (views::button(ui, "###hunt_stop", "\xef\x81\x8d", words, "", views::ButtonKind::primary))
      hunts.stop_confirming(*session_);
    return;
  }
  const char* const problem = hunts.confirm_problem(*session_, state_->history.spec());
  ImGui::BeginDisabled(problem != nullptr);
  if (views::button(ui, "###hunt_confirm", "\xef\x81\x9b", narrow ? "" : ui.texts("hunt.confirm"),
                    "",
                    problem != nullptr ? views::ButtonKind::quiet : views::ButtonKind::primary)) {
    session_->show(nullptr);
    hunts.confirm();
  }
  ImGui::EndDisabled();
  views::tooltip(ui, ui.texts(problem != nullptr ? problem : "hunt.confirm.hint"));
}

void Workspace::zoom_hunt(double factor) {
  views::zoom(state_->hunt_edit, state_->history.spec(), factor, predict::kMapSide);
}

void Workspace::draw_hunt_head(const views::Ui& ui, float width, Requests& requests) {
  HuntSession& hunts = *state_->hunts;
  const predict::HuntProgress* const hunt = hunts.progress();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons =
      views::right_row("###hunt_buttons", at.x + width - ui.px(16), at.y + ui.px(kHeadMargin + 34),
                       [&] { draw_hunt_buttons(ui, width < ui.px(420), requests); });
  float height = ui.px(kHeadMargin + 68);
  if (hunt != nullptr) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const std::int64_t row = spec::number_of(state_->history.spec(), hunt->map.y().field);
    // The current sizes do not apply to the earlier map.
    const bool outdated = hunts.outdated();
    const std::string sentence = outdated ? std::string(ui.texts("hunt.computing"))
                                          : views::hunt_sentence(*hunt, row, ui.texts);
    // In a narrow window the whole sentence in a smaller font.
    const float room = width - ui.px(32);
    const auto style = sink.text_width(views::TextStyle::large, sentence) <= room
                           ? views::TextStyle::large
                           : views::TextStyle::body;
    sink.text({at.x + ui.px(16), at.y + ui.px(kHeadMargin)}, style, ui.theme.text,
              views::fitted(sink, style, sentence, room));
    const std::string confirmed =
        outdated ? std::string() : views::confirmed_sentence(hunts.map(), ui.texts);
    const std::string state = outdated ? std::string() : views::hunt_state(*hunt, ui.texts);
    std::string words = confirmed.empty() ? state
                                          : ui.texts("common.two_sentences",
                                                     {{"first", confirmed}, {"second", state}});
    const auto small = views::TextStyle::small;
    const std::string of = outdated ? std::string() : views::hunt_settings(*hunt, ui.texts);
    const std::string whole = ui.texts("common.two_sentences", {{"first", of}, {"second", words}});
    // The subject of the map, if there is room for it beside the buttons.
    if (!of.empty() && at.x + ui.px(32) + sink.text_width(small, whole) <= buttons) words = whole;
    // Beside the buttons, or in a separate row; runs have priority over dry runs.
    const auto beside = [&](const std::string& line) {
      return at.x + ui.px(32) + sink.text_width(small, line) <= buttons;
    };
    const std::string gaps = outdated ? std::string() : views::exact_gaps(*hunt, row, ui.texts);
    if (!confirmed.empty() && !beside(words) && sink.text_width(small, words) > room)
      words = confirmed;
    float top = kHeadMargin + 40;
    for (const std::string& line : {gaps, words}) {
      if (line.empty()) continue;
      if (!beside(line)) top = std::max(top, kHeadMargin + 68);
      sink.text({at.x + ui.px(16), at.y + ui.px(top)}, small,
                hunt->problem.empty() ? ui.theme.text2 : ui.theme.bad,
                views::fitted(sink, small, line, room));
      if (top > kHeadMargin + 40) height = ui.px(top + 20);
      top = std::max(top + 20, kHeadMargin + 68);
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
}

void Workspace::draw_hunt_map(const views::Ui& ui, float width, float height) {
  HuntSession& hunts = *state_->hunts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const views::Rect area{std::floor(at.x), std::floor(at.y), std::floor(at.x + width),
                         std::floor(at.y + height)};
  if (hunts.progress() == nullptr) {
    ImGui::SetCursorScreenPos({at.x + ui.px(24), at.y + ui.px(24)});
    const predict::Outlook* outlook = session_->predictions().outlook();
    const bool told = outlook != nullptr && !outlook->problem.sentence.empty();
    views::wrapped_text(
        ui, views::TextStyle::body, ui.theme.text2,
        told ? views::message_words(ui.texts, outlook->problem) : ui.texts("hunt.waits"),
        ui.px(24));
    return;
  }
  const bool pressed = ImGui::InvisibleButton("###hunt_map", {area.width(), area.height()},
                                              ImGuiButtonFlags_EnableNav);
  if (const views::ArrowSteps steps = views::take_arrows(); !hunts.outdated())
    step_cell(steps.x, -steps.y);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const views::HuntFigure figure{
      hunts.map(),
      hunts.progress()->target.memory,
      ui.texts,
      ui.theme,
      ui.metrics,
      hunts.cell_of(state_->history.spec()),
      ImGui::IsItemHovered() ? views::Point{mouse.x, mouse.y} : views::Point{-1, -1},
      hunts.progress()->other ? &*hunts.progress()->other : nullptr,
      hunts.other_name()};
  const float wheel = ImGui::IsItemHovered() ? ImGui::GetIO().MouseWheel : 0;
  const auto cell = views::draw_hunt_figure(sink, area, figure);
  if (hunts.outdated()) {
    views::draw_stale(sink, ui.theme, ui.metrics, area, *texts_,
                      earlier_settings(*texts_, *hunts.progress(), state_->history.spec()));
    return;
  }
  // Enter opens the cell of the current settings.
  const auto opened = ImGui::IsItemHovered() ? cell : figure.selected;
  if (pressed && opened) open_cell(*opened);
  if (cell && ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    menu_cell_ = cell;
    ImGui::OpenPopup("###cell_menu");
  }
  draw_cell_menu(ui);
  if (cell && wheel != 0) {
    // Around the cell under the mouse.
    views::zoom(state_->hunt_edit, hunts.map().spec_of(*cell), wheel > 0 ? 0.5 : 2,
                predict::kMapSide);
  }
}

// Moves the settings to the neighbouring cell: right and up are larger.
void Workspace::step_cell(int x, int y) {
  const predict::HuntMap& map = state_->hunts->map();
  const auto now = state_->hunts->cell_of(state_->history.spec());
  if ((x == 0 && y == 0) || !now) return;
  const auto columns = static_cast<std::int64_t>(map.x_values().size());
  const auto rows = static_cast<std::int64_t>(map.y_values().size());
  const std::int64_t column = static_cast<std::int64_t>(*now) % columns + x;
  const std::int64_t row = static_cast<std::int64_t>(*now) / columns + y;
  if (column < 0 || column >= columns || row < 0 || row >= rows) return;
  const auto cell = static_cast<std::size_t>(row * columns + column);
  state_->history.set(state_->hunts->spec_of(cell, state_->history.spec()));
}

void Workspace::draw_cell_menu(const views::Ui& ui) {
  if (!menu_cell_ || *menu_cell_ >= state_->hunts->map().size()) return;
  const predict::HuntMap& map = state_->hunts->map();
  const spec::WorkloadSpec spec = state_->hunts->spec_of(*menu_cell_, state_->history.spec());
  std::string title;
  for (const spec::Field field : {map.x().field, map.y().field}) {
    title += (title.empty() ? "" : ", ") + std::string(spec::field_name(field)) + " = " +
             spec::field_text(spec, field);
  }
  const auto zoomed = [this, &spec](double factor) {
    views::zoom(state_->hunt_edit, spec, factor, predict::kMapSide);
  };
  const std::vector<views::MenuRow> rows{
      {"###cell_take", ui.texts("menu.take_settings"), "", [this] { open_cell(*menu_cell_); }},
      {"###cell_run", ui.texts("menu.run_settings"), "",
       [this] {
         open_cell(*menu_cell_);
         state_->page = Page::run;
         start_run(false);
       }},
      {"###cell_zoom_in", ui.texts("hunt.zoom_in"), "", [&zoomed] { zoomed(0.5); }},
      {"###cell_zoom_out", ui.texts("hunt.zoom_out"), "", [&zoomed] { zoomed(2); }},
      {"###cell_copy", ui.texts("menu.copy_settings"), "",
       [&spec] { ImGui::SetClipboardText(to_json(spec).dump(2).c_str()); }}};
  views::context_menu(ui, "###cell_menu", title, rows);
}

// The exact edge, the log, and changes that would make it fit.
void Workspace::draw_hunt_side(const views::Ui& ui, const views::ViewContext& view, float height) {
  if (const predict::HuntProgress* const hunt = state_->hunts->progress()) {
    const bool outdated = state_->hunts->outdated();
    const std::int64_t row = spec::number_of(state_->history.spec(), hunt->map.y().field);
    if (const auto value = views::draw_bisection(ui, *hunt, row, outdated)) {
      spec::WorkloadSpec spec = state_->history.spec();
      static_cast<void>(spec::set_number(spec, hunt->map.x().field, *value));
      open_spec(spec);
    }
    const bool remedies = view.outlook != nullptr && !view.outlook->remedies.empty();
    const float left_over = height - ImGui::GetCursorPosY();
    const float of_log = std::max(ui.px(120), left_over * (remedies ? 0.42F : 0.9F));
    // The cells of an earlier map do not belong to the current settings.
    ImGui::BeginDisabled(outdated);
    const auto cell = views::draw_hunt_log(ui, state_->hunts->map(), hunt->target.memory, of_log);
    ImGui::EndDisabled();
    if (cell) open_cell(*cell);
  }
  ImGui::Dummy({0, ui.px(8)});
  if (view.outlook == nullptr) return;
  if (auto tried = views::draw_remedies(ui, *view.outlook)) state_->history.set(*tried);
}

void Workspace::draw_hunt(const views::Ui& ui, bool projector, Requests& requests) {
  const auto [origin, size] = page_area(ui, projector);
  const bool form = shows_form(projector);
  const float left = form ? controls_width(ui, size.x) : 0;
  // On a projector the settings replace the list: the map would be too narrow beside both.
  const float right = projector && form ? 0 : side_width(ui, size.x);
  const float middle = size.x - left - right;
  const auto panel = [&, corner = origin](const char* id, float x, float y, float width,
                                          float height, ImVec2 padding, ImGuiWindowFlags flags,
                                          const std::function<void()>& draw) {
    ImGui::SetNextWindowPos({corner.x + x, corner.y + y});
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    if (ImGui::Begin(id, nullptr, kFixedFlags | flags)) {
      draw();
      if (x > 0) views::left_edge(ui);
    }
    ImGui::End();
    ImGui::PopStyleVar();
  };
  // Controls first: the charts of this frame show their changes.
  views::settle(state_->hunt_edit, state_->history.spec());
  if (form) {
    form_panel(ui, "###hunt_controls", origin, {left, size.y}, kFixedFlags, [&] {
      const HuntSession& hunts = *state_->hunts;
      const bool shown = hunts.progress() != nullptr && !hunts.outdated();
      views::draw_hunt_controls(ui, state_->hunt_edit, state_->history.spec(),
                                shown ? &hunts.map() : nullptr);
      views::divider(ui);
      views::draw_controls(controls(ui));
    });
  }
  ask_for_prediction();
  state_->hunts->follow(*session_, state_->history.spec(), state_->hunt_edit);
  state_->hunts->update(*session_);
  // On a projector the map has the full height.
  const float height = size.y;
  const float map_height = projector ? height : std::floor(height * 0.62F);
  panel("###hunt_page", left, 0, middle, map_height, {0, 0}, kUnmovingFlags, [&] {
    draw_hunt_head(ui, middle, requests);
    draw_hunt_map(ui, middle, map_height - ImGui::GetCursorPosY());
  });
  wait_for_prediction();
  views::ViewContext view = context(ui);
  if (!projector) {
    panel("###hunt_memory", left, map_height, middle, height - map_height, {0, 0}, kUnmovingFlags,
          [&] { memory_.draw(view); });
  }
  if (right == 0) return;
  panel("###hunt_side", left + middle, 0, right, height, {ui.px(16), ui.px(12)}, 0,
        [&] { draw_hunt_side(ui, view, height); });
}

}  // namespace ts::app
