#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/file_dialog.h"
#include "app/hunt_board.h"
#include "app/preferences.h"
#include "app/session.h"
#include "app/sweep_board.h"
#include "core/text/text.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/compare/compare_controls.h"
#include "views/controls/controls_view.h"
#include "views/controls/spec_history.h"
#include "views/inspector/inspector_view.h"
#include "views/memory/memory_view.h"
#include "views/prediction/agreement_view.h"
#include "views/segments/segments_view.h"
#include "views/sweep/comparison_view.h"
#include "views/sweep/sweep_controls.h"
#include "views/sweep/sweep_figure.h"
#include "views/sweep/sweep_view.h"
#include "views/tables/operators_view.h"
#include "views/timeline/timeline_view.h"

namespace ts::app {

// What a picture or the window shows: the docked panels, the projector's page, or one panel alone.
enum class Layout : std::uint8_t {
  panels,
  projector,
  timeline,
  memory,
  segments,
  operators,
  agreement,
  controls,
  inspector,
  sweep,
  hunt,
  compare
};

// What the tabs at the top choose between.
enum class Page : std::uint8_t { run, sweep, hunt, compare };

// "run" is panels; "sweep", "hunt" and "ab" are the pages of these; the others by their name.
base::Result<Layout> layout_from_name(const std::string& name);

// The projector's page is light whatever the window looks like otherwise.
const views::Theme& theme_of(Layout layout, const Preferences& preferences);

// The part of the user interface's state that a picture shares with the window.
struct WorkspaceState {
  explicit WorkspaceState(const Preferences& start) : preferences(start), history(start.spec) {}
  Preferences preferences;
  views::SpecHistory history;
  views::ViewState view;
  run::RunId viewed = 0;              // the run, or device of a file, that `view` belongs to
  std::optional<bool> color_of_runs;  // color_by_allocation to go back to when a file is left
  views::SweepDraft sweep_draft;
  views::SweepPageState sweep_page;
  std::shared_ptr<SweepBoard> sweeps = std::make_shared<SweepBoard>();
  views::HuntDraft hunt_draft;
  std::shared_ptr<HuntBoard> hunts = std::make_shared<HuntBoard>();
  views::CompareDraft compare_draft;
  views::OperatorsTab operators_tab = views::OperatorsTab::op;
  Page page = Page::run;
};

// What the user asked for in a frame that the workspace cannot do by itself.
struct Wishes {
  bool quit = false;
  bool picture = false;  // F12
  bool restart = false;
  // The map of the hunt as a picture, into this file; empty: beside the other pictures.
  std::optional<std::filesystem::path> hunt_picture;
  // The figure of the sweep, or one chart of it, as files in a folder.
  struct Figure {
    std::optional<views::SweepChart> only;
    std::filesystem::path folder;
  };
  std::optional<Figure> figure;
};

// Draws everything inside the frame of the current Dear ImGui context and turns input into changes
// of the session and of the state. Holds caches of what it drew, so every context has its own.
class Workspace {
 public:
  Workspace(Session& session, WorkspaceState& state, const text::Texts& texts,
            const views::Fonts::Faces& faces);

  // One frame of a window or a picture. `interactive` takes keys and starts runs.
  Wishes draw(Layout layout, bool interactive);

  // A short sentence in the status bar for a few seconds: "Saved ...", or what went wrong.
  void notify(std::string sentence);

  // Begins to read files and shows the last of them.
  void open_files(const std::vector<std::filesystem::path>& paths);

  // Frames are needed even without input: a run goes on, a sentence is to disappear.
  [[nodiscard]] bool animated() const;

 private:
  void take_keys(Wishes& wishes);
  void follow_live();
  void start_run(bool live);
  void start();  // what Space starts on this page
  void draw_top_bar(const views::Ui& ui, Wishes& wishes);
  void draw_menus(const views::Ui& ui, Wishes& wishes);
  void draw_status_bar(const views::Ui& ui);
  void draw_restart_bar(const views::Ui& ui, Wishes& wishes);
  [[nodiscard]] std::string device_names() const;
  [[nodiscard]] std::string kernels_not_recorded() const;
  void draw_panels(const views::Ui& ui);
  void draw_timeline(const views::Ui& ui, const OpenedFiles::Entry* entry);
  void draw_projector(const views::Ui& ui);
  void draw_one(const views::Ui& ui, Layout layout);
  void draw_sweep(const views::Ui& ui, Wishes& wishes);
  void fulfil(const views::SweepWishes& asked, Wishes& wishes);
  void take_opened_point();
  void compare_points(std::size_t a, std::size_t b);
  void draw_comparison(const views::Ui& ui);
  void draw_compare(const views::Ui& ui);
  void draw_compare_head(const views::Ui& ui, float width);
  void draw_compare_buttons(const views::Ui& ui);
  void start_comparison();
  void draw_hunt(const views::Ui& ui, Wishes& wishes);
  void draw_hunt_head(const views::Ui& ui, float width, Wishes& wishes);
  void draw_hunt_buttons(const views::Ui& ui, Wishes& wishes);
  void zoom_hunt(double factor);
  void draw_hunt_map(const views::Ui& ui, float width, float height);
  void open_cell(std::size_t cell);
  void open_spec(const run::WorkloadSpec& spec);
  void draw_page_tabs(const views::Ui& ui);
  void open_point(std::size_t point);
  void open_sweep(const std::filesystem::path& path);
  void tell(const base::Result<void>& result);
  void draw_shortcuts(const views::Ui& ui);
  void draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                  const std::function<void()>& draw);
  void draw_file_tabs(const views::Ui& ui);
  void draw_file_problem(const views::Ui& ui, const OpenedFiles::Entry& entry);
  void draw_file_controls(const views::Ui& ui, const views::ViewContext& view);
  void draw_open_sheet(const views::Ui& ui);
  [[nodiscard]] views::ViewContext context(const views::Ui& ui);
  void choose_memory(views::ViewContext& view);
  void ask_for_prediction();
  void wait_for_prediction();
  [[nodiscard]] views::ControlsContext controls(const views::Ui& ui);

  Session* session_;
  WorkspaceState* state_;
  const text::Texts* texts_;
  const views::Fonts::Faces* faces_;
  views::TimelineView timeline_;
  views::MemoryView memory_;
  views::SegmentsView segments_;
  views::OperatorsView operators_;
  views::AgreementView agreement_;
  views::InspectorView inspector_;

  std::chrono::steady_clock::time_point frame_begin_;
  run::WorkloadSpec run_spec_;   // what Live last started, or the user
  run::WorkloadSpec seen_spec_;  // last frame's, for the debounce
  std::int64_t changed_ns_ = 0;
  std::shared_ptr<const run::Forecast> run_forecast_;  // of the run on screen
  bool show_shortcuts_ = false;
  bool show_operators_ = false;
  bool show_comparison_ = false;
  views::ComparisonPage comparison_;
  bool ask_for_file_ = false;  // the sheet to open a file comes up in the next frame
  std::array<char, 4096> typed_path_{};
  float verdict_height_ = 0;  // pixels, on the projector's page
  FileDialog file_dialog_;
  std::optional<std::size_t> shown_tab_;  // last frame's
  bool show_frame_rate_ = false;          // not in pictures: it would differ from one to the next
  unsigned dock_id_ = 0;
  std::string note_;
  std::int64_t note_until_ns_ = 0;
};

}  // namespace ts::app
