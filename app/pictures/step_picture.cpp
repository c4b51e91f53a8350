#include "app/pictures/step_picture.h"

#include <algorithm>

#include "app/pictures/picture.h"
#include "views/calculate/stepper_picture.h"

namespace ts::app {

base::Result<void> save_step_picture(Graphics& graphics, const stepper::Exercise& exercise,
                                     stepper::Walk& walk, const StepPicture& look,
                                     const std::filesystem::path& folder, const std::string& name) {
  constexpr float kWidth = 1060;  // at scale 1
  constexpr float kMargin = 16;
  const views::Theme& theme = views::theme(look.theme);
  const views::Metrics metrics{std::max(1.0F, static_cast<float>(look.width) / kWidth)};
  const FigurePage page{.language = look.language,
                        .width = look.width,
                        .height = look.height,
                        .background = theme.bg,
                        .scale = metrics.scale,
                        .margin = metrics.px(kMargin)};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_stepper(sink, area,
                        {.theme = theme,
                         .metrics = metrics,
                         .texts = texts,
                         .walk = walk,
                         .step = look.step,
                         .fit = exercise.fit ? &*exercise.fit : nullptr});
  };
  return save_figure(graphics, page, draw, folder, name);
}

}  // namespace ts::app
