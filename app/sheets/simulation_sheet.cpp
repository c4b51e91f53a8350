#include "app/sheets/simulation_sheet.h"

#include <string>
#include <utility>

#include "app/output/time_stamp.h"
#include "app/sheets/figure_drawing.h"
#include "core/checks/simulation_checks.h"
#include "core/io/file.h"
#include "core/text/message.h"
#include "core/trace_file/trace_write.h"
#include "views/calculate/gantt_figure.h"

namespace ts::app {
namespace {

Requests::Drawing drawing_of(const views::Ui& ui, const simulate::Outcome& outcome,
                             const char* simulation, float scale) {
  const views::Metrics metrics{scale};  // not the projector's
  const views::Theme& theme = views::theme(ui.theme.kind);
  const float height = views::gantt_figure_height({theme, metrics, outcome});
  return figure_drawing("simulation-" + std::string(simulation), height, metrics,
                        [outcome, &theme, metrics](views::DrawSink& sink, const views::Rect& area,
                                                   const text::Texts&) {
                          draw_gantt_figure(sink, area, {theme, metrics, outcome});
                        });
}

base::Result<std::filesystem::path> write_timeline(const WorkspaceState& state,
                                                   const simulate::Outcome& outcome,
                                                   const char* simulation) {
  const std::filesystem::path folder = state.save_folder();
  if (folder.empty()) return text::fail("file_error.no_home");
  if (auto made = io::make_folder(folder); !made) return tl::unexpected(made.error());
  auto path = new_path(folder, "simulation-" + std::string(simulation), ".json");
  const auto written =
      trace_file::write_trace(path, simulate::trace_of(outcome), simulate::kTraceMetadata);
  if (!written) return tl::unexpected(written.error());
  return path;
}

}  // namespace

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
  views::SimulationView::Shown shown{.experiment = nullptr,
                                     .points = nullptr,
                                     .checks = nullptr,
                                     .busy = busy(),
                                     .problem = problem_};
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
  const char* const simulation = known_->experiment.simulation->id;
  const simulate::Outcome& outcome = known_->points.front().outcome;
  if (answer.picture)
    requests.drawing = drawing_of(ui, outcome, simulation, state.preferences.scale);
  if (!answer.timeline) return std::nullopt;
  const auto written = write_timeline(state, outcome, simulation);
  problem_ = written ? base::Message() : written.error();
  return written ? std::optional(*written) : std::nullopt;
}

}  // namespace ts::app
