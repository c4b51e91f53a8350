#include "views/sweep/series_style.h"

#include <array>

#include "views/common/backend_marks.h"

namespace ts::views {
namespace {

using spec::AttentionBackend;

MarkShape shape_of(AttentionBackend backend) {
  switch (backend) {
    case AttentionBackend::naive:
      return MarkShape::circle;
    case AttentionBackend::math:
      return MarkShape::square;
    case AttentionBackend::flash:
      return MarkShape::triangle_up;
    case AttentionBackend::efficient:
      return MarkShape::diamond;
    case AttentionBackend::cudnn:
      return MarkShape::triangle_down;
    case AttentionBackend::tiled:
      return MarkShape::triangle_right;
    default:
      break;
  }
  return MarkShape::ring;
}

// Whether every series is another backend, or there is one series that has attention.
bool backends_tell_them_apart(const sweep::Sweep& sweep) {
  const auto& fields = sweep.spec().series;
  if (fields.empty()) return spec::field_applies(sweep.spec().base, spec::Field::backend);
  return fields.size() == 1 && fields[0].field == spec::Field::backend;
}

// The palette of the memory categories is made to be told apart, also without colour vision.
SeriesStyle turn_style(std::size_t i, ThemeKind theme) {
  constexpr std::array<std::size_t, 6> kCategories = {0, 2, 4, 1, 3, 6};
  return {views::theme(theme).category[kCategories[i % kCategories.size()]],
          static_cast<MarkShape>(i % 6)};
}

}  // namespace

std::vector<SeriesStyle> series_styles(const sweep::Sweep& sweep, ThemeKind theme) {
  std::vector<SeriesStyle> styles;
  const bool backends = backends_tell_them_apart(sweep);
  for (std::size_t i = 0; i < sweep.series().size(); ++i) {
    const AttentionBackend backend = sweep.series()[i].base.backend;
    if (backends) {
      styles.push_back({backend_color(theme, backend), shape_of(backend)});
    } else {
      styles.push_back(turn_style(i, theme));
    }
  }
  return styles;
}

std::vector<SeriesStyle> curve_styles(const sweep::Sweep& sweep, ThemeKind theme) {
  const std::vector<SeriesStyle> series = series_styles(sweep, theme);
  const std::size_t length = sweep.spec().axes[0].values.size();
  const std::size_t curves = sweep.points().size() / length;
  const bool by_second = series.size() == 1 && curves > 1;
  std::vector<SeriesStyle> styles;
  for (std::size_t i = 0; i < curves; ++i) {
    SeriesStyle one = by_second ? turn_style(i, theme) : series[i * series.size() / curves];
    // Several series keep their colours; the mark tells the second value.
    if (!by_second && curves > series.size()) {
      one.shape = static_cast<MarkShape>(i % (curves / series.size()) % 6);
    }
    styles.push_back(one);
  }
  return styles;
}

void draw_mark(DrawSink& sink, const SeriesStyle& style, Point c, float radius) {
  const Color color = style.color;
  const Rect box{c.x - radius, c.y - radius, c.x + radius, c.y + radius};
  switch (style.shape) {
    case MarkShape::circle:
      sink.fill(box, color, radius);
      break;
    case MarkShape::square:
      sink.fill(box, color);
      break;
    case MarkShape::triangle_up:
      sink.triangle({c.x, box.y0 - radius * 0.2F}, {box.x1 + radius * 0.2F, box.y1},
                    {box.x0 - radius * 0.2F, box.y1}, color);
      break;
    case MarkShape::triangle_down:
      sink.triangle({box.x0 - radius * 0.2F, box.y0}, {box.x1 + radius * 0.2F, box.y0},
                    {c.x, box.y1 + radius * 0.2F}, color);
      break;
    case MarkShape::triangle_right:
      sink.triangle({box.x0, box.y0 - radius * 0.2F}, {box.x1 + radius * 0.2F, c.y},
                    {box.x0, box.y1 + radius * 0.2F}, color);
      break;
    case MarkShape::diamond:
      sink.triangle({c.x, box.y0 - 1}, {box.x1 + 1, c.y}, {box.x0 - 1, c.y}, color);
      sink.triangle({box.x0 - 1, c.y}, {box.x1 + 1, c.y}, {c.x, box.y1 + 1}, color);
      break;
    case MarkShape::ring:
      sink.outline(box, color, 1.5F, radius);
      break;
  }
}

void draw_cross(DrawSink& sink, Point c, float radius, Color color, float thickness) {
  sink.line({c.x - radius, c.y - radius}, {c.x + radius, c.y + radius}, color, thickness);
  sink.line({c.x - radius, c.y + radius}, {c.x + radius, c.y - radius}, color, thickness);
}

}  // namespace ts::views
