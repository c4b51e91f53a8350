#include "views/snapshot/difference_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/files/file_label.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/imgui_input.h"
#include "views/common/widgets.h"
#include "views/snapshot/pick.h"

namespace ts::views {
namespace {

constexpr std::array kDifferenceHeadings = {"file.difference.bytes", "file.difference.here",
                                            "file.difference.there", "file.groups.by_size",
                                            "file.groups.by_stack"};
constexpr float kTablePart = 0.56F;  // of the width; the rest is for the timelines

memory::EventIndex moment_of(const memory::AllocationLog& log, bool at_end) {
  if (!at_end || log.events().empty()) return log.peak_event();
  return static_cast<memory::EventIndex>(log.events().size() - 1);
}

std::uint64_t device_run(const OtherRecording& one) {
  return one.device == nullptr ? 0 : one.device->run.id;
}

std::string signed_bytes(std::int64_t bytes) {
  return (bytes > 0 ? "+" : "") + text::bytes(bytes).joined();
}

}  // namespace

DifferenceView::DifferenceView() : choice_(device_run) {}

// The recording of the same device number, if any. The two change places when the other comes on
// screen.
const OtherRecording* DifferenceView::other_of(const ViewContext& context) {
  const std::uint64_t id = context.file_device->run.id;
  choice_.give_way(id, shown_);
  shown_ = id;
  return choice_.find(context, [&context](const OtherRecording& one) {
    return one.device->number == context.file_device->number;
  });
}

void DifferenceView::draw_head(const Ui& ui, const ViewContext& context,
                               const OtherRecording* other) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float moments = ui.px(200);
  const float width = std::clamp(room - moments - ui.px(16), ui.px(80), ui.px(420));
  choice_.draw(ui, context, other, "###difference_other", width);
  ImGui::SameLine(0, ui.px(16));
  const Choice choices[] = {{"peak", ui.texts("file.view.at_peak"), {}},
                            {"end", ui.texts("file.view.at_end"), {}}};
  int moment = at_end_ ? 1 : 0;
  if (segmented(ui, "###difference_moment", choices, moment, moments)) at_end_ = moment == 1;
}

void DifferenceView::update(const ViewContext& context, const OtherRecording& other) {
  const Question question{shown_, choice_.id(), at_end_};
  if (question == asked_) return;
  asked_ = question;
  ++version_;
  chosen_.reset();
  const blocks::BlockSource a = files::blocks_of(*other.file, *other.device);
  const blocks::BlockSource b = files::blocks_of(*context.file, *context.file_device);
  rows_ = blocks::difference_of({a, moment_of(a.log, at_end_)}, {b, moment_of(b.log, at_end_)});
  more_ = less_ = 0;
  for (const blocks::BlockDifference& row : rows_)
    (row.bytes() > 0 ? more_ : less_) += std::abs(row.bytes());
}

std::string DifferenceView::sentence(const ViewContext& context,
                                     const OtherRecording& other) const {
  if (rows_.empty()) return context.texts("file.difference.same");
  return context.texts(at_end_ ? "file.difference.at_end" : "file.difference.at_peak",
                       {{"more", text::bytes(more_).joined()},
                        {"less", text::bytes(less_).joined()},
                        {"other", other.name},
                        {"total", signed_bytes(more_ - less_)}});
}

void DifferenceView::draw_table(const Ui& ui, ViewContext& context, const OtherRecording& other) {
  const auto answer = table_.draw(
      ui, {.id = "###difference",
           .headings = kDifferenceHeadings,
           .rows = rows_.size(),
           .version = version_,
           .value =
               [this](std::size_t row, std::size_t column) {
                 const blocks::BlockDifference& one = rows_[row];
                 const std::int64_t values[] = {one.bytes(), one.count_b, one.count_a, one.size};
                 return static_cast<double>(values[column]);
               },
           .cells =
               [&](std::size_t row) {
                 const blocks::BlockDifference& one = rows_[row];
                 return std::vector<std::string>{
                     signed_bytes(one.bytes()), text::grouped(one.count_b),
                     text::grouped(one.count_a), text::bytes(one.size).joined(),
                     one.stack.empty() ? context.texts("flame.no_stack") : one.stack};
               },
           .chosen = context.state.picks.empty() ? std::nullopt : chosen_});
  if (!answer.clicked) return;
  chosen_ = answer.clicked;
  const blocks::BlockDifference& row = rows_[*chosen_];
  const blocks::BlockSource there = files::blocks_of(*other.file, *other.device);
  const blocks::BlockSource here = files::blocks_of(*context.file, *context.file_device);
  context.state.picks.clear();
  add_pick(context.state, choice_.id(),
           blocks::blocks_of({there, moment_of(there.log, at_end_)}, row));
  auto blocks = blocks::blocks_of({here, moment_of(here.log, at_end_)}, row);
  if (!blocks.empty()) context.state.selected_block = blocks.front();
  add_pick(context.state, shown_, std::move(blocks));
}

void DifferenceView::draw(const Ui& ui, ViewContext& context) {
  const OtherRecording* const other = other_of(context);
  if (!context.others.empty()) draw_head(ui, context, other);
  const auto say = [&](const std::string& words) {
    wrapped_text(ui, TextStyle::body, ui.theme.text2, words, 0);
  };
  if (other == nullptr) return say(ui.texts("file.difference.none"));
  if (other->device == nullptr) return say(other->reason);
  update(context, *other);
  say(sentence(context, *other));
  const float width = ImGui::GetContentRegionAvail().x;
  if (!rows_.empty()) {
    ImGui::BeginChild("###difference_table", {std::floor(width * kTablePart), 0});
    draw_table(ui, context, *other);
    ImGui::EndChild();
    ImGui::SameLine(0, ui.px(16));
  }
  draw_chart_region(context, [&](DrawSink& sink, const Rect& area) {
    MemoryOverlay overlay{.sides = {{{other->name, &other->device->run.memory, other->owner},
                                     {files::file_label(context.file->path, other->path),
                                      &context.run->memory, context.memory.owner}}},
                          .texts = ui.texts,
                          .theme = ui.theme,
                          .metrics = ui.metrics,
                          .curves = &curves_};
    draw_memory_overlay(sink, area, overlay);
  });
}

}  // namespace ts::views
