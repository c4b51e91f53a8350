#include "app/pictures/course_picture.h"

#include <imgui.h>

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "core/io/file.h"
#include "core/spec/workload_traits.h"
#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/inspector/course_chart.h"

namespace ts::app {

base::Result<void> save_course_figure(Graphics& graphics, const run::Run& run,
                                      const std::filesystem::path& folder) {
  constexpr float kScale = 2;
  constexpr float kWidth = 640;
  constexpr float kMargin = 16;
  constexpr float kPlotHeight = 360;
  const views::Theme& theme = views::theme(views::ThemeKind::light);
  const auto figure_of = [&](const text::Texts& texts) {
    views::CourseFigure figure{
        theme, {kScale}, texts, run.facts.courses, spec::traits_of(run.spec.workload).courses};
    figure.plot_height = kPlotHeight;
    return figure;
  };
  std::string svg;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    const views::Fonts::Faces faces = frame.faces;
    const views::Rect area = frame.area;
    const text::Texts& texts = frame.texts;
    return [&, faces, area, &texts = texts] {
      const views::CourseFigure figure = figure_of(texts);
      const float margin = figure.metrics.px(kMargin);
      const views::Rect inside{area.x0 + margin, area.y0 + margin, area.x1 - margin,
                               area.y1 - margin};
      views::ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces, kScale);
      views::draw_course_chart(sink, inside, figure);
      views::SvgSink vector(sink, area.width(), area.height(), theme.bg);
      views::draw_course_chart(vector, inside, figure);
      svg = vector.document();
    };
  };
  const text::Texts words = built_in_texts();
  const float height = views::course_chart_height(figure_of(words)) + 2 * kMargin * kScale;
  auto drawn = render_picture(graphics, text::Language::en, static_cast<int>(kWidth * kScale),
                              static_cast<int>(height), theme.bg, prepare, folder / "course.png");
  if (!drawn) return drawn;
  return io::write_file(folder / "course.svg", svg);
}

}  // namespace ts::app
