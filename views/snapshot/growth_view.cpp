#include "views/snapshot/growth_view.h"

#include <imgui.h>

#include <array>
#include <string>
#include <vector>

#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/common/widgets.h"
#include "views/snapshot/pick.h"

namespace ts::views {
namespace {

constexpr std::array kGrowthHeadings = {"file.growth.per_step", "file.growth.first",
                                        "file.growth.last", "file.growth.blocks",
                                        "file.groups.by_stack"};

std::string growth_sentence(const text::Texts& texts, const blocks::Growth& growth) {
  const std::string steps = text::grouped(growth.ends.size());
  if (!growth.known()) {
    return texts("file.growth.unknown",
                 {{"least", text::grouped(blocks::Growth::kLeastSteps)}, {"count", steps}});
  }
  const auto bytes = [](std::int64_t value) { return text::bytes(value).joined(); };
  return texts(
      growth.stacks.empty() ? "file.growth.none" : "file.growth.sentence",
      {{"count", steps}, {"first", bytes(growth.first_total)}, {"last", bytes(growth.last_total)}});
}

}  // namespace

void GrowthView::update(const ViewContext& context) {
  if (shown_ == context.file_device->run.id) return;
  shown_ = context.file_device->run.id;
  ++version_;
  chosen_.reset();
  menu_row_ = 0;
}

void GrowthView::draw(const Ui& ui, ViewContext& context) {
  if (context.file_device->growth == nullptr) return;
  update(context);
  const blocks::Growth& growth = *context.file_device->growth;
  wrapped_text(ui, TextStyle::body, ui.theme.text2, growth_sentence(ui.texts, growth), 0);
  if (!growth.known() || growth.stacks.empty()) return;
  const auto per_step = [&growth](const blocks::GrowingStack& one) {
    return (one.last_bytes - one.first_bytes) / growth.intervals();
  };
  const auto answer = table_.draw(
      ui,
      {.id = "###growth",
       .headings = kGrowthHeadings,
       .rows = growth.stacks.size(),
       .version = version_,
       .value =
           [&](std::size_t row, std::size_t column) {
             const blocks::GrowingStack& one = growth.stacks[row];
             const std::int64_t values[] = {per_step(one), one.first_bytes, one.last_bytes,
                                            one.last_count - one.first_count};
             return static_cast<double>(values[column]);
           },
       .cells =
           [&](std::size_t row) {
             const blocks::GrowingStack& one = growth.stacks[row];
             const std::string stack =
                 blocks::frames_text(context.file->file.snapshot, one.frames, blocks::Paths::names);
             return std::vector<std::string>{
                 "+" + text::bytes(per_step(one)).joined(), text::bytes(one.first_bytes).joined(),
                 text::bytes(one.last_bytes).joined(),
                 text::grouped(one.first_count) + " \xe2\x86\x92 " + text::grouped(one.last_count),
                 stack.empty() ? context.texts("flame.no_stack") : stack};
           },
       .chosen = context.state.picks.empty() ? std::nullopt : chosen_});
  if (answer.menu) menu_row_ = *answer.menu;
  draw_rows_menu(ui, context, answer.menu.has_value(),
                 "+" + text::bytes(per_step(growth.stacks[menu_row_])).joined(),
                 [&, row = menu_row_] { return growth.stacks[row].alive; });
  if (!answer.clicked) return;
  chosen_ = answer.clicked;
  add_pick(context.state, shown_, growth.stacks[*chosen_].alive);
  context.state.selected_block = growth.stacks[*chosen_].alive.back();
}

}  // namespace ts::views
