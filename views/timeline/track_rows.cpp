#include "views/timeline/track_rows.h"

#include <algorithm>
#include <cmath>

#include "core/trace/track_order.h"

namespace ts::views {
namespace {

constexpr float kRow = 21;
constexpr float kBox = 20;
constexpr float kRowPadding = 5;
constexpr float kStrip = 42;

}  // namespace

const TrackBand* TrackRows::band_at(float y) const {
  const auto after = std::ranges::upper_bound(bands, y, {}, &TrackBand::y);
  if (after == bands.begin()) return nullptr;
  const TrackBand& band = *std::prev(after);
  return y < band.y + band.height ? &band : nullptr;
}

const TrackRow* TrackRows::row_of(trace::TrackId track, std::uint16_t depth) const {
  for (const TrackRow& row : rows)
    if (row.track == track && row.depth == depth) return &row;
  return nullptr;
}

TrackRows lay_out_tracks(const trace::TraceStore& store, const std::set<trace::TrackId>& collapsed,
                         Metrics metrics, std::size_t counters) {
  const auto tracks = store.tracks();
  TrackRows out;
  const float pitch = std::round(metrics.px(kRow));
  const float box = std::round(metrics.px(kBox));
  const float padding = std::round(metrics.px(kRowPadding));
  float y = 0;
  for (const trace::TrackId id : trace::tracks_in_order(store)) {
    TrackBand band;
    band.track = id;
    band.y = y;
    band.depths = store.depth_count(id);
    band.collapsed = band.depths > 1 && collapsed.contains(id);
    float row_y = y + padding;
    for (std::uint16_t depth = 0; depth < band.depths; ++depth) {
      out.rows.push_back({id, depth, row_y, box});
      if (!band.collapsed || depth + 1 == band.depths) row_y += pitch;
    }
    if (tracks[id].kind == trace::TrackKind::gpu_idle) band.strip = std::round(metrics.px(kStrip));
    band.height = row_y + padding + band.strip - y;
    y += band.height;
    out.bands.push_back(band);
  }
  const float strip = std::round(metrics.px(kStrip));
  for (std::size_t i = 0; i < counters; ++i, y += strip) out.counters.push_back({i, y, strip});
  out.height = y;
  return out;
}

}  // namespace ts::views
