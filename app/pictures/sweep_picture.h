#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/pictures/graphics.h"
#include "core/sweep/sweep.h"
#include "core/text/text.h"
#include "views/common/theme.h"
#include "views/sweep/sweep_figure.h"

namespace ts::app {

// The size of a single chart, in pixels.
inline constexpr int kChartWidth = 960;
inline constexpr int kChartHeight = 600;

struct FigureOptions {
  int width = 1920;
  int height = 1080;
  views::ThemeKind theme = views::ThemeKind::light;
  text::Language language = text::Language::en;
  std::string caption;
  views::SweepStyle look;
  std::optional<views::SweepChart> only;  // this chart alone
};

// Draws the figure of a sweep, with nothing around it, into figure.png and figure.svg of the
// folder. A single chart goes into chart-NAME.png and chart-NAME.svg, its numbers into
// chart-NAME.csv.
base::Result<void> save_sweep_figure(Graphics& graphics, const sweep::Sweep& sweep,
                                     const FigureOptions& options,
                                     const std::filesystem::path& folder);

}  // namespace ts::app
