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
  constexpr float kScale = 2;
  constexpr float kWidth = 640;
  constexpr float kMargin = 16;
  constexpr float kPlotHeight = 360;
  const views::Theme& theme = views::theme(views::ThemeKind::light);
  const auto figure_of = [&](const text::Texts& texts) {
    views::ResultCurveFigure figure{.theme = theme,
                                    .metrics = {kScale},
                                    .texts = texts,
                                    .curves = curves,
                                    .axes = axes,
                                    .x_name = x_name};
    figure.plot_height = kPlotHeight;
    return figure;
  };
  constexpr float kEdge = kMargin * kScale;
  const text::Texts words = built_in_texts();
  const FigurePage page{
      .language = text::Language::en,
      .width = static_cast<int>(kWidth * kScale),
      .height = static_cast<int>(views::result_curve_chart_height(figure_of(words)) + 2 * kEdge),
      .background = theme.bg,
      .scale = kScale,
      .margin = kEdge};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_result_curve_chart(sink, area, figure_of(texts));
  };
  return save_figure(graphics, page, draw, folder, name);
}

}  // namespace ts::app
