#include "app/pages/hunt_page.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/result_files.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/imgui_input.h"
#include "views/charts/stale_mark.h"
#include "views/common/context_menu.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/hunt/hunt_controls.h"
#include "views/hunt/hunt_figure.h"
#include "views/hunt/hunt_log.h"
#include "views/hunt/hunt_text.h"
#include "views/inspector/remedy_list.h"

namespace ts::app {
namespace {

// The settings of an earlier map that differ from the current ones.
std::string earlier_settings(const text::Texts& texts, const predict::HuntProgress& hunt,
                             const spec::WorkloadSpec& now) {
  spec::WorkloadSpec mapped = hunt.map.base();
  mapped.device = now.device;
  for (const spec::Field field : {hunt.map.x().field, hunt.map.y().field}) {
    static_cast<void>(spec::set_number(mapped, field, spec::number_of(now, field)));
  }
  std::string words = views::difference_text(texts, mapped, now);
  return words.empty() ? hunt.target.name : words;
}

}  // namespace

void HuntPage::open_cell(std::size_t cell) {
  runs().open_settings(hunts().spec_of(cell, settings()));
}

// The axes shrink or grow around the sizes of `center`.
void HuntPage::zoom(const spec::WorkloadSpec& center, double factor) {
  views::zoom(state().hunt_edit, center, factor, predict::kMapSide);
}

std::string HuntPage::why_not_save() const {
  return unless(hunts().progress() != nullptr, "command.why.no_map");
}

void HuntPage::save(Requests& requests) {
  const auto saved = hunts().save(state().preferences.save_parts);
  saved ? notices().saved(*saved) : notices().add(saved.error());
  if (saved) requests.hunt_picture = *saved / base::kHuntPicture;
}

// `narrow`: without the text of the last button, which its tooltip has.
void HuntPage::draw_buttons(const views::Ui& ui, bool narrow, Requests& requests) {
  const bool busy = session().predictions().hunt_busy();
  const auto next = [&] { ImGui::SameLine(0, ui.px(8)); };
  const auto small = [&](const char* id, const char* icon, const char* tip) {
    const bool pressed = views::button(ui, id, icon, "", "", views::ButtonKind::plain);
    views::tooltip(ui, ui.texts(tip));
    next();
    return pressed;
  };
  if (small("###hunt_zoom_in", "\xef\x80\x8e", "hunt.zoom_in")) zoom(settings(), 0.5);
  if (small("###hunt_zoom_out", "\xef\x80\x90", "hunt.zoom_out")) zoom(settings(), 2);
  if (busy) {
    if (small("###hunt_cancel", "\xef\x81\x8d", "hunt.cancel"))
      session().predictions().cancel_hunt();
  } else if (small("###hunt_again", "\xef\x80\xa1", "hunt.again")) {
    hunts().restart();
  }
  ImGui::BeginDisabled(hunts().progress() == nullptr);
  if (views::button(ui, "###hunt_png", "", "PNG", "", views::ButtonKind::plain))
    requests.hunt_picture = std::filesystem::path();
  next();
  if (small("###hunt_save", "\xef\x80\x99", "hunt.save")) save(requests);
  ImGui::EndDisabled();
  if (const auto round = hunts().confirming()) {
    const std::string words = texts()("hunt.confirming", {{"done", text::grouped(round->done)},
                                                          {"all", text::grouped(round->all)}});
    if (views::button(ui, "###hunt_stop", "\xef\x81\x8d", words, "", views::ButtonKind::primary))
      hunts().stop_confirming(session());
    return;
  }
  const char* const problem = hunts().confirm_problem(session(), settings());
  ImGui::BeginDisabled(problem != nullptr);
  if (views::button(ui, "###hunt_confirm", "\xef\x81\x9b", narrow ? "" : ui.texts("hunt.confirm"),
                    "",
                    problem != nullptr ? views::ButtonKind::quiet : views::ButtonKind::primary)) {
    session().show(nullptr);
    hunts().confirm();
  }
  ImGui::EndDisabled();
  views::tooltip(ui, ui.texts(problem != nullptr ? problem : "hunt.confirm.hint"));
}

void HuntPage::draw_head(const views::Ui& ui, float width, Requests& requests) {
  const predict::HuntProgress* const hunt = hunts().progress();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = width - ui.px(32);
  // The top of what is below the headline.
  const float top = at.y + ui.px(kHeadMargin) + second_line(ui, room);
  const float buttons =
      views::right_row("###hunt_buttons", at.x + width - ui.px(16), top + ui.px(34),
                       [&] { draw_buttons(ui, width < ui.px(420), requests); });
  if (hunt != nullptr) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const std::int64_t row = spec::number_of(settings(), hunt->map.y().field);
    // The current sizes do not apply to the earlier map.
    const bool outdated = hunts().outdated();
    const std::string sentence = outdated ? std::string(ui.texts("hunt.computing"))
                                          : views::hunt_sentence(*hunt, row, ui.texts);
    ImGui::SetCursorScreenPos({at.x + ui.px(16), at.y + ui.px(kHeadMargin)});
    draw_headline(ui, room, sentence);
    const std::string confirmed =
        outdated ? std::string() : views::confirmed_sentence(hunts().map(), ui.texts);
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
    // Two places, so that the map never moves: beside the buttons, and below them.
    bool used[2] = {};
    for (const std::string& line : {gaps, words}) {
      if (line.empty()) continue;
      const bool first = used[1] || (!used[0] && beside(line));
      used[first ? 0 : 1] = true;
      const float right = first ? buttons - ui.px(16) : at.x + width - ui.px(16);
      const float y = top + ui.px(first ? 40 : 68);
      const views::Rect place{at.x + ui.px(16), y, right, y + ui.px(18)};
      const std::string shown = views::fitted(sink, small, line, place.width());
      sink.text({place.x0, place.y0}, small, hunt->problem.empty() ? ui.theme.text2 : ui.theme.bad,
                shown);
      ImGui::SetCursorScreenPos({place.x0, place.y0});
      ImGui::Dummy({std::max(1.0F, place.width()), place.height()});
      if (shown != line) views::tooltip(ui, line);
    }
  }
  ImGui::SetCursorScreenPos({at.x, top + ui.px(88)});
}

void HuntPage::draw_map(const views::Ui& ui, float width, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const views::Rect area{std::floor(at.x), std::floor(at.y), std::floor(at.x + width),
                         std::floor(at.y + height)};
  if (hunts().progress() == nullptr) {
    ImGui::SetCursorScreenPos({at.x + ui.px(24), at.y + ui.px(24)});
    const predict::Outlook* outlook = session().predictions().outlook();
    const bool told = outlook != nullptr && !outlook->problem.sentence.empty();
    views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2,
                        told ? views::message_text(ui.texts, outlook->problem)
                        : session().engine() != nullptr ? std::string(ui.texts("hunt.computing"))
                                                        : std::string(ui.texts("hunt.waits")),
                        ui.px(24));
    return;
  }
  const bool pressed = ImGui::InvisibleButton("###hunt_map", {area.width(), area.height()},
                                              ImGuiButtonFlags_EnableNav);
  if (const views::ArrowSteps steps = views::take_arrows(); !hunts().outdated())
    step_cell(steps.x, -steps.y);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const views::HuntFigure figure{
      .map = hunts().map(),
      .memory = hunts().progress()->target.memory,
      .texts = ui.texts,
      .theme = ui.theme,
      .metrics = ui.metrics,
      .selected = hunts().cell_of(settings()),
      .mouse = ImGui::IsItemHovered() ? views::Point{mouse.x, mouse.y} : views::Point{-1, -1},
      .other = hunts().progress()->other ? &*hunts().progress()->other : nullptr,
      .other_name = hunts().other_name()};
  const float wheel = ImGui::IsItemHovered() ? ImGui::GetIO().MouseWheel : 0;
  const auto cell = views::draw_hunt_figure(sink, area, figure);
  if (hunts().outdated()) {
    views::draw_stale(sink, ui.theme, ui.metrics, area, texts(),
                      earlier_settings(texts(), *hunts().progress(), settings()));
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
    zoom(hunts().map().spec_of(*cell), wheel > 0 ? 0.5 : 2);
  }
}

// Moves the settings to the neighbouring cell: right and up are larger.
void HuntPage::step_cell(int x, int y) {
  const predict::HuntMap& map = hunts().map();
  const auto now = hunts().cell_of(settings());
  if ((x == 0 && y == 0) || !now) return;
  const auto columns = static_cast<std::int64_t>(map.x_values().size());
  const auto rows = static_cast<std::int64_t>(map.y_values().size());
  const std::int64_t column = static_cast<std::int64_t>(*now) % columns + x;
  const std::int64_t row = static_cast<std::int64_t>(*now) / columns + y;
  if (column < 0 || column >= columns || row < 0 || row >= rows) return;
  const auto cell = static_cast<std::size_t>(row * columns + column);
  state().history.set(hunts().spec_of(cell, settings()));
}

void HuntPage::draw_cell_menu(const views::Ui& ui) {
  if (!menu_cell_ || *menu_cell_ >= hunts().map().size()) return;
  const predict::HuntMap& map = hunts().map();
  const spec::WorkloadSpec spec = hunts().spec_of(*menu_cell_, settings());
  std::string title;
  for (const spec::Field field : {map.x().field, map.y().field}) {
    title += (title.empty() ? "" : ", ") + std::string(spec::field_name(field)) + " = " +
             text::grouped(spec::number_of(spec, field));
  }
  const std::vector<views::MenuRow> rows{
      {"###cell_take", ui.texts("menu.take_settings"), "", [this] { open_cell(*menu_cell_); }},
      {"###cell_run", ui.texts("menu.run_settings"), "",
       [this] {
         open_cell(*menu_cell_);
         state().page = Page::run;
         runs().start();
       }},
      {"###cell_zoom_in", ui.texts("hunt.zoom_in"), "", [&] { zoom(spec, 0.5); }},
      {"###cell_zoom_out", ui.texts("hunt.zoom_out"), "", [&] { zoom(spec, 2); }},
      {"###cell_copy", ui.texts("menu.copy_settings"), "",
       [&spec] { ImGui::SetClipboardText(to_json(spec).dump(2).c_str()); }}};
  views::context_menu(ui, "###cell_menu", title, rows);
}

// The exact edge, the log, and changes that would make it fit.
void HuntPage::draw_side(const views::Ui& ui, const views::ViewContext& view, float height) {
  if (const predict::HuntProgress* const hunt = hunts().progress()) {
    const bool outdated = hunts().outdated();
    const std::int64_t row = spec::number_of(settings(), hunt->map.y().field);
    if (const auto value = views::draw_bisection(ui, *hunt, row, outdated)) {
      spec::WorkloadSpec spec = settings();
      static_cast<void>(spec::set_number(spec, hunt->map.x().field, *value));
      runs().open_settings(spec);
    }
    const bool remedies = view.outlook != nullptr && !view.outlook->remedies.empty();
    const float left_over = height - ImGui::GetCursorPosY();
    const float of_log = std::max(ui.px(120), left_over * (remedies ? 0.42F : 0.9F));
    // The cells of an earlier map do not belong to the current settings.
    ImGui::BeginDisabled(outdated);
    const auto cell = views::draw_hunt_log(ui, hunts().map(), hunt->target.memory, of_log);
    ImGui::EndDisabled();
    if (cell) open_cell(*cell);
  }
  ImGui::Dummy({0, ui.px(8)});
  if (view.outlook == nullptr) return;
  if (auto tried = views::draw_remedies(ui, *view.outlook)) state().history.set(*tried);
}

void HuntPage::draw(const views::Ui& ui, Requests& requests) {
  PageArea area = frame().begin(ui);
  const bool projector = frame().projector();
  // On the projector the settings replace the column at the right: the map would be too narrow
  // beside both.
  const bool has_side = !projector || !frame().shows_form();
  const float side_column = side_width(ui, area.size.x);
  // Controls first: this frame's charts show what they change.
  views::settle(state().hunt_edit, settings());
  frame().draw_form(ui, area, "###hunt_controls", [&] {
    const bool shown = hunts().progress() != nullptr && !hunts().outdated();
    views::draw_hunt_controls(ui, state().hunt_edit, settings(), shown ? &hunts().map() : nullptr);
  });
  if (views::hunt_fields(settings()).size() < 2) {
    draw_window(ui, {.id = "###hunt_page"}, area, [&] {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::SetCursorScreenPos({at.x + ui.px(24), at.y + ui.px(24)});
      views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2,
                          ui.texts("hunt.needs_two_sizes"), ui.px(24));
    });
    return;
  }
  contexts().ask_for_prediction();
  hunts().follow(session(), settings(), state().hunt_edit);
  hunts().update(session());
  const PageArea side = has_side ? area.cut_right(side_column) : PageArea();
  // On the projector the map has all the height.
  const PageArea map = area.cut_top(projector ? area.size.y : std::floor(area.size.y * 0.62F));
  draw_window(ui, {.id = "###hunt_page"}, map, [&] {
    draw_head(ui, map.size.x, requests);
    draw_map(ui, map.size.x, map.size.y - ImGui::GetCursorPosY());
  });
  contexts().wait_for_prediction();
  views::ViewContext view = contexts().view(ui);
  if (!projector) draw_window(ui, {.id = "###hunt_memory"}, area, [&] { memory_->draw(view); });
  if (!has_side) return;
  const PageWindow window{.id = "###hunt_side", .padding = rows_padding(ui), .flags = kFixedFlags};
  draw_window(ui, window, side, [&] { draw_side(ui, view, side.size.y); });
}

}  // namespace ts::app
