#include "app/pages/notes_sheet.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {

using views::TextStyle;

void NotesSheet::edit(Draft draft) {
  draft_ = std::move(draft);
  typed_ = draft_->note.text;
  focus_ = true;
}

void NotesSheet::write(files::Note about, const files::Notes& notes) {
  open = true;
  const auto there = about.block ? notes.of_block(*about.block) : std::nullopt;
  if (there) {
    edit({notes.all()[*there], there});
  } else {
    edit({std::move(about), std::nullopt});
  }
}

// Enter keeps what is written; without any text the note goes.
void NotesSheet::draw_field(const views::Ui& ui, const views::ViewContext& context,
                            files::Notes& notes) {
  views::text(ui, TextStyle::body_medium, ui.theme.text, note_place(context, draft_->note));
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputTextWithHint("###note_text", ui.texts("notes.hint"), &typed_,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::Dummy({0, ui.px(2)});
  const bool kept =
      views::text_button(ui, "###note_keep", "notes.keep", views::ButtonKind::primary, "Enter");
  bool removed = false;
  if (draft_->index) {
    ImGui::SameLine(0, ui.px(8));
    removed = views::text_button(ui, "###note_remove", "notes.remove", views::ButtonKind::plain);
  }
  if (!entered && !kept && !removed) return;
  if (removed) {
    notes.remove(*draft_->index);
  } else if (draft_->index) {
    notes.change(*draft_->index, typed_);
  } else if (!typed_.empty()) {
    draft_->note.text = typed_;
    notes.add(draft_->note);
  }
  draft_.reset();
}

void NotesSheet::draw(const views::Ui& ui, views::ViewContext& context, files::Notes& notes) {
  if (draft_ && draft_->index && *draft_->index >= notes.all().size()) draft_.reset();
  if (draft_) {
    draw_field(ui, context, notes);
    ImGui::Dummy({0, ui.px(8)});
  }
  if (notes.all().empty()) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("notes.none"), 0);
    return;
  }
  const views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < notes.all().size(); ++i) {
    const files::Note& note = notes.all()[i];
    const std::string place = note_place(context, note);
    const float room =
        ImGui::GetContentRegionAvail().x - ui.px(40) - sink.text_width(TextStyle::small, place);
    const std::string words =
        views::fitted(sink, TextStyle::body, std::to_string(i + 1) + "  " + note.text, room);
    const std::string id = "###note_" + std::to_string(i);
    if (views::list_row(ui, id.c_str(), words, place, draft_ && draft_->index == i)) clicked = i;
    views::tooltip(ui, note.text);
  }
  if (!clicked) return;
  const files::Note& note = notes.all()[*clicked];
  context.state.cursor_ns = note.time_ns;
  if (note.block) context.state.selected_block = note.block;
  edit({note, clicked});
}

std::string note_place(const views::ViewContext& context, const files::Note& note) {
  std::string words;
  if (context.run != nullptr) {
    const std::int64_t begin = context.run->range().begin;
    words = text::duration_ns(static_cast<double>(note.time_ns - begin)).joined();
    const auto blocks = context.run->memory.blocks();
    if (note.block && *note.block < blocks.size()) {
      const memory::Block& block = blocks[*note.block];
      const std::string op(context.strings.view(block.op));
      words += ", " + (op.empty() ? op : op + " ") + text::bytes(block.size).joined();
    }
  }
  return words;
}

void draw_note_flags(const views::Ui& ui, std::span<const files::Note> notes,
                     const views::Rect& plot, FlagSide side,
                     const std::function<float(std::int64_t)>& x_of) {
  views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  sink.push_clip(plot);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const float x = std::round(x_of(notes[i].time_ns));
    const std::string number = std::to_string(i + 1);
    const float width = sink.text_width(TextStyle::small, number) + ui.px(8);
    if (!(x + width >= plot.x0 && x < plot.x1)) continue;
    const float height = sink.text_height(TextStyle::small) + ui.px(2);
    const float top = side == FlagSide::top ? plot.y0 : plot.y1 - height;
    const views::Rect flag{x, top, x + width, top + height};
    sink.fill({x, plot.y0, x + std::max(1.0F, ui.px(1)), plot.y1},
              views::with_alpha(ui.theme.warn, 0.7F));
    sink.fill(flag, ui.theme.warn);
    sink.text({x + ui.px(4), top + ui.px(1)}, TextStyle::small, ui.theme.bg, number);
  }
  sink.pop_clip();
}

}  // namespace ts::app
