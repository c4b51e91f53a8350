// The read-out for the item under the mouse: a block or a band of the stack, or the peak.
#include <string>
#include <utility>
#include <vector>

#include "core/blocks/stack_parts.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/read_out.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/memory/memory_draw_context.h"
#include "views/memory/step_parts.h"

namespace ts::views {

std::vector<ReadOutLine> MemoryChart::peak_lines(const DrawContext& drawing,
                                                 const ViewContext& context) const {
  const auto strong = [](std::string words) {
    return ReadOutLine{std::move(words), TextStyle::body_medium, true};
  };
  const std::string drawn = size_and_bytes(drawing.texts, source_.log->peak_bytes());
  std::vector<ReadOutLine> lines = {strong(peak_text(context, drawn))};
  if (compares(context)) {
    const std::int64_t predicted = context.forecast->run.log.peak_bytes();
    lines.push_back(strong(drawing.texts("memory.peak_predicted",
                                         {{"size", size_and_bytes(drawing.texts, predicted)}})));
  }
  return lines;
}

namespace {

// The stack of a block of a file, without the frames that are folded. Empty if the file has none.
std::vector<ReadOutLine> stack_lines(const ViewContext& context, memory::BlockIndex block) {
  std::vector<ReadOutLine> lines;
  if (context.file == nullptr || context.file_device == nullptr) return lines;
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  const blocks::BlockSource source = files::blocks_of(*context.file, *context.file_device);
  const allocator::StackIndex of_free = source.free_stack_of(block);
  const bool only_freed = of_free != memory::kNone;
  if (only_freed) lines.push_back({context.texts("file.stack_of_free"), TextStyle::small, false});
  const blocks::FoldedStack stack = blocks::folded_stack(
      snapshot, only_freed ? of_free : source.stack_of(block), kMostHoverFrames);
  for (const allocator::FrameIndex frame : stack.shown)
    lines.push_back({blocks::frame_of_program_text(snapshot, frame, blocks::Paths::whole),
                     TextStyle::mono, false});
  const std::string folded = folded_text(context.texts, stack);
  if (!folded.empty()) lines.push_back({folded, TextStyle::small, false});
  return lines;
}

}  // namespace

std::vector<ReadOutLine> MemoryChart::hover_lines(const DrawContext& drawing,
                                                  const ViewContext& context) const {
  const memory::AllocationLog& log = *source_.log;
  std::vector<ReadOutLine> lines;
  {
    const memory::Block& block = log.blocks()[hover_->block];
    const auto when = [&](memory::EventIndex event) {
      return moment_text(drawing.texts, log.events()[event].time_ns);
    };
    const bool guessed = source_.is_guess(hover_->block);
    lines.push_back({drawing.texts(guessed ? "memory.block_size_guessed" : "memory.block_size",
                                   {{"size", size_and_bytes(drawing.texts, block.size)},
                                    {"category", drawing.texts(category_key(block.category))}}),
                     TextStyle::body_medium, true});
    const std::string op(context.strings.view(block.op));
    if (!op.empty()) lines.push_back({op, TextStyle::mono, true});
    std::vector<ReadOutLine> stack = stack_lines(context, hover_->block);
    const std::string module(context.strings.view(block.module));
    if (!module.empty() && stack.empty()) lines.push_back({module, TextStyle::mono, false});
    const bool again = recomputation_at(log, block.alloc_event) != nullptr;
    std::string phase = drawing.texts(again ? "memory.backward_recompute" : phase_key(block.phase));
    if (block.step >= 0)
      phase = drawing.texts("memory.step_phase",
                            {{"number", text::grouped(block.step + 1)}, {"phase", phase}});
    // For blocks of a file the phase is often unknown, which is recorded as idle.
    const bool known =
        source_.kind != MemorySource::Kind::opened || block.phase != base::Phase::idle;
    if (known) lines.push_back({phase, TextStyle::small, false});
    const bool earlier = source_.is_earlier(hover_->block);
    if (earlier && block.free_event == memory::kNone) {
      lines.push_back({drawing.texts("memory.lives_throughout"), TextStyle::small, false});
    } else if (earlier) {
      lines.push_back({drawing.texts("memory.lived_until", {{"to", when(block.free_event)}}),
                       TextStyle::small, false});
    } else if (block.free_event == memory::kNone) {
      lines.push_back({drawing.texts("memory.lives_from", {{"from", when(block.alloc_event)}}),
                       TextStyle::small, false});
    } else {
      const std::int64_t life =
          log.events()[block.free_event].time_ns - log.events()[block.alloc_event].time_ns;
      const std::string span =
          clocked_
              ? text::duration_ns(static_cast<double>(life)).joined()
              : drawing.texts("memory.event_count",
                              {{"number", text::grouped(source_.number_of(block.free_event) -
                                                        source_.number_of(block.alloc_event))}});
      lines.push_back({drawing.texts("memory.lived", {{"from", when(block.alloc_event)},
                                                      {"to", when(block.free_event)},
                                                      {"duration", span}}),
                       TextStyle::small, false});
    }
    if (source_.kind == MemorySource::Kind::opened) {
      const std::int64_t total = log.events()[block.alloc_event].total_after;
      lines.push_back(
          {drawing.texts("memory.address_and_total", {{"address", text::hexadecimal(block.address)},
                                                      {"total", text::bytes(total).joined()}}),
           TextStyle::small, false});
    }
    const float room = read_out_path_room(drawing.sink, drawing.metrics, read_out_bounds(), lines);
    for (ReadOutLine& line : stack) {
      line.text = fitted_path(drawing.sink, line.style, line.text, room);
      lines.push_back(std::move(line));
    }
    if (!hover_->drawn) lines.push_back({drawing.texts("memory.in_band"), TextStyle::small, false});
  }
  return lines;
}

Rect MemoryChart::read_out_bounds() const {
  return {regions_.plot.x0, regions_.all.y0, regions_.plot.x1, regions_.all.y1};
}

void MemoryChart::draw_read_out(const DrawContext& drawing, const ViewContext& context) const {
  if (!mouse_over_ || !regions_.plot.contains(mouse_)) return;
  std::string words;
  std::vector<ReadOutLine> lines;
  if (peak_plate(drawing, context, words).contains(mouse_)) {
    lines = peak_lines(drawing, context);
  } else if (hover_) {
    lines = hover_lines(drawing, context);
  } else {
    return;
  }
  views::draw_read_out(drawing.sink, drawing.theme, drawing.metrics, mouse_, read_out_bounds(),
                       lines);
}

}  // namespace ts::views
