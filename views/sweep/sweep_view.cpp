#include "views/sweep/sweep_view.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/sweep/sweep_table.h"
#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using sweep::PointStatus;

// Cycles through automatic, linear and log.
void cycle(std::optional<bool>& log) {
  if (!log) {
    log = false;
  } else if (!*log) {
    log = true;
  } else {
    log.reset();
  }
}

// The controls for the scales of the axes and the fitted range.
void draw_look(const Ui& ui, const sweep::Sweep& sweep, SweepStyle& look) {
  struct Axis {
    const char* id;
    const char* name;
    std::optional<bool>* log;
  };
  for (const Axis& axis :
       {Axis{"###sweep_log_x", "x", &look.log_x}, Axis{"###sweep_log_y", "y", &look.log_y}}) {
    const char* const key = !*axis.log   ? "sweep.scale.automatic"
                            : **axis.log ? "sweep.scale.log"
                                         : "sweep.scale.linear";
    const std::string label = std::string(axis.name) + ": " + std::string(ui.texts(key));
    if (button(ui, axis.id, "", label, "", ButtonKind::quiet)) cycle(*axis.log);
    ImGui::SameLine(0, ui.px(4));
  }
  const auto& values = sweep.spec().axes[0].values;
  const auto words = [&](std::int64_t low) {
    return low == 0 ? std::string(ui.texts("sweep.fit_all"))
                    : ui.texts("sweep.fit_from", {{"value", text::grouped(low)}});
  };
  select(ui, "###sweep_fit", words(look.fit.low), "", ui.px(130), [&] {
    if (list_row(ui, "###fit_all", words(0), "", look.fit.low == 0)) {
      look.fit.low = 0;
      return true;
    }
    // A line needs two points.
    for (std::size_t i = 1; i + 1 < values.size(); ++i) {
      const std::string id = "###fit_" + std::to_string(values[i]);
      if (list_row(ui, id.c_str(), words(values[i]), "", look.fit.low == values[i])) {
        look.fit.low = values[i];
        return true;
      }
    }
    return false;
  });
  ImGui::SameLine(0, ui.px(16));
}

void draw_buttons(const Ui& ui, const SweepPage& page, std::size_t open, SweepStyle& look,
                  SweepRequests& requests) {
  const sweep::Sweep& sweep = *page.sweep;
  draw_look(ui, sweep, look);
  const bool cancelled = sweep.count(PointStatus::cancelled) > 0;
  const bool resumable = (page.paused && open > 0) || cancelled;
  if (resumable) {
    requests.resume =
        icon_button(ui, "###sweep_resume", "\xef\x81\x8b", "sweep.resume", ButtonKind::plain);
  } else if (!page.idle) {
    requests.pause =
        icon_button(ui, "###sweep_pause", "\xef\x81\x8c", "sweep.pause", ButtonKind::plain);
  }
  // Work that was cancelled or has ended cannot be cancelled.
  if (!page.idle || open > 0) {
    ImGui::SameLine(0, ui.px(8));
    requests.cancel =
        icon_button(ui, "###sweep_cancel", "\xef\x81\x8d", "sweep.cancel", ButtonKind::plain);
  }
  ImGui::SameLine(0, ui.px(8));
  requests.copy = icon_button(ui, "###sweep_copy", "\xef\x83\x85", "sweep.copy", ButtonKind::plain);
  ImGui::SameLine(0, ui.px(8));
  requests.save = icon_button(ui, "###sweep_save", "\xef\x80\x99", "sweep.save", ButtonKind::plain);
}

// Title, bar and time left at the left, buttons at the right.
void draw_strip(const Ui& ui, const SweepPage& page, float width, SweepStyle& look,
                SweepRequests& requests) {
  const sweep::Sweep& sweep = *page.sweep;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // In a small window the buttons have a separate row.
  const bool narrow = width < ui.px(800);
  const float row = ui.px(52);
  const float height = narrow ? ui.px(92) : row;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const std::size_t total = sweep.points().size();
  const std::size_t open = sweep.count(PointStatus::pending) + (sweep.running() ? 1 : 0);
  const std::size_t done = total - open - sweep.count(PointStatus::cancelled);
  const float row_left =
      right_row("###sweep_buttons", at.x + width - ui.px(16), at.y + ui.px(narrow ? 54 : 12),
                [&] { draw_buttons(ui, page, open, look, requests); });
  const float buttons = narrow ? at.x + width : row_left;
  const std::string now = sweep_now_text(page, ui.texts);
  const float most = buttons - at.x - ui.px(32);
  // While points run the text changes with every frame: the bar must not.
  const float words = sweep.running() ? 0 : sink.text_width(TextStyle::body, now) + ui.px(40);
  const float wanted = std::min(width * (narrow ? 0.5F : 0.36F), ui.px(460));
  const float bar_width = progress_width(wanted, most, words, ui.px(1));
  const Rect text_row{at.x + ui.px(16), at.y + ui.px(8), at.x + ui.px(16) + bar_width,
                      at.y + ui.px(28)};
  const std::string counted =
      ui.texts("sweep.done", {{"done", text::grouped(done)}, {"total", text::grouped(total)}});
  const float count_width = sink.text_width(TextStyle::body, counted) + 1;
  const Rect title_row{text_row.x0, text_row.y0, text_row.x1 - count_width - ui.px(8), text_row.y1};
  const std::string what = sweep_range_text(sweep.spec(), ui.texts);
  const std::string title = ui.texts("sweep.title", {{"what", what}});
  const bool fits = sink.text_width(TextStyle::body_strong, title) <= title_row.width();
  // If there is no room beside the bar, the running point replaces the title.
  const bool beside = buttons - ui.px(40) - text_row.x1 >= ui.px(220);
  const bool runs = sweep.running() && !beside;
  text_in(sink, title_row, TextStyle::body_strong, ui.theme.text,
          runs   ? fitted(sink, TextStyle::body_strong, now, title_row.width())
          : fits ? title
                 : what);
  text_right(sink, {text_row.x1 - count_width, text_row.y0, text_row.x1, text_row.y1},
             TextStyle::body, ui.theme.text2, counted);
  const Rect bar{text_row.x0, at.y + ui.px(34), text_row.x1, at.y + ui.px(38)};
  sink.fill(bar, ui.theme.surface3, ui.px(2));
  const float part = static_cast<float>(done) / static_cast<float>(std::max<std::size_t>(total, 1));
  sink.fill({bar.x0, bar.y0, bar.x0 + bar.width() * part, bar.y1}, ui.theme.accent_fill, ui.px(2));

  const Rect beside_bar{bar.x1 + ui.px(24), at.y, buttons - ui.px(16), at.y + row};
  // That all points are known is told by their number, too.
  const bool cut = sink.text_width(TextStyle::body, now) > beside_bar.width();
  const bool told = cut && done == total && page.problem.empty() && !page.predicting;
  if (!runs && !told) {
    text_in(sink, beside_bar, TextStyle::body, page.problem.empty() ? ui.theme.text2 : ui.theme.bad,
            now);
  }

  sink.fill({at.x, at.y + height - 1, at.x + width, at.y + height}, ui.theme.line);
  ImGui::SetCursorScreenPos({at.x, at.y + height});
}

// A click opens a point; with Shift it selects one of two points to compare.
void choose_point(std::size_t point, SweepPageState& state, SweepRequests& requests) {
  if (!ImGui::GetIO().KeyShift) {
    requests.open = point;
  } else if (!state.compare_first || *state.compare_first == point) {
    state.compare_first = point;
  } else {
    requests.compare = {*state.compare_first, point};
    state.compare_first.reset();
  }
}

// Draws all panels; scrolling reaches those that do not fit.
void draw_figure(const Ui& ui, const SweepPage& page, const Rect& area, SweepPageState& state,
                 SweepRequests& requests) {
  SweepFigure figure{*page.sweep, ui.texts, ui.theme, ui.metrics};
  figure.look = state.look;
  figure.references = page.references;
  figure.cache = page.analysis;
  ImGui::SetCursorScreenPos({area.x0, area.y0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("###sweep_panels", {area.width(), area.height()})) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = wanted_height(figure, width, area.height() - 1);
    const Rect whole{at.x, at.y, at.x + width, at.y + height};
    ImGui::SetNextItemAllowOverlap();
    const bool pressed = ImGui::InvisibleButton("###sweep_figure", {width, height});
    const bool menu = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    // Also over the button of a chart, which lies on the chart.
    const bool inside = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    figure.mouse = inside ? Point{mouse.x, mouse.y} : Point{-1, -1};
    figure.stale = page.stale;
    figure.seen = {whole.x0, area.y0, whole.x1, std::min(whole.y1, area.y1)};
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const SweepHit hit = draw_sweep_figure(sink, whole, figure);
    if (pressed && hit.point) choose_point(*hit.point, state, requests);
    draw_chart_menu(ui, figure, menu, hit, state, requests);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

std::string sweep_state_text(const sweep::Sweep& sweep, bool paused, const text::Texts& texts) {
  const std::size_t total = sweep.points().size();
  const std::size_t open = sweep.count(PointStatus::pending);
  if (const std::size_t cancelled = sweep.count(PointStatus::cancelled); cancelled > 0) {
    return texts("sweep.is_cancelled", {{"done", text::grouped(total - open - cancelled)},
                                        {"total", text::grouped(total)},
                                        {"left", text::grouped(open + cancelled)}});
  }
  return texts(open == 0 ? "sweep.is_done" : paused ? "sweep.is_paused" : "sweep.waits");
}

float progress_width(float wanted, float room, float words, float unit) {
  const float least = std::min(room, 300 * unit);
  return std::max(120 * unit, std::min({wanted, room, std::max(room - words, least)}));
}

std::string sweep_now_text(const SweepPage& page, const text::Texts& texts) {
  const sweep::Sweep& sweep = *page.sweep;
  if (!page.problem.empty()) return message_text(texts, page.problem);
  if (page.predicting) return texts("sweep.predicting");
  if (!sweep.running()) return sweep_state_text(sweep, page.paused, texts);
  std::string now = point_text(sweep, sweep.points()[*sweep.running()]);
  if (!page.now.empty()) now += texts("memory.list_comma") + page.now;
  if (const double left = sweep.seconds_left(); left >= 0) {
    now += "   " + texts("sweep.left", {{"seconds", text::decimal(left, 0)}});
  }
  return now;
}

std::string sweep_range_text(const sweep::SweepSpec& spec, const text::Texts& texts) {
  std::string words;
  for (const sweep::SweepAxis& axis : spec.axes) {
    if (!words.empty()) words += texts("memory.list_comma");
    const std::string low = text::grouped(axis.values.front());
    words += std::string(spec::field_name(axis.field)) + " " +
             (axis.values.size() == 1
                  ? low
                  : texts("inspector.range",
                          {{"low", low}, {"high", text::grouped(axis.values.back())}}));
  }
  constexpr std::size_t kNamed = 3;
  const auto series = sweep::series_of(spec);
  if (series.size() > kNamed)
    return words + texts("memory.list_comma") +
           texts("sweep.series_count", {{"count", text::grouped(series.size())}});
  for (const sweep::SweepSeries& one : series) words += texts("memory.list_comma") + one.label;
  return words;
}

std::string stale_sweep(const sweep::SweepSpec& shown, const sweep::SweepSpec* offered,
                        const spec::WorkloadSpec& now, const text::Texts& texts) {
  const bool alike =
      offered != nullptr &&
      std::ranges::equal(offered->axes, shown.axes, {}, &sweep::SweepAxis::field,
                         &sweep::SweepAxis::field) &&
      std::ranges::equal(offered->series, shown.series, {}, &sweep::SweepSeriesField::field,
                         &sweep::SweepSeriesField::field);
  spec::WorkloadSpec of = shown.base;
  spec::WorkloadSpec base = alike ? offered->base : now;
  // Varied settings belong to no point in particular: they are no difference.
  const auto make_same = [&](spec::Field field) {
    (void)spec::set_field(base, spec::field_name(field), spec::field_text(of, field));
  };
  for (const sweep::SweepAxis& axis : shown.axes) make_same(axis.field);
  for (const sweep::SweepSeriesField& series : shown.series) {
    if (series.field) {
      make_same(*series.field);
    } else if (const spec::Preset* preset =
                   spec::find_preset(of.workload, series.values.empty() ? "" : series.values[0])) {
      spec::apply_preset(*preset, of);
      if (base.workload == of.workload) spec::apply_preset(*preset, base);
    }
  }
  std::string settings = difference_text(texts, of, base);
  if (offered == nullptr || alike) return settings;
  const std::string varied = sweep_range_text(shown, texts);
  return settings.empty() ? varied : varied + texts("memory.list_comma") + settings;
}

std::string no_sweep_text(const SweepPage& page, const text::Texts& texts) {
  if (page.settings_key.empty()) return texts("sweep.none_hint");
  return texts("sweep.none_hint_projector", {{"key", page.settings_key}});
}

SweepRequests draw_sweep_page(const Ui& ui, const SweepPage& page, SweepPageState& state) {
  SweepRequests requests;
  if (state.compare_first &&
      (page.sweep == nullptr || *state.compare_first >= page.sweep->points().size())) {
    state.compare_first.reset();
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (page.sweep == nullptr) {
    ImGui::SetCursorScreenPos({origin.x + ui.px(24), origin.y + ui.px(24)});
    text(ui, TextStyle::large, ui.theme.text, ui.texts("sweep.none"));
    ImGui::SetCursorScreenPos({origin.x + ui.px(24), origin.y + ui.px(60)});
    wrapped_text(ui, TextStyle::body, ui.theme.text2, no_sweep_text(page, ui.texts), ui.px(24));
    return requests;
  }
  draw_strip(ui, page, size.x, state.look, requests);
  const float top = ImGui::GetCursorScreenPos().y;
  const float rest = origin.y + size.y - top;
  const float rows = static_cast<float>(page.sweep->points().size() + 1);
  // With little height, as on a projector, the charts have priority.
  const float share = rest < ui.px(620) ? 0.18F : 0.3F;
  const float table = std::floor(std::min(rest * share, ui.px(25) * rows + ui.px(8)));
  const Rect area{std::floor(origin.x), std::floor(top), std::floor(origin.x + size.x),
                  std::floor(top + rest - table)};
  draw_figure(ui, page, area, state, requests);
  ImGui::GetWindowDrawList()->AddRectFilled({area.x0, area.y1 - 1}, {area.x1, area.y1},
                                            ui.theme.line);
  ImGui::SetCursorScreenPos({area.x0, area.y1});
  if (!page.stale.empty()) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.6F);
  draw_sweep_table(ui, *page.sweep, state, requests);
  if (!page.stale.empty()) ImGui::PopStyleVar();
  return requests;
}

}  // namespace ts::views
