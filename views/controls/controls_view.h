#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/predict/predictor.h"
#include "core/run/run.h"
#include "core/spec/gpu_catalogue.h"
#include "views/common/ui.h"
#include "views/controls/spec_history.h"

namespace ts::views {

// State of the list of target cards.
struct TargetChoice {
  std::vector<std::string> recent;  // names of cards, the newest first
  std::string typed;                // search text
  std::string before;               // the same in the frame before
  // The row that Enter chooses, which the arrow keys move; the first one once something is typed.
  std::optional<std::size_t> marked;
};

// Input and output of the controls. They edit only the specification. The owner of the history
// decides what a change starts.
struct ControlsContext {
  const Ui& ui;
  SpecHistory& history;
  const spec::GpuCatalogue& gpus;
  const run::EngineInfo* engine = nullptr;    // null: not loaded (yet)
  const run::Run* run = nullptr;              // the run on screen; null: none
  const predict::Outlook* outlook = nullptr;  // the prediction; null: none yet
  TargetChoice* targets = nullptr;            // null: cards are listed without search
};

// Draws the full controls panel in the current Dear ImGui window.
void draw_controls(const ControlsContext& context);

// The controls of projector mode in one row of the current window: two sizes, backend and target,
// of these what matters for the workload, and a button for all others. True when that button was
// pressed. `all_shown`: the others are below.
bool draw_controls_strip(const ControlsContext& context, bool all_shown);

// Parts of both, each `width` wide. `label_width` is at scale 1.
void draw_size_slider(const ControlsContext& context, spec::Field field, float width,
                      float label_width = 64);
void draw_backends(const ControlsContext& context, float width);
void draw_backend_select(const ControlsContext& context, float width);
void draw_target_select(const ControlsContext& context, float width);
// The settings of the target's allocator: a switch for expandable segments with their effect, and
// the full string.
void draw_allocator(const ControlsContext& context, float width);
// "Would need 20.3 GiB: 0.5 GiB less". Empty if segments expand already or nothing is known.
std::string expandable_text(const predict::Outlook& outlook, const text::Texts& texts);

}  // namespace ts::views
