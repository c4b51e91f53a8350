#include "views/snapshot/trace_difference_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr std::array kTraceHeadings = {"file.difference.bytes",
                                       "file.difference.here",
                                       "file.difference.there",
                                       "trace_difference.calls_here",
                                       "trace_difference.calls_there",
                                       "trace_difference.state",
                                       "file.groups.name"};
constexpr std::size_t kMostHits = 4'000;

stats::TraceSide side_of(const files::OpenedTrace& trace) {
  return {trace.run.trace, trace.run.launches, trace.run.memory, *trace.about.strings};
}

std::uint64_t trace_run(const OtherRecording& one) {
  return one.trace == nullptr ? 0 : one.trace->run.id;
}

std::string time_text(std::int64_t ns) {
  return text::duration_ns(static_cast<double>(ns)).joined();
}

std::string signed_time(std::int64_t ns) {
  return (ns > 0 ? "+" : "") + time_text(ns);
}

const char* state_key(const stats::DifferenceRow& row) {
  constexpr std::array kKeys = {"trace_difference.gone", "trace_difference.faster",
                                "trace_difference.same", "trace_difference.slower",
                                "trace_difference.new"};
  return kKeys[static_cast<std::size_t>(row.change())];
}

std::string text_of(const stats::DifferenceRow& row) {
  std::string words = row.name;
  for (const std::string& part : {row.shape, row.module})
    if (!part.empty()) words += "  " + part;
  return words;
}

}  // namespace

TraceDifferenceView::TraceDifferenceView() : choice_(trace_run) {}

void TraceDifferenceView::draw_head(const Ui& ui, const ViewContext& context,
                                    const OtherRecording* other) {
  const float groups = ui.px(460);
  const float width =
      std::clamp(ImGui::GetContentRegionAvail().x - groups - ui.px(16), ui.px(80), ui.px(420));
  choice_.draw(ui, context, other, "###trace_other", width);
  ImGui::SameLine(0, ui.px(16));
  const Choice choices[] = {{"kernel", ui.texts("trace_difference.kernels"), {}},
                            {"op", ui.texts("trace_difference.operators"), {}},
                            {"op_and_shape", ui.texts("trace_difference.shapes"), {}},
                            {"module", ui.texts("trace_difference.modules"), {}}};
  int by = static_cast<int>(by_);
  if (segmented(ui, "###trace_difference_by", choices, by, groups))
    by_ = static_cast<stats::DifferenceBy>(by);
}

void TraceDifferenceView::update(const ViewContext& context, const OtherRecording& other) {
  const Question question{context.run->id, choice_.id(), by_};
  if (question == asked_) return;
  asked_ = question;
  ++version_;
  rows_ = stats::difference_of(side_of(*other.trace), side_of(*context.trace), by_);
  largest_ns_ = rows_.empty() ? 0 : std::abs(rows_.front().difference_ns());
}

std::string TraceDifferenceView::sentence(const Ui& ui, const OtherRecording& other) const {
  if (rows_.empty()) return ui.texts("trace_difference.nothing");
  std::int64_t more = 0;
  std::int64_t less = 0;
  for (const stats::DifferenceRow& row : rows_)
    (row.difference_ns() > 0 ? more : less) += std::abs(row.difference_ns());
  return ui.texts("trace_difference.sentence", {{"other", other.name},
                                                {"more", time_text(more)},
                                                {"less", time_text(less)},
                                                {"total", signed_time(more - less)}});
}

void TraceDifferenceView::draw_table(const Ui& ui, ViewContext& context) {
  const auto answer = table_.draw(
      ui, {.id = "###trace_difference",
           .headings = kTraceHeadings,
           .rows = rows_.size(),
           .version = version_,
           .value =
               [this](std::size_t row, std::size_t column) {
                 const stats::DifferenceRow& one = rows_[row];
                 const std::int64_t values[] = {
                     one.difference_ns(), one.b_ns,    one.a_ns,
                     one.calls_b,         one.calls_a, static_cast<std::int64_t>(one.change())};
                 return static_cast<double>(values[column]);
               },
           .cells =
               [&](std::size_t row) {
                 const stats::DifferenceRow& one = rows_[row];
                 return std::vector<std::string>{signed_time(one.difference_ns()),
                                                 time_text(one.b_ns),
                                                 time_text(one.a_ns),
                                                 text::grouped(one.calls_b),
                                                 text::grouped(one.calls_a),
                                                 ui.texts(state_key(one)),
                                                 text_of(one)};
               },
           .bar =
               [this](std::size_t row) {
                 return largest_ns_ == 0 ? 0
                                         : static_cast<double>(rows_[row].difference_ns()) /
                                               static_cast<double>(largest_ns_);
               }});
  if (!answer.clicked) return;
  // The search of the timeline marks all of them; the first is selected.
  const std::string& name = rows_[*answer.clicked].name;
  context.state.search = name;
  context.state.selected_slice.reset();
  for (const trace::SliceRef& ref : context.run->trace.search(context.strings, name, kMostHits)) {
    const trace::Slice slice = context.run->trace.slice(ref);
    if (context.strings.view(slice.name) != name && context.strings.view(slice.module) != name)
      continue;
    context.state.selected_slice = ref;
    break;
  }
}

void TraceDifferenceView::draw(const Ui& ui, ViewContext& context) {
  const auto say = [&](const std::string& words) {
    wrapped_text(ui, TextStyle::body, ui.theme.text2, words, 0);
  };
  if (context.trace == nullptr) return say(ui.texts("trace_difference.no_trace"));
  const OtherRecording* const other =
      choice_.find(context, [](const OtherRecording& /*one*/) { return true; });
  if (!context.others.empty()) draw_head(ui, context, other);
  if (other == nullptr) return say(ui.texts("trace_difference.none"));
  if (other->trace == nullptr) return say(other->reason);
  update(context, *other);
  say(sentence(ui, *other));
  ImGui::Dummy({0, ui.px(4)});
  if (!rows_.empty()) draw_table(ui, context);
}

}  // namespace ts::views
