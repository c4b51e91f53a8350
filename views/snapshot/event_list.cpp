#include "views/snapshot/event_list.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/read_out.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using allocator::TraceAction;

constexpr std::size_t kPageStep = 20;  // events

std::optional<std::size_t> position_by_key(const blocks::AllocatorHistory& history) {
  const std::size_t now = history.position();
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key); };
  if (pressed(ImGuiKey_DownArrow)) return std::min(now + 1, history.size());
  if (pressed(ImGuiKey_UpArrow)) return now - std::min<std::size_t>(now, 1);
  if (pressed(ImGuiKey_PageDown)) return std::min(now + kPageStep, history.size());
  if (pressed(ImGuiKey_PageUp)) return now - std::min(now, kPageStep);
  if (pressed(ImGuiKey_Home)) return 0;
  if (pressed(ImGuiKey_End)) return history.size();
  return std::nullopt;
}

Color color_of(const Theme& theme, TraceAction action) {
  if (action == TraceAction::oom) return theme.bad;
  const bool of_block = action == TraceAction::alloc || action == TraceAction::free_requested ||
                        action == TraceAction::free_completed;
  return of_block ? theme.text : theme.warn;
}

std::string origin_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  const allocator::FrameIndex frame = blocks::frame_of_program(snapshot, stack);
  if (frame == memory::kNone) return {};
  std::string words = blocks::frame_of_program_text(snapshot, frame, blocks::Paths::names);
  constexpr std::string_view kOperator = "aten::";
  if (words.starts_with(kOperator)) words.erase(0, kOperator.size());
  return words;
}

// The address, and the stack without the frames that are folded.
std::string hover_text(const text::Texts& texts, const allocator::Snapshot& snapshot,
                       const allocator::TraceEntry& entry) {
  const blocks::FoldedStack stack = blocks::folded_stack(snapshot, entry.stack, kMostHoverFrames);
  std::string words = text::hexadecimal(entry.address);
  for (const allocator::FrameIndex frame : stack.shown)
    words += "\n" + blocks::frame_of_program_text(snapshot, frame, blocks::Paths::whole);
  const std::string folded = folded_text(texts, stack);
  return folded.empty() ? words : words + "\n" + folded;
}

}  // namespace

std::optional<std::size_t> EventList::draw(const Ui& ui, ViewContext& context,
                                           const blocks::AllocatorHistory& history) {
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  const auto device = static_cast<std::size_t>(context.file_device->number);
  std::optional<std::size_t> chosen;
  const FontScope font(ui, TextStyle::small);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;
  if (history.size() == 0 || !ImGui::BeginTable("###events", 4, kFlags)) {
    if (history.size() == 0)
      wrapped_text(ui, TextStyle::body, ui.theme.text3, ui.texts("history.none"), ui.px(8));
    return chosen;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(ui.texts("history.event"));
  ImGui::TableSetupColumn(ui.texts("history.action"));
  ImGui::TableSetupColumn(ui.texts("history.size"), 0, ui.px(72));
  ImGui::TableSetupColumn(ui.texts("history.origin"), ImGuiTableColumnFlags_WidthStretch);
  table_headings([](int column) { return column == 0 || column == 2; });
  if (ImGui::IsWindowFocused()) chosen = position_by_key(history);
  const float row_height = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  if (seen_ != history.position()) {
    seen_ = history.position();
    const float y = static_cast<float>(seen_) * row_height;
    const float top = ImGui::GetScrollY();
    const float height = ImGui::GetWindowHeight();
    if (y < top + 2 * row_height || y > top + height - 2 * row_height)
      ImGui::SetScrollY(std::max(0.0F, y - height / 2));
  }
  const auto& trace = snapshot.device_traces[device];
  rows_in_view(trace.size(), [&](std::size_t event) {
    const allocator::TraceEntry& entry = trace[event];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(event));
    constexpr ImGuiSelectableFlags kRow =
        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;
    if (ImGui::Selectable("###event", event + 1 == history.position(), kRow)) chosen = event + 1;
    if (ImGui::IsItemHovered()) {
      if (const auto block = history.block_of_event(event)) context.state.hovered_block = block;
      tooltip(ui, hover_text(ui.texts, snapshot, entry));
    }
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    right_aligned(text::grouped(event));
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(ui.theme, entry.action));
    ImGui::TextUnformatted(std::string(snapshot.action_name(entry)).c_str());
    ImGui::PopStyleColor();
    right_aligned_column(text::bytes(entry.size).joined());
    ImGui::TableNextColumn();
    cell_text(origin_of(snapshot, entry.stack));  // the row's tooltip has the whole stack
  });
  ImGui::EndTable();
  return chosen;
}

}  // namespace ts::views
