#include "views/sweep/series_style.h"

#include <array>

#include "views/common/backend_marks.h"

namespace ts::views {
namespace {

using spec::AttentionBackend;

// True if every series is another backend, or there is one series that has attention.
bool backends_tell_them_apart(const sweep::Sweep& sweep) {
  const auto& fields = sweep.spec().series;
  if (fields.empty()) return spec::field_applies(sweep.spec().base, spec::Field::backend);
  return fields.size() == 1 && fields[0].field == spec::Field::backend;
}

// The colours of the memory categories are easy to distinguish, also without colour vision.
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
      styles.push_back({backend_color(theme, backend), backend_shape(backend)});
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
    // Several series keep their colours; the mark shows the second value.
    if (!by_second && curves > series.size()) {
      one.shape = static_cast<MarkShape>(i % (curves / series.size()) % 6);
    }
    styles.push_back(one);
  }
  return styles;
}

}  // namespace ts::views
