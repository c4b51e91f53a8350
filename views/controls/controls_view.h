#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/predict/predictor.h"
#include "core/run/run.h"
#include "core/spec/gpu_catalogue.h"
#include "views/common/ui.h"
#include "views/controls/spec_history.h"

namespace ts::views {

// What the list of target cards keeps.
struct TargetChoice {
  std::vector<std::string> recent;  // names of cards, the newest first
  std::array<char, 64> typed{};     // what is searched for
};

// What the controls read and change. They edit the specification only; whoever owns the history
// decides what a change starts.
struct ControlsContext {
  const Ui& ui;
  SpecHistory& history;
  const spec::GpuCatalogue& gpus;
  const run::EngineInfo* engine = nullptr;    // null: not loaded (yet)
  const run::Run* run = nullptr;              // the run on screen; null: none
  const predict::Outlook* outlook = nullptr;  // what is predicted; null: nothing yet
  TargetChoice* targets = nullptr;            // null: cards are listed without search
};

// The controls panel: everything, from top to bottom, in the current Dear ImGui window.
void draw_controls(const ControlsContext& context);

// What projector mode shows instead: B, T, backend and target in one row of the current window, and
// a button for all the others; true when that was pressed. `all_shown`: they stand below.
bool draw_controls_strip(const ControlsContext& context, bool all_shown);

// Parts of both, each `width` wide. `label_width` is at scale 1.
void draw_size_slider(const ControlsContext& context, spec::Field field, float width,
                      float label_width = 64);
void draw_backends(const ControlsContext& context, float width);
void draw_backend_select(const ControlsContext& context, float width);
void draw_target_select(const ControlsContext& context, float width);
// The settings of the target's allocator: a switch for expandable segments with what they would
// change, and the whole string.
void draw_allocator(const ControlsContext& context, float width);
// "Would need 20.3 GiB: 0.5 GiB less"; empty where segments expand already or nothing is known.
std::string expandable_words(const predict::Outlook& outlook, const text::Texts& texts);

}  // namespace ts::views
