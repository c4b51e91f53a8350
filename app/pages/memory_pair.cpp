#include "app/pages/memory_pair.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>

#include "core/spec/gpu_catalogue.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "views/common/context_menu.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/svg_sink.h"
#include "views/common/widgets.h"
#include "views/compare/compare_controls.h"

namespace ts::app {
namespace {

constexpr const char* kMenu = "###pair_menu";
constexpr std::chrono::seconds kForPicture{10};

// Steps are compiled for this processor only: for a card the step without it is predicted.
std::string predicted_name(const text::Texts& texts, const char* side,
                           const spec::WorkloadSpec& spec) {
  std::string name = texts(side, {{"card", spec.target_gpu}});
  return spec::compiles_step(spec) ? texts("compare.memory.eager", {{"name", name}}) : name;
}

views::MemoryOverlay overlay_of(const std::array<views::MemoryOverlay::Side, 2>& sides,
                                const text::Texts& texts, const views::Theme& theme, float scale) {
  return {sides, texts, theme, {scale}};
}

}  // namespace

// Takes the log that the outlook has for the card, or the reason why there is none.
void MemoryPair::take(const predict::Outlook* outlook, const spec::WorkloadSpec& spec,
                      const text::Texts& texts, Source& source) {
  if (outlook == nullptr || outlook->spec != spec) return;
  if (outlook->target != nullptr) {
    source.owner = outlook->target;
    source.log = &outlook->target->run.log;
  } else if (!outlook->problem.empty()) {
    source.why_not = texts("sweep.colon") + views::message_text(texts, outlook->problem);
  }
}

MemoryPair::Source MemoryPair::prediction_of_b(const views::Ui& ui) {
  const WorkspaceState& state = services_.state;
  const auto b = views::spec_of_b(state.compare_edit, state.history.checked());
  Source source{.id = "b", .name = {}};
  if (!b) {
    source.name = views::message_text(ui.texts, b.error());
    return source;
  }
  if (!of_b_) {
    of_b_ = std::make_unique<Predictions>(services_.session.dry_runner(), services_.session.gpus(),
                                          services_.session.strings());
  }
  // A dry run beside a measurement would disturb it.
  if (!services_.session.busy()) of_b_->follow(*b, services_.session.engine());
  if (services_.contexts.view(ui).picture) of_b_->finish(kForPicture);
  source.name = predicted_name(ui.texts, "compare.memory.b", *b);
  take(of_b_->outlook(), *b, ui.texts, source);
  return source;
}

std::vector<MemoryPair::Source> MemoryPair::sources(const views::Ui& ui) {
  const auto& texts = ui.texts;
  const WorkspaceState& state = services_.state;
  const spec::WorkloadSpec& settings = state.history.spec();
  Source a{.id = "a", .name = predicted_name(texts, "compare.memory.a", settings)};
  take(services_.session.predictions().outlook(), settings, texts, a);
  std::vector<Source> all = {std::move(a), prediction_of_b(ui)};
  if (const auto run = services_.session.share_shown(); run != nullptr && run->finished) {
    all.push_back({.id = "shown",
                   .name = texts("compare.memory.run",
                                 {{"settings", views::short_settings(texts, run->spec)}}),
                   .owner = run,
                   .log = &run->memory});
  }
  for (std::size_t i = 0; i < state.kept_memory.size(); ++i) {
    const KeptMemory& kept = state.kept_memory[i];
    all.push_back({.id = "kept" + std::to_string(kept.number),
                   .name = texts("compare.memory.kept", {{"name", kept.name}}),
                   .owner = kept.owner,
                   .log = kept.log});
  }
  return all;
}

void MemoryPair::draw_choice(const views::Ui& ui, std::size_t side, const std::vector<Source>& all,
                             float width) {
  std::string& chosen = chosen_[side];
  const auto now = std::ranges::find(all, chosen, &Source::id);
  const std::string id = side == 0 ? "###pair_first" : "###pair_second";
  views::select(ui, id.c_str(), now == all.end() ? "" : now->name, "", width, [&] {
    for (const Source& one : all) {
      const std::string row = id + "_" + one.id;
      if (!views::list_row(ui, row.c_str(), one.name, "", one.id == chosen)) continue;
      chosen = one.id;
      return true;
    }
    return false;
  });
}

void MemoryPair::draw_menu(const views::Ui& ui, const std::array<Source, 2>& sides,
                           views::Point size, bool asked, Requests& requests) {
  // Also for a picture that is drawn later: the logs must last until then.
  const auto draw = [sides, theme = &ui.theme, scale = ui.metrics.scale](
                        views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_memory_overlay(
        sink, area, overlay_of({sides[0].side(), sides[1].side()}, texts, *theme, scale));
  };
  if (asked) ImGui::OpenPopup(kMenu);
  const std::vector<views::MenuRow> rows = {
      {"###panel_save", ui.texts("menu.save_chart"), "",
       [&] {
         requests.drawing = Requests::Drawing{.name = "memory-pair",
                                              .width = static_cast<int>(size.x),
                                              .height = static_cast<int>(size.y),
                                              .draw = draw};
       }},
      {"###panel_copy", ui.texts("sweep.chart.copy_svg"), "", [&] {
         const views::ImGuiSink measure(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
         views::SvgSink svg(measure, size.x, size.y, ui.theme.bg);
         draw(svg, {0, 0, size.x, size.y}, ui.texts);
         ImGui::SetClipboardText(svg.document().c_str());
       }}};
  views::context_menu(ui, kMenu, ui.texts("compare.memory.title"), rows);
}

void MemoryPair::draw(const views::Ui& ui, const PageArea& area, Requests& requests) {
  const std::vector<Source> all = sources(ui);
  const ImVec2 at{area.origin.x + ui.px(16), area.origin.y + ui.px(8)};
  const float width = area.size.x - ui.px(32);
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  sink.text({at.x, at.y}, views::TextStyle::body_strong, ui.theme.text,
            ui.texts("compare.memory.title"));
  const float button = ui.px(32);
  const float choice = (width - button - ui.px(16)) / 2;
  ImGui::SetCursorScreenPos({at.x, at.y + ui.px(26)});
  draw_choice(ui, 0, all, choice);
  ImGui::SameLine(0, ui.px(8));
  draw_choice(ui, 1, all, choice);
  ImGui::SameLine(0, ui.px(8));
  bool asked =
      views::button(ui, "###pair_more", "\xef\x85\x81", "", "", views::ButtonKind::quiet, button);
  views::tooltip(ui, ui.texts("sweep.chart.menu"));
  std::array<Source, 2> sides;
  for (std::size_t side = 0; side < 2; ++side) {
    auto now = std::ranges::find(all, chosen_[side], &Source::id);
    if (now == all.end()) {
      // The oldest that was kept made room for another.
      chosen_[side] = side == 0 ? "a" : "b";
      now = std::ranges::find(all, chosen_[side], &Source::id);
    }
    sides[side] = *now;
  }
  const views::Rect figure{at.x, at.y + ui.px(66), at.x + width,
                           area.origin.y + area.size.y - ui.px(8)};
  views::MemoryOverlay overlay =
      overlay_of({sides[0].side(), sides[1].side()}, ui.texts, ui.theme, ui.metrics.scale);
  overlay.curves = &curves_;
  views::draw_memory_overlay(sink, figure, overlay);
  const bool over = ImGui::IsWindowHovered() &&
                    ImGui::IsMouseHoveringRect({figure.x0, figure.y0}, {figure.x1, figure.y1});
  asked = asked || (over && ImGui::IsMouseReleased(ImGuiMouseButton_Right));
  draw_menu(ui, sides, {figure.width(), figure.height()}, asked, requests);
}

}  // namespace ts::app
