#include "app/sheets/figure_drawing.h"

#include <utility>

namespace ts::app {
namespace {

// At scale 1.
constexpr float kWidth = 1100;
constexpr float kEdge = 16;

}  // namespace

Requests::Drawing figure_drawing(std::string name, float height, views::Metrics metrics,
                                 decltype(Requests::Drawing::draw) draw) {
  const float edge = metrics.px(kEdge);
  return {.name = std::move(name),
          .width = static_cast<int>(metrics.px(kWidth)),
          .height = static_cast<int>(height + 2 * edge),
          .draw = [draw = std::move(draw), edge](views::DrawSink& sink, const views::Rect& area,
                                                 const text::Texts& texts) {
            draw(sink, {area.x0 + edge, area.y0 + edge, area.x1 - edge, area.y1 - edge}, texts);
          }};
}

}  // namespace ts::app
