#include "views/inspector/peak_table.h"

#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/before_backward.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"

namespace ts::views {
namespace {

std::int64_t largest(const std::vector<PeakRow>& rows) {
  std::int64_t most = 0;
  for (const PeakRow& row : rows)
    most = std::max({most, row.predicted.value_or(0), row.measured.value_or(0)});
  return most;
}

std::string exact_peaks(const text::Texts& texts, const PeakRow& row) {
  std::string words;
  const auto add = [&](const char* key, const std::optional<std::int64_t>& bytes) {
    if (!bytes) return;
    words += (words.empty() ? "" : "\n") + std::string(texts(key)) + ": ";
    words += exact_bytes(texts, *bytes);
  };
  add("inspector.peaks.predicted", row.predicted);
  add("inspector.peaks.measured", row.measured);
  return words;
}

}  // namespace

std::vector<PeakRow> peak_table(const ViewContext& context) {
  std::vector<PeakRow> rows;
  const MemorySource source = memory_source(context);
  const run::Forecast* here = context.forecast;
  const bool measured = source.kind == MemorySource::Kind::measured && source.log != nullptr;
  if (measured && here != nullptr) {
    // A step that was broken off never came to its peak.
    const bool whole =
        context.run != nullptr && context.run->finished && context.run->verdict == run::Verdict::ok;
    rows.push_back({context.texts("inspector.peaks.here"), here->run.log.peak_bytes(), {}});
    if (whole) rows.back().measured = source.log->peak_bytes();
    if (const auto expected = memory::before_backward(here->run.log)) {
      rows.push_back({context.texts("inspector.peaks.before_backward"), expected->bytes, {}, true});
      const auto found = memory::before_backward(*source.log);
      if (whole && found) rows.back().measured = found->bytes;
    }
  }
  if (context.outlook == nullptr || context.outlook->target == nullptr) return rows;
  const run::Forecast& card = *context.outlook->target;
  const run::Prediction& prediction = card.prediction;
  rows.push_back({context.texts("inspector.peaks.allocated", {{"card", card.target.name}}),
                  prediction.peak_allocated,
                  {}});
  if (prediction.before_backward) {
    rows.push_back(
        {context.texts("inspector.peaks.before_backward"), prediction.before_backward, {}, true});
  }
  rows.push_back({context.texts("inspector.peaks.reserved"), prediction.peak_reserved, {}});
  if (card.target.context > 0)
    rows.push_back({context.texts("inspector.peaks.with_context"), prediction.needed, {}});
  return rows;
}

std::string scratch_words(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->target == nullptr) return {};
  const run::Prediction& prediction = context.outlook->target->prediction;
  if (prediction.scratch_high <= 0) return {};
  return context.texts("inspector.peaks.scratch",
                       {{"low", text::bytes(prediction.scratch_low).joined()},
                        {"high", text::bytes(prediction.scratch_high).joined()}});
}

void draw_peak_table(const Ui& ui, const ViewContext& context) {
  const std::vector<PeakRow> rows = peak_table(context);
  if (rows.empty()) return;
  const std::string unit = text::bytes(largest(rows)).unit;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float error_end = origin.x + width;
  const float measured_end = error_end - ui.px(66);
  const float predicted_end = measured_end - ui.px(74);
  float y = origin.y;
  const auto right = [&](float end, TextStyle style, Color color, const std::string& words) {
    sink.text({end - sink.text_width(style, words), y}, style, color, words);
  };
  bool mixed = false;
  const auto size = [&](const std::optional<std::int64_t>& bytes) -> std::string {
    if (!bytes) return text::kNoNumber;
    const text::Quantity shown = bytes_in_column(*bytes, unit.front());
    mixed = mixed || shown.unit != unit;
    return shown.unit == unit ? shown.value : shown.joined();
  };
  sink.text({origin.x, y}, TextStyle::small, ui.theme.text2, ui.texts("inspector.peaks.title"));
  right(predicted_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.predicted"));
  right(measured_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.measured"));
  right(error_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.error"));
  y += ui.px(22);
  for (const PeakRow& row : rows) {
    sink.push_clip({origin.x, y, predicted_end - ui.px(56), y + ui.px(24)});
    sink.text({origin.x + (row.part ? ui.px(14) : 0), y}, TextStyle::body, ui.theme.text2,
              row.label);
    sink.pop_clip();
    right(predicted_end, TextStyle::body, ui.theme.text, size(row.predicted));
    right(measured_end, TextStyle::body_medium, row.measured ? ui.theme.text : ui.theme.text3,
          size(row.measured));
    if (row.predicted && row.measured) {
      const auto off = static_cast<double>(std::abs(*row.predicted - *row.measured));
      const bool close = off <= 0.01 * static_cast<double>(*row.measured);
      right(error_end, TextStyle::body, close ? ui.theme.ok : ui.theme.warn,
            prediction_error(*row.predicted, *row.measured));
    }
    ImGui::SetCursorScreenPos({origin.x, y});
    ImGui::Dummy({width, ui.px(24)});
    tooltip(ui, exact_peaks(ui.texts, row));
    y += ui.px(24);
  }
  sink.text(
      {origin.x, y}, TextStyle::small, ui.theme.text3,
      ui.texts(mixed ? "inspector.peaks.unit_mixed" : "inspector.peaks.unit", {{"unit", unit}}));
  y += ui.px(18);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, y - origin.y});
  if (const std::string scratch = scratch_words(context); !scratch.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, scratch, ui.px(16));
    tooltip(ui, ui.texts("inspector.peaks.scratch_hint"));
  }
}

}  // namespace ts::views
