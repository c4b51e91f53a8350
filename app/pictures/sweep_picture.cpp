#include "app/pictures/sweep_picture.h"

#include <imgui.h>

#include <algorithm>

#include "app/pictures/picture.h"
#include "app/session/catalogue.h"
#include "core/io/file.h"
#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/sweep/chart_data.h"
#include "views/sweep/sweep_figure.h"

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
  std::string svg;
  std::string data;
  views::SweepAnalysisCache cache;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    const views::Fonts::Faces faces = frame.faces;
    const views::Rect area = frame.area;
    const text::Texts& texts = frame.texts;
    return [&, faces, area, &texts = texts] {
      const views::Metrics metrics{scale_of(options)};
      const views::SweepFigure figure{
          sweep,           texts,    theme,        metrics,
          options.caption, {-1, -1}, options.look, built_in_references(),
          options.only,    &cache};
      views::ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces, metrics.scale);
      views::draw_sweep_figure(sink, area, figure);
      views::SvgSink vector(sink, area.width(), area.height(), theme.bg);
      views::draw_sweep_figure(vector, area, figure);
      svg = vector.document();
      if (options.only) {
        data = io::to_csv(
            views::chart_data(*options.only, sweep,
                              *cache.of(sweep, options.look.fit, built_in_references()), texts));
      }
    };
  };
  auto drawn = render_picture(graphics, options.language, options.width, options.height, theme.bg,
                              prepare, folder / (name + ".png"));
  if (!drawn) return drawn;
  if (auto written = io::write_file(folder / (name + ".svg"), svg); !written || !options.only) {
    return written;
  }
  return io::write_file(folder / (name + ".csv"), data);
}

}  // namespace ts::app
