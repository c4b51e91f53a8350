#include "app/sheets/window_sheets.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/pages/sheet.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/file_list.h"
#include "app/sheets/figure_drawing.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "core/stats/occupancy.h"
#include "core/sweep/sweep_presets.h"
#include "core/text/message.h"
#include "views/advice/ladder_figure.h"
#include "views/common/glossary.h"
#include "views/common/widgets.h"
#include "views/controls/field_access.h"

namespace ts::app {

using views::TextStyle;

namespace {

// The height of a stepper's saved picture, at scale 1, without its edge.
constexpr float kStepHeight = 608;

// The value that the settings have for an input of a calculator.
std::optional<std::int64_t> number_of(const spec::WorkloadSpec& spec, std::string_view name) {
  if (name == "params") {
    const std::int64_t parameters = spec::parameter_count(spec);
    return parameters > 0 ? std::optional(parameters) : std::nullopt;
  }
  const auto field = spec::field_from_name(name);
  if (!field || !spec::field_applies(spec, *field)) return std::nullopt;
  return views::slider_number(spec, *field);
}

base::Message why_not_measured(const Session& session) {
  if (session.engine() == nullptr) {
    return session.engine_problem().empty() ? text::message("advice.problem.loading")
                                            : session.engine_problem();
  }
  return session.busy() ? text::message("own_kernels.processor.run_goes_on") : base::Message();
}

}  // namespace

void WindowSheets::draw_glossary(const views::Ui& ui) {
  if (ImGui::IsWindowAppearing()) glossary_filter_.clear();
  ImGui::SetNextItemWidth(ui.px(240));
  ImGui::InputTextWithHint("###glossary_filter", ui.texts("glossary.filter"), &glossary_filter_);
  ImGui::Dummy({0, ui.px(6)});
  const ImGuiTextFilter filter(glossary_filter_.c_str());
  if (ImGui::BeginChild("###glossary_terms", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    for (const char* const term : views::glossary_terms()) {
      const std::string name = ui.texts("glossary.term." + std::string(term));
      const std::string text = views::meaning(ui.texts, term);
      if (!filter.PassFilter(name.c_str()) && !filter.PassFilter(text.c_str())) continue;
      views::text(ui, TextStyle::body_strong, ui.theme.text, name);
      views::wrapped_text(ui, TextStyle::body, ui.theme.text2, text);
      ImGui::Dummy({0, ui.px(4)});
    }
  }
  ImGui::EndChild();
}

void WindowSheets::draw_shortcuts(const views::Ui& ui, const std::vector<Shortcut>& of_actions) {
  // The panel under the mouse takes these keys.
  std::vector<Shortcut> shortcuts = {
      {"Enter", "shortcut.press"},
      {"Tab", "shortcut.tab"},
      {"\xe2\x86\x90 / \xe2\x86\x92", "shortcut.arrows"},
      {"\xe2\x86\x90 \xe2\x86\x91 \xe2\x86\x92 \xe2\x86\x93", "shortcut.chart_arrows"},
      {"W / S", "shortcut.zoom"},
      {"Shift+W / S", "shortcut.zoom_bytes"},
      {"Shift+A / D", "shortcut.pan_bytes"},
      {"A / D", "shortcut.pan"},
      {"F", "shortcut.fit"},
      {"M", "shortcut.mark"},
      {"/", "shortcut.search"},
      {ui.texts("shortcut.box_zoom_keys"), "shortcut.box_zoom"},
      {"Ctrl+C", "shortcut.copy"}};
  std::ranges::copy(of_actions, std::back_inserter(shortcuts));
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.surface2);
  if (ImGui::Begin("###shortcuts", &show_shortcuts,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings)) {
    views::text(ui, TextStyle::body_strong, ui.theme.text, ui.texts("shortcut.title"));
    ImGui::Dummy({0, ui.px(6)});
    // Two columns: one would be higher than a small window.
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(10), ui.px(2)));
    if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_SizingFixedFit)) {
      // In a small window their words go on in a second line.
      const float room = (viewport->WorkSize.x - ui.px(380)) / 2;
      const std::size_t rows = (shortcuts.size() + 1) / 2;
      for (std::size_t i = 0; i < rows * 2; ++i) {
        const std::size_t at = i / 2 + (i % 2) * rows;
        ImGui::TableNextColumn();
        if (at < shortcuts.size())
          views::text(ui, TextStyle::mono, ui.theme.accent, shortcuts[at].keys);
        ImGui::TableNextColumn();
        if (at < shortcuts.size()) {
          ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room);
          views::text(ui, TextStyle::body, ui.theme.text, ui.texts(shortcuts[at].what));
          ImGui::PopTextWrapPos();
        }
      }
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    const bool outside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
    if (outside) show_shortcuts = false;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

// Valid at once, also while the folder is being typed.
void draw_save_parts(const views::Ui& ui, SaveParts& parts) {
  views::section(ui, ui.texts("save.parts"));
  const float width = ui.px(260);
  for (const SavePart part : kSaveParts) {
    const std::string name = to_string(part);
    bool on = parts.has(part);
    const std::string id = "###save_part_" + name;
    const std::string words = ui.texts("save.part." + name);
    if (views::toggle(ui, id.c_str(), words.c_str(), on, width)) parts.set(part, on);
  }
  views::wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("save.parts_about"));
  ImGui::Dummy({0, ui.px(6)});
}

// The current folder, a field to type another one, and a button for the default.
void WindowSheets::draw_save_folder(const views::Ui& ui, WorkspaceState& state) {
  if (ImGui::IsWindowAppearing()) save_folder_ = state.save_folder().string();
  views::wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("save.what"));
  ImGui::Dummy({0, ui.px(6)});
  ImGui::SetNextItemWidth(-1);
  const bool entered =
      ImGui::InputText("###save_folder_path", &save_folder_, ImGuiInputTextFlags_EnterReturnsTrue);
  const std::filesystem::path typed(save_folder_);
  const bool whole = typed.is_absolute();
  if (!whole) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.bad, ui.texts("save.whole_path"));
  }
  draw_save_parts(ui, state.preferences.save_parts);
  ImGui::Dummy({0, ui.px(6)});
  ImGui::BeginDisabled(!whole);
  const bool pressed =
      views::text_button(ui, "###save_folder_use", "save.use", views::ButtonKind::primary);
  ImGui::EndDisabled();
  ImGui::SameLine(0, ui.px(8));
  const bool back =
      views::text_button(ui, "###save_folder_default", "save.default", views::ButtonKind::plain);
  const bool chosen = whole && (pressed || entered);
  if (!back && !chosen) return;
  state.choose_save_folder(back ? std::filesystem::path() : typed);
  show_save_folder = false;
}

// The figure of the ladder as a picture in the colours of the window.
Requests::Drawing ladder_drawing(const views::Ui& ui, const advice::Ladder& ladder,
                                 const Preferences& preferences) {
  const views::Metrics metrics{preferences.scale};  // not the projector's
  const auto figure = [ladder, &theme = views::theme(ui.theme.kind),
                       metrics](const text::Texts& texts) {
    return views::LadderFigure{.theme = theme,
                               .metrics = metrics,
                               .texts = texts,
                               .rungs = ladder.rungs,
                               .target = ladder.request.target};
  };
  return figure_drawing(
      "ladder", views::ladder_figure_height(figure(ui.texts)), metrics,
      [figure](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
        views::draw_ladder_figure(sink, area, figure(texts));
      });
}

// Its card is the target card of the window.
void WindowSheets::draw_steppers(const views::Ui& ui, const Preferences& preferences,
                                 const views::ControlsContext& controls, Requests& requests) {
  const std::string& name = controls.history.spec().target_gpu;
  const spec::Gpu* const gpu = controls.gpus.find(name);
  const views::StepperView::Card card{
      .name = name,
      .limit = gpu == nullptr ? std::nullopt : stats::largest_shared_block(gpu->compute_capability),
      .draw_select = [&](float width) { views::draw_target_select(controls, width); }};
  if (!steppers_.draw(ui, card).picture) return;
  const views::Metrics metrics{preferences.scale};  // not the projector's
  requests.drawing =
      figure_drawing("step-" + std::string(steppers_.shown().id), metrics.px(kStepHeight), metrics,
                     [drawn = steppers_.drawn(card), &theme = views::theme(ui.theme.kind), metrics](
                         views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
                       drawn(sink, area, theme, metrics, texts);
                     });
}

// Its card is the target card of the window.
void WindowSheets::draw_kernels(const views::Ui& ui, const Session& session, WorkspaceState& state,
                                const views::ControlsContext& controls) {
  const std::string& name = controls.history.spec().target_gpu;
  if (!compiled_) compiled_ = report::resources_in(engine_folder() / "own_cuda");
  if (auto latest = stages_.latest()) state.stages = std::move(latest);
  const auto asked = kernels_.draw(
      ui, {.card = controls.gpus.find(name),
           .card_name = name,
           .draw_select = [&](float width) { views::draw_target_select(controls, width); },
           .resources = *compiled_,
           .has_gpu = session.engine() != nullptr && has_cuda(*session.engine()),
           .measured = state.stages.get(),
           .measuring = stages_.busy(),
           .why_not = why_not_measured(session)});
  if (asked.measure) stages_.measure({state.program, kernels_.stage_settings()});
  if (asked.cancel) stages_.cancel();
  if (asked.step_through) {
    steppers_.show_tiles(kernels_.numbers());
    show_steppers = true;
    show_kernels = false;
  }
  if (!asked.sweep_here) return;
  state.sweep_edit.preset = "own-tiles";
  const sweep::SweepPreset* const preset = built_in_sweeps().find(state.sweep_edit.preset);
  if (preset == nullptr) return;
  if (const auto taken = sweep::exercise_settings(*preset, state.history.spec()))
    state.history.set(*taken);
  state.page = Page::sweep;
  show_kernels = false;
}

void WindowSheets::draw_advisor(const views::Ui& ui, Session& session, WorkspaceState& state,
                                Requests& requests) {
  const spec::WorkloadSpec& settings = state.history.spec();
  const AdviceSession::Question question{advisor_.space(), advisor_.here(), false};
  const views::AdviceView::Answer answer =
      advisor_.draw(ui, {.advice = advice_.advice(),
                         .ladder = advice_.ladder(),
                         .measuring = advice_.measuring(),
                         .can_measure = advice_.can_measure(session),
                         .busy = advice_.busy(),
                         .problem = AdviceSession::problem(session, settings, question),
                         .settings = settings,
                         .card = settings.target_gpu});
  if (answer.cancel) advice_.cancel();
  if (answer.ask && advisor_.ladder()) {
    advice_.ask_ladder(session, settings, {advisor_.space(), advisor_.here(), false});
  } else if (answer.ask) {
    advice_.ask(session, settings, {advisor_.space(), advisor_.here(), false});
  }
  if (answer.measure) advice_.measure();
  if (answer.picture) requests.drawing = ladder_drawing(ui, *advice_.ladder(), state.preferences);
  if (answer.tried) state.history.set(*answer.tried);
}

void WindowSheets::draw(const views::Ui& ui, Session& session, WorkspaceState& state,
                        const views::ControlsContext& controls, Requests& requests,
                        const std::function<std::vector<Shortcut>()>& of_actions) {
  draw_sheet(
      ui, "save.title", "###save_folder_sheet", show_save_folder,
      [&] { draw_save_folder(ui, state); }, SheetSize::small);
  draw_sheet(ui, "glossary.title", "###glossary_sheet", show_glossary, [&] { draw_glossary(ui); });
  draw_sheet(ui, "calculate.title", "###calculator_sheet", show_calculators, [&] {
    calculators_.draw(ui,
                      [&](std::string_view name) { return number_of(state.history.spec(), name); });
  });
  draw_sheet(
      ui, "stepper.title", "###stepper_sheet", show_steppers,
      [&] { draw_steppers(ui, state.preferences, controls, requests); }, SheetSize::full);
  if (!show_steppers) steppers_.closed();
  draw_sheet(
      ui, "own_kernels.title", "###kernels_sheet", show_kernels,
      [&] { draw_kernels(ui, session, state, controls); }, SheetSize::full);
  advice_.update(session);
  draw_sheet(
      ui, "advice.sheet", "###advisor_sheet", show_advisor,
      [&] { draw_advisor(ui, session, state, requests); }, SheetSize::full);
  draw_sheet(
      ui, "cluster.sheet", "###cluster_sheet", show_cluster,
      [&] { cluster_.draw(ui, session, state, controls); }, SheetSize::full);
  // A trace that a sheet wrote is opened in its place.
  const auto open_instead = [&](const std::optional<std::filesystem::path>& written, bool& sheet) {
    if (!written) return;
    choose_file(*written);
    sheet = false;
  };
  draw_sheet(
      ui, "simulate.sheet", "###simulation_sheet", show_simulations,
      [&] { open_instead(simulations_.draw(ui, state, requests), show_simulations); },
      SheetSize::full);
  draw_sheet(
      ui, "loader.sheet", "###loader_sheet", show_loader,
      [&] { open_instead(loader_.draw(ui, state, requests), show_loader); }, SheetSize::full);
  draw_sheet(
      ui, "ranks.sheet", "###ranks_sheet", show_ranks,
      [&] { open_instead(ranks_.draw(ui, session, state), show_ranks); }, SheetSize::full);
  draw_sheet(
      ui, "tree.title", "###tree_sheet", show_trees, [&] { trees_.draw(ui, session, state); },
      SheetSize::full);
  draw_sheet(ui, "own_file.title", "###own_file_sheet", show_own_file, [&] {
    const auto written = own_file_.draw(ui, session, state, controls);
    if (!written) return;
    choose_file(*written);
    show_own_file = false;
  });
  if (!show_own_file) own_file_.leave();
  if (show_shortcuts) draw_shortcuts(ui, of_actions());
}

std::vector<std::filesystem::path> WindowSheets::draw_open(const views::Ui& ui,
                                                           Preferences& preferences) {
  std::vector<std::filesystem::path> chosen = std::exchange(chosen_, {});
  for (std::filesystem::path& path : file_dialog_.take()) chosen.push_back(std::move(path));
  const char* const title =
      open_for_ == OpenFor::compare ? "file.compare_title" : "file.open_title";
  if (ask_for_file_) open_sheet_.open(title);
  ask_for_file_ = false;
  const OpenSheet::Answer answer =
      open_sheet_.draw(ui, preferences.recent_files, &FileDialog::available);
  if (answer.browse) file_dialog_.open(ui.texts, title);
  if (answer.chosen) chosen.push_back(*answer.chosen);
  if (answer.forgotten) forget_file(preferences.recent_files, *answer.forgotten);
  return chosen;
}

bool WindowSheets::close() {
  // A sheet that searches stops first.
  const auto stopped = [](auto& search) {
    if (!search.busy()) return false;
    search.cancel();
    return true;
  };
  for (bool* const open :
       {&show_shortcuts, &show_save_folder, &show_advisor, &show_cluster, &show_loader, &show_ranks,
        &show_trees, &show_simulations, &show_steppers, &show_kernels, &show_own_file,
        &show_calculators, &show_glossary}) {
    if (!*open) continue;
    const bool stays = (open == &show_advisor && stopped(advice_)) ||
                       (open == &show_cluster && stopped(cluster_)) ||
                       (open == &show_loader && stopped(loader_)) ||
                       (open == &show_ranks && stopped(ranks_)) ||
                       (open == &show_kernels && stopped(stages_)) ||
                       (open == &show_own_file && stopped(own_file_));
    *open = stays;
    return true;
  }
  return false;
}

}  // namespace ts::app
