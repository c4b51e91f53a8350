#include "views/common/backend_marks.h"

namespace ts::views {

Color backend_color(ThemeKind theme, spec::AttentionBackend backend) {
  const bool dark = theme == ThemeKind::dark;
  switch (backend) {
    case spec::AttentionBackend::naive:
      return dark ? rgb(0xA4ACB8) : rgb(0x6A717C);
    case spec::AttentionBackend::math:
      return dark ? rgb(0xE69F00) : rgb(0xC77F00);
    case spec::AttentionBackend::flash:
      return dark ? rgb(0x56B4E9) : rgb(0x1F86C4);
    case spec::AttentionBackend::efficient:
      return dark ? rgb(0x2FB58C) : rgb(0x009E73);
    case spec::AttentionBackend::cudnn:
      return dark ? rgb(0xD98BB5) : rgb(0xB0558A);
    case spec::AttentionBackend::tiled:
      return dark ? rgb(0xF0E442) : rgb(0x8C8200);
    case spec::AttentionBackend::automatic:
      return dark ? rgb(0xE9ECF1) : rgb(0x2C333D);
  }
  return rgb(0x808080);
}

void draw_backend_mark(DrawSink& sink, spec::AttentionBackend backend, Point centre, float radius,
                       Color color) {
  const Rect box{centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius};
  switch (backend) {
    case spec::AttentionBackend::naive:
      sink.fill(box, color, radius);
      break;
    case spec::AttentionBackend::math:
      sink.fill(box, color, 1);
      break;
    case spec::AttentionBackend::flash:
      sink.triangle({centre.x, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}, color);
      break;
    case spec::AttentionBackend::efficient:
      sink.triangle({centre.x, box.y0}, {box.x1, centre.y}, {box.x0, centre.y}, color);
      sink.triangle({box.x0, centre.y}, {box.x1, centre.y}, {centre.x, box.y1}, color);
      break;
    case spec::AttentionBackend::cudnn:
      sink.triangle({box.x0, box.y0}, {box.x1, box.y0}, {centre.x, box.y1}, color);
      break;
    case spec::AttentionBackend::tiled:
      sink.triangle({box.x0, box.y0}, {box.x1, centre.y}, {box.x0, box.y1}, color);
      break;
    case spec::AttentionBackend::automatic:
      sink.outline(box, color, 1.5F, radius);
      break;
  }
}

}  // namespace ts::views
