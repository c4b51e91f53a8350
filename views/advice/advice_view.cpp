#include "views/advice/advice_view.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/advice/advice_table.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/numbers.h"
#include "views/advice/ladder_figure.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr const char* kCheck = "\xef\x80\x8c";
constexpr const char* kCross = "\xef\x80\x8d";

// The settings that may change, in the order of AdviceView::varied_.
struct Axis {
  const char* label;
  std::array<spec::Field, 2> fields;
};
constexpr std::array<Axis, 5> kAxes = {
    {{"controls.field.dtype", {spec::Field::dtype, spec::Field::autocast}},
     {"controls.field.backend", {spec::Field::backend, spec::Field::backend}},
     {"controls.field.checkpoint", {spec::Field::checkpoint, spec::Field::checkpoint}},
     {"controls.field.optimizer", {spec::Field::optimizer, spec::Field::optimizer}},
     {"advice.batch", {spec::Field::B, spec::Field::accumulate}}}};

// The settings of a row for the device of `settings`.
spec::WorkloadSpec tried_of(const advice::AdviceRow& row, const spec::WorkloadSpec& settings) {
  spec::WorkloadSpec tried = row.spec;
  tried.device = settings.device;
  tried.target_gpu = settings.target_gpu;
  tried.memory_limit = settings.memory_limit;
  return tried;
}

// The next cell, its words level with those of the button at the end of the row.
void next_cell(const Ui& ui) {
  ImGui::TableNextColumn();
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (ui.px(28) - ImGui::GetTextLineHeight()) / 2);
}

void number_cell(const Ui& ui, const std::string& words) {
  next_cell(ui);
  right_aligned(words);
}

// A cell of `color`; words that were cut are in the tooltip.
void colored(Color color, const std::string& words) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  cell_text(words);
  ImGui::PopStyleColor();
}

std::string where_it_applies(const advice::AdviceRow& row, spec::Field field) {
  return spec::field_applies(row.spec, field) ? spec::field_text(row.spec, field)
                                              : std::string(text::kNoNumber);
}

// The time of a step, and what it is in the tooltip.
void draw_time(const Ui& ui, const advice::AdviceRow& row) {
  if (!row.bound && !row.measured_s) return number_cell(ui, text::kNoNumber);
  const double seconds = row.measured_s ? *row.measured_s : row.bound->seconds;
  const std::string time = text::duration_ns(seconds * 1e9).joined();
  number_cell(ui, row.measured_s ? time : "\xe2\x89\xa5 " + time);
  if (row.bound) tooltip(ui, advice::limit_text(*row.bound, ui.texts));
}

void draw_memory(const Ui& ui, const advice::AdviceRow& row, std::int64_t memory) {
  if (!row.problem.empty()) {
    number_cell(ui, text::kNoNumber);
    return number_cell(ui, text::kNoNumber);
  }
  const std::string needed = text::bytes(row.needed).joined();
  number_cell(ui, row.at_least ? "\xe2\x89\xa5 " + needed : needed);
  if (row.at_least) return number_cell(ui, text::kNoNumber);
  const bool fits = row.fit != predict::Fit::oom;
  ImGui::PushStyleColor(ImGuiCol_Text, fits ? ui.theme.ok : ui.theme.bad);
  number_cell(ui, text::bytes(memory - row.needed).joined());
  ImGui::PopStyleColor();
}

std::string origin_text(const Ui& ui, const advice::AdviceRow& row) {
  using Origin = advice::AdviceRow::Origin;
  switch (row.origin) {
    case Origin::best:
      return ui.texts("advice.row.best");
    case Origin::as_set:
      return ui.texts("advice.row.as_set");
    case Origin::lab_rule:
      return ui.texts("advice.row.lab_rule");
    case Origin::kind:
      return {};
  }
  return {};
}

// The verdict as a mark, and where the row comes from.
void draw_verdict(const Ui& ui, const advice::AdviceRow& row) {
  next_cell(ui);
  const bool fits = row.problem.empty() && row.fit != predict::Fit::oom;
  const bool slow = fits && row.fit == predict::Fit::fits_after_flush;
  colored(slow ? ui.theme.warn : fits ? ui.theme.ok : ui.theme.bad, fits ? kCheck : kCross);
  tooltip(ui, !row.problem.empty() ? message_text(ui.texts, row.problem)
              : slow               ? ui.texts("advice.verdict.flush")
              : fits               ? ui.texts("advice.verdict.fits")
                                   : ui.texts("advice.verdict.oom"));
  next_cell(ui);
  cell_text(origin_text(ui, row));
}

// True if the row's settings are to be tried.
bool draw_row(const Ui& ui, const advice::AdviceRow& row, const AdviceView::Shown& shown) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, ui.px(36));
  draw_verdict(ui, row);
  next_cell(ui);
  cell_text(advice::precision_text(row.spec));
  for (const spec::Field field :
       {spec::Field::backend, spec::Field::checkpoint, spec::Field::optimizer}) {
    next_cell(ui);
    cell_text(where_it_applies(row, field));
  }
  const std::int64_t micro = spec::micro_batches(row.spec);
  number_cell(
      ui, text::grouped(row.spec.batch) + (micro > 1 ? " \xc3\x97 " + text::grouped(micro) : ""));
  draw_time(ui, row);
  number_cell(ui, row.tokens_words());
  draw_memory(ui, row, shown.advice->request.target.memory);
  if (!row.problem.empty()) return false;
  const spec::WorkloadSpec tried = tried_of(row, shown.settings);
  if (tried == shown.settings) {
    next_cell(ui);
    colored(ui.theme.text3, ui.texts("advice.is_set"));
    return false;
  }
  ImGui::TableNextColumn();
  const bool pressed = text_button(ui, "###advice_try", "advice.try", ButtonKind::quiet);
  tooltip(ui, ui.texts(spec::validate(tried).empty() ? "remedy.try" : "remedy.try_card"));
  return pressed;
}

std::optional<spec::WorkloadSpec> draw_table(const Ui& ui, const AdviceView::Shown& shown) {
  const std::vector<advice::AdviceRow> rows = advice::advice_rows(*shown.advice);
  std::optional<spec::WorkloadSpec> tried;
  if (rows.empty()) return tried;
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_ScrollY;
  constexpr int kColumns = 12;
  if (!ImGui::BeginTable("###advice_rows", kColumns, kFlags)) return tried;
  const auto column = [](const char* title, float weight) {
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, weight);
  };
  ImGui::TableSetupScrollFreeze(0, 1);
  column("", 0.35F);
  column("", 1.15F);
  column(ui.texts("controls.field.dtype"), 2.1F);
  column(ui.texts("advice.column.attention"), 1.1F);
  column(ui.texts("controls.field.checkpoint"), 1.2F);
  column(ui.texts("controls.field.optimizer"), 1.35F);
  column(ui.texts("advice.batch"), 0.95F);
  column(ui.texts("advice.column.step"), 1.15F);
  column(ui.texts("advice.column.rate"), 1.1F);
  column(ui.texts("advice.column.needed"), 1.25F);
  column(ui.texts("advice.column.headroom"), 1.25F);
  column("", 0.95F);
  table_headings([](int at) { return at >= 6 && at <= 10; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (draw_row(ui, rows[i], shown)) tried = tried_of(rows[i], shown.settings);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return tried;
}

// The figure, and below it how to time the rungs.
void draw_ladder(const Ui& ui, const AdviceView::Shown& shown) {
  const advice::Ladder& ladder = *shown.ladder;
  if (!advice::asks_the_same(ladder.request.settings, shown.settings)) {
    wrapped_text(ui, TextStyle::body, ui.theme.warn, ui.texts("advice.stale"), ui.px(12));
  }
  if (shown.measuring != nullptr) {
    const std::string rung = std::string("ladder.rung.") + to_string(shown.measuring->kind);
    text(ui, TextStyle::body, ui.theme.text2,
         ui.texts("ladder.measuring", {{"rung", ui.texts(rung)}}));
  }
  if (ladder.rungs.empty()) {
    text(ui, TextStyle::body, ui.theme.text2,
         ui.texts(ladder.running ? "ladder.running" : "ladder.cancelled"));
    return;
  }
  ImGui::Dummy({0, ui.px(8)});
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const LadderFigure figure{.theme = ui.theme,
                            .metrics = ui.metrics,
                            .texts = ui.texts,
                            .rungs = ladder.rungs,
                            .target = ladder.request.target};
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = std::min(ImGui::GetContentRegionAvail().x, ui.px(1400));
  const float height = ladder_figure_height(figure);
  draw_ladder_figure(sink, {from.x, from.y, from.x + width, from.y + height}, figure);
  ImGui::Dummy({width, height + ui.px(12)});
  wrapped_text(ui, TextStyle::small, ui.theme.text3, ui.texts("ladder.about"), ui.px(12));
}

}  // namespace

advice::RecipeSpace AdviceView::space() const {
  advice::RecipeSpace space;
  space.free_batch = free_batch_;
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    if (!varied_[i]) space.kept.push_back(kAxes[i].fields[0]);
  }
  return space;
}

void AdviceView::draw_head(const Ui& ui, const Shown& shown, Answer& answer) {
  const std::array<Choice, 2> kinds = {{{"settings", ui.texts("advice.kind.settings"), ""},
                                        {"ladder", ui.texts("advice.kind.ladder"), ""}}};
  const float room = ImGui::GetContentRegionAvail().x;
  segmented(ui, "###advice_kind", kinds, kind_, std::min(ui.px(220), room * 0.3F));
  ImGui::SameLine(0, ui.px(12));
  const std::array<Choice, 2> devices = {
      {{"card", shown.card, ""}, {"here", ui.texts("advice.here"), ""}}};
  segmented(ui, "###advice_device", devices, device_, std::min(ui.px(300), room * 0.3F));
  ImGui::SameLine(0, ui.px(12));
  if (shown.busy) {
    answer.cancel = text_button(ui, "###advice_cancel", "advice.cancel", ButtonKind::plain, "Esc");
  } else {
    ImGui::BeginDisabled(!shown.problem.empty());
    answer.ask = text_button(ui, "###advice_ask", "advice.ask", ButtonKind::primary);
    ImGui::EndDisabled();
  }
  ImGui::SameLine(0, ui.px(8));
  const bool some =
      ladder() ? shown.ladder != nullptr && !shown.ladder->rungs.empty() : shown.advice != nullptr;
  ImGui::BeginDisabled(!some);
  if (icon_button(ui, "###advice_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) {
    const io::TextTable table =
        ladder() ? advice::ladder_table(shown.ladder->rungs, shown.ladder->request.target, ui.texts)
                 : advice::advice_table(*shown.advice, ui.texts);
    ImGui::SetClipboardText(io::to_markdown(table).c_str());
  }
  if (ladder()) {
    ImGui::SameLine(0, ui.px(8));
    answer.picture =
        icon_button(ui, "###advice_picture", icon::kPicture, "stepper.picture", ButtonKind::quiet);
  }
  ImGui::EndDisabled();
  if (ladder()) {
    ImGui::SameLine(0, ui.px(8));
    ImGui::BeginDisabled(!shown.can_measure);
    answer.measure = text_button(ui, "###advice_measure", "ladder.run", ButtonKind::quiet);
    ImGui::EndDisabled();
    tooltip(ui, ui.texts("ladder.run_about"));
  }
  ImGui::Dummy({0, ui.px(4)});
}

void AdviceView::draw_choices(const Ui& ui) {
  const float top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top + (ui.px(28) - ImGui::GetTextLineHeight()) / 2);
  text(ui, TextStyle::body, ui.theme.text2, ui.texts("advice.varied"));
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    ImGui::SameLine(0, ui.px(8));
    ImGui::SetCursorPosY(top);
    const std::string id = "###advice_axis_" + std::to_string(i);
    if (button(ui, id.c_str(), varied_[i] ? kCheck : "", ui.texts(kAxes[i].label), "",
               varied_[i] ? ButtonKind::on : ButtonKind::quiet)) {
      varied_[i] = !varied_[i];
    }
  }
  ImGui::SameLine(0, ui.px(16));
  ImGui::SetCursorPosY(top);
  if (button(ui, "###advice_free", free_batch_ ? kCheck : "", ui.texts("advice.free_batch"), "",
             free_batch_ ? ButtonKind::on : ButtonKind::quiet)) {
    free_batch_ = !free_batch_;
  }
  tooltip(ui, ui.texts("advice.free_batch_about"));
  ImGui::Dummy({0, ui.px(4)});
}

AdviceView::Answer AdviceView::draw(const Ui& ui, const Shown& shown) {
  Answer answer;
  draw_head(ui, shown, answer);
  if (!ladder()) {
    draw_advice(ui, shown, answer);
  } else if (shown.ladder == nullptr || !shown.ladder->problem.empty()) {
    const base::Message& problem = shown.ladder != nullptr ? shown.ladder->problem : shown.problem;
    if (!problem.empty()) {
      wrapped_text(ui, TextStyle::body, ui.theme.warn, message_text(ui.texts, problem), ui.px(12));
    }
    wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("ladder.about"), ui.px(12));
  } else {
    draw_ladder(ui, shown);
  }
  return answer;
}

void AdviceView::draw_advice(const Ui& ui, const Shown& shown, Answer& answer) {
  draw_choices(ui);
  const auto paragraph = [&](Color color, const base::Message& words) {
    wrapped_text(ui, TextStyle::body, color, message_text(ui.texts, words), ui.px(12));
  };
  if (shown.advice == nullptr) {
    if (!shown.problem.empty()) paragraph(ui.theme.warn, shown.problem);
    wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("advice.about"), ui.px(12));
    return;
  }
  const advice::Advice& advice = *shown.advice;
  paragraph(advice.problem.empty() ? ui.theme.text : ui.theme.bad, advice::advice_sentence(advice));
  const base::Message rule = advice::rule_sentence(advice);
  if (!rule.empty()) paragraph(ui.theme.text2, rule);
  if (!advice::asks_the_same(advice.request.settings, shown.settings)) {
    wrapped_text(ui, TextStyle::body, ui.theme.warn, ui.texts("advice.stale"), ui.px(12));
  }
  ImGui::Dummy({0, ui.px(4)});
  answer.tried = draw_table(ui, shown);
}

}  // namespace ts::views
