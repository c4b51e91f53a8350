#include "views/calculate/simulation_view.h"

#include <imgui.h>

#include <algorithm>

#include "core/text/numbers.h"
#include "views/calculate/chosen_inputs.h"
#include "views/charts/icons.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// Widths at scale 1.
constexpr float kInputsWidth = 440;

std::string title_of(const Ui& ui, const simulate::Simulation& simulation) {
  return ui.texts("simulate.title." + std::string(simulation.id));
}

void draw_checks(const Ui& ui, const SimulationView::Shown& shown) {
  for (std::size_t i = 0; i < shown.checks->size(); ++i) {
    const auto& at = (*shown.points)[i].at;
    for (const report::CheckResult& one : (*shown.checks)[i]) {
      const bool passed = one.state == report::CheckState::passed;
      const Color color = passed                                    ? ui.theme.ok
                          : one.state == report::CheckState::failed ? ui.theme.bad
                                                                    : ui.theme.warn;
      std::string words = at ? shown.experiment->over + " = " + text::grouped(*at) + ": " : "";
      words.append(one.id).append(" ").append(message_text(ui.texts, one.found));
      wrapped_text(ui, TextStyle::body, color, words, ui.px(12));
      if (!passed) tooltip(ui, message_text(ui.texts, one.why));
    }
  }
}

void draw_results(const Ui& ui, const SimulationView::Shown& shown) {
  const std::string id = shown.experiment->simulation->id;
  wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("simulate.about." + id), ui.px(12));
  ImGui::Dummy({0, ui.px(4)});
  draw_figures(ui, "###simulation_figures", table_of(*shown.experiment, *shown.points, ui.texts));
  if (shown.busy) text(ui, TextStyle::body, ui.theme.text2, ui.texts("simulate.running"));
  draw_checks(ui, shown);
  ImGui::Dummy({0, ui.px(8)});
  draw_outcome_timeline(ui, shown.points->front().outcome);
}

}  // namespace

SimulationView::SimulationView() {
  for (const simulate::Simulation& simulation : simulate::simulations())
    numbers_.emplace_back(simulation.id, simulation.inputs);
}

const simulate::Simulation& SimulationView::simulation() const {
  return simulate::simulations()[shown_];
}

std::optional<simulate::Experiment> SimulationView::experiment() {
  auto made = simulate::experiment_of(simulation().id, {}, over_.words());
  if (!made) {
    problem_ = made.error();
    return std::nullopt;
  }
  made->chosen = numbers_[shown_];
  return std::move(*made);
}

void SimulationView::draw_head(const Ui& ui, const Shown& shown, Answer& answer) {
  const auto all = simulate::simulations();
  const float width = std::min(ui.px(380), ImGui::GetContentRegionAvail().x * 0.4F);
  select(ui, "###simulation", title_of(ui, simulation()), "", width, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id = "###simulation_" + std::string(all[i].id);
      if (!list_row(ui, id.c_str(), title_of(ui, all[i]), "", i == shown_)) continue;
      shown_ = i;
      over_.name.clear();
      problem_ = {};
      asked_ = false;
      return true;
    }
    return false;
  });
  ImGui::BeginDisabled(shown.experiment == nullptr);
  ImGui::SameLine(0, ui.px(8));
  if (icon_button(ui, "###simulation_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) {
    const io::TextTable table = table_of(*shown.experiment, *shown.points, ui.texts);
    const std::string title = title_of(ui, *shown.experiment->simulation);
    ImGui::SetClipboardText((title + "\n\n" + io::to_markdown(table)).c_str());
  }
  ImGui::SameLine(0, ui.px(8));
  answer.picture = icon_button(ui, "###simulation_picture", icon::kPicture, "stepper.picture",
                               ButtonKind::quiet);
  ImGui::SameLine(0, ui.px(8));
  answer.timeline = icon_button(ui, "###simulation_timeline", icon::kTimeline, "simulate.timeline",
                                ButtonKind::quiet);
  tooltip(ui, ui.texts("simulate.timeline_about"));
  ImGui::EndDisabled();
  ImGui::Dummy({0, ui.px(6)});
}

SimulationView::Answer SimulationView::draw(const Ui& ui, const Shown& shown) {
  Answer answer;
  draw_head(ui, shown, answer);
  const float inputs = std::min(ui.px(kInputsWidth), ImGui::GetContentRegionAvail().x * 0.42F);
  bool changed = !asked_;
  if (ImGui::BeginChild("###simulation_inputs", {inputs, 0}, ImGuiChildFlags_NavFlattened)) {
    changed = over_.draw(ui, simulation().inputs) || changed;
    changed = draw_chosen_inputs(ui, numbers_[shown_], problem_) || changed;
  }
  ImGui::EndChild();
  if (changed) {
    answer.ask = experiment();
    if (answer.ask) problem_ = {};
    asked_ = true;
  }
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###simulation_results", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    for (const base::Message& problem : {problem_, shown.problem}) {
      if (problem.empty()) continue;
      wrapped_text(ui, TextStyle::body, ui.theme.bad, message_text(ui.texts, problem), ui.px(12));
    }
    // The figures of another simulation are not shown for this one.
    const bool of_this = shown.experiment != nullptr &&
                         shown.experiment->simulation == &simulation() && !shown.points->empty();
    if (of_this) draw_results(ui, shown);
  }
  ImGui::EndChild();
  return answer;
}

}  // namespace ts::views
