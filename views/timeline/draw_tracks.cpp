#include "views/timeline/draw_tracks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/common/wrapping.h"

namespace ts::views {
namespace {

constexpr float kDimmed = 0.22F;

void draw_label(const TimelineDrawContext& drawing, const SliceBox& box, Color color) {
  const float padding = std::round(drawing.metrics.px(5));
  const Rect inside{box.rect.x0 + padding, box.rect.y0, box.rect.x1 - drawing.metrics.px(2),
                    box.rect.y1};
  // Too narrow for even a short label.
  if (inside.width() < drawing.metrics.px(8)) return;
  const trace::SliceClass slice_class = box.slice.slice_class;
  const std::string label =
      slice_label(drawing.strings.view(box.slice.name), slice_class, drawing.texts);
  const float width = drawing.sink.text_width(TextStyle::small, label);
  const std::string_view shorter =
      width <= inside.width() ? std::string_view{} : short_label(label, slice_class);
  text_in(drawing.sink, inside, TextStyle::small, color,
          shorter.empty() ? std::string_view(label) : shorter);
  // Steps and phases also show their duration if the full text fits.
  if (slice_class >= trace::SliceClass::module || width > inside.width()) return;
  const std::int64_t length = box.slice.end_ns - box.slice.begin_ns;
  const std::string duration = text::duration_ns(static_cast<double>(length)).joined();
  const Rect rest{inside.x0 + width + drawing.metrics.px(10), inside.y0, inside.x1, inside.y1};
  if (drawing.sink.text_width(TextStyle::small, duration) <= rest.width())
    text_in(drawing.sink, rest, TextStyle::small, color, duration);
}

// By trace::TrackKind.
constexpr std::array kKindKeys = {
    "timeline.track.phases",   "timeline.track.cpu_thread", "timeline.track.autograd_thread",
    "timeline.track.cuda_api", "timeline.track.gpu_stream", "timeline.track.gpu_idle",
    "timeline.track.gpu_mark", "timeline.track.python",     "timeline.track.wait",
    "timeline.track.overhead", "timeline.track.other"};

// Threads are named by their role, in the current language. Other tracks have their recorded name,
// of ranks in short: "r0 GPU 0 stream 7" of "rank 0: GPU 0 stream 7".
std::string track_name(const text::Texts& texts, const trace::Track& track) {
  constexpr std::string_view kAutograd = "autograd ";
  const std::string_view name = track.name;
  if (track.kind == trace::TrackKind::cpu_thread && name == "worker")
    return texts("timeline.track.worker");
  if (track.kind == trace::TrackKind::autograd_thread && name.starts_with(kAutograd)) {
    return texts("timeline.track.autograd",
                 {{"thread", std::string(name.substr(kAutograd.size()))}});
  }
  if (track.kind == trace::TrackKind::phases && track.rank >= 0)
    return texts("timeline.track.rank", {{"rank", std::to_string(track.rank)}});
  if (track.kind == trace::TrackKind::phases || name.empty())
    return texts(kKindKeys[static_cast<std::size_t>(track.kind)]);
  const std::string rank = "rank " + std::to_string(track.rank) + ": ";
  if (track.rank >= 0 && name.starts_with(rank))
    return "r" + std::to_string(track.rank) + " " + track.name.substr(rank.size());
  return track.name;
}

// How much of a name tells its row from others: to the end of the number of a thread or stream.
std::size_t length_of_frame(std::string_view name) {
  for (const std::string_view word : {"thread ", "stream "}) {
    const std::size_t begin = name.find(word);
    if (begin == std::string_view::npos) continue;
    const std::size_t end = name.find_first_not_of("-0123456789", begin + word.size());
    return std::min(end, name.size());
  }
  return 0;
}

void draw_fold_mark(const TimelineDrawContext& drawing, float x, float y, bool collapsed) {
  const float s = drawing.metrics.px(3.5F);
  if (collapsed) {
    drawing.sink.triangle({x - s * 0.6F, y - s}, {x - s * 0.6F, y + s}, {x + s * 0.8F, y},
                          drawing.theme.text3);
  } else {
    drawing.sink.triangle({x - s, y - s * 0.6F}, {x + s, y - s * 0.6F}, {x, y + s * 0.8F},
                          drawing.theme.text3);
  }
}

}  // namespace

std::string row_name_within(std::string_view name, float width,
                            const std::function<float(std::string_view)>& measure) {
  const std::string_view telling = name.substr(0, length_of_frame(name));
  const float rest = width - measure(telling);
  if (telling.empty() || telling.size() == name.size() || rest < measure("\xe2\x80\xa6"))
    return cut_in_the_middle(telling.empty() ? name : telling, width, measure);
  return std::string(telling) + cut_in_the_middle(name.substr(telling.size()), rest, measure);
}

void draw_row(const TimelineDrawContext& drawing, std::span<const SliceBox> boxes,
              const SearchHits& search, bool labels) {
  if (boxes.empty()) return;
  const trace::SliceRef lane = boxes.front().slice.ref;
  const std::int64_t begin = boxes.front().slice.begin_ns;
  const auto hits = search.in_lane(lane.track, lane.depth);
  HitWalk walk(hits, begin);
  // Adjacent boxes of one colour become one rectangle. Else a row of merged boxes would cost one
  // rectangle per pixel.
  Rect run{};
  Color run_color = 0;
  const auto flush = [&] {
    if (run.width() > 0) drawing.sink.fill(run, run_color);
    run = {};
  };
  for (const SliceBox& box : boxes) {
    const trace::VisibleSlice& slice = box.slice;
    Color color = drawing.theme.slice[static_cast<std::size_t>(slice.slice_class)];
    if (slice.count > 1)
      color = mixed(drawing.theme.surface, color, 0.3F + 0.7F * std::clamp(slice.busy, 0.0F, 1.0F));
    if (search.active() && !walk.touches({slice.begin_ns, slice.end_ns}))
      color = mixed(drawing.theme.surface, color, kDimmed);
    if (run.width() > 0 && run_color == color && run.x1 == box.rect.x0) {
      run.x1 = box.rect.x1;
    } else {
      flush();
      run = box.rect;
      run_color = color;
    }
  }
  flush();
  if (!labels) return;
  walk = HitWalk(hits, begin);
  for (const SliceBox& box : boxes) {
    const trace::VisibleSlice& slice = box.slice;
    if (slice.count > 1) continue;
    const bool dimmed = search.active() && !walk.touches({slice.begin_ns, slice.end_ns});
    draw_label(drawing, box,
               dimmed ? drawing.theme.text3
                      : drawing.theme.slice_text[static_cast<std::size_t>(slice.slice_class)]);
  }
}

void draw_track_labels(const TimelineDrawContext& drawing, const trace::TraceStore& store,
                       const TimelineRegions& regions, const TrackRows& rows, float scroll) {
  const auto tracks = store.tracks();
  const float height = drawing.sink.text_height(TextStyle::body);
  const float small = drawing.sink.text_height(TextStyle::small);
  const float gap = std::round(drawing.metrics.px(2));
  for (const TrackBand& band : rows.bands) {
    const float y0 = std::round(regions.labels.y0 + band.y - scroll);
    const float y1 = y0 + band.height;
    if (y1 <= regions.labels.y0 || y0 >= regions.labels.y1) continue;
    // At the end of the plot, the counter draws the line.
    if (y1 < regions.labels.y1)
      drawing.sink.line({regions.all.x0, y1 - 0.5F}, {regions.all.x1, y1 - 0.5F},
                        drawing.theme.line);
    const trace::Track& track = tracks[band.track];
    const bool phases = track.kind == trace::TrackKind::phases;
    const char* kind = drawing.texts(kKindKeys[static_cast<std::size_t>(track.kind)]);
    // The name stays in sight while its rows are visible.
    const float top = std::max(y0, regions.labels.y0);
    const float bottom = std::min(y1 - band.strip, regions.labels.y1);
    const bool second = !phases && bottom - top >= height + gap + small + 2;
    const float text_height = height + (second ? gap + small : 0);
    const float y = std::max(top, std::round((top + bottom - text_height) / 2));
    float x = regions.labels.x0;
    if (band.depths > 1) {
      draw_fold_mark(drawing, x + drawing.metrics.px(4), y + height / 2, band.collapsed);
      x += drawing.metrics.px(14);
    }
    const float right = regions.labels.x1 - drawing.metrics.px(6);
    text_in(
        drawing.sink, {x, y, right, y + height}, TextStyle::body, drawing.theme.text,
        row_name_within(track_name(drawing.texts, track), right - x, [&](std::string_view words) {
          return drawing.sink.text_width(TextStyle::body, words);
        }));
    if (second)
      text_in(drawing.sink, {x, y + height + gap, right, y + height + gap + small},
              TextStyle::small, drawing.theme.text3, kind);
  }
}

void draw_ruler(const TimelineDrawContext& drawing, const Rect& ruler, const TimeAxis& axis,
                std::int64_t origin_ns, const Ticks& ticks, const Rect& taken) {
  drawing.sink.line({ruler.x0, ruler.y1 - 0.5F}, {ruler.x1, ruler.y1 - 0.5F}, drawing.theme.line);
  const float mark = std::round(drawing.metrics.px(6));
  const float gap = drawing.metrics.px(4);
  const float height = drawing.sink.text_height(TextStyle::small);
  const float y = std::round(ruler.y1 - height - drawing.metrics.px(3));
  bool unit_pending = !ticks.unit.empty();
  for (const Tick& tick : ticks.ticks) {
    const float x = std::round(axis.x_of(origin_ns + static_cast<std::int64_t>(tick.position)));
    if (x < ruler.x0 || x >= ruler.x1) continue;
    drawing.sink.fill({x, ruler.y1 - mark, x + 1, ruler.y1}, drawing.theme.text3);
    const std::string label = unit_pending ? tick.label + " " + ticks.unit : tick.label;
    const float width = drawing.sink.text_width(TextStyle::small, label);
    const Rect box{x + gap, y, x + gap + width, y + height};
    const bool hidden = box.x1 > taken.x0 && box.x0 < taken.x1;
    if (hidden || box.x1 > ruler.x1) continue;
    unit_pending = false;
    drawing.sink.text({box.x0, box.y0}, TextStyle::small, drawing.theme.text2, label);
  }
}

void draw_grid(const TimelineDrawContext& drawing, const Rect& area, const TimeAxis& axis,
               std::int64_t origin_ns, const Ticks& ticks) {
  for (const Tick& tick : ticks.ticks) {
    const float x = std::round(axis.x_of(origin_ns + static_cast<std::int64_t>(tick.position)));
    if (x < area.x0 || x >= area.x1) continue;
    drawing.sink.fill({x, area.y0, x + 1, area.y1}, drawing.theme.grid);
  }
}

void draw_flow(const TimelineDrawContext& drawing, const Rect& clip, const Rect& from,
               const Rect& to) {
  // Starts in the middle of the earlier slice and ends on the later one, from above or below.
  const Point a{(from.x0 + from.x1) / 2, to.y0 >= from.y1 ? from.y1 : from.y0};
  const bool down = to.y0 >= from.y1;
  const Point b{(to.x0 + to.x1) / 2, down ? to.y0 : to.y1};
  const float s = drawing.metrics.px(4);
  const float tip = down ? b.y - s * 1.6F : b.y + s * 1.6F;
  const float bend =
      std::max(std::abs(tip - a.y) * 0.6F, drawing.metrics.px(14)) * (down ? 1.F : -1.F);
  constexpr int kPoints = 33;
  std::array<Point, kPoints> curve;
  for (int i = 0; i < kPoints; ++i) {
    const float t = static_cast<float>(i) / (kPoints - 1);
    const float u = 1 - t;
    const float w0 = u * u * u;
    const float w1 = 3 * u * u * t;
    const float w2 = 3 * u * t * t;
    const float w3 = t * t * t;
    curve[static_cast<std::size_t>(i)] = {
        w0 * a.x + w1 * a.x + w2 * b.x + w3 * b.x,
        w0 * a.y + w1 * (a.y + bend) + w2 * (tip - bend) + w3 * tip};
  }
  drawing.sink.push_clip(clip);
  drawing.sink.polyline(curve, drawing.theme.accent, drawing.metrics.px(1.5F));
  drawing.sink.triangle({b.x - s, tip}, {b.x + s, tip}, b, drawing.theme.accent);
  drawing.sink.pop_clip();
}

}  // namespace ts::views
