#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/file_tabs.h"
#include "app/pages/notes_sheet.h"
#include "app/pages/page_view.h"
#include "app/pages/range_question.h"
#include "core/files/saved_session.h"
#include "views/common/context_menu.h"
#include "views/inspector/inspector_view.h"
#include "views/inspector/result_panel.h"
#include "views/memory/memory_view.h"
#include "views/prediction/agreement_view.h"
#include "views/snapshot/snapshot_view.h"
#include "views/snapshot/trace_difference_view.h"
#include "views/tables/operators_view.h"
#include "views/timeline/timeline_view.h"

namespace ts::app {

// The page of one run, or of an opened file: controls, timeline, memory and inspector, in panels
// that dock; on the projector one below the other. There a result that says more than the memory
// has the page to itself.
class RunPage : public PageView {
 public:
  using PageView::PageView;

  void draw(const views::Ui& ui, Requests& requests) override;
  void draw_sheets(const views::Ui& ui) override;
  bool close_sheet() override;
  void start() override { runs().start(); }
  void save(Requests& requests) override;
  [[nodiscard]] std::string why_not_save() const override;
  [[nodiscard]] bool has_form() const override { return session().files().current() == nullptr; }

  // The panel that the mouse was over last, at first the memory.
  void enlarge() override;
  [[nodiscard]] bool enlarged() const override { return enlarged_.has_value(); }
  [[nodiscard]] std::string why_not_enlarge() const override { return {}; }

  void draw_file_tabs(const views::Ui& ui) { file_tabs_.draw(ui, session().files()); }
  // One panel over the whole window, for pictures.
  void draw_panel(const views::Ui& ui, Page panel);
  // Takes back the last correction of what blocks of the shown file hold, or makes it again.
  void undo_correction();
  void redo_correction();
  // Docks the panels anew in the next frame.
  void reset_layout();
  // The sheet of operators is open.
  [[nodiscard]] bool& shows_operators() { return show_operators_; }
  // Shows the difference between the file on screen and one of its kind that is being opened.
  void compare_with(const std::filesystem::path& path);
  // Begins a note on the block under the mouse, else on the one that is selected, else on the
  // moment under the cursor; and why there is none to write.
  void write_note();
  [[nodiscard]] std::string why_no_note() const;
  // Those of the run or file on screen; null: nothing is.
  [[nodiscard]] files::Notes* notes();
  [[nodiscard]] bool& shows_notes() { return notes_.open; }
  // The sheet of two traces is open.
  [[nodiscard]] bool& shows_trace_difference() { return show_trace_difference_; }
  // Where the panels are, and as a session has them: from the next frame on.
  [[nodiscard]] files::SavedLayout layout() const;
  void restore(const files::SavedLayout& layout);
  // The page of the hunt shows the same memory view.
  [[nodiscard]] views::MemoryView& memory() { return memory_; }

 private:
  // The trace of the file on screen; null: there is none.
  [[nodiscard]] const files::OpenedTrace* trace_on_screen() const;
  void draw_panels(const views::Ui& ui);
  void draw_projector(const views::Ui& ui);
  void draw_enlarged(const views::Ui& ui);
  void draw_memory_or_result(const views::Ui& ui, const char* id, const PageArea& area);
  [[nodiscard]] std::optional<views::RunResult> result_on_screen() const;
  void note_pointed(Page panel);
  void find_note_place(const views::ViewContext& view);
  [[nodiscard]] views::MenuRow note_row();
  void draw_timeline_notes(const views::Ui& ui, const views::ViewContext& view);
  [[nodiscard]] bool shows_memory() const;
  [[nodiscard]] float memory_part() const;  // of the height of the panels
  void draw_memory(const views::Ui& ui, views::ViewContext& view);
  void dock_panels(const views::Ui& ui);
  void fit_panels(const views::Ui& ui);
  void take_layout();
  void draw_timeline(const views::Ui& ui);
  void draw_controls(const views::Ui& ui);
  void draw_inspector(const views::Ui& ui, const views::ViewContext& view);
  [[nodiscard]] std::vector<views::MenuRow> picture_rows(
      Page page, const std::function<std::string(ImVec2)>& svg);
  [[nodiscard]] std::vector<views::MenuRow> memory_rows(const views::ViewContext& view);
  void take_correction();
  [[nodiscard]] KeptMemory memory_to_keep(const views::ViewContext& view) const;
  void draw_panel_menu(const views::Ui& ui, Page page, const char* title);
  void draw_file_problem(const views::Ui& ui, const OpenedFiles::Entry& entry);

  FileTabs file_tabs_;
  views::TimelineView timeline_;
  views::MemoryView memory_;
  RangeQuestion range_question_;
  views::SnapshotView snapshot_;
  views::TraceDifferenceView trace_difference_;
  NotesSheet notes_;
  std::optional<files::Note> pointed_note_;  // what a note would be about, while no menu is open
  views::OperatorsView operators_;
  views::AgreementView agreement_;
  views::InspectorView inspector_;
  std::optional<Requests::Panel> panel_;  // asked for in this frame
  bool show_operators_ = false;
  bool show_trace_difference_ = false;
  std::optional<Page> enlarged_;  // unset: all panels
  Page pointed_ = Page::memory;   // the panel that the mouse was over last
  unsigned dock_id_ = 0;
  // Sizes of the panels that follow the window, as they were set last, in pixels.
  std::optional<files::SavedLayout> wanted_;  // for the panels, as soon as they are docked
  float fitted_left_ = 0, fitted_right_ = 0, fitted_below_ = 0;
};

}  // namespace ts::app
