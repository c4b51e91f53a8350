#pragma once

#include "app/pages/requests.h"
#include "app/pages/workspace_state.h"
#include "core/run/run.h"
#include "views/common/ui.h"

namespace ts::app {

// Bars below the top bar that ask for a decision.

// Offers a restart while the run on screen left a GPU that answers nothing any more. `run` may be
// null.
void draw_restart_bar(const views::Ui& ui, const run::Run* run, Requests& requests);

// Reminds of a memory limit of the last session, until it is kept, removed or changed.
void draw_limit_bar(const views::Ui& ui, WorkspaceState& state);

}  // namespace ts::app
