#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel_plan/tile_plan.h"
#include "core/report/stage_table.h"
#include "views/common/ui.h"

namespace ts::views {

// Our attention in CUDA C++ on a card: the stages side by side, or our other operators; tile sizes
// with sliders, what they take of the shared memory, the map of the tiles, and all tile sizes
// ranked by a model. Keeps the numbers. UI thread.
class OwnKernelsView {
 public:
  struct Shown {
    const spec::Gpu* card = nullptr;  // null: not in the catalogue
    std::string card_name;
    std::function<void(float width)> draw_select;
    // The report of nvcc from the build; empty: built without nvcc.
    const std::vector<report::KernelResources>& resources;
  };
  struct Asked {
    bool step_through = false;  // the tiles of now in the stepper
    bool sweep_here = false;    // measure tile sizes on this machine
  };
  OwnKernelsView();
  Asked draw(const Ui& ui, const Shown& shown);

  [[nodiscard]] const calculate::Chosen& numbers() const { return numbers_; }
  [[nodiscard]] stepper::TileSizes sizes() const { return stepper::tile_sizes(numbers_); }

 private:
  [[nodiscard]] kernel_plan::Attention attention() const;
  [[nodiscard]] report::StageSizes stage_sizes() const;
  void draw_head(const Ui& ui, const Shown& shown, Asked& asked);
  void draw_stages(const Ui& ui, const Shown& shown);
  void draw_kernels(const Ui& ui, const spec::Gpu& card,
                    const std::vector<report::StageRow>& rows) const;
  void draw_map(const Ui& ui, float width);
  void draw_plan(const Ui& ui, const Shown& shown);
  void draw_sweep(const Ui& ui, const std::vector<kernel_plan::PlannedTiles>& all,
                  const kernel_plan::PlannedTiles& chosen);

  calculate::Chosen numbers_;
  int kernels_ = 0;        // 0: the stages of attention, 1: the other operators
  base::Message problem_;  // why the last typed number was not taken; empty: it was
};

}  // namespace ts::views
