#include "views/timeline/empty_timeline.h"

#include <array>
#include <string>

#include "views/charts/chart_text.h"
#include "views/common/spec_text.h"
#include "views/common/ui.h"
#include "views/common/wrapping.h"

namespace ts::views {
namespace {

struct Bar {
  float begin, end;  // as parts of the width
};
struct Track {
  const char* label;
  const char* about;
  std::array<Bar, 6> bars;
};
constexpr Bar kNone{0, 0};
// One step: forward, loss, backward, optimizer.
constexpr std::array<Track, 5> kTracks = {{
    {"timeline.track.phases",
     "timeline.empty.phases",
     {{{0, 0.34F}, {0.345F, 0.38F}, {0.385F, 0.86F}, {0.865F, 1}, kNone, kNone}}},
    {"timeline.track.cpu_thread",
     "timeline.empty.cpu",
     {{{0, 0.1F},
       {0.105F, 0.17F},
       {0.175F, 0.34F},
       {0.345F, 0.38F},
       {0.865F, 0.93F},
       {0.935F, 1}}}},
    {"timeline.track.autograd_thread",
     "timeline.empty.autograd",
     {{{0.385F, 0.52F}, {0.525F, 0.6F}, {0.605F, 0.75F}, {0.755F, 0.86F}, kNone, kNone}}},
    {"timeline.track.gpu_stream",
     "timeline.empty.gpu",
     {{{0.02F, 0.16F}, {0.165F, 0.36F}, {0.4F, 0.63F}, {0.635F, 0.87F}, {0.88F, 1}, kNone}}},
    {"timeline.allocated",
     "timeline.empty.allocated",
     {{{0, 1}, kNone, kNone, kNone, kNone, kNone}}},
}};

}  // namespace

void draw_empty_timeline(DrawSink& sink, const Rect& area, const ViewContext& context) {
  const Metrics& metrics = context.metrics;
  const Theme& theme = context.theme;
  const float margin = metrics.px(16);
  const float line = sink.text_height(TextStyle::body);
  float y = area.y0 + metrics.px(12);
  // An obstacle to a run is shown instead of the hint what to press.
  std::string words = obstacle_text(context);
  if (words.empty()) words = context.texts("timeline.empty_hint");
  // The full sentence, wrapped, however narrow the panel is.
  for (const std::string& text_of_line :
       wrapped(sink, TextStyle::body, words, area.width() - 2 * margin)) {
    sink.text({area.x0 + margin, y}, TextStyle::body, theme.text, text_of_line);
    y += line + line_gap(TextStyle::body, metrics.scale);
  }
  y += metrics.px(12);
  const float labels = area.x0 + margin + metrics.px(150);
  const float right = area.x1 - margin;
  const float small = sink.text_height(TextStyle::small);
  const float bar = metrics.px(12);
  const float pitch = small + bar + metrics.px(18);
  for (const Track& track : kTracks) {
    if (y + small + bar + metrics.px(4) > area.y1 || right <= labels) break;
    const Rect label{area.x0 + margin, y, labels - metrics.px(8), y + small};
    text_in(sink, label, TextStyle::small, theme.text2,
            fitted(sink, TextStyle::small, context.texts(track.label), label.width()));
    const Rect about{labels, y, right, y + small};
    text_in(sink, about, TextStyle::small, theme.text3,
            fitted(sink, TextStyle::small, context.texts(track.about), about.width()));
    const float top = y + small + metrics.px(4);
    for (const Bar& one : track.bars) {
      if (one.end <= one.begin) continue;
      sink.fill(
          {labels + one.begin * about.width(), top, labels + one.end * about.width(), top + bar},
          theme.surface2, metrics.px(2));
    }
    y += pitch;
  }
}

}  // namespace ts::views
