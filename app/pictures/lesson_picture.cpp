#include "app/pictures/lesson_picture.h"

#include <imgui.h>

#include <string>

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "core/io/file.h"
#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/lessons/lesson_figure.h"

namespace ts::app {

base::Result<void> save_lesson_figure(Graphics& graphics, const lessons::Lesson& lesson,
                                      lessons::Tier tier, const lessons::Findings& findings,
                                      const std::optional<lessons::Guess>& guess,
                                      text::Language language,
                                      const std::filesystem::path& folder) {
  constexpr float kScale = 2;
  constexpr float kWidth = 720;
  constexpr float kMargin = 16;
  const views::Theme& theme = views::theme(views::ThemeKind::light);
  const auto figure_of = [&](const text::Texts& texts) {
    return views::LessonFigure{theme, {kScale}, texts, lesson, tier, findings, guess};
  };
  std::string svg;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    const views::Fonts::Faces faces = frame.faces;
    const views::Rect area = frame.area;
    const text::Texts& texts = frame.texts;
    return [&, faces, area, &texts = texts] {
      constexpr float kEdge = kMargin * kScale;
      const views::Rect inside{area.x0 + kEdge, area.y0 + kEdge, area.x1 - kEdge, area.y1 - kEdge};
      views::ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces, kScale);
      views::draw_lesson_figure(sink, inside, figure_of(texts));
      views::SvgSink vector(sink, area.width(), area.height(), theme.bg);
      views::draw_lesson_figure(vector, inside, figure_of(texts));
      svg = vector.document();
    };
  };
  const text::Texts words = built_in_texts();
  const float height = views::lesson_figure_height(figure_of(words));
  if (height <= 0) return {};
  auto drawn = render_picture(graphics, language, static_cast<int>(kWidth * kScale),
                              static_cast<int>(height + 2 * kMargin * kScale), theme.bg, prepare,
                              folder / "figure-numbers.png");
  if (!drawn) return drawn;
  return io::write_file(folder / "figure-numbers.svg", svg);
}

}  // namespace ts::app
