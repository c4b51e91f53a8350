#include "app/sheets/simulation_sheet.h"

#include <string>
#include <utility>

#include "app/sheets/gantt_files.h"
#include "core/checks/simulation_checks.h"

namespace ts::app {
void SimulationSheet::take_newest() {
  if (simulator_ == nullptr) return;
  auto newest = simulator_->latest();
  if (newest == known_) return;
  known_ = std::move(newest);
  checks_.clear();
  for (std::size_t i = 0; i < known_->points.size(); ++i) {
    checks_.push_back(checks::of_simulation(*known_->experiment.simulation,
                                            chosen_at(known_->experiment, i),
                                            known_->points[i].outcome));
  }
}

std::optional<std::filesystem::path> SimulationSheet::draw(const views::Ui& ui,
                                                           const WorkspaceState& state,
                                                           Requests& requests) {
  take_newest();
  views::SimulationView::Shown shown{.busy = busy(), .problem = problem_};
  if (known_ != nullptr) {
    shown.experiment = &known_->experiment;
    shown.points = &known_->points;
    shown.checks = &checks_;
  }
  auto answer = view_.draw(ui, shown);
  if (answer.ask) {
    if (simulator_ == nullptr) simulator_ = std::make_unique<simulate::Simulator>();
    simulator_->ask(std::move(*answer.ask));
  }
  if (known_ == nullptr) return std::nullopt;
  const std::string simulation = known_->experiment.simulation->id;
  const simulate::Outcome& outcome = known_->points.front().outcome;
  if (answer.picture)
    requests.drawing =
        gantt_drawing(ui, outcome, "simulation-" + simulation, state.preferences.scale);
  if (!answer.timeline) return std::nullopt;
  const auto written = write_timeline(state, simulate::trace_of(outcome),
                                      "simulation-" + simulation, simulate::kTraceMetadata);
  problem_ = written ? base::Message() : written.error();
  return written ? std::optional(*written) : std::nullopt;
}

}  // namespace ts::app
