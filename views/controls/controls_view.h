#pragma once

#include <string>

#include "core/run/gpu_catalogue.h"
#include "core/run/predictor.h"
#include "core/run/run.h"
#include "views/common/ui.h"
#include "views/controls/spec_history.h"

namespace ts::views {

// What the controls read and change. They edit the specification only; whoever owns the history
// decides what a change starts.
struct ControlsContext {
  const Ui& ui;
  SpecHistory& history;
  const run::GpuCatalogue& gpus;
  const run::EngineInfo* engine = nullptr;  // null: not loaded (yet)
  const run::Run* run = nullptr;            // the run on screen; null: none
  const run::Outlook* outlook = nullptr;    // what is predicted; null: nothing yet
};

// The controls panel: everything, from top to bottom, in the current Dear ImGui window.
void draw_controls(const ControlsContext& context);

// What projector mode shows instead: B, T, backend and target in one row of the current window.
void draw_controls_strip(const ControlsContext& context);

// Parts of both, each `width` wide. `label_width` is at scale 1.
void draw_size_slider(const ControlsContext& context, run::Field field, float width,
                      float label_width = 64);
void draw_backends(const ControlsContext& context, float width);
void draw_backend_select(const ControlsContext& context, float width);
void draw_target_select(const ControlsContext& context, float width);
// The settings of the target's allocator: a switch for expandable segments with what they would
// change, and the whole string.
void draw_allocator(const ControlsContext& context, float width);
// "Would need 20.3 GiB: 0.5 GiB less"; empty where segments expand already or nothing is known.
std::string expandable_words(const run::Outlook& outlook, const text::Texts& texts);

}  // namespace ts::views
