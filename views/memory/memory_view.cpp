#include "views/memory/memory_view.h"

#include <imgui.h>

#include <array>
#include <string>
#include <utility>

#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/io/text_table.h"
#include "core/report/live_tables.h"
#include "core/text/numbers.h"
#include "views/charts/category_menu.h"
#include "views/charts/imgui_input.h"
#include "views/charts/run_time.h"

namespace ts::views {
namespace {

struct Control {
  MemoryChart::Item item;
  const char* id;
  bool held;  // acts while it is held, not when it is pressed
};
constexpr std::array<Control, MemoryChart::kItemCount> kControls{
    {{MemoryChart::kDetail, "###memory_detail", true},
     {MemoryChart::kColor, "###memory_color", false},
     {MemoryChart::kAxis, "###memory_axis", false},
     {MemoryChart::kLink, "###memory_link", false}}};

// All frames with full paths; empty for a run of our own.
std::string stack_of(const ViewContext& context, memory::BlockIndex block) {
  if (context.file == nullptr || context.file_device == nullptr) return {};
  const blocks::BlockSource source = files::blocks_of(*context.file, *context.file_device);
  return blocks::stack_text(source.snapshot, source.stack_of(block));
}

// All blocks of the same stack; none for a block without one.
std::vector<memory::BlockIndex> blocks_alike(const ViewContext& context, memory::BlockIndex block) {
  std::vector<memory::BlockIndex> blocks;
  const auto& stacks = context.file_device->stacks;
  if (block >= stacks.size() || stacks[block] == memory::kNone) return blocks;
  for (memory::BlockIndex i = 0; i < stacks.size(); ++i) {
    if (stacks[i] == stacks[block]) blocks.push_back(i);
  }
  return blocks;
}

}  // namespace

void MemoryView::draw(ViewContext& context, std::span<const MenuRow> of_panel) {
  draw_chart_region(context,
                    [&](DrawSink& sink, const Rect& area) { draw(sink, area, context, of_panel); });
}

void MemoryView::draw(DrawSink& sink, const Rect& area, ViewContext& context,
                      std::span<const MenuRow> of_panel) {
  chart_.lay_out(sink, area, context);

  const MemoryRegions& regions = chart_.regions();
  // The slider may be in the row of the legend.
  const float top = regions.has_legend() ? regions.legend.y1 : regions.title.y1;
  const Rect canvas{area.x0, top, area.x1, area.y1};
  ChartInput input =
      read_chart_input("###memory", canvas, context.state.memory_has_keys, context.now_ns);
  if (input.hovered) context.state.memory_has_keys = true;
  // During a run, Escape cancels the run.
  if (context.run != nullptr && !context.run->finished) input.clear = false;
  for (const Control& control : kControls) {
    const HotSpot spot = hot_spot(control.id, chart_.item(control.item), !control.held);
    if (control.item == MemoryChart::kDetail && spot.hovered && !spot.held)
      tooltip({context.theme, context.metrics, *context.faces, context.texts},
              context.texts("memory.detail_meaning"));
    if (control.held ? spot.held : spot.pressed) chart_.use(control.item, input.mouse.x, context);
  }

  input.fit = input.fit || std::exchange(fit_next_, false);

  chart_.update(input, context);
  release_cursor(input, own_cursor_, context.state);
  chart_.draw(sink, context);
  menu(context, input.menu, of_panel);
}

std::vector<MenuRow> MemoryView::block_rows(ViewContext& context, const MemorySource& source) {
  ViewState& state = context.state;
  const memory::Block& block = source.log->blocks()[*menu_block_];
  const std::string name(context.strings.view(block.op));
  const std::string size = text::bytes(block.size).joined();
  const auto select = [this, &state] { state.selected_block = menu_block_; };
  std::vector<MenuRow> rows{
      {"###block_select", context.texts("menu.select"), "", select},
      {"###block_zoom", context.texts("menu.zoom_life"), "F",
       [this, select] {
         select();
         fit_next_ = true;
       }},
      {"###block_color", context.texts("menu.color_by_allocation"), "",
       [&state] {
         state.block_colors = state.block_colors == BlockColors::allocation
                                  ? BlockColors::category
                                  : BlockColors::allocation;
       }},
      {"###block_copy", context.texts("menu.copy_name"), "",
       [name, size] { ImGui::SetClipboardText((name + "\t" + size).c_str()); }},
      {"###block_copy_live", context.texts("menu.copy_live"), "", [this, &context, source] {
         const memory::EventIndex event = menu_event_;
         const io::TextTable table = report::live_table(*source.log, context.strings, event);
         ImGui::SetClipboardText(io::to_tsv(table).c_str());
       }}};
  if (const std::string stack = stack_of(context, *menu_block_); !stack.empty()) {
    rows.push_back({"###block_copy_stack", context.texts("menu.copy_stack"), "",
                    [stack] { ImGui::SetClipboardText(stack.c_str()); }});
  }
  if (context.file_device != nullptr) {
    const memory::BlockIndex menu_block = *menu_block_;
    rows.push_back(category_menu(context, "###block_is", context.texts("menu.block_is"),
                                 [menu_block] { return std::vector{menu_block}; }));
    const auto alike = blocks_alike(context, menu_block);
    if (alike.size() > 1) {
      rows.push_back(category_menu(
          context, "###blocks_are",
          context.texts("menu.blocks_of_stack_are", {{"count", text::grouped(alike.size())}}),
          [alike] { return std::vector(alike); }));
    }
  }
  return rows;
}

// Actions for the block under the mouse, else for the selected block; and for the panel.
void MemoryView::menu(ViewContext& context, bool asked, std::span<const MenuRow> of_panel) {
  constexpr const char* kMenu = "###memory_menu";
  const ViewState& state = context.state;
  const MemorySource source = memory_source(context);
  if (source.log == nullptr) return;
  if (asked) {
    menu_memory_ = source.id;
    menu_block_ = state.hovered_block ? state.hovered_block : state.selected_block;
    menu_event_ = chart_.shown_event(context);
    if (menu_block_ || !of_panel.empty()) ImGui::OpenPopup(kMenu);
  }
  if (source.id != menu_memory_) return;
  std::vector<MenuRow> rows;
  std::string title = context.texts("memory.title");
  if (menu_block_ && *menu_block_ < source.log->blocks().size()) {
    const memory::Block& block = source.log->blocks()[*menu_block_];
    const std::string name(context.strings.view(block.op));
    title = name + (name.empty() ? "" : ", ") + text::bytes(block.size).joined();
    rows = block_rows(context, source);
  }
  rows.insert(rows.end(), of_panel.begin(), of_panel.end());
  context_menu({context.theme, context.metrics, *context.faces, context.texts}, kMenu, title, rows);
}

}  // namespace ts::views
