// The page of the hunt: the map of the settings, the timeline of the cell they are, the log.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/page_windows.h"
#include "app/workspace.h"
#include "core/run/spec_values.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/hunt/hunt_figure.h"
#include "views/hunt/hunt_log.h"
#include "views/inspector/remedy_list.h"

namespace ts::app {
namespace {

std::string count(std::size_t number) {
  return text::grouped(static_cast<std::int64_t>(number));
}

// How far it is, and how long it took.
std::string state_words(const views::Ui& ui, const run::HuntProgress& hunt) {
  if (!hunt.problem.empty()) return hunt.problem;
  const std::string seconds = text::decimal(hunt.frontier_after.value_or(hunt.seconds), 2);
  const std::string cells = count(hunt.map.size() - hunt.map.count(run::CellState::impossible));
  const std::string probes = count(hunt.map.log().size());
  if (hunt.cancelled) return ui.texts("hunt.cancelled", {{"probes", probes}, {"cells", cells}});
  if (!hunt.frontier_after) {
    return ui.texts("hunt.searching", {{"probes", probes}, {"cells", cells}});
  }
  return ui.texts(hunt.running ? "hunt.filling" : "hunt.complete",
                  {{"probes", probes}, {"cells", cells}, {"seconds", seconds}});
}

}  // namespace

void Workspace::open_cell(std::size_t cell) {
  open_spec(state_->hunts->spec_of(cell, state_->history.spec()));
}

void Workspace::open_spec(const run::WorkloadSpec& spec) {
  state_->history.set(spec);
  // Live would take the change of the settings for a wish to run.
  run_spec_ = seen_spec_ = state_->history.spec();
}

void Workspace::draw_hunt_buttons(const views::Ui& ui, Wishes& wishes) {
  HuntBoard& board = *state_->hunts;
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
    board.restart();
  }
  ImGui::BeginDisabled(board.progress() == nullptr);
  if (views::button(ui, "###hunt_png", "", "PNG", "", views::ButtonKind::plain))
    wishes.hunt_picture = std::filesystem::path();
  next();
  if (small("###hunt_save", "\xef\x80\x99", "hunt.save")) {
    const auto saved = board.save();
    notify(saved ? (*texts_)("note.sweep_saved", {{"path", saved->string()}})
                 : saved.error().sentence);
    if (saved) wishes.hunt_picture = *saved / "hunt.png";
  }
  ImGui::EndDisabled();
  if (const auto round = board.confirming()) {
    const std::string words =
        (*texts_)("hunt.confirming", {{"done", count(round->done)}, {"all", count(round->all)}});
    if (views::button(ui, "###hunt_stop", "\xef\x81\x8d", words, "", views::ButtonKind::primary))
      board.stop_confirming(*session_);
    return;
  }
  const char* const problem = board.confirm_problem(*session_, state_->history.spec());
  ImGui::BeginDisabled(problem != nullptr);
  if (views::button(ui, "###hunt_confirm", "\xef\x81\x9b", ui.texts("hunt.confirm"), "",
                    problem != nullptr ? views::ButtonKind::quiet : views::ButtonKind::primary)) {
    session_->show(nullptr);
    board.confirm();
  }
  ImGui::EndDisabled();
  views::tooltip(ui, ui.texts(problem != nullptr ? problem : "hunt.confirm.hint"));
}

void Workspace::zoom_hunt(double factor) {
  views::zoom(state_->hunt_draft, state_->history.spec(), factor, run::kMapSide);
}

void Workspace::draw_hunt_head(const views::Ui& ui, float width, Wishes& wishes) {
  HuntBoard& board = *state_->hunts;
  const run::HuntProgress* const hunt = board.progress();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons = views::right_row("###hunt_buttons", at.x + width - ui.px(16),
                                         at.y + ui.px(38), [&] { draw_hunt_buttons(ui, wishes); });
  float height = ui.px(72);
  if (hunt != nullptr) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const std::int64_t row = run::number_of(state_->history.spec(), hunt->map.y().field);
    std::string sentence = views::exact_sentence(*hunt, row, ui.texts);
    if (sentence.empty())
      sentence = views::frontier_sentence(board.map(), hunt->target.name, row, ui.texts);
    // In a narrow window the whole sentence, smaller.
    const float room = width - ui.px(32);
    const auto style = sink.text_width(views::TextStyle::large, sentence) <= room
                           ? views::TextStyle::large
                           : views::TextStyle::body;
    sink.text({at.x + ui.px(16), at.y + ui.px(6)}, style, ui.theme.text,
              views::fitted(sink, style, sentence, room));
    const std::string confirmed = views::confirmed_sentence(board.map(), ui.texts);
    const std::string state = state_words(ui, *hunt);
    std::string words = confirmed.empty() ? state
                                          : ui.texts("common.two_sentences",
                                                     {{"first", confirmed}, {"second", state}});
    const auto small = views::TextStyle::small;
    // Beside the buttons, or in a row of their own; the runs rather than the dry runs.
    float top = at.y + ui.px(44);
    if (at.x + ui.px(32) + sink.text_width(small, words) > buttons) {
      top = at.y + ui.px(72);
      height = ui.px(92);
      if (!confirmed.empty() && sink.text_width(small, words) > room) words = confirmed;
    }
    sink.text({at.x + ui.px(16), top}, small, hunt->problem.empty() ? ui.theme.text2 : ui.theme.bad,
              views::fitted(sink, small, words, room));
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
}

void Workspace::draw_hunt_map(const views::Ui& ui, float width, float height) {
  HuntBoard& board = *state_->hunts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const views::Rect area{std::floor(at.x), std::floor(at.y), std::floor(at.x + width),
                         std::floor(at.y + height)};
  if (board.progress() == nullptr) {
    ImGui::SetCursorScreenPos({at.x + ui.px(24), at.y + ui.px(24)});
    const run::Outlook* outlook = session_->predictions().outlook();
    const bool told = outlook != nullptr && !outlook->problem.empty();
    views::wrapped_text(ui, views::TextStyle::body, ui.theme.text2,
                        told ? outlook->problem : ui.texts("hunt.waits"), ui.px(24));
    return;
  }
  const bool pressed = ImGui::InvisibleButton("###hunt_map", {area.width(), area.height()});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const views::HuntFigure figure{
      board.map(),
      board.progress()->target.memory,
      ui.texts,
      ui.theme,
      ui.metrics,
      board.cell_of(state_->history.spec()),
      ImGui::IsItemHovered() ? views::Point{mouse.x, mouse.y} : views::Point{-1, -1},
      board.progress()->other ? &*board.progress()->other : nullptr,
      board.other_name()};
  const float wheel = ImGui::IsItemHovered() ? ImGui::GetIO().MouseWheel : 0;
  const auto cell = views::draw_hunt_figure(sink, area, figure);
  if (pressed && cell) open_cell(*cell);
  if (cell && wheel != 0) {
    // About the cell under the mouse.
    views::zoom(state_->hunt_draft, board.map().spec_of(*cell), wheel > 0 ? 0.5 : 2, run::kMapSide);
  }
}

void Workspace::draw_hunt(const views::Ui& ui, Wishes& wishes) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 origin = viewport->WorkPos;
  const ImVec2 size = viewport->WorkSize;
  const float left = std::floor(std::min(ui.px(320), size.x * 0.3F));
  const float right = std::floor(std::min(ui.px(380), size.x * 0.3F));
  const float middle = size.x - left - right;
  const auto panel = [&](const char* id, float x, float y, float width, float height,
                         ImVec2 padding, ImGuiWindowFlags flags, auto draw) {
    ImGui::SetNextWindowPos({origin.x + x, origin.y + y});
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    if (ImGui::Begin(id, nullptr, kFixedFlags | flags)) {
      draw();
      if (x > 0) views::left_edge(ui);
    }
    ImGui::End();
    ImGui::PopStyleVar();
  };
  const ImVec2 margin(ui.px(16), ui.px(12));
  // Controls first: what they change is seen in this frame's charts.
  panel("###hunt_controls", 0, 0, left, size.y, margin, 0, [&] {
    views::settle(state_->hunt_draft, state_->history.spec());
    views::draw_hunt_controls(ui, state_->hunt_draft, state_->history.spec());
    views::divider(ui);
    views::draw_controls(controls(ui));
  });
  ask_for_prediction();
  state_->hunts->follow(*session_, state_->history.spec(), state_->hunt_draft);
  state_->hunts->update(*session_);
  const float map_height = std::floor(size.y * 0.62F);
  panel("###hunt_page", left, 0, middle, map_height, {0, 0}, kUnmovingFlags, [&] {
    draw_hunt_head(ui, middle, wishes);
    draw_hunt_map(ui, middle, map_height - ImGui::GetCursorPosY());
  });
  wait_for_prediction();
  views::ViewContext view = context(ui);
  panel("###hunt_memory", left, map_height, middle, size.y - map_height, {0, 0}, kUnmovingFlags,
        [&] { memory_.draw(view); });
  panel("###hunt_side", left + middle, 0, right, size.y, margin, 0, [&] {
    if (state_->hunts->progress() != nullptr) {
      const run::HuntProgress& hunt = *state_->hunts->progress();
      if (const auto value = views::draw_bisection(ui, hunt)) {
        run::WorkloadSpec spec = state_->history.spec();
        static_cast<void>(run::set_number(spec, hunt.map.x().field, *value));
        static_cast<void>(run::set_number(spec, hunt.map.y().field, hunt.exact->y));
        open_spec(spec);
      }
      const bool remedies = view.outlook != nullptr && !view.outlook->remedies.empty();
      const float left_over = size.y - ImGui::GetCursorPosY();
      const float height = std::max(ui.px(120), left_over * (remedies ? 0.42F : 0.9F));
      if (const auto cell = views::draw_hunt_log(ui, state_->hunts->map(), height))
        open_cell(*cell);
    }
    ImGui::Dummy({0, ui.px(8)});
    if (view.outlook != nullptr) {
      if (auto tried = views::draw_remedies(ui, *view.outlook)) state_->history.set(*tried);
    }
  });
}

}  // namespace ts::app
