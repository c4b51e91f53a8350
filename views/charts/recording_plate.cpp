#include "views/charts/recording_plate.h"

#include "core/report/recording_notes.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/icons.h"

namespace ts::views {

std::string recording_warning(const text::Texts& texts, const run::Run& run, RecordingPart part) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "   ") + more; };
  if (run.dropped > 0) {
    add(texts("recording.lost_short", {{"count", text::grouped(run.dropped)}}));
  }
  if (part == RecordingPart::trace && report::recording_is_costly(run)) {
    add(texts("recording.costly_short",
              {{"percent", text::decimal(run.recording_cost()->percent, 0)}}));
  }
  return words.empty() ? words : std::string(icon::kWarning) + "  " + words;
}

void draw_recording_warning(DrawSink& sink, const Theme& theme, Metrics metrics,
                            const text::Texts& texts, const Rect& plot, const run::Run& run,
                            RecordingPart part) {
  const std::string words = recording_warning(texts, run, part);
  if (words.empty()) return;
  const float edge = metrics.px(6);
  const Rect inside{plot.x0 + edge, plot.y0 + edge, plot.x1 - edge, plot.y1 - edge};
  const Rect plate =
      place_plate(sink, metrics, TextStyle::small, words, {inside.x1, inside.y1}, inside);
  draw_plate(sink, theme, metrics, plate, TextStyle::small, theme.warn, words);
}

}  // namespace ts::views
