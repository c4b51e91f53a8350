#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/read_out.h"
#include "views/memory/memory_ink.h"

namespace ts::views {

namespace {

bool overlap(const Rect& a, const Rect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

}  // namespace

// A prediction stands beside something measured that has got past its peak.
bool MemoryChart::compares(const ViewContext& context) const {
  return context.forecast != nullptr && source_.kind == MemorySource::Kind::measured;
}

void MemoryChart::draw_outline(const Ink& ink, const ViewContext& context) const {
  if (!compares(context)) return;
  const float wide = ink.metrics.scale >= 1.5F ? 2.5F : ink.metrics.px(1.4F);
  outline_.draw(ink.sink, *source_.log, context.forecast->run.log, axis_, scale_, ink.theme.text,
                wide, ink.px(4), ink.px(3));
}

void MemoryChart::draw_layers(const Ink& ink) const {
  const float wide = std::max(1.0F, std::round(ink.metrics.px(1.5F)));
  const auto layer = [&](const std::vector<memory::Reserved>& of, Color color, const char* key) {
    if (of.empty()) return;
    draw_layer(ink.sink, *source_.log, of, axis_, scale_, color, wide);
    const Rect& plot = regions_.plot;
    const float small = ink.sink.text_height(TextStyle::small);
    const float line = scale_.y_of(of.back().bytes);
    const bool above = line < plot.y0;
    const float y = above ? plot.y0 + ink.px(3) : line - small - ink.px(1);
    if (y < plot.y0) return;
    const std::string words = ink.texts(key, {{"size", text::bytes(of.back().bytes).joined()}});
    const float x = plot.x0 + ink.px(6);
    text_in(ink.sink, {x, y, plot.x1, y + small}, TextStyle::small, color, words);
    if (!above) return;
    // The line is too far up to be drawn.
    const float s = ink.px(4);
    const Point tip{x + ink.sink.text_width(TextStyle::small, words) + ink.px(5) + s,
                    y + small / 2 - s};
    ink.sink.triangle(tip, {tip.x - s, tip.y + 2 * s}, {tip.x + s, tip.y + 2 * s}, color);
  };
  layer(layers_.reserved, ink.theme.accent, "memory.reserved");
  layer(layers_.used, ink.theme.warn, "memory.used_on_device");
}

// Where the plate of the peak lies; empty when the peak is out of view, or when what was refused
// stands in its place.
Rect MemoryChart::peak_plate(const Ink& ink, const ViewContext& context, std::string& words) const {
  const memory::AllocationLog& log = *source_.log;
  const memory::EventIndex event = log.peak_event();
  if (event == memory::kNone) return {};
  const Rect& plot = regions_.plot;
  // The last event lies on the right edge, and is often the peak.
  const float x = std::round(x_of_event(event));
  const float y = std::round(scale_.y_of(log.peak_bytes()));
  if (x < plot.x0 || x > plot.x1 || y < plot.y0) return {};
  const auto refused = refusal(context);
  if (refused && std::abs(x_of_event(refused->event) - x) < ink.px(160)) return {};
  const float s = ink.px(6);
  const bool predicted = source_.kind == MemorySource::Kind::predicted;
  const std::string peak = text::bytes(log.peak_bytes()).joined();
  words = ink.texts(predicted ? "memory.peak_predicted" : "memory.peak", {{"size", peak}});
  if (compares(context)) {
    const std::int64_t expected = context.forecast->run.log.peak_bytes();
    words = ink.texts("memory.peak_compared",
                      {{"size", peak},
                       {"predicted", text::bytes(expected).joined()},
                       {"error", prediction_error(expected, log.peak_bytes())}});
  }
  const float width = ink.sink.text_width(TextStyle::small, words) + ink.px(12);
  const float height = ink.sink.text_height(TextStyle::small) + ink.px(4);
  const bool right = x + 2 * s + ink.px(6) + width <= plot.x1;
  const float left = std::max(plot.x0, right ? x + s + ink.px(6) : x - s - ink.px(6) - width);
  const float top = std::max(plot.y0, y - 1 - s * 1.5F - height + ink.px(8));
  return {std::round(left), std::round(top), std::round(left + width), std::round(top + height)};
}

void MemoryChart::draw_peak(const Ink& ink, const ViewContext& context) const {
  std::string words;
  const Rect plate = peak_plate(ink, context, words);
  if (plate.width() <= 0) return;
  const memory::AllocationLog& log = *source_.log;
  const Rect& plot = regions_.plot;
  const float s = ink.px(6);
  const float x = std::min(std::round(x_of_event(log.peak_event())), plot.x1 - 1);
  const float tip = std::round(scale_.y_of(log.peak_bytes())) - 1;
  const float back = std::max(tip - s * 1.5F, plot.y0);
  const float middle = std::clamp(x, plot.x0 + s, plot.x1 - s);
  ink.sink.triangle({middle - s, back}, {middle + s, back}, {x, tip}, ink.theme.text);
  draw_plate(ink.sink, ink.theme, ink.metrics, plate, TextStyle::small, ink.theme.text, words);
}

void MemoryChart::draw_capacity(const Ink& ink, const ViewContext& context) const {
  if (context.target_bytes <= 0 || source_.log->peak_event() == memory::kNone) return;
  const Rect& plot = regions_.plot;
  const float small = ink.sink.text_height(TextStyle::small);
  const std::string size = text::bytes(context.target_bytes).joined();
  const std::string name = context.target_name.empty() ? size : context.target_name + "   " + size;
  const float width = ink.sink.text_width(TextStyle::small, name);
  if (scale_.capacity_above) {
    // Far over everything that was allocated: a word at the upper edge with an arrow up.
    const float s = ink.px(4);
    const float x = plot.x1 - s - 1;
    const float y = plot.y0 + ink.px(4);
    const float base = y + s * 1.6F;
    ink.sink.triangle({x - s, base}, {x + s, base}, {x, y}, ink.theme.bad);
    const float top = std::round((y + base - small) / 2);
    text_right(ink.sink, {plot.x0, top, x - s - ink.px(4), top + small}, TextStyle::small,
               ink.theme.bad, name);
    return;
  }
  std::string words;
  const Rect plate = peak_plate(ink, context, words);
  const float y = std::round(scale_.y_of(context.target_bytes));
  const float half = std::max(1.0F, std::round(ink.metrics.px(1)));
  ink.sink.fill({plot.x0, y - half, plot.x1, y + half}, ink.theme.bad);
  const float over = y - half - small - ink.px(1);
  const float top = over >= plot.y0 ? over : y + half + ink.px(1);
  Rect label{std::max(plot.x0, plot.x1 - width - 1), top, plot.x1, top + small};
  // At the right end; at the left one where the peak or the refusal is written.
  const auto refused = refusal(context);
  const bool crowded = refused && x_of_event(refused->event) > label.x0 - ink.px(60);
  if (overlap(label, plate) || crowded)
    label = {plot.x0 + ink.px(6), top, plot.x0 + ink.px(6) + width + 1, top + small};
  text_right(ink.sink, label, TextStyle::small, ink.theme.bad, name);
  draw_spare(ink, context, plate);
}

// The bracket between peak and capacity, clear of the plate of the peak.
void MemoryChart::draw_spare(const Ink& ink, const ViewContext& context, const Rect& plate) const {
  const Rect& plot = regions_.plot;
  const std::int64_t peak = source_.log->peak_bytes();
  const std::int64_t spare = context.target_bytes - peak;
  if (spare <= 0 || refusal(context)) return;
  const float small = ink.sink.text_height(TextStyle::small);
  const float y0 = std::round(scale_.y_of(context.target_bytes)) + ink.px(4);
  const float y1 = std::round(scale_.y_of(peak));
  if (y1 - y0 < small || y1 > plot.y1) return;
  const std::string words = ink.texts("memory.spare", {{"size", text::bytes(spare).joined()}});
  const float needed = ink.sink.text_width(TextStyle::small, words) + ink.px(14);
  const float peak_x = x_of_event(source_.log->peak_event());
  float x = peak_x - needed - ink.px(90);
  if (x < plot.x0 + ink.px(12)) x = std::max(plate.x1, peak_x) + ink.px(60);
  if (x < plot.x0 + ink.px(12) || x + needed > plot.x1) return;
  x = std::round(x);
  const float cap = ink.px(3);
  const float thick = std::max(1.0F, std::round(ink.metrics.px(1.5F)));
  ink.sink.fill({x, y0, x + thick, y1}, ink.theme.ok);
  ink.sink.fill({x - cap, y0, x + cap + thick, y0 + thick}, ink.theme.ok);
  ink.sink.fill({x - cap, y1 - thick, x + cap + thick, y1}, ink.theme.ok);
  const float middle = std::round((y0 + y1 - small) / 2);
  text_in(ink.sink, {x + ink.px(9), middle, plot.x1, middle + small}, TextStyle::small,
          ink.theme.ok, words);
}

void MemoryChart::draw_live_edge(const Ink& ink) const {
  if (!source_.growing) return;
  const memory::AllocationLog& log = *source_.log;
  const Rect& plot = regions_.plot;
  const auto last = static_cast<memory::EventIndex>(log.events().size() - 1);
  const float x = std::round(x_of_event(last)) + 1;
  if (x < plot.x0 || x > plot.x1 + 2) return;
  const float thick = std::max(1.0F, ink.px(2));
  const float right = std::clamp(x + thick, plot.x0 + thick, plot.x1);
  ink.sink.fill({right - thick, plot.y0, right, plot.y1}, ink.theme.accent);
  std::string words = ink.texts("memory.live");
  const auto phases = log.phases();
  if (!phases.empty() && phases.back().step >= 0)
    words = ink.texts("memory.live_step", {{"number", text::grouped(phases.back().step + 1)}});
  const float width = ink.sink.text_width(TextStyle::small, words) + ink.px(12);
  const float height = ink.sink.text_height(TextStyle::small) + ink.px(4);
  const float gap = ink.px(5);
  const bool beside = right + gap + width <= plot.x1;
  const float left = std::round(beside ? right + gap : right - thick - gap - width);
  const float y = plot.y0 + ink.px(22);
  if (left >= plot.x0)
    draw_plate(ink.sink, ink.theme, ink.metrics, {left, y, left + width, y + height},
               TextStyle::small, ink.theme.accent, words);
}

}  // namespace ts::views
