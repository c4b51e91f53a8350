#include "app/pictures/sweep_picture.h"

#include <algorithm>

#include "app/pictures/picture.h"
#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "core/io/file.h"
#include "views/sweep/chart_data.h"

namespace ts::app {
namespace {

// The design is made for 1920 pixels; larger pictures are scaled up.
float scale_of(const FigureOptions& options) {
  constexpr float kDesignWidth = 1920;
  return std::max(1.0F, static_cast<float>(options.width) / kDesignWidth);
}

}  // namespace

base::Result<void> save_sweep_figure(Graphics& graphics, const sweep::Sweep& sweep,
                                     const FigureOptions& options,
                                     const std::filesystem::path& folder) {
  const views::Theme& theme = views::theme(options.theme);
  const std::string name =
      options.only ? std::string("chart-") + views::to_string(*options.only) : "figure";
  views::SweepAnalysisCache cache;
  const FigurePage page{.language = options.language,
                        .width = options.width,
                        .height = options.height,
                        .background = theme.bg,
                        .scale = scale_of(options)};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    const views::SweepFigure figure{.sweep = sweep,
                                    .texts = texts,
                                    .theme = theme,
                                    .metrics = views::Metrics{page.scale},
                                    .caption = options.caption,
                                    .look = options.look,
                                    .references = built_in_references(),
                                    .only = options.only,
                                    .cache = &cache};
    views::draw_sweep_figure(sink, area, figure);
  };
  auto drawn = save_figure(graphics, page, draw, folder, name);
  if (!drawn || !options.only) return drawn;
  const text::Texts texts = built_in_texts(options.language);
  const auto analysis = cache.of(sweep, options.look.fit, built_in_references());
  return io::write_file(folder / (name + ".csv"),
                        io::to_csv(views::chart_data(*options.only, sweep, *analysis, texts)));
}

}  // namespace ts::app
