#include "app/sheets/loader_sheet.h"

#include <string>
#include <utility>

#include "app/sheets/gantt_files.h"

namespace ts::app {

std::optional<std::filesystem::path> LoaderSheet::draw(const views::Ui& ui,
                                                       const WorkspaceState& state,
                                                       Requests& requests) {
  const auto known = work_ == nullptr ? nullptr : work_->latest();
  auto answer = view_.draw(
      ui, {.known = known.get(),
           .busy = busy(),
           .progress = work_ == nullptr ? loader::LabThread::Progress() : work_->progress(),
           .problem = problem_});
  if (answer.cancel) cancel();
  if (answer.ask) {
    if (work_ == nullptr) work_ = std::make_unique<loader::LabThread>(state.program);
    work_->ask(std::move(*answer.ask));
  }
  if (known == nullptr || known->answers.empty()) return std::nullopt;
  const simulate::Outcome& outcome = known->answers.front().point.outcome;
  const std::string name = "loader-" + std::string(known->request.question.simulation->id);
  if (answer.picture) requests.drawing = gantt_drawing(ui, outcome, name, state.preferences.scale);
  if (!answer.timeline) return std::nullopt;
  const auto written =
      write_timeline(state, simulate::trace_of(outcome, ""), name, loader::kLoadedMetadata);
  problem_ = written ? base::Message() : written.error();
  return written ? std::optional(*written) : std::nullopt;
}

}  // namespace ts::app
