#include "app/pictures/lesson_picture.h"

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "views/lessons/lesson_curve.h"
#include "views/lessons/lesson_figure.h"

namespace ts::app {

base::Result<void> save_lesson_figure(Graphics& graphics, const lessons::Lesson& lesson,
                                      lessons::Tier tier, const lessons::Findings& findings,
                                      const std::optional<lessons::Guess>& guess,
                                      text::Language language,
                                      const std::filesystem::path& folder) {
  constexpr float kWidth = 720;
  const views::Theme& theme = views::theme(views::ThemeKind::light);
  const auto figure_of = [&](const text::Texts& texts) {
    return views::LessonFigure{.theme = theme,
                               .metrics = {kLightScale},
                               .texts = texts,
                               .lesson = lesson,
                               .tier = tier,
                               .findings = findings,
                               .guess = guess};
  };
  if (guess && !guess->points.empty()) {
    const auto draw_curve = [&](views::DrawSink& sink, const views::Rect& area,
                                const text::Texts& texts) {
      views::draw_lesson_curve(sink, area,
                               {.theme = theme,
                                .metrics = {kLightScale},
                                .texts = texts,
                                .lesson = lesson,
                                .tier = tier,
                                .guess = guess->points,
                                .found = &findings.curve});
    };
    const FigurePage page = light_page(language, kWidth, views::lesson_curve_height({kLightScale}));
    if (auto saved = save_figure(graphics, page, draw_curve, folder, "figure-curve"); !saved)
      return saved;
  }
  const float height = views::lesson_figure_height(figure_of(built_in_texts()));
  if (height <= 0) return {};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_lesson_figure(sink, area, figure_of(texts));
  };
  return save_figure(graphics, light_page(language, kWidth, height), draw, folder,
                     "figure-numbers");
}

}  // namespace ts::app
