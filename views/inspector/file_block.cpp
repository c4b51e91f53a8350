#include "views/inspector/file_block.h"

#include <imgui.h>

#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/common/exact_bytes.h"
#include "views/common/widgets.h"
#include "views/inspector/row_list.h"

namespace ts::views {
namespace {

std::string pool_text(const text::Texts& texts, const blocks::BlockFacts& facts) {
  if (facts.private_pool) {
    return texts("file.block.pool_private",
                 {{"first", std::to_string(facts.private_pool->first)},
                  {"second", std::to_string(facts.private_pool->second)}});
  }
  return texts(facts.small_pool ? "file.block.pool_small" : "file.block.pool_large");
}

std::string names_of(const allocator::Snapshot& snapshot, allocator::StackIndex stack) {
  std::string names;
  if (stack == memory::kNone) return names;
  for (const allocator::FrameIndex frame : snapshot.stacks.stack(stack))
    names += std::string(snapshot.text(snapshot.stacks.frame(frame).name)) + "\n";
  return names;
}

}  // namespace

std::optional<blocks::BlockFacts> selected_block_facts(const ViewContext& context) {
  const auto& selected = context.state.selected_block;
  if (context.file == nullptr || context.file_device == nullptr || !selected ||
      *selected >= context.file_device->run.memory.blocks().size())
    return std::nullopt;
  return blocks::facts_of(files::blocks_of(*context.file, *context.file_device), *selected);
}

std::vector<InspectorRow> file_block_rows(const ViewContext& context) {
  std::vector<InspectorRow> rows;
  const auto facts = selected_block_facts(context);
  if (!facts) return rows;
  const text::Texts& texts = context.texts;
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  const auto add = [&](const char* key, text::Quantity value) {
    rows.push_back({texts(key), std::move(value)});
  };
  rows.push_back({texts(facts->rounded_by_rule ? "file.block.rounded_rule" : "file.block.rounded"),
                  text::bytes(facts->rounded), exact_bytes(texts, facts->rounded)});
  rows.push_back({texts("file.block.total_after"), text::bytes(facts->total_after),
                  exact_bytes(texts, facts->total_after)});
  add("file.block.address", {text::hexadecimal(facts->address), ""});
  if (facts->entry) add("file.block.entry", {text::grouped(*facts->entry), ""});
  if (facts->stream) add("file.block.stream", {std::to_string(*facts->stream), ""});
  add("file.block.pool", {pool_text(texts, *facts), ""});
  if (facts->compile_context != base::kNoString)
    add("file.block.compile_context", {std::string(snapshot.text(facts->compile_context)), ""});
  if (facts->user_metadata != base::kNoString)
    add("file.block.user_metadata", {std::string(snapshot.text(facts->user_metadata)), ""});
  return rows;
}

std::string stack_as_text(const ViewContext& context) {
  const auto facts = selected_block_facts(context);
  if (!facts) return {};
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  return blocks::stack_text(snapshot, facts->stack) + names_of(snapshot, facts->forward_frames);
}

void draw_file_stack(const Ui& ui, const ViewContext& context) {
  const auto facts = selected_block_facts(context);
  if (!facts) return;
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  const blocks::StackParts parts = blocks::parts_of(snapshot, facts->stack);
  const std::string forward = names_of(snapshot, facts->forward_frames);
  if (parts.size() == 0 && forward.empty()) return;
  const auto lines = [&](blocks::FrameKind kind, Color color) {
    for (const allocator::FrameIndex index : parts[kind]) {
      wrapped_text(ui, TextStyle::mono, color,
                   blocks::frame_text(snapshot, snapshot.stacks.frame(index)));
    }
  };
  const auto folded = [&](blocks::FrameKind kind, const char* id, const char* key) {
    if (parts[kind].empty()) return;
    const std::string count = text::grouped(parts[kind].size());
    if (folded_section(ui, id, ui.texts(key), count)) lines(kind, ui.theme.text2);
  };
  ImGui::Dummy({0, ui.px(8)});
  section(ui, ui.texts(facts->only_freed ? "file.stack_of_free" : "file.stack"));
  lines(blocks::FrameKind::own, ui.theme.text);
  lines(blocks::FrameKind::library, ui.theme.text2);
  // Without a line of the program, PyTorch's say what there is to say.
  const bool bare =
      parts[blocks::FrameKind::own].empty() && parts[blocks::FrameKind::library].empty();
  if (bare) {
    lines(blocks::FrameKind::torch, ui.theme.text2);
  } else {
    folded(blocks::FrameKind::torch, "###frames_torch", "file.frames_torch");
  }
  folded(blocks::FrameKind::runtime, "###frames_runtime", "file.frames_runtime");
  if (!forward.empty()) {
    section(ui, ui.texts("file.forward_frames"));
    wrapped_text(ui, TextStyle::mono, ui.theme.text2, forward);
  }
  if (copy_button(ui, "###copy_stack")) ImGui::SetClipboardText(stack_as_text(context).c_str());
}

}  // namespace ts::views
