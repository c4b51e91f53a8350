#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/pages/requests.h"
#include "app/pages/workspace_state.h"
#include "core/simulate/simulator.h"
#include "views/calculate/simulation_view.h"

namespace ts::app {

// The sheet of the simulations. Main thread; they run on a thread of their own, which starts with
// the first one.
class SimulationSheet {
 public:
  // Returns a trace that was written and is to be opened.
  std::optional<std::filesystem::path> draw(const views::Ui& ui, const WorkspaceState& state,
                                            Requests& requests);
  // More figures will arrive.
  [[nodiscard]] bool busy() const { return simulator_ != nullptr && simulator_->busy(); }

 private:
  void take_newest();

  std::unique_ptr<simulate::Simulator> simulator_;
  std::shared_ptr<const simulate::Simulated> known_;
  std::vector<std::vector<report::CheckResult>> checks_;  // of each point of known_
  views::SimulationView view_;
  base::Message problem_;  // why the last trace was not written; empty: it was
};

}  // namespace ts::app
