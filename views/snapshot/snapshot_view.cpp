#include "views/snapshot/snapshot_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "core/allocator/snapshot_of_log.h"
#include "core/files/opened_file.h"
#include "core/text/numbers.h"
#include "views/charts/imgui_input.h"
#include "views/common/widgets.h"
#include "views/snapshot/block_rows.h"
#include "views/snapshot/pick.h"
#include "views/snapshot/reserved_view.h"
#include "views/snapshot/search_row.h"

namespace ts::views {
namespace {

constexpr float kListWidth = 420;  // of the events, at scale 1
constexpr float kLeastMap = 220;   // beside the list
constexpr float kMargin = 14;

float width_of(const Ui& ui, const std::string& words) {
  const FontScope font(ui, TextStyle::small);
  return ImGui::CalcTextSize(words.c_str()).x;
}

// Draws in the rest of the window, without its margins.
template <typename Draw>
void in_margins(const Ui& ui, const char* id, const Draw& draw) {
  ImGui::SetCursorPosX(ui.px(kMargin));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::BeginChild(id, {room.x - ui.px(kMargin), room.y - ui.px(4)});
  draw();
  ImGui::EndChild();
}

}  // namespace

void SnapshotView::follow(const ViewContext& context) {
  const std::uint64_t id = context.file_device == nullptr ? 0 : context.file_device->run.id;
  if (id == run_id_) return;
  run_id_ = id;
  history_ = id == 0 ? nullptr : context.file_device->history.get();
  state_ = {};
  followed_.reset();
  reserved_begun_ = false;
  if (history_ != nullptr) state_ = {history_->segments(), ++version_};
}

void SnapshotView::draw(const Ui& ui, ViewContext& context) {
  follow(context);
  if (history_ == nullptr) return;
  if (tab_ != SnapshotTab::reserved) context.state.reserved_question.reset();
  draw_head(ui, context);
  switch (tab_) {
    case SnapshotTab::history:
      return draw_history(ui, context);
    case SnapshotTab::reserved:
      return draw_reserved(ui, context);
    case SnapshotTab::table:
      return draw_table(ui, context);
    case SnapshotTab::flame:
      return draw_flame(ui, context);
    case SnapshotTab::difference:
      return in_margins(ui, "###snapshot_difference", [&] { difference_.draw(ui, context); });
    case SnapshotTab::growth:
      return in_margins(ui, "###snapshot_growth", [&] { growth_.draw(ui, context); });
  }
}

void SnapshotView::compare_with(std::string path) {
  tab_ = SnapshotTab::difference;
  difference_.choose(std::move(path));
}

void SnapshotView::draw_head(const Ui& ui, ViewContext& context) {
  const float margin = ui.px(kMargin);
  ImGui::SetCursorPos({margin, ui.px(6)});
  const float room = ImGui::GetContentRegionAvail().x - margin;
  const Choice tabs[] = {{"history", ui.texts("file.view.history"), {}},
                         {"reserved", ui.texts("file.view.reserved"), {}},
                         {"table", ui.texts("file.view.table"), {}},
                         {"flame", ui.texts("file.view.flame"), {}},
                         {"difference", ui.texts("file.view.difference"), {}},
                         {"growth", ui.texts("file.view.growth"), {}}};
  int tab = static_cast<int>(tab_);
  if (segmented(ui, "###snapshot_tabs", tabs, tab, std::min(room, ui.px(500))))
    tab_ = static_cast<SnapshotTab>(tab);
  ImGui::SameLine(0, ui.px(16));
  draw_search(ui, context, ui.px(260));
  if (tab_ != SnapshotTab::table && tab_ != SnapshotTab::flame) return;
  const bool timed = has_clock(context.file->file.snapshot);
  const Choice moments[] = {
      {"peak", ui.texts("file.view.at_peak"), {}},
      {"event", ui.texts("file.view.at_event"), {}},
      {"end", ui.texts("file.view.at_end"), {}},
      {"lifetime", ui.texts(timed ? "file.view.lifetime" : "file.view.events"), {}},
      {"allocated", ui.texts("file.view.allocated"), {}}};
  const bool wide = room > ui.px(940);
  const float width = ui.px(520);
  const auto next = [&](bool same_row) {
    if (same_row) {
      ImGui::SameLine(0, ui.px(16));
    } else {
      ImGui::SetCursorPosX(margin);
    }
  };
  next(false);
  int moment = static_cast<int>(moment_);
  if (segmented(ui, "###snapshot_moment", moments, moment, std::min(room, width)))
    moment_ = static_cast<Moment>(moment);
  if (tab_ == SnapshotTab::flame) {
    next(wide);
    toggle(ui, "###snapshot_all_frames", ui.texts("flame.all_frames"), all_frames_,
           std::min(room, ui.px(200)));
    return;
  }
  const Choice groups[] = {{"frame", ui.texts("file.groups.by_frame"), {}},
                           {"op", ui.texts("file.groups.by_operator"), {}},
                           {"size", ui.texts("file.groups.by_size"), {}},
                           {"stack", ui.texts("file.groups.by_stack"), {}},
                           {"category", ui.texts("file.groups.by_category"), {}}};
  next(wide);
  int by = static_cast<int>(by_);
  if (segmented(ui, "###snapshot_by", groups, by, std::min(room, ui.px(380))))
    by_ = static_cast<blocks::GroupBy>(by);
}

void SnapshotView::find(const ViewContext& context) {
  hits_.update(run_id_, files::blocks_of(*context.file, *context.file_device), context.state.search,
               context.state.picks);
}

// Tells the count of the hits; empty without a search.
std::string SnapshotView::found_text(const Ui& ui) const {
  if (!hits_.active()) return {};
  return ui.texts("file.view.found", {{"count", text::grouped(hits_.blocks().size())},
                                      {"size", text::bytes(hits_.bytes()).joined()}});
}

// The field finds blocks; the memory view makes all others faint. Enter goes to the next one.
void SnapshotView::draw_search(const Ui& ui, ViewContext& context, float width) {
  std::string& search = context.state.search;
  const bool slash = ImGui::IsKeyPressed(ImGuiKey_Slash, false) ||
                     (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_F, false));
  if ((slash && !ImGui::GetIO().WantTextInput) || std::exchange(focus_search_, false))
    ImGui::SetKeyboardFocusHere();
  const float room = ImGui::GetContentRegionAvail().x - ui.px(kMargin);
  const float right = ImGui::GetCursorPosX() + room;
  const float gap = ui.px(8);
  find(context);
  const std::string found = found_text(ui);
  const float found_width = width_of(ui, found);
  const SearchRow row = search_row(room, width, ui.px(120), found.empty() ? 0 : found_width + gap);
  const float field = row.field;
  ImGui::SetNextItemWidth(field);
  bool entered = false;
  {
    const FontScope font(ui, TextStyle::body);
    const char* const hint = ui.texts("file.view.search");
    const float padding = 2 * ImGui::GetStyle().FramePadding.x;
    const bool fits = ImGui::CalcTextSize(hint).x + padding <= field;
    entered = ImGui::InputTextWithHint(
        "###snapshot_search", fits ? hint : ui.texts("file.view.search_short"), &search,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_EscapeClearsAll);
  }
  tooltip(ui, ui.texts("file.view.search_meaning"));
  if (!found.empty()) {
    if (row.below) {
      ImGui::SetCursorPosX(std::max(ui.px(kMargin), right - found_width));
    } else {
      ImGui::SameLine(0, gap);
    }
    views::text(ui, TextStyle::small, ui.theme.text2, found);
  }
  find(context);
  if (!hits_.active() || !entered) return;
  focus_search_ = true;
  auto& selected = context.state.selected_block;
  if (const auto next = hits_.step(selected, ImGui::GetIO().KeyShift ? -1 : 1)) selected = next;
}

void SnapshotView::move_to(std::size_t position, ViewContext& context) {
  history_->move_to(position);
  state_ = {history_->segments(), ++version_};
  const auto& trace = context.file->file.snapshot.device_traces;
  const auto device = static_cast<std::size_t>(context.file_device->number);
  if (position == 0 || device >= trace.size()) return;
  const memory::EventIndex event = event_at_position(context);
  if (event != memory::kNone) context.state.cursor_ns = context.run->memory.events()[event].time_ns;
  const auto block = history_->block_of_event(position - 1);
  if (block) context.state.selected_block = followed_ = block;
}

void SnapshotView::draw_history(const Ui& ui, ViewContext& context) {
  // A block that was selected elsewhere is shown at the moment of its allocation.
  const auto& selected = context.state.selected_block;
  const auto& entries = context.file_device->entries;
  if (selected && selected != followed_ && *selected < entries.size() &&
      entries[*selected] != memory::kNone &&
      !history_->block_at(context.run->memory.blocks()[*selected].address)) {
    followed_ = selected;
    move_to(entries[*selected] + std::size_t{1}, context);
  }
  draw_chart_region(context, [&](DrawSink& sink, const Rect& area) {
    const Rect place = draw_events(ui, area, context);
    map_.lay_out(sink, place, context, *history_, state_);
    map_.update(read_chart_input("###segments", map_.plot(), false, context.now_ns), context);
    map_.draw(sink, context);
  });
}

Rect SnapshotView::draw_events(const Ui& ui, const Rect& area, ViewContext& context) {
  const float list = std::min(ui.px(kListWidth), area.width() - ui.px(kLeastMap));
  if (list < ui.px(200) || history_->size() == 0) return area;
  ImGui::SetCursorPosX(ui.px(kMargin));
  ImGui::BeginChild("###history_events", {list - ui.px(kMargin), area.height()});
  const auto chosen = events_.draw(ui, context, *history_);
  ImGui::EndChild();
  if (chosen) move_to(*chosen, context);
  return {area.x0 + list, area.y0, area.x1, area.y1};
}

// Asks about the state that the history shows as soon as it rests; at first about the moment that
// tells most, to which the history then moves.
void SnapshotView::draw_reserved(const Ui& ui, ViewContext& context) {
  constexpr std::int64_t kRestNs = 150'000'000;
  const files::ReservedMoment* const moment = context.reserved;
  if (!reserved_begun_ && history_->position() != history_->size()) reserved_begun_ = true;
  if (!reserved_begun_ && moment != nullptr) {
    reserved_begun_ = true;
    if (moment->answer) move_to(moment->answer->position, context);
  }
  if (reserved_at_ != history_->position()) {
    reserved_at_ = history_->position();
    reserved_since_ns_ = context.now_ns;
  }
  auto& question = context.state.reserved_question;
  if (!reserved_begun_) {
    question = ReservedQuestion{};
  } else if (context.picture || context.now_ns - reserved_since_ns_ >= kRestNs) {
    question = ReservedQuestion{history_->position()};
  }
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const Rect place = draw_events(ui, {at.x, at.y, at.x + room.x, at.y + room.y}, context);
  ImGui::SetCursorScreenPos({place.x0 + ui.px(kMargin), place.y0});
  ImGui::BeginChild("###snapshot_reserved",
                    {place.width() - ui.px(2 * kMargin), place.height() - ui.px(4)});
  const bool current =
      context.reserved_is_current &&
      (moment == nullptr || !moment->answer || moment->answer->position >= history_->position());
  views::draw_reserved(ui, moment, current);
  ImGui::EndChild();
}

// The last event of the log that belongs to the shown state; kNone: it has none.
memory::EventIndex SnapshotView::event_at_position(const ViewContext& context) const {
  const auto& traces = context.file->file.snapshot.device_traces;
  const auto device = static_cast<std::size_t>(context.file_device->number);
  if (device >= traces.size()) return context.run->memory.peak_event();
  const std::span numbers(context.file_device->event_entries);
  const std::size_t position = history_->position();
  const auto after = position == 0 ? numbers.begin() + context.file_device->blocks_before
                                   : std::ranges::upper_bound(numbers, position - 1);
  return after == numbers.begin() ? memory::kNone
                                  : static_cast<memory::EventIndex>(after - numbers.begin() - 1);
}

memory::EventIndex SnapshotView::event_of(const ViewContext& context) const {
  const memory::AllocationLog& log = context.run->memory;
  switch (moment_) {
    case Moment::peak:
      return log.peak_event();
    case Moment::event:
      return event_at_position(context);
    case Moment::end:
      return log.events().empty() ? memory::kNone
                                  : static_cast<memory::EventIndex>(log.events().size() - 1);
    case Moment::lifetime:
    case Moment::allocated:
      break;
  }
  return memory::kNone;
}

blocks::Weight SnapshotView::weight(const ViewContext& context) const {
  if (moment_ == Moment::lifetime) {
    return has_clock(context.file->file.snapshot) ? blocks::Weight::lifetime
                                                  : blocks::Weight::events;
  }
  return moment_ == Moment::allocated ? blocks::Weight::allocated : blocks::Weight::alive;
}

void SnapshotView::update_question(const ViewContext& context) {
  const Question question{.run_id = run_id_,
                          .tab = tab_,
                          .moment = moment_,
                          .by = by_,
                          .all_frames = all_frames_,
                          .event = event_of(context),
                          .log_version = context.run->memory.version()};
  if (question == asked_) return;
  asked_ = question;
  ++version_;
  const blocks::BlockSource source = files::blocks_of(*context.file, *context.file_device);
  if (tab_ == SnapshotTab::table) {
    groups_ = blocks::group_blocks(source, by_, weight(context), question.event);
  } else {
    nodes_ = blocks::flame_graph(source, weight(context), question.event, flame_frames());
  }
}

blocks::FlameFrames SnapshotView::flame_frames() const {
  return all_frames_ ? blocks::FlameFrames::all : blocks::FlameFrames::telling;
}

// The blocks of a row of the table, by index.
std::vector<memory::BlockIndex> SnapshotView::blocks_of_group(const ViewContext& context,
                                                              const std::string& name) const {
  const blocks::BlockSource source = files::blocks_of(*context.file, *context.file_device);
  return blocks::blocks_of_group(source, by_, weight(context), asked_.event, name);
}

void SnapshotView::draw_table(const Ui& ui, ViewContext& context) {
  update_question(context);
  RowTable::Answer answer;
  in_margins(ui, "###snapshot_table", [&] {
    answer = draw_block_rows(ui, context, table_, groups_, version_, by_, weight(context));
  });
  if (answer.menu) menu_row_ = *answer.menu;
  if (menu_row_ < groups_.size()) {
    draw_rows_menu(ui, context, answer.menu.has_value(), groups_[menu_row_].brief,
                   [&, row = menu_row_] { return blocks_of_group(context, groups_[row].name); });
  }
  if (!answer.clicked) return;
  const blocks::BlockGroup& group = groups_[*answer.clicked];
  context.state.selected_block = group.first;
  context.state.picks.clear();
  add_pick(context.state, run_id_, blocks_of_group(context, group.name));
}

void SnapshotView::draw_flame(const Ui& ui, ViewContext& context) {
  update_question(context);
  draw_chart_region(context, [&](DrawSink& sink, const Rect& area) {
    const Rect plot{area.x0 + ui.px(kMargin), area.y0, area.x1 - ui.px(kMargin), area.y1};
    flame_.lay_out(plot, context, nodes_, version_, weight(context), flame_frames());
    flame_.update(read_chart_input("###flame", plot, false, context.now_ns), context);
    flame_.draw(sink, context);
  });
}

}  // namespace ts::views
