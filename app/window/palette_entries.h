#pragma once

#include <string_view>
#include <vector>

#include "app/pages/page_view.h"
#include "app/window/palette.h"
#include "app/window/window_actions.h"
#include "views/common/ui.h"

namespace ts::app {

// The entries of the palette: the setting that is typed, then every action, demo, workload,
// setting, preset, card, language and scale. The entries refer to all three arguments and to `ui`.
std::vector<PaletteEntry> palette_entries(const views::Ui& ui, std::string_view typed,
                                          const PageServices& services, WindowActions& actions,
                                          Requests& requests);

}  // namespace ts::app
