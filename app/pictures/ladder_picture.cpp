#include "app/pictures/ladder_picture.h"

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "views/advice/ladder_figure.h"

namespace ts::app {

base::Result<void> save_ladder_figure(Graphics& graphics, const std::vector<advice::Rung>& rungs,
                                      const predict::PredictionTarget& target,
                                      text::Language language,
                                      const std::filesystem::path& folder) {
  constexpr float kScale = 2;
  constexpr float kWidth = 860;
  constexpr float kEdge = 16 * kScale;
  const views::Theme& theme = views::theme(views::ThemeKind::light);
  const auto figure_of = [&](const text::Texts& texts) {
    return views::LadderFigure{
        .theme = theme, .metrics = {kScale}, .texts = texts, .rungs = rungs, .target = target};
  };
  const text::Texts words = built_in_texts();
  const FigurePage page{
      .language = language,
      .width = static_cast<int>(kWidth * kScale),
      .height = static_cast<int>(views::ladder_figure_height(figure_of(words)) + 2 * kEdge),
      .background = theme.bg,
      .scale = kScale,
      .margin = kEdge};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_ladder_figure(sink, area, figure_of(texts));
  };
  return save_figure(graphics, page, draw, folder, "ladder");
}

}  // namespace ts::app
