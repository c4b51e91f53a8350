#include "app/pictures/ladder_picture.h"

#include "app/pictures/picture.h"
#include "app/session/languages.h"
#include "views/advice/ladder_figure.h"

namespace ts::app {

base::Result<void> save_ladder_figure(Graphics& graphics, const std::vector<advice::Rung>& rungs,
                                      const predict::PredictionTarget& target,
                                      text::Language language,
                                      const std::filesystem::path& folder) {
  constexpr float kWidth = 860;
  const auto figure_of = [&](const text::Texts& texts) {
    return views::LadderFigure{.theme = views::theme(views::ThemeKind::light),
                               .metrics = {kLightScale},
                               .texts = texts,
                               .rungs = rungs,
                               .target = target};
  };
  const float height = views::ladder_figure_height(figure_of(built_in_texts()));
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_ladder_figure(sink, area, figure_of(texts));
  };
  return save_figure(graphics, light_page(language, kWidth, height), draw, folder, "ladder");
}

}  // namespace ts::app
