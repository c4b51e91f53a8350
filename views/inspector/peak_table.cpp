#include "views/inspector/peak_table.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "core/memory/before_backward.h"
#include "core/memory/first_step.h"
#include "core/spec/spec_fields.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"

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

char unit_of(const std::vector<PeakRow>& rows) {
  return text::bytes(largest(rows)).unit.front();
}

// A number of the columns, with its unit if it differs from that of the columns.
std::string column_size(const std::optional<std::int64_t>& bytes, char unit) {
  if (!bytes) return text::kNoNumber;
  const text::Quantity shown = bytes_in_column(*bytes, unit);
  return shown.unit.front() == unit ? shown.value : shown.joined();
}

// The spare memory differs much from the other numbers and has its own unit.
std::string predicted_size(const PeakRow& row, char unit) {
  return row.kind == PeakRow::Kind::rest ? text::bytes(*row.predicted).joined()
                                         : column_size(row.predicted, unit);
}

TextStyle number_style(const PeakRow& row) {
  return row.kind == PeakRow::Kind::sum ? TextStyle::body_medium : TextStyle::body;
}

constexpr float kIndent = 14;
float indent_of(const PeakRow& row) {
  return row.kind == PeakRow::Kind::part ? kIndent + 10 : kIndent;
}

// From full colour for the tensors to the weakest for the last term.
Color term_color(const Theme& theme, std::size_t place, std::size_t count) {
  const float part = count > 1 ? static_cast<float>(place) / static_cast<float>(count) : 0;
  return mixed(theme.accent, theme.surface3, part);
}

// The terms of the chain side by side, as shares of the needed memory.
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

// The type of the optimizer's state beside 16-bit parameters; empty where there is no choice.
std::string state_text(const text::Texts& texts, const spec::WorkloadSpec& spec) {
  if (!spec::field_applies(spec, spec::Field::optimizer_state)) return {};
  std::string choice = spec::field_text(spec, spec::Field::optimizer_state);
  std::ranges::replace(choice, '+', '_');
  return texts("inspector.peaks.state." + choice);
}

// Bytes that a run here may use less than predicted.
std::int64_t apart_bytes(const ViewContext& context) {
  if (memory_source(context).kind == MemorySource::Kind::measured && context.forecast != nullptr)
    return context.forecast->run.apart_bytes;
  if (context.outlook == nullptr || context.outlook->target == nullptr) return 0;
  return context.outlook->target->run.apart_bytes;
}

// Draws the table row by row, starting at the upper left corner.
class PeakTable {
 public:
  PeakTable(const Ui& ui, const ViewContext& context, const std::vector<PeakRow>& rows)
      : ui_(ui),
        context_(context),
        rows_(rows),
        sink_(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale),
        origin_(ImGui::GetCursorScreenPos()),
        width_(ImGui::GetContentRegionAvail().x),
        y_(origin_.y),
        unit_(unit_of(rows)),
        columns_(peak_columns(sink_, ui.metrics, rows, width_)) {
    // The chain of the target begins after the last heading.
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].kind == PeakRow::Kind::place) chain_ = i + 1;
    has_chain_ = rows.back().kind == PeakRow::Kind::rest;
    terms_ = static_cast<std::size_t>(
        std::count_if(rows.begin() + static_cast<std::ptrdiff_t>(chain_), rows.end(),
                      [](const PeakRow& row) { return row.kind == PeakRow::Kind::term; }));
  }

  void draw() {
    draw_head();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].kind == PeakRow::Kind::place ? draw_place(i) : draw_row(i);
    }
    const std::string unit = text::bytes(largest(rows_)).unit;
    sink_.text({origin_.x, y_}, TextStyle::small, ui_.theme.text3,
               ui_.texts(unlike() ? "inspector.peaks.unit_mixed" : "inspector.peaks.unit",
                         {{"unit", unit}}));
    y_ += ui_.px(18);
    ImGui::SetCursorScreenPos(origin_);
    ImGui::Dummy({width_, y_ - origin_.y});
  }

 private:
  void right(float end, TextStyle style, Color color, const std::string& words) {
    sink_.text({origin_.x + end - sink_.text_width(style, words), y_}, style, color, words);
  }

  // True if some number has its own unit.
  [[nodiscard]] bool unlike() const {
    const auto other = [this](const std::optional<std::int64_t>& bytes) {
      return bytes && bytes_in_column(*bytes, unit_).unit.front() != unit_;
    };
    return std::ranges::any_of(rows_, [&](const PeakRow& row) {
      return row.kind != PeakRow::Kind::place && (other(row.predicted) || other(row.measured));
    });
  }

  void draw_head() {
    sink_.text({origin_.x, y_}, TextStyle::small, ui_.theme.text2,
               ui_.texts("inspector.peaks.title"));
    right(columns_.predicted, TextStyle::small, ui_.theme.text3,
          ui_.texts("inspector.peaks.predicted"));
    if (!columns_.stacked) {
      right(columns_.measured, TextStyle::small, ui_.theme.text3,
            ui_.texts("inspector.peaks.measured"));
      right(columns_.error, TextStyle::small, ui_.theme.text3, ui_.texts("inspector.peaks.error"));
    }
    y_ += ui_.px(22);
  }

  void draw_place(std::size_t i) {
    const float height = ui_.px(22);
    text_in(sink_, {origin_.x, y_, origin_.x + width_, y_ + height}, TextStyle::body_medium,
            ui_.theme.text, rows_[i].label);
    y_ += height;
    if (!has_chain_ || i + 1 != chain_ || terms_ < 2) return;
    draw_bar(ui_, sink_, {origin_.x, y_ + ui_.px(1), origin_.x + width_, y_ + ui_.px(7)}, rows_,
             chain_, terms_);
    y_ += ui_.px(11);
  }

  void draw_row(std::size_t i) {
    const PeakRow& row = rows_[i];
    const float top = y_;
    const bool link = has_chain_ && i >= chain_ && row.kind == PeakRow::Kind::term;
    if (link && terms_ > 1) {
      const float side = ui_.px(7);
      const float at = std::round(y_ + (sink_.text_height(TextStyle::body) - side) / 2);
      sink_.fill({origin_.x, at, origin_.x + side, at + side},
                 term_color(ui_.theme, place_++, terms_), 1);
    }
    const bool rest = row.kind == PeakRow::Kind::rest;
    const bool missing = rest && context_.outlook->target->prediction.headroom < 0;
    const Color drawing = missing ? ui_.theme.bad : rest ? ui_.theme.ok : ui_.theme.text;
    const std::string predicted = predicted_size(row, unit_);
    const float number = columns_.predicted - sink_.text_width(number_style(row), predicted);
    sink_.push_clip({origin_.x, y_, origin_.x + number - ui_.px(6), y_ + ui_.px(21)});
    sink_.text({origin_.x + ui_.px(indent_of(row)), y_}, TextStyle::body,
               rest ? drawing : ui_.theme.text2, row.label);
    sink_.pop_clip();
    right(columns_.predicted, number_style(row), drawing, predicted);
    // The links of the target are only predicted.
    if (row.measured || ((!has_chain_ || i < chain_) && !columns_.stacked)) draw_measured(row);
    y_ += ui_.px(21);
    ImGui::SetCursorScreenPos({origin_.x, top});
    ImGui::Dummy({width_, y_ - top});
    tooltip(ui_, exact_peaks(ui_.texts, row));
  }

  void draw_measured(const PeakRow& row) {
    std::string error;
    bool close = false;
    if (row.predicted && row.measured) {
      const auto off = static_cast<double>(std::abs(*row.predicted - *row.measured));
      const std::int64_t less = *row.predicted - *row.measured;
      close = off <= 0.01 * static_cast<double>(*row.measured) ||
              (less > 0 && less <= apart_bytes(context_));
      error = prediction_error(*row.predicted, *row.measured);
    }
    const Color judged = close ? ui_.theme.ok : ui_.theme.warn;
    const std::string measured = column_size(row.measured, unit_);
    if (!columns_.stacked) {
      right(columns_.measured, TextStyle::body_medium,
            row.measured ? ui_.theme.text : ui_.theme.text3, measured);
      right(columns_.error, TextStyle::body, judged, error);
      return;
    }
    y_ += ui_.px(19);
    sink_.text({origin_.x + ui_.px(kIndent), y_}, TextStyle::small, ui_.theme.text3,
               ui_.texts("inspector.peaks.measured"));
    right(columns_.error, TextStyle::body_medium, ui_.theme.text, measured);
    const float beside = sink_.text_width(TextStyle::body_medium, measured) + ui_.px(12);
    right(columns_.error - beside, TextStyle::small, judged, error);
  }

  const Ui& ui_;
  const ViewContext& context_;
  const std::vector<PeakRow>& rows_;
  ImGuiSink sink_;
  ImVec2 origin_;
  float width_;
  float y_;
  char unit_;
  PeakColumns columns_;
  std::size_t chain_ = 0, terms_ = 0, place_ = 0;
  bool has_chain_ = false;
};

}  // namespace

std::vector<PeakRow> peak_table(const ViewContext& context) {
  std::vector<PeakRow> rows;
  const MemorySource source = memory_source(context);
  const predict::Forecast* here = context.forecast;
  const bool measured = source.kind == MemorySource::Kind::measured && source.log != nullptr;
  const auto row = [&](PeakRow::Kind kind, std::string label, std::optional<std::int64_t> predicted,
                       std::string hint = {}) {
    rows.push_back(
        {.kind = kind, .label = std::move(label), .predicted = predicted, .hint = std::move(hint)});
  };
  using Kind = PeakRow::Kind;
  const std::string tensors = context.texts("inspector.peaks.tensors");
  const std::string before = context.texts("inspector.peaks.before_backward");
  const std::string first_step = context.texts("inspector.peaks.first_step");
  const std::string first_step_hint = context.texts("inspector.peaks.first_step_hint");
  if (measured && here != nullptr) {
    // A step that failed never reached its peak.
    const bool whole =
        context.run != nullptr && context.run->finished && context.run->verdict == run::Verdict::ok;
    row(Kind::place, context.texts("inspector.peaks.here"), {});
    row(Kind::term, whole ? tensors : context.texts("inspector.peaks.tensors_whole"),
        here->run.log.peak_bytes(), context.texts("inspector.peaks.tensors_hint"));
    if (whole) rows.back().measured = context.run->peak_allocated();
    if (const auto expected = memory::first_step(here->run.log)) {
      row(Kind::part, first_step, expected->bytes, first_step_hint);
      const auto found = memory::first_step(*source.log);
      if (whole && found) rows.back().measured = found->bytes;
    }
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
  row(Kind::place, limit_text(context.texts, card.target.name), {});
  const auto term = [&](const char* key, const char* hint, std::int64_t bytes) {
    if (bytes > 0) row(Kind::term, context.texts(key), bytes, context.texts(hint));
  };
  row(Kind::term, tensors, chain.tensors, context.texts("inspector.peaks.tensors_hint"));
  if (const std::string state = state_text(context.texts, card.run.spec); !state.empty()) {
    constexpr auto kState = static_cast<std::size_t>(memory::Category::optimizer_state);
    row(Kind::part, state, prediction.by_category[kState],
        meaning(context.texts, "optimizer_state"));
  }
  term("inspector.peaks.rounding", "inspector.peaks.rounding_hint", chain.rounding);
  term("inspector.peaks.workspaces", "inspector.peaks.workspaces_hint", chain.workspaces);
  if (cuda) {
    row(Kind::sum, context.texts("inspector.peaks.allocated"), chain.allocated(),
        meaning(context.texts, "allocated"));
  }
  if (prediction.first_step) row(Kind::part, first_step, prediction.first_step, first_step_hint);
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

PeakColumns peak_columns(const DrawSink& sink, Metrics metrics, const std::vector<PeakRow>& rows,
                         float width) {
  PeakColumns columns;
  columns.error = width;
  columns.measured = columns.error - metrics.px(62);
  columns.predicted = columns.measured - metrics.px(70);
  const char unit = unit_of(rows);
  columns.stacked = std::ranges::any_of(rows, [&](const PeakRow& row) {
    if (row.kind == PeakRow::Kind::place) return false;
    return metrics.px(indent_of(row) + 6) + sink.text_width(TextStyle::body, row.label) +
               sink.text_width(number_style(row), predicted_size(row, unit)) >
           columns.predicted;
  });
  if (columns.stacked) columns.predicted = columns.measured = columns.error;
  return columns;
}

std::string scratch_text(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->target == nullptr) return {};
  const predict::Prediction& prediction = context.outlook->target->prediction;
  if (prediction.scratch_high <= 0) return {};
  return context.texts("inspector.peaks.scratch",
                       {{"low", text::bytes(prediction.scratch_low).joined()},
                        {"high", text::bytes(prediction.scratch_high).joined()}});
}

std::string apart_text(const ViewContext& context) {
  const std::int64_t bytes = apart_bytes(context);
  if (bytes <= 0) return {};
  return context.texts("inspector.peaks.apart", {{"size", text::bytes(bytes).joined()}});
}

std::string unchecked_text(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->target == nullptr) return {};
  const base::Message& unchecked = context.outlook->target->prediction.unchecked;
  return unchecked.empty() ? std::string() : message_text(context.texts, unchecked);
}

void draw_peak_table(const Ui& ui, const ViewContext& context) {
  const std::vector<PeakRow> rows = peak_table(context);
  if (rows.empty()) return;
  PeakTable(ui, context, rows).draw();
  if (const std::string scratch = scratch_text(context); !scratch.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, scratch);
    tooltip(ui, ui.texts("inspector.peaks.scratch_hint"));
  }
  if (const std::string apart = apart_text(context); !apart.empty()) {
    wrapped_text(ui, TextStyle::small, ui.theme.text3, apart);
    tooltip(ui, ui.texts("inspector.peaks.apart_hint"));
  }
  if (const std::string unchecked = unchecked_text(context); !unchecked.empty())
    wrapped_text(ui, TextStyle::small, ui.theme.text3, unchecked);
}

}  // namespace ts::views
