#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/kernel_plan/stage_bench.h"
#include "core/kernel_plan/tile_plan.h"
#include "core/report/stage_table.h"
#include "views/common/ui.h"

namespace ts::views {

// Our attention in CUDA C++ on a card: the stages side by side, or our other operators, or the
// stages for this processor as they were measured; tile sizes with sliders, what they take of the
// shared memory, the map of the tiles, and all tile sizes ranked by a model. Keeps the numbers. UI
// thread.
class OwnKernelsView {
 public:
  struct Shown {
    const spec::Gpu* card = nullptr;  // null: not in the catalogue
    std::string card_name;
    std::function<void(float width)> draw_select;
    // The report of nvcc from the build; empty: built without nvcc.
    const std::vector<report::KernelResources>& resources;
    bool has_gpu = false;                               // a GPU that the engine can use
    const kernel_plan::StageBench* measured = nullptr;  // on this processor; null: never
    bool measuring = false;                             // it goes on
    base::Message why_not = {};  // nothing can be measured now; empty: it can
  };
  struct Asked {
    bool step_through = false;  // show the current tiles in the stepper
    bool sweep_here = false;    // measure tile sizes on this machine
    bool measure = false;       // the stages on this processor, with stage_settings()
    bool cancel = false;        // that measurement
  };
  OwnKernelsView();
  Asked draw(const Ui& ui, const Shown& shown);

  [[nodiscard]] const calculate::Chosen& numbers() const { return numbers_; }
  [[nodiscard]] stepper::TileSizes sizes() const { return stepper::tile_sizes(numbers_); }
  // KEY=VALUE, for a measurement on this processor that ends within a minute or so: those of the
  // sliders, but of 4 heads of 512 at most.
  [[nodiscard]] std::vector<std::string> stage_settings() const;
  enum Part : int { stages, operators, processor };
  void choose(Part part) { part_ = part; }

 private:
  [[nodiscard]] kernel_plan::Attention attention() const;
  [[nodiscard]] report::StageSizes stage_sizes() const;
  void draw_head(const Ui& ui, const Shown& shown, Asked& asked);
  void draw_stages(const Ui& ui, const Shown& shown, Asked& asked);
  void draw_kernels(const Ui& ui, const Shown& shown,
                    const std::vector<report::StageRow>& rows) const;
  void draw_processor(const Ui& ui, const Shown& shown, Asked& asked) const;
  void draw_map(const Ui& ui, float width);
  void draw_plan(const Ui& ui, const Shown& shown, bool with_sweep);
  void draw_sweep(const Ui& ui, const std::vector<kernel_plan::PlannedTiles>& all,
                  const kernel_plan::PlannedTiles& chosen, float height);

  calculate::Chosen numbers_;
  int part_ = stages;      // a Part
  base::Message problem_;  // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
