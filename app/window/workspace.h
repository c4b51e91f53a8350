#pragma once

#include <imgui.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "app/session/hunt_session.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/session/sweep_session.h"
#include "app/window/actions.h"
#include "app/window/bar_plan.h"
#include "app/window/file_dialog.h"
#include "app/window/open_sheet.h"
#include "app/window/palette.h"
#include "app/window/toasts.h"
#include "core/base/message.h"
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

// The content of a picture or the window: the docked panels, the projector's page, or one panel.
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
  compare,
  lessons
};

// The pages that the tabs at the top select.
enum class Page : std::uint8_t { run, sweep, hunt, compare, lessons };

// "run" is panels; "sweep", "hunt", "ab" and "lessons" are the pages of these; the others have
// their own name.
base::Result<Layout> layout_from_name(const std::string& name);

// The projector's page is always light, independent of the theme of the window.
const views::Theme& theme_of(Layout layout, const Preferences& preferences);

// The part of the user interface's state that a picture shares with the window.
struct WorkspaceState {
  explicit WorkspaceState(const Preferences& start)
      : preferences(start), history(start.spec), old_limit(start.spec.memory_limit) {}
  Preferences preferences;
  std::filesystem::path default_save_folder;  // used if the preferences name none
  views::SpecHistory history;
  // The memory limit in bytes that was set at the last exit: a bar in the window shows it until the
  // user responds. 0: none, or the user has responded.
  std::int64_t old_limit = 0;
  views::ViewState view;
  run::RunId viewed = 0;  // the run, or device of a file, that `view` belongs to
  std::optional<views::BlockColors> color_of_runs;  // block_colors to restore when a file is left
  views::SweepEdit sweep_edit;
  views::SweepPageState sweep_page;
  std::shared_ptr<SweepSession> sweeps = std::make_shared<SweepSession>();
  views::HuntEdit hunt_edit;
  std::shared_ptr<HuntSession> hunts = std::make_shared<HuntSession>();
  views::CompareEdit compare_edit;
  std::shared_ptr<LessonSession> lessons = std::make_shared<LessonSession>();
  views::OperatorsTab operators_tab = views::OperatorsTab::op;
  Page page = Page::run;
  // The folder of saved files.
  [[nodiscard]] std::filesystem::path save_folder() const;
  // Valid from now on; empty: the default folder.
  void choose_save_folder(const std::filesystem::path& chosen);

  views::RunFigures figures;  // of the newest successful run
  views::RunFigures earlier;  // of the last one with other settings
  // The last prediction, for settings that cannot be predicted.
  std::shared_ptr<const predict::Forecast> last_forecast;
};

// Requests of the user in a frame that the workspace cannot do by itself.
struct Requests {
  bool quit = false;
  bool picture = false;  // F12
  // The content to save into a new folder.
  enum class Save : std::uint8_t { run, prediction, comparison };
  std::optional<Save> save;
  bool restart = false;
  bool lesson = false;  // the report of the open lesson and its pictures, into its folder
  // Save the map of the hunt as a picture into this file; empty: beside the other pictures.
  std::optional<std::filesystem::path> hunt_picture;
  // Save the figure of the sweep, or one chart of it, as files in a folder.
  struct Figure {
    std::optional<views::SweepChart> only;
    std::filesystem::path folder;
  };
  std::optional<Figure> figure;

  // Adds the requests of a later frame.
  void add(Requests&& later);
};

// Draws everything inside the frame of the current Dear ImGui context and turns input into changes
// of the session and the state. Caches what it drew, so every context has its own workspace.
class Workspace {
 public:
  Workspace(Session& session, WorkspaceState& state, const text::Texts& texts,
            const views::Fonts::Faces& faces);

  // Draws one frame of a window or a picture. `interactive`: takes keys and starts runs.
  Requests draw(Layout layout, bool interactive);

  // Shows a short sentence in the status bar for a few seconds: "Saved ...", or an error.
  void notify(std::string words);
  void notify(const base::Message& message);

  // Shows that something was written there, with a button that opens it.
  void saved(const std::filesystem::path& path);

  // Starts to read files and shows the last of them.
  void open_files(const std::vector<std::filesystem::path>& paths);

  // True if frames are needed without input: during a run, or before a message disappears.
  [[nodiscard]] bool animated() const;

 private:
  void take_keys(Requests& requests);
  void keep_keys();
  // The reason why a command is not possible now, as a sentence; empty: it is possible.
  [[nodiscard]] std::string why_not(Action action) const;
  // The state of what a command switches.
  [[nodiscard]] bool is_on(Action action) const;
  void perform(Action action, Requests& requests);
  void stop_or_close();
  void stop();
  void reset_settings();
  void change_scale(int steps);
  void focus_panel(int steps);
  [[nodiscard]] std::string keys_of(const ActionRow& row) const;
  void draw_palette(const views::Ui& ui, Requests& requests);
  void add_settings(const views::Ui& ui, std::vector<PaletteEntry>& entries);
  void add_typed_setting(const views::Ui& ui, std::string_view typed,
                         std::vector<PaletteEntry>& entries);
  void add_workloads(const views::Ui& ui, std::vector<PaletteEntry>& entries);
  void add_presets(const views::Ui& ui, std::vector<PaletteEntry>& entries);
  void add_cards(const views::Ui& ui, std::vector<PaletteEntry>& entries);
  void add_looks(const views::Ui& ui, std::vector<PaletteEntry>& entries);
  void draw_action(const views::Ui& ui, Action action, Requests& requests);
  void follow_live();
  void start_run(bool live);
  void start();  // the action of Space on this page
  void start_or_pause_sweep();
  void begin_sweep(views::SweepAsk ask);
  // A point of a sweep is being measured; a run now would discard it.
  [[nodiscard]] bool measures_sweep() const;
  // The projector's page has its own field for the target card.
  void draw_top_bar(const views::Ui& ui, Requests& requests, bool has_target_field);
  [[nodiscard]] BarParts bar_parts(const views::Ui& ui, const std::string& device,
                                   bool has_target_field) const;
  [[nodiscard]] const char* run_key() const;
  // A file is on screen: the other pages show the settings whatever is opened.
  [[nodiscard]] bool shows_file() const {
    return state_->page == Page::run && session_->files().current() != nullptr;
  }
  [[nodiscard]] std::string short_device_names() const;
  void draw_run_and_live(const views::Ui& ui, const BarParts& parts);
  void draw_language_and_projector(const views::Ui& ui, bool labels);
  void draw_menus(const views::Ui& ui, Requests& requests);
  void draw_one_menu(const views::Ui& ui, Requests& requests);
  void draw_menu_items(const views::Ui& ui, const char* id, Requests& requests);
  // The page shows the settings; a file and the lessons have none.
  [[nodiscard]] bool has_form() const { return !shows_file() && state_->page != Page::lessons; }
  void draw_status_bar(const views::Ui& ui);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> projector_keys() const;
  void draw_restart_bar(const views::Ui& ui, Requests& requests);
  [[nodiscard]] std::string device_names() const;
  [[nodiscard]] std::string kernels_not_recorded() const;
  void draw_panels(const views::Ui& ui);
  void fit_panels(const views::Ui& ui);
  void draw_timeline(const views::Ui& ui, const OpenedFiles::Entry* entry);
  void draw_projector(const views::Ui& ui);
  void draw_one(const views::Ui& ui, Layout layout);
  struct PageArea {
    ImVec2 origin, size;
  };
  PageArea page_area(const views::Ui& ui, bool projector);
  // True if the settings are at the left of a page: on the projector only on request.
  [[nodiscard]] bool shows_form(bool projector) const { return !projector || show_form_; }
  void draw_sweep(const views::Ui& ui, bool projector, Requests& requests);
  void carry_out(const views::SweepRequests& asked, Requests& requests);
  void take_opened_point();
  void compare_points(std::size_t a, std::size_t b);
  void draw_comparison(const views::Ui& ui);
  void draw_compare(const views::Ui& ui, bool projector);
  void draw_compare_head(const views::Ui& ui, float width);
  void draw_compare_buttons(const views::Ui& ui);
  void start_comparison();
  [[nodiscard]] std::string comparison_refusal() const;
  [[nodiscard]] std::string stale_comparison() const;
  void draw_hunt(const views::Ui& ui, bool projector, Requests& requests);
  void draw_hunt_side(const views::Ui& ui, const views::ViewContext& view, float height);
  void draw_hunt_head(const views::Ui& ui, float width, Requests& requests);
  void draw_hunt_buttons(const views::Ui& ui, bool narrow, Requests& requests);
  void zoom_hunt(double factor);
  void save_hunt(Requests& requests);
  void draw_hunt_map(const views::Ui& ui, float width, float height);
  void open_cell(std::size_t cell);
  void step_cell(int x, int y);
  void draw_cell_menu(const views::Ui& ui);
  void open_spec(const spec::WorkloadSpec& spec);
  void draw_lessons(const views::Ui& ui, Requests& requests);
  void carry_out(const views::LessonRequests& asked, Requests& requests);
  void start_lesson();
  void save_lesson(Requests& requests);
  void draw_page_tabs(const views::Ui& ui);
  void open_point(std::size_t point);
  void open_sweep(const std::filesystem::path& path);
  void tell(const base::Result<void>& result);
  void draw_shortcuts(const views::Ui& ui);
  void draw_glossary(const views::Ui& ui);
  void draw_limit_bar(const views::Ui& ui);
  void draw_toasts(const views::Ui& ui);
  // Draws a sheet over the panels. large: a table needs their whole width.
  enum class SheetSize : std::uint8_t { large, small };
  void draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                  const std::function<void()>& draw, SheetSize size = SheetSize::large);
  void draw_file_tabs(const views::Ui& ui);
  void draw_file_problem(const views::Ui& ui, const OpenedFiles::Entry& entry);
  void draw_file_controls(const views::Ui& ui, const views::ViewContext& view);
  void draw_open_sheet(const views::Ui& ui);
  void draw_save_folder(const views::Ui& ui);
  // The action of Ctrl+S on this page, and why it is not possible now; empty: it is possible.
  void save(Requests& requests);
  [[nodiscard]] std::string why_not_save() const;
  [[nodiscard]] bool predicted_now() const;
  [[nodiscard]] views::ViewContext context(const views::Ui& ui);
  void choose_memory(views::ViewContext& view);
  void note_figures(const run::Run& run);
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
  spec::WorkloadSpec run_spec_;   // last started by Live or the user
  spec::WorkloadSpec seen_spec_;  // last frame's, for the debounce
  std::int64_t changed_ns_ = 0;
  std::shared_ptr<const predict::Forecast> run_forecast_;  // of the run on screen
  Palette palette_;
  bool popup_has_keys_ = false;           // at the end of the last frame
  std::optional<std::size_t> menu_cell_;  // the hunt cell of the open menu
  bool show_form_ = false;                // on the projector
  bool show_shortcuts_ = false;
  bool show_operators_ = false;
  bool show_comparison_ = false;
  views::ComparisonPage comparison_;
  bool ask_for_file_ = false;  // the sheet to open a file appears in the next frame
  OpenSheet open_sheet_;
  Toasts toasts_;
  bool show_save_folder_ = false;
  std::array<char, 4096> save_folder_{};  // as typed
  bool show_glossary_ = false;
  std::array<char, 64> glossary_filter_{};
  FileDialog file_dialog_;
  std::optional<std::size_t> shown_tab_;  // last frame's
  bool show_frame_rate_ = false;          // not in pictures: it would differ between them
  unsigned dock_id_ = 0;
  // Sizes of the panels that follow the window, as they were set last.
  float fitted_left_ = 0, fitted_right_ = 0, fitted_below_ = 0;
  std::string note_;
  std::int64_t note_until_ns_ = 0;
};

}  // namespace ts::app
