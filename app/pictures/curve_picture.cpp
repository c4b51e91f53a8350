#include "app/pictures/curve_picture.h"

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "views/inspector/result_curve_chart.h"

namespace ts::app {

base::Result<void> save_curve_figure(Graphics& graphics, const run::Run& run,
                                     const std::filesystem::path& folder) {
  return save_curve_figure(graphics, run.facts.curves, spec::traits_of(run.spec.workload).curves,
                           folder, "curves");
}

base::Result<void> save_curve_figure(Graphics& graphics,
                                     const std::vector<run::ResultCurve>& curves,
                                     const spec::CurveAxes& axes,
                                     const std::filesystem::path& folder, const char* name,
                                     const std::string& x_name) {
  constexpr float kWidth = 640;
  constexpr float kPlotHeight = 360;
  const auto figure_of = [&](const text::Texts& texts) {
    views::ResultCurveFigure figure{.theme = views::theme(views::ThemeKind::light),
                                    .metrics = {kLightScale},
                                    .texts = texts,
                                    .curves = curves,
                                    .axes = axes,
                                    .x_name = x_name};
    figure.plot_height = kPlotHeight;
    return figure;
  };
  const float height = views::result_curve_chart_height(figure_of(built_in_texts()));
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_result_curve_chart(sink, area, figure_of(texts));
  };
  return save_figure(graphics, light_page(text::Language::en, kWidth, height), draw, folder, name);
}

}  // namespace ts::app
