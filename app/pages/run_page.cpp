#include "app/pages/run_page.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/pages/sheet.h"
#include "core/text/message.h"
#include "views/charts/chart_svg.h"
#include "views/charts/run_time.h"
#include "views/common/ids.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/inspector/file_panel.h"
#include "views/inspector/projector_head.h"

namespace ts::app {
namespace {

using views::TextStyle;

// The memory's part of the height: below a timeline, and below the tables of a snapshot, where it
// is the picture.
constexpr float kMemoryPart = 0.54F;
constexpr float kSnapshotPart = 0.62F;

// The place of a docked panel, also of one that is not drawn now.
ImGuiDockNode* node_of(const char* window) {
  const ImGuiWindow* const panel = ImGui::FindWindowByName(window);
  return panel != nullptr ? ImGui::DockBuilderGetNode(panel->DockId) : nullptr;
}

// A panel that docks; panels of rows have a margin, charts use every pixel.
void docked_panel(const char* id, ImVec2 padding, ImGuiWindowFlags flags,
                  const std::function<void()>& draw) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  if (ImGui::Begin(id, nullptr, kPanelFlags | flags)) draw();
  ImGui::End();
  ImGui::PopStyleVar();
}

// A panel that is docked beside the timeline, and which of its sizes is dragged.
struct DockedPart {
  const char* window;
  float ImVec2::*extent;
  std::optional<double> files::SavedLayout::*part;
};
constexpr std::array<DockedPart, 3> kDockedParts = {
    {{views::ids::kControls, &ImVec2::x, &files::SavedLayout::left},
     {views::ids::kInspector, &ImVec2::x, &files::SavedLayout::right},
     {views::ids::kMemory, &ImVec2::y, &files::SavedLayout::below}}};

}  // namespace

void RunPage::draw(const views::Ui& ui, Requests& requests) {
  if (enlarged_) {
    draw_enlarged(ui);
  } else {
    frame().projector() ? draw_projector(ui) : draw_panels(ui);
  }
  if (panel_) requests.panel = std::exchange(panel_, std::nullopt);
  take_correction();
}

void RunPage::take_correction() {
  auto asked = std::exchange(state().view.corrected, std::nullopt);
  if (!asked) return;
  memory_.stop_painting();
  session().files().correct({.category = asked->category, .blocks = std::move(asked->blocks)});
}

void RunPage::undo_correction() {
  memory_.stop_painting();
  session().files().undo();
}

void RunPage::redo_correction() {
  memory_.stop_painting();
  session().files().redo();
}

// Rows of a context menu: the panel that is drawn now as files, and on the clipboard. `svg`: it is
// a chart, which can be drawn as one.
std::vector<views::MenuRow> RunPage::picture_rows(Page page,
                                                  const std::function<std::string(ImVec2)>& svg) {
  const ImVec2 size = ImGui::GetWindowSize();
  const auto save = [this, page, size, svg] {
    panel_ = Requests::Panel{.page = page,
                             .width = static_cast<int>(size.x),
                             .height = static_cast<int>(size.y),
                             .svg = svg ? svg(size) : std::string()};
  };
  std::vector<views::MenuRow> rows = {
      {"###panel_save", texts()(svg ? "menu.save_chart" : "menu.save_panel"), "", save}};
  if (svg) {
    rows.push_back({"###panel_copy", texts()("sweep.chart.copy_svg"), "",
                    [svg, size] { ImGui::SetClipboardText(svg(size).c_str()); }});
  }
  return rows;
}

std::vector<views::MenuRow> RunPage::memory_rows(const views::ViewContext& view) {
  auto rows = picture_rows(Page::memory, [&view](ImVec2 size) {
    return views::chart_svg<views::MemoryChart>(view, size.x, size.y);
  });
  rows.push_back(note_row());
  KeptMemory shown = memory_to_keep(view);
  if (shown.log != nullptr) {
    rows.push_back({"###memory_keep", texts()("menu.keep_memory"), "", [this, shown] {
                      state().keep_memory(shown);
                      notices().add(text::message("note.memory_kept"));
                    }});
  }
  return rows;
}

// The memory that the view shows, if nothing changes it any more.
KeptMemory RunPage::memory_to_keep(const views::ViewContext& view) const {
  KeptMemory kept;
  if (const OpenedFiles::Entry* const entry = session().files().current()) {
    kept.owner = view.memory.owner;
    kept.log = view.memory.log;
    kept.name = entry->path.filename().string();
  } else if (view.memory.kind == views::MemorySource::Kind::predicted) {
    kept.owner = state().last_forecast;
    kept.log = view.memory.log;
    kept.name = texts()("compare.memory.predicted",
                        {{"settings", views::short_settings(texts(), view.forecast->run.spec)},
                         {"card", view.forecast->target.name}});
  } else if (view.run != nullptr && view.run->finished) {
    kept.owner = session().share_shown();
    kept.log = &view.run->memory;
    kept.name = views::short_settings(texts(), view.run->spec);
  }
  if (kept.owner == nullptr) kept.log = nullptr;
  return kept;
}

// For panels of rows, whose items have no menu of their own.
void RunPage::draw_panel_menu(const views::Ui& ui, Page page, const char* title) {
  constexpr const char* kPanelMenu = "###panel_menu";
  const ImGuiIO& io = ImGui::GetIO();
  const float moved = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right];
  const bool clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
                       moved < io.MouseDragThreshold * io.MouseDragThreshold;
  if (clicked && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
    ImGui::OpenPopup(kPanelMenu);
  views::context_menu(ui, kPanelMenu, texts()(title), picture_rows(page, {}));
}

void RunPage::draw_file_problem(const views::Ui& ui, const OpenedFiles::Entry& entry) {
  ImGui::SetCursorPos({ui.px(16), ui.px(16)});
  ImGui::BeginGroup();
  if (entry.asks) {
    range_question_.draw(ui, session().files(), entry);
  } else if (entry.loading()) {
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2,
                        texts()("file.reading", {{"name", entry.path.filename().string()}}));
  } else {
    views::wrapped_text(ui, TextStyle::large, ui.theme.text, texts()("file.cannot_open"));
    views::wrapped_text(ui, TextStyle::body, ui.theme.text2,
                        views::message_text(texts(), entry.problem));
  }
  ImGui::EndGroup();
}

void RunPage::draw_timeline(const views::Ui& ui) {
  const OpenedFiles::Entry* const entry = session().files().current();
  views::ViewContext view = contexts().view(ui);
  if (entry == nullptr || (view.trace != nullptr && !entry->asks)) {
    auto rows = picture_rows(Page::timeline, [&view](ImVec2 size) {
      return views::chart_svg<views::TimelineChart>(view, size.x, size.y);
    });
    rows.push_back(note_row());
    timeline_.draw(view, rows);
    draw_timeline_notes(ui, view);
  } else if (entry->opened != nullptr && !entry->asks) {
    snapshot_.draw(ui, view);
    draw_panel_menu(ui, Page::segments, "menu.panel");
  } else {
    draw_file_problem(ui, *entry);
  }
}

void RunPage::draw_controls(const views::Ui& ui) {
  if (session().files().current() == nullptr) {
    views::draw_controls(contexts().controls(ui));
  } else {
    const views::FilePanelChoice chosen = views::draw_file_panel(ui, contexts().view(ui));
    if (chosen.device) session().files().choose_device(*chosen.device);
    if (chosen.part) session().files().narrow(*chosen.part);
    if (chosen.table) {
      state().operators_tab = *chosen.table == views::TraceTable::kernels
                                  ? views::OperatorsTab::kernel
                                  : views::OperatorsTab::op;
      show_operators_ = true;
    }
  }
}

void RunPage::draw_inspector(const views::Ui& ui, const views::ViewContext& view) {
  const auto tried = inspector_.draw(ui, view, session().engine_problem());
  if (tried) state().history.set(*tried);
}

// The panels around the timeline keep their sizes relative to the window and the scale until one of
// them is dragged; in a window that shrinks, the timeline would get nothing otherwise.
void RunPage::fit_panels(const views::Ui& ui) {
  const ImVec2 size = ImGui::GetMainViewport()->WorkSize;
  const auto fit = [](const char* window, float ImVec2::*extent, float& fitted, float wanted) {
    ImGuiDockNode* const node = node_of(window);
    if (node != nullptr && fitted != wanted && std::abs(node->Size.*extent - fitted) < 2) {
      ImVec2 changed = node->Size;
      changed.*extent = wanted;
      ImGui::DockBuilderSetNodeSize(node->ID, changed);
    }
    fitted = wanted;
  };
  fit(views::ids::kControls, &ImVec2::x, fitted_left_, controls_width(ui, size.x));
  fit(views::ids::kInspector, &ImVec2::x, fitted_right_, side_width(ui, size.x));
  fit(views::ids::kMemory, &ImVec2::y, fitted_below_, std::floor(size.y * memory_part()));
}

files::SavedLayout RunPage::layout() const {
  files::SavedLayout layout;
  const ImVec2 size = ImGui::GetMainViewport()->WorkSize;
  for (const DockedPart& one : kDockedParts) {
    const ImGuiDockNode* const node = node_of(one.window);
    if (node == nullptr) continue;
    const double part = static_cast<double>(node->Size.*one.extent / size.*one.extent);
    if (part > 0 && part < 1) layout.*one.part = part;
  }
  if (enlarged_) layout.enlarged = page_name(*enlarged_);
  return layout;
}

void RunPage::restore(const files::SavedLayout& layout) {
  wanted_ = layout;
  enlarged_.reset();
  for (const Page panel : {Page::timeline, Page::memory, Page::inspector}) {
    if (layout.enlarged == page_name(panel)) enlarged_ = panel;
  }
}

void RunPage::take_layout() {
  if (!wanted_) return;
  const ImVec2 size = ImGui::GetMainViewport()->WorkSize;
  for (const DockedPart& one : kDockedParts) {
    if (node_of(one.window) == nullptr) return;  // in one of the next frames
  }
  for (const DockedPart& one : kDockedParts) {
    ImGuiDockNode* const node = node_of(one.window);
    const std::optional<double> part = *wanted_.*one.part;
    if (!part) continue;
    ImVec2 changed = node->Size;
    changed.*one.extent = std::floor(static_cast<float>(*part) * size.*one.extent);
    ImGui::DockBuilderSetNodeSize(node->ID, changed);
  }
  wanted_.reset();
}

void RunPage::reset_layout() {
  ImGui::DockBuilderRemoveNode(dock_id_);
}

void RunPage::dock_panels(const views::Ui& ui) {
  if (ImGui::DockBuilderGetNode(dock_id_) != nullptr) return;
  const ImVec2 size = ImGui::GetMainViewport()->WorkSize;
  ImGui::DockBuilderAddNode(dock_id_, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock_id_, size);
  ImGuiID centre = dock_id_;
  const auto split = [&centre](ImGuiDir side, float part) {
    return ImGui::DockBuilderSplitNode(centre, side, part, nullptr, &centre);
  };
  const float width = std::max(1.0F, size.x);
  const float left_part = controls_width(ui, width) / width;
  ImGui::DockBuilderDockWindow(views::ids::kControls, split(ImGuiDir_Left, left_part));
  const float right_part = side_width(ui, width) / (width * (1 - left_part));
  ImGui::DockBuilderDockWindow(views::ids::kInspector, split(ImGuiDir_Right, right_part));
  ImGui::DockBuilderDockWindow(views::ids::kMemory, split(ImGuiDir_Down, memory_part()));
  ImGui::DockBuilderDockWindow(views::ids::kTimeline, centre);
  ImGui::DockBuilderFinish(dock_id_);
}

void RunPage::draw_panels(const views::Ui& ui) {
  dock_id_ = ImGui::GetID("###dock");
  dock_panels(ui);
  fit_panels(ui);
  take_layout();
  ImGui::DockSpaceOverViewport(dock_id_, ImGui::GetMainViewport(),
                               ImGuiDockNodeFlags_AutoHideTabBar);
  const OpenedFiles::Entry* const entry = session().files().current();
  // Controls first: this frame's charts show what they change. Then the timeline, which shows no
  // prediction.
  docked_panel(views::ids::kControls, rows_padding(ui), 0, [&] { draw_controls(ui); });
  docked_panel(views::ids::kTimeline, {0, 0}, kUnmovingFlags, [&] {
    note_pointed(Page::timeline);
    draw_timeline(ui);
  });
  contexts().wait_for_prediction();
  views::ViewContext view = contexts().view(ui);
  if (shows_memory()) {
    docked_panel(views::ids::kMemory, {0, 0}, kUnmovingFlags, [&] {
      note_pointed(Page::memory);
      draw_memory(ui, view);
    });
  }
  docked_panel(views::ids::kInspector, rows_padding(ui), 0, [&] {
    note_pointed(Page::inspector);
    if (entry != nullptr && entry->opened == nullptr) return;
    draw_inspector(ui, view);
    draw_panel_menu(ui, Page::inspector, "menu.panel");
  });
}

// A trace that was recorded without allocations leaves the room to its timeline.
bool RunPage::shows_memory() const {
  const files::OpenedTrace* const trace = trace_on_screen();
  return trace == nullptr || views::may_have_memory(trace->run);
}

float RunPage::memory_part() const {
  const OpenedFiles::Entry* const shown = session().files().current();
  const bool snapshot =
      shown != nullptr && shown->opened != nullptr && trace_on_screen() == nullptr;
  return snapshot ? kSnapshotPart : kMemoryPart;
}

void RunPage::draw_projector(const views::Ui& ui) {
  const OpenedFiles::Entry* const entry = session().files().current();
  PageArea area = entry == nullptr ? frame().begin(ui) : whole_page();
  const auto panel = [&](const char* id, const PageArea& part, const std::function<void()>& draw) {
    draw_window(ui, {.id = id, .line_below = true}, part, draw);
  };
  if (entry != nullptr && entry->opened == nullptr) {
    panel("###projector_problem", area, [&] { draw_file_problem(ui, *entry); });
    return;
  }
  if (entry == nullptr) frame().draw_form(ui, area, "###projector_form");
  // Whole pixels; otherwise the background shows between two panels.
  const PageArea head = area.cut_top(
      std::floor(std::min(views::projector_head_height(ui.metrics.scale), area.size.y * 0.4F)));
  // A result of its own has all of the page below the head, and so has a prediction before anything
  // ran.
  const bool nothing_ran = entry == nullptr && session().run() == nullptr;
  if (!result_on_screen() && !nothing_ran) {
    const float part = shows_memory() ? std::floor(area.size.y * 0.4F) : area.size.y;
    const PageArea timeline = area.cut_top(part);
    // The same order as in draw_panels(), for the same reason.
    panel("###projector_timeline", timeline, [&] {
      note_pointed(Page::timeline);
      draw_timeline(ui);
    });
  }
  contexts().wait_for_prediction();
  views::ViewContext view = contexts().view(ui);
  panel("###projector_verdict", head, [&] {
    if (const auto tried = views::draw_projector_head(ui, view, session().engine_problem()))
      state().history.set(*tried);
  });
  if (shows_memory()) draw_memory_or_result(ui, "###projector_memory", area);
}

// On the projector: the result of the run on screen that says more than its memory. Unset: there is
// none.
std::optional<views::RunResult> RunPage::result_on_screen() const {
  const run::Run* const run = session().run();
  if (!frame().projector() || run == nullptr || session().files().current() != nullptr)
    return std::nullopt;
  return views::result_of(*run);
}

void RunPage::draw_memory_or_result(const views::Ui& ui, const char* id, const PageArea& area) {
  const auto result = result_on_screen();
  const PageWindow window{
      .id = id, .padding = result ? rows_padding(ui) : ImVec2(0, 0), .line_below = true};
  draw_window(ui, window, area, [&] {
    note_pointed(Page::memory);
    views::ViewContext view = contexts().view(ui);
    result ? views::draw_result(ui, view, *result) : draw_memory(ui, view);
  });
}

// In the window of a panel.
void RunPage::note_pointed(Page panel) {
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows)) pointed_ = panel;
}

void RunPage::enlarge() {
  enlarged_ = enlarged_ ? std::nullopt : std::optional(pointed_);
}

void RunPage::draw_enlarged(const views::Ui& ui) {
  const OpenedFiles::Entry* const entry = session().files().current();
  PageArea area = entry == nullptr ? frame().begin(ui) : whole_page();
  if (frame().projector() && entry == nullptr) frame().draw_form(ui, area, "###projector_form");
  constexpr const char* kId = "###enlarged";
  if (*enlarged_ == Page::timeline) {
    draw_window(ui, {.id = kId}, area, [&] { draw_timeline(ui); });
    return;
  }
  contexts().ask_for_prediction();
  contexts().wait_for_prediction();
  if (*enlarged_ == Page::memory) {
    draw_memory_or_result(ui, kId, area);
    return;
  }
  const PageWindow rows{.id = kId, .padding = rows_padding(ui), .flags = kFixedFlags};
  draw_window(ui, rows, area, [&] {
    if (entry == nullptr || entry->opened != nullptr) draw_inspector(ui, contexts().view(ui));
  });
}

void RunPage::draw_panel(const views::Ui& ui, Page panel) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const bool rows = panel == Page::controls || panel == Page::inspector ||
                    panel == Page::operators || panel == Page::agreement ||
                    (panel == Page::difference && trace_on_screen() != nullptr);
  const PageWindow window{.id = "###one",
                          .padding = rows ? rows_padding(ui) : ImVec2(0, 0),
                          .flags = kFixedFlags | ImGuiWindowFlags_NoScrollbar};
  draw_window(ui, window, {viewport->Pos, viewport->Size}, [&] {
    views::ViewContext view = contexts().view(ui);
    const auto draw_snapshot = [&](views::SnapshotTab tab) {
      snapshot_.show(tab);
      snapshot_.draw(ui, view);
    };
    switch (panel) {
      case Page::timeline:
        return timeline_.draw(view);
      case Page::memory:
        return memory_.draw(view);
      case Page::segments:
        return draw_snapshot(views::SnapshotTab::history);
      case Page::reserved:
        return draw_snapshot(views::SnapshotTab::reserved);
      case Page::blocks:
        return draw_snapshot(views::SnapshotTab::table);
      case Page::flame:
        return draw_snapshot(views::SnapshotTab::flame);
      case Page::difference:
        return trace_on_screen() != nullptr ? trace_difference_.draw(ui, view)
                                            : draw_snapshot(views::SnapshotTab::difference);
      case Page::growth:
        return draw_snapshot(views::SnapshotTab::growth);
      case Page::operators:
        return operators_.draw(ui, view, state().operators_tab);
      case Page::agreement:
        return agreement_.draw(ui, view);
      case Page::controls:
        return draw_controls(ui);
      default:
        return draw_inspector(ui, view);
    }
  });
}

// Finds the place of a note while the mouse is over the charts and not over a menu. Blocks
// of a prediction are not those of the run.
void RunPage::find_note_place(const views::ViewContext& view) {
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  pointed_note_.reset();
  if (view.run == nullptr) return;
  const views::ViewState& now = view.state;
  const auto blocks = view.run->memory.blocks();
  const auto& events = view.run->memory.events();
  const auto block = now.hovered_block ? now.hovered_block : now.selected_block;
  const bool over_time = !now.hovered_block && now.cursor_ns && !now.memory_has_keys;
  if (view.memory.kind != views::MemorySource::Kind::predicted && block && !over_time &&
      *block < blocks.size()) {
    pointed_note_ =
        files::Note{.time_ns = events[blocks[*block].alloc_event].time_ns, .block = block};
  } else if (now.cursor_ns) {
    pointed_note_ = files::Note{.time_ns = *now.cursor_ns};
  }
}

files::Notes* RunPage::notes() {
  const OpenedFiles::Entry* const entry = session().files().current();
  if (entry == nullptr && session().run() == nullptr) return nullptr;
  if (entry != nullptr && entry->opened == nullptr) return nullptr;
  return state().viewed == 0 ? nullptr : &state().notes[state().viewed];
}

std::string RunPage::why_no_note() const {
  return unless(pointed_note_.has_value(), "command.why.no_note");
}

void RunPage::write_note() {
  files::Notes* const all = notes();
  if (all != nullptr && pointed_note_) notes_.write(*pointed_note_, *all);
}

views::MenuRow RunPage::note_row() {
  const bool block = pointed_note_ && pointed_note_->block;
  return {"###note_here", texts()(block ? "menu.note_block" : "menu.note_moment"), "T",
          [this] { write_note(); }};
}

void RunPage::draw_timeline_notes(const views::Ui& ui, const views::ViewContext& view) {
  const auto found = view.run == nullptr ? state().notes.end() : state().notes.find(view.run->id);
  if (found == state().notes.end()) return;
  draw_note_flags(ui, found->second.all(), timeline_.chart().regions().body(), FlagSide::top,
                  [this](std::int64_t time) { return timeline_.chart().x_of(time); });
}

void RunPage::draw_memory(const views::Ui& ui, views::ViewContext& view) {
  memory_.draw(view, memory_rows(view));
  const bool own = view.memory.kind != views::MemorySource::Kind::predicted;
  const auto found =
      view.run == nullptr || !own ? state().notes.end() : state().notes.find(view.run->id);
  if (found != state().notes.end() && !view.run->memory.events().empty()) {
    draw_note_flags(ui, found->second.all(), memory_.chart().regions().plot, FlagSide::bottom,
                    [this](std::int64_t time) { return memory_.chart().x_of(time); });
  }
  find_note_place(view);
}

const files::OpenedTrace* RunPage::trace_on_screen() const {
  const OpenedFiles::Entry* const shown = session().files().current();
  if (shown == nullptr || shown->opened == nullptr) return nullptr;
  return shown->opened->trace_shown(shown->device);
}

void RunPage::compare_with(const std::filesystem::path& path) {
  if (trace_on_screen() == nullptr) return snapshot_.compare_with(path.string());
  trace_difference_.choose(path.string());
  show_trace_difference_ = true;
}

void RunPage::draw_sheets(const views::Ui& ui) {
  draw_sheet(
      ui, "notes.title", "###notes_sheet", notes_.open,
      [&] {
        views::ViewContext view = contexts().view(ui);
        files::Notes* const all = notes();
        if (all != nullptr) {
          notes_.draw(ui, view, *all);
        } else {
          views::wrapped_text(ui, TextStyle::body, ui.theme.text2, texts()("notes.none"), 0);
        }
      },
      SheetSize::small);
  draw_sheet(ui, "trace_difference.title", "###trace_difference_sheet", show_trace_difference_,
             [&] {
               views::ViewContext view = contexts().view(ui);
               trace_difference_.draw(ui, view);
             });
  draw_sheet(ui, "tables.title", "###operators_sheet", show_operators_, [&] {
    operators_.draw(ui, contexts().view(ui), state().operators_tab);
    draw_panel_menu(ui, Page::operators, "tables.title");
  });
  draw_sheet(ui, "agreement.title", "###agreement_sheet", state().view.show_agreement, [&] {
    agreement_.draw(ui, contexts().view(ui));
    draw_panel_menu(ui, Page::agreement, "agreement.title");
  });
}

bool RunPage::close_sheet() {
  for (bool* const open :
       {&notes_.open, &state().view.show_agreement, &show_operators_, &show_trace_difference_}) {
    if (std::exchange(*open, false)) return true;
  }
  return false;
}

void RunPage::save(Requests& requests) {
  requests.save = session().run() != nullptr ? Requests::Save::run : Requests::Save::prediction;
}

std::string RunPage::why_not_save() const {
  if (session().files().current() != nullptr) return texts()("command.why.is_a_file");
  if (session().busy()) return texts()("command.why.still_running");
  return unless(session().run() != nullptr || contexts().predicted(),
                "command.why.nothing_to_save");
}

}  // namespace ts::app
