#include "views/inspector/projector_head.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/files/opened_file.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/charts/one_unit.h"
#include "views/charts/stale_mark.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/inspector/obstacle_view.h"
#include "views/inspector/peak_table.h"

namespace ts::views {
namespace {

constexpr const char* kStepKey = "inspector.headline.step";
constexpr const char* kThroughputKey = "inspector.headline.throughput";
constexpr const char* kPeakKey = "inspector.headline.peak";
constexpr const char* kPredictedKey = "inspector.headline.predicted";
constexpr const char* kErrorKey = "inspector.headline.error";

// The peak of the tensors of a whole run, from the dry run of its own settings.
std::optional<std::int64_t> predicted_peak(const ViewContext& context) {
  const run::Run& run = *context.run;
  const bool whole = run.finished && run.verdict == run::Verdict::ok && run.dropped == 0;
  const bool of_run = context.memory.kind == MemorySource::Kind::measured;
  if (!whole || !of_run || context.forecast == nullptr) return std::nullopt;
  return context.forecast->run.log.peak_bytes();
}

// Both peaks in one unit, and the error of the predicted one.
void add_prediction(HeadlineRow& row, std::int64_t predicted, std::int64_t measured) {
  const std::array peaks = {static_cast<double>(predicted), static_cast<double>(measured)};
  const OneUnit unit = byte_unit(peaks);
  row.figures.back().value = {unit.number(peaks[1]), unit.name};
  row.figures.push_back({kPredictedKey, {unit.number(peaks[0]), unit.name}});
  const std::string error = prediction_error(predicted, measured);
  const std::size_t gap = error.find(' ');
  row.figures.push_back(
      {kErrorKey,
       {error.substr(0, gap), gap == std::string::npos ? std::string() : error.substr(gap + 1)}});
}

// Positions at scale 1, from the upper edge down.
constexpr float kMark = 16;
constexpr float kLeft = 42;
constexpr float kSentence = 12;
constexpr float kRemark = 44;
constexpr float kRows = 77;
constexpr float kFigures = 27;
constexpr float kHead = 136;

// Draws a remark in a place that is high enough for one line of `style` or two small ones.
void draw_remark(DrawSink& sink, const Rect& place, TextStyle style, Color color,
                 const std::string& words) {
  if (sink.text_width(style, words) <= place.width() && words.find('\n') == std::string::npos) {
    sink.text({place.x0, place.y0}, style, color, words);
    return;
  }
  float y = place.y0;
  for (const std::string& line : wrapped_fitted(sink, TextStyle::small, words, place.width(), 2)) {
    sink.text({place.x0, y}, TextStyle::small, color, line);
    y += place.height() / 2;
  }
}

}  // namespace

std::vector<HeadlineRow> headline_rows(const ViewContext& context) {
  if (context.run == nullptr) return {};
  const run::Run& run = *context.run;
  const run::TimingSummary timing = run.timing();
  HeadlineRow row;
  row.stale = !context.stale.empty();
  if (context.trace != nullptr) {
    const trace_file::TraceSummary& summary = context.trace->summary;
    row.figures.push_back({"file.span", text::duration_ns(static_cast<double>(summary.span_ns))});
    if (context.trace->recording) {
      row.figures.push_back({"file.headline.peak", text::bytes(run.peak_allocated())});
      return {row};
    }
    row.figures.push_back({summary.devices.size() > 1 ? "trace.busy_in_mean" : "trace.busy",
                           text::duration_ns(static_cast<double>(summary.gpu_busy_ns))});
    return {row};
  }
  if (context.file_device != nullptr) {
    row.figures.push_back({"file.headline.peak", text::bytes(run.memory.peak_bytes())});
    const bool modelled = has_modelled_segments(context.file->file.snapshot);
    row.figures.push_back({modelled ? "file.headline.reserved_modelled" : "file.headline.reserved",
                           text::bytes(context.file_device->peak_reserved)});
  }
  if (timing.n > 0) {
    row.figures.push_back({kStepKey, text::duration_ns(timing.median_ms * 1e6)});
  }
  if (const auto tokens = run.tokens_per_s()) {
    row.figures.push_back({kThroughputKey, text::rate(*tokens, "tokens")});
  }
  // Before the first allocation there is no peak.
  const bool measured = run.memory.peak_event() != memory::kNone;
  if (context.file_device == nullptr && measured)
    row.figures.push_back({kPeakKey, text::bytes(run.peak_allocated())});
  const std::optional<std::int64_t> predicted = predicted_peak(context);
  if (measured && predicted) add_prediction(row, *predicted, run.peak_allocated());
  if (context.file_device != nullptr) return {row};
  if (const char* const partial = partial_key(context)) row.label = context.texts(partial);
  if (row.stale) row.label = stale_text(context.texts, context.stale);
  const RunFigures* const earlier = context.earlier;
  if (earlier == nullptr) return {row};
  const std::string other = difference_text(context.texts, earlier->spec, run.spec);
  if (other.empty()) return {row};
  if (row.label.empty()) row.label = difference_text(context.texts, run.spec, earlier->spec);
  HeadlineRow before;
  // The label of each row is its difference from the current settings.
  const std::string& stale = row.stale ? context.stale_earlier : other;
  before.stale = !stale.empty();
  before.label = before.stale ? stale_text(context.texts, stale) : other;
  // The two rows are below each other: each figure has one unit for both.
  const auto both = [&](const char* key, OneUnit unit, double now, double then) {
    const auto is_this = [key](const HeadlineFigure& figure) { return figure.key == key; };
    if (const auto it = std::ranges::find_if(row.figures, is_this); it != row.figures.end())
      it->value = {unit.number(now), unit.name};
    before.figures.push_back({key, {unit.number(then), unit.name}});
  };
  const std::array steps = {timing.median_ms * 1e6, earlier->step_ms * 1e6};
  both(kStepKey, duration_unit(steps), steps[0], steps[1]);
  if (earlier->tokens_per_s) {
    const std::array rates = {run.tokens_per_s().value_or(0), *earlier->tokens_per_s};
    both(kThroughputKey, token_rate_unit(rates), rates[0], rates[1]);
  }
  std::vector<double> peaks = {static_cast<double>(run.peak_allocated()),
                               static_cast<double>(earlier->peak_bytes)};
  if (predicted) peaks.push_back(static_cast<double>(*predicted));
  const OneUnit unit = byte_unit(peaks);
  both(kPeakKey, unit, peaks[0], peaks[1]);
  const auto beside = std::ranges::find(row.figures, kPredictedKey, &HeadlineFigure::key);
  if (beside != row.figures.end()) beside->value = {unit.number(peaks.back()), unit.name};
  return {row, before};
}

void draw_headline_row(DrawSink& sink, const Theme& theme, Metrics metrics,
                       const text::Texts& texts, const HeadlineRow& row, const Rect& area,
                       float label_width) {
  const float drop = sink.text_height(TextStyle::large) - sink.text_height(TextStyle::body);
  const float small = area.y0 + drop * 0.8F;
  sink.text({area.x0, small}, TextStyle::body_medium, row.stale ? theme.warn : theme.text,
            row.label);
  const Color strong = row.stale ? theme.text3 : theme.text;
  const Color weak = row.stale ? theme.text3 : theme.text2;
  const float inner = metrics.px(8);
  const auto width_of = [&](const HeadlineFigure& figure) {
    return sink.text_width(TextStyle::body, texts(figure.key)) + inner +
           sink.text_width(TextStyle::large, figure.value.value) + inner +
           sink.text_width(TextStyle::body, figure.value.unit);
  };
  float content = label_width;
  for (const HeadlineFigure& figure : row.figures) content += width_of(figure);
  const auto gaps = static_cast<float>(std::max<std::size_t>(row.figures.size(), 2) - 1);
  const float gap = std::clamp((area.width() - content) / gaps, metrics.px(14), metrics.px(40));
  float x = area.x0 + label_width;
  for (const HeadlineFigure& figure : row.figures) {
    if (x + width_of(figure) > area.x1) break;
    const char* const label = texts(figure.key);
    sink.text({x, small}, TextStyle::body, weak, label);
    x += sink.text_width(TextStyle::body, label) + inner;
    sink.text({x, area.y0}, TextStyle::large, strong, figure.value.value);
    x += sink.text_width(TextStyle::large, figure.value.value) + inner;
    sink.text({x, small}, TextStyle::body, weak, figure.value.unit);
    x += sink.text_width(TextStyle::body, figure.value.unit) + gap;
  }
}

HeadRemark head_remark(const ViewContext& context, const ShownVerdict& words) {
  const predict::Outlook* const outlook = context.file == nullptr ? context.outlook : nullptr;
  const bool only_here = outlook != nullptr && !outlook->not_here.sentence.empty() &&
                         outlook->problem.sentence.empty();
  if (!only_here) return {words.remark, words.reason, false};
  return {context.texts("common.two_sentences",
                        {{"first", context.texts("obstacle.not_here")},
                         {"second", message_text(context.texts, outlook->not_here)}}),
          true, true};
}

float projector_head_height(float scale) {
  return std::floor(kHead * scale);
}

std::optional<spec::WorkloadSpec> draw_projector_head(const Ui& ui, const ViewContext& context,
                                                      const base::Message& engine_problem) {
  ShownVerdict words = verdict_text(context, engine_problem);
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetWindowPos();
  const float right = at.x + ImGui::GetWindowWidth() - ui.px(kMark);
  const float left = at.x + ui.px(kLeft);
  const auto place = [&](float top, float height) {
    return Rect{left, at.y + ui.px(top), right, at.y + ui.px(top + height)};
  };
  sink.text({at.x + ui.px(kMark), at.y + ui.px(kSentence + 5)}, TextStyle::body, words.mark.color,
            words.mark.icon);
  const Rect sentence = place(kSentence, 32);
  const PlacedVerdict placed = place_verdict(sink, ui.texts, words, sentence.width(), 1);
  const std::string& headline = placed.lines.front();
  sink.text({sentence.x0, sentence.y0}, TextStyle::large, ui.theme.text, headline);
  ImGui::SetCursorScreenPos({sentence.x0, sentence.y0});
  ImGui::Dummy({sentence.width(), sentence.height()});
  tooltip(ui, (placed.cut ? words.sentence + "\n" : std::string()) + words.exact);
  words.remark = placed.remark;
  const bool of_file = context.file != nullptr || context.trace != nullptr;
  if (const std::string unchecked = unchecked_text(context); !of_file && !unchecked.empty())
    words.remark += (words.remark.empty() ? "" : "\n") + unchecked;
  const HeadRemark remark = head_remark(context, words);
  if (remark.only_here) {
    sink.text({at.x + ui.px(kMark), at.y + ui.px(kRemark)}, TextStyle::body, ui.theme.warn,
              "\xef\x81\xb1");
  }
  draw_remark(sink, place(kRemark, 30), remark.reason ? TextStyle::body : TextStyle::small,
              remark.reason ? ui.theme.text : ui.theme.text2, remark.words);
  if (context.run != nullptr && !context.run->finished && context.trace == nullptr) {
    const Rect bar = place(kRows - 8, 3);
    sink.fill(bar, ui.theme.surface3);
    const float part = std::clamp(context.run->fraction, 0.0F, 1.0F);
    sink.fill({bar.x0, bar.y0, bar.x0 + bar.width() * part, bar.y1}, ui.theme.accent);
  }
  std::optional<spec::WorkloadSpec> tried;
  float top = kRows;
  if (context.file == nullptr && context.outlook != nullptr && !context.outlook->repairs.empty()) {
    // After a short sentence, so that the figures of both runs keep their rows.
    const float width = repairs_row_width(ui, *context.outlook);
    const float end = left + sink.text_width(TextStyle::large, headline) + ui.px(32);
    const bool behind = end + width <= right;
    ImGui::SetCursorScreenPos(behind ? ImVec2{right - width, sentence.y0}
                                     : ImVec2{left, at.y + ui.px(top)});
    tried = draw_repairs_row(ui, *context.outlook, right);
    if (!behind) top += kFigures + 2;
  }
  const auto rows = headline_rows(context);
  float labels = 0;
  for (const HeadlineRow& row : rows)
    labels = std::max(labels, sink.text_width(TextStyle::body_medium, row.label));
  if (labels > 0) labels += ui.px(28);
  for (const HeadlineRow& row : rows) {
    if (top + kFigures > kHead) break;
    draw_headline_row(sink, ui.theme, ui.metrics, ui.texts, row, place(top, kFigures), labels);
    top += kFigures;
  }
  return tried;
}

}  // namespace ts::views
