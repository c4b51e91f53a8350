#pragma once

#include <filesystem>
#include <string>

#include "app/pages/requests.h"
#include "app/pages/workspace_state.h"
#include "core/base/result.h"
#include "core/simulate/simulation.h"
#include "views/common/ui.h"

namespace ts::app {

// The lanes of a simulation or a load as a picture in the colours of the window; `name` is that of
// its file. `scale` is not the projector's.
Requests::Drawing gantt_drawing(const views::Ui& ui, const simulate::Outcome& outcome,
                                const std::string& name, float scale);

// Writes a trace where things are saved. Returns its file.
base::Result<std::filesystem::path> write_timeline(const WorkspaceState& state,
                                                   const trace_file::TraceFile& trace,
                                                   const std::string& name, const char* metadata);

}  // namespace ts::app
