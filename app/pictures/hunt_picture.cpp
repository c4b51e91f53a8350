#include "app/pictures/hunt_picture.h"

#include <imgui.h>

#include <algorithm>

#include "app/pictures/picture.h"
#include "app/session/hunt_session.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/hunt/hunt_figure.h"

namespace ts::app {

base::Result<void> save_hunt_picture(Graphics& graphics, const predict::HuntMap& map,
                                     const predict::HuntMap* other,
                                     const predict::PredictionTarget& target,
                                     const HuntPicture& picture,
                                     const std::filesystem::path& path) {
  const views::Theme& theme = views::theme(picture.theme);
  // The design is made for 1600 pixels; larger pictures are scaled up.
  const views::Metrics metrics{std::max(1.0F, static_cast<float>(picture.width) / 1600)};
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    const views::Fonts::Faces faces = frame.faces;
    const views::Rect area = frame.area;
    return [&, faces, area, &texts = frame.texts] {
      views::ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces, metrics.scale);
      const float left = area.x0 + metrics.px(16);
      const float top = area.y0 + metrics.px(12);
      views::text_in(sink, {left, top, area.x1 - metrics.px(16), top + metrics.px(22)},
                     views::TextStyle::body_medium, theme.text2,
                     picture.title.empty() ? hunt_caption(map, target) + " " + hunt_settings(map)
                                           : picture.title);
      const views::HuntFigure figure{.map = map,
                                     .memory = target.memory,
                                     .texts = texts,
                                     .theme = theme,
                                     .metrics = metrics,
                                     .other = other,
                                     .other_name = picture.other};
      views::draw_hunt_figure(
          sink, {area.x0, top + metrics.px(24), area.x1, area.y1 - metrics.px(8)}, figure);
    };
  };
  return render_picture(graphics, picture.language, picture.width, picture.height, theme.bg,
                        prepare, path);
}

}  // namespace ts::app
