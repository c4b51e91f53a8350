#include "views/inspector/peak_table.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/before_backward.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"

namespace ts::views {
namespace {

std::int64_t largest(const std::vector<PeakRow>& rows) {
  std::int64_t most = 0;
  for (const PeakRow& row : rows)
    if (row.kind != PeakRow::Kind::rest)
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
  if (!row.hint.empty()) words += "\n" + row.hint;
  return words;
}

// From the tensors, in full, to what is least ours.
Color term_color(const Theme& theme, std::size_t place, std::size_t count) {
  const float part = count > 1 ? static_cast<float>(place) / static_cast<float>(count) : 0;
  return mixed(theme.accent, theme.surface3, part);
}

// The terms of the chain, side by side, as parts of what is needed.
void draw_bar(const Ui& ui, DrawSink& sink, const Rect& at, const std::vector<PeakRow>& rows,
              std::size_t first, std::size_t count) {
  double all = 0;
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (rows[i].kind == PeakRow::Kind::term) all += static_cast<double>(*rows[i].predicted);
  }
  if (all <= 0) return;
  double done = 0;
  std::size_t place = 0;
  const auto x_of = [&](double bytes) {
    return std::round(at.x0 + at.width() * static_cast<float>(bytes / all));
  };
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (rows[i].kind != PeakRow::Kind::term) continue;
    const double end = done + static_cast<double>(*rows[i].predicted);
    sink.fill({x_of(done), at.y0, x_of(end), at.y1}, term_color(ui.theme, place++, count));
    done = end;
  }
}

// Bytes that a run here may take less than predicted.
std::int64_t apart_bytes(const ViewContext& context) {
  if (memory_source(context).kind == MemorySource::Kind::measured && context.forecast != nullptr)
    return context.forecast->run.apart_bytes;
  if (context.outlook == nullptr || context.outlook->target == nullptr) return 0;
  return context.outlook->target->run.apart_bytes;
}

}  // namespace

std::vector<PeakRow> peak_table(const ViewContext& context) {
  std::vector<PeakRow> rows;
  const MemorySource source = memory_source(context);
  const predict::Forecast* here = context.forecast;
  const bool measured = source.kind == MemorySource::Kind::measured && source.log != nullptr;
  const auto row = [&](PeakRow::Kind kind, std::string label, std::optional<std::int64_t> predicted,
                       std::string hint = {}) {
    rows.push_back({kind, std::move(label), predicted, {}, std::move(hint)});
  };
  using Kind = PeakRow::Kind;
  const std::string tensors = context.texts("inspector.peaks.tensors");
  const std::string before = context.texts("inspector.peaks.before_backward");
  if (measured && here != nullptr) {
    // A step that was broken off never came to its peak.
    const bool whole =
        context.run != nullptr && context.run->finished && context.run->verdict == run::Verdict::ok;
    row(Kind::place, context.texts("inspector.peaks.here"), {});
    row(Kind::term, whole ? tensors : context.texts("inspector.peaks.tensors_whole"),
        here->run.log.peak_bytes(), context.texts("inspector.peaks.tensors_hint"));
    if (whole) rows.back().measured = context.run->peak_allocated();
    if (const auto expected = memory::before_backward(here->run.log)) {
      row(Kind::part, before, expected->bytes, meaning(context.texts, "before_backward"));
      const auto found = memory::before_backward(*source.log);
      if (whole && found) rows.back().measured = found->bytes;
    }
  }
  if (context.outlook == nullptr || context.outlook->target == nullptr) return rows;
  const predict::Forecast& card = *context.outlook->target;
  const predict::Prediction& prediction = card.prediction;
  const predict::NeedChain& chain = prediction.chain;
  const bool cuda = card.target.kind == spec::DeviceKind::cuda;
  row(Kind::place, limit_words(context.texts, card.target.name), {});
  const auto term = [&](const char* key, const char* hint, std::int64_t bytes) {
    if (bytes > 0) row(Kind::term, context.texts(key), bytes, context.texts(hint));
  };
  row(Kind::term, tensors, chain.tensors, context.texts("inspector.peaks.tensors_hint"));
  term("inspector.peaks.rounding", "inspector.peaks.rounding_hint", chain.rounding);
  term("inspector.peaks.workspaces", "inspector.peaks.workspaces_hint", chain.workspaces);
  if (cuda) {
    row(Kind::sum, context.texts("inspector.peaks.allocated"), chain.allocated(),
        meaning(context.texts, "allocated"));
  }
  if (prediction.before_backward) {
    row(Kind::part, before, prediction.before_backward, meaning(context.texts, "before_backward"));
  }
  term("inspector.peaks.cached", "inspector.peaks.cached_hint", chain.cached);
  if (cuda) {
    row(Kind::sum, context.texts("inspector.peaks.reserved"), chain.reserved(),
        meaning(context.texts, "reserved"));
  }
  term("inspector.peaks.context", "inspector.peaks.context_hint", chain.context);
  row(Kind::sum, context.texts("inspector.peaks.needed"), chain.needed(),
      meaning(context.texts, "needed"));
  const std::int64_t rest = prediction.headroom;
  row(Kind::rest, context.texts(rest < 0 ? "inspector.peaks.missing" : "inspector.peaks.spare"),
      std::abs(rest));
  return rows;
}

std::string scratch_words(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->target == nullptr) return {};
  const predict::Prediction& prediction = context.outlook->target->prediction;
  if (prediction.scratch_high <= 0) return {};
  return context.texts("inspector.peaks.scratch",
                       {{"low", text::bytes(prediction.scratch_low).joined()},
                        {"high", text::bytes(prediction.scratch_high).joined()}});
}

std::string apart_words(const ViewContext& context) {
  const std::int64_t bytes = apart_bytes(context);
  if (bytes <= 0) return {};
  return context.texts("inspector.peaks.apart", {{"size", text::bytes(bytes).joined()}});
}

void draw_peak_table(const Ui& ui, const ViewContext& context) {
  const std::vector<PeakRow> rows = peak_table(context);
  if (rows.empty()) return;
  const std::string unit = text::bytes(largest(rows)).unit;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float error_end = origin.x + width;
  const float measured_end = error_end - ui.px(62);
  const float predicted_end = measured_end - ui.px(70);
  float y = origin.y;
  const auto right = [&](float end, TextStyle style, Color color, const std::string& words) {
    sink.text({end - sink.text_width(style, words), y}, style, color, words);
  };
  bool unlike = false;
  const auto size = [&](const std::optional<std::int64_t>& bytes) -> std::string {
    if (!bytes) return text::kNoNumber;
    const text::Quantity shown = bytes_in_column(*bytes, unit.front());
    unlike = unlike || shown.unit != unit;
    return shown.unit == unit ? shown.value : shown.joined();
  };
  sink.text({origin.x, y}, TextStyle::small, ui.theme.text2, ui.texts("inspector.peaks.title"));
  right(predicted_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.predicted"));
  right(measured_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.measured"));
  right(error_end, TextStyle::small, ui.theme.text3, ui.texts("inspector.peaks.error"));
  y += ui.px(22);
  // The chain of the target begins after the last name of a place.
  std::size_t chain = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].kind == PeakRow::Kind::place) chain = i + 1;
  const bool has_chain = rows.back().kind == PeakRow::Kind::rest;
  const auto terms = static_cast<std::size_t>(
      std::count_if(rows.begin() + static_cast<std::ptrdiff_t>(chain), rows.end(),
                    [](const PeakRow& row) { return row.kind == PeakRow::Kind::term; }));
  std::size_t place = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PeakRow& row = rows[i];
    const float height = ui.px(row.kind == PeakRow::Kind::place ? 22 : 21);
    if (row.kind == PeakRow::Kind::place) {
      sink.push_clip({origin.x, y, predicted_end, y + height});
      sink.text({origin.x, y}, TextStyle::body_medium, ui.theme.text, row.label);
      sink.pop_clip();
      y += height;
      if (has_chain && i + 1 == chain && terms > 1) {
        draw_bar(ui, sink, {origin.x, y + ui.px(1), error_end, y + ui.px(7)}, rows, chain, terms);
        y += ui.px(11);
      }
      continue;
    }
    const bool link = has_chain && i >= chain && row.kind == PeakRow::Kind::term;
    const bool sum = row.kind == PeakRow::Kind::sum;
    float indent = ui.px(14);
    if (row.kind == PeakRow::Kind::part) indent = ui.px(24);
    if (link && terms > 1) {
      const float side = ui.px(7);
      const float top = std::round(y + (sink.text_height(TextStyle::body) - side) / 2);
      sink.fill({origin.x, top, origin.x + side, top + side}, term_color(ui.theme, place++, terms),
                1);
    }
    const bool rest = row.kind == PeakRow::Kind::rest;
    const bool missing = rest && context.outlook->target->prediction.headroom < 0;
    const Color drawing = missing ? ui.theme.bad : rest ? ui.theme.ok : ui.theme.text;
    const TextStyle style = sum ? TextStyle::body_medium : TextStyle::body;
    const std::string predicted = rest ? text::bytes(*row.predicted).joined() : size(row.predicted);
    const float number = predicted_end - sink.text_width(style, predicted);
    sink.push_clip({origin.x, y, number - ui.px(6), y + height});
    sink.text({origin.x + indent, y}, TextStyle::body, rest ? drawing : ui.theme.text2, row.label);
    sink.pop_clip();
    right(predicted_end, style, drawing, predicted);
    // The links of the target are known by prediction alone.
    if (row.measured || !has_chain || i < chain) {
      right(measured_end, TextStyle::body_medium, row.measured ? ui.theme.text : ui.theme.text3,
            size(row.measured));
    }
    if (row.predicted && row.measured) {
      const auto off = static_cast<double>(std::abs(*row.predicted - *row.measured));
      const std::int64_t less = *row.predicted - *row.measured;
      const bool close = off <= 0.01 * static_cast<double>(*row.measured) ||
                         (less > 0 && less <= apart_bytes(context));
      right(error_end, TextStyle::body, close ? ui.theme.ok : ui.theme.warn,
            prediction_error(*row.predicted, *row.measured));
    }
    ImGui::SetCursorScreenPos({origin.x, y});
    ImGui::Dummy({width, height});
    tooltip(ui, exact_peaks(ui.texts, row));
    y += height;
  }
  sink.text(
      {origin.x, y}, TextStyle::small, ui.theme.text3,
      ui.texts(unlike ? "inspector.peaks.unit_mixed" : "inspector.peaks.unit", {{"unit", unit}}));
  y += ui.px(18);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, y - origin.y});
  if (const std::string scratch = scratch_words(context); !scratch.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, scratch, ui.px(16));
    tooltip(ui, ui.texts("inspector.peaks.scratch_hint"));
  }
  if (const std::string apart = apart_words(context); !apart.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, apart, ui.px(16));
    tooltip(ui, ui.texts("inspector.peaks.apart_hint"));
  }
}

}  // namespace ts::views
