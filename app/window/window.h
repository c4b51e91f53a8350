#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pictures/graphics.h"
#include "app/session/engine_loader.h"
#include "app/session/languages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/input_pace.h"
#include "app/window/workspace.h"

struct ImGuiContext;

namespace ts::app {

// The program with a window: preferences, session, workspace and the frame loop. Main thread. Tests
// create one with a fake engine and call frame() themselves.
class Window {
 public:
  struct Options {
    run::EngineLoader loader;
    predict::DryRunnerLoader dry_runner;
    std::filesystem::path preferences_folder;
    std::filesystem::path save_folder;  // where things are saved if the preferences name no other
    std::filesystem::path program = program_path();              // tensorscope, for ranks
    std::vector<std::unique_ptr<files::OpenedFile>> files = {};  // to show from the start
    std::vector<std::filesystem::path> paths = {};               // to open from the start
    // Restarts the program with these files; returns only on failure, with the reason.
    std::function<base::Message(const std::vector<std::filesystem::path>&)> restart = {};
  };
  static base::Result<std::unique_ptr<Window>> open(Options options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Draws frames until the user quits; sleeps while nothing changes. Returns the exit code.
  int run();

  // Opens files in the same way as files dropped onto the window.
  void open_files(const std::vector<std::filesystem::path>& paths);

  // Draws one frame on screen. Input that one frame cannot tell apart is processed in several
  // frames, for kCatchUp at most; only the last is shown. False when the user asked to quit.
  bool frame();
  static constexpr std::int64_t kCatchUp = 100'000'000;  // nanoseconds

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] WorkspaceState& state() { return *state_; }
  [[nodiscard]] Graphics& graphics() { return *graphics_; }
  [[nodiscard]] const views::StepperView& steppers() const { return workspace_->steppers(); }
  [[nodiscard]] const views::OwnKernelsView& kernels() const { return workspace_->kernels(); }
  // Called after each frame is on screen; for the test engine.
  std::function<void()> after_frame;
  // False for the test engine, which needs every frame on screen.
  bool catches_up = true;
  // Every n-th frame is drawn on screen. More than 1 is for the test engine: most of a frame's time
  // is drawing where the processor draws, and few of a script's frames are looked at.
  int draws_every = 1;
  // Time from construction to the first frame on screen, in nanoseconds; 0 before.
  [[nodiscard]] std::int64_t first_frame_ns() const { return first_frame_ns_; }
  // The sleep of run() while something moves without input: longer while the processor, which draws
  // the window, is being measured.
  [[nodiscard]] double seconds_between_frames() const;
  // The time of the last frame until its draw lists were complete, without drawing them.
  [[nodiscard]] std::int64_t own_work_ns() const { return own_work_ns_; }

 private:
  Window() = default;
  void load_fonts();
  Requests build_frame();
  void draw_on_screen(std::uint32_t background);
  void wait_for_input();
  std::optional<std::filesystem::path> made_save_folder();
  void save(Requests::Save what);
  void save_lesson();
  void save_picture_of_window();
  void save_page_of_file();
  void save_drawing(const Requests::Drawing& drawing);
  void save_picture_of_panel(const Requests::Panel& panel);
  void save_picture_of_hunt(std::filesystem::path path);
  void save_figure_of_sweep(const Requests::Figure& request);
  void remember();
  // The same without using the display, which may be gone.
  void remember_what_is_known();
  void restart();

  Options options_;
  std::int64_t opened_ns_ = 0;
  std::int64_t first_frame_ns_ = 0;
  std::int64_t own_work_ns_ = 0;
  std::int64_t frames_ = 0;
  std::unique_ptr<Graphics> graphics_;
  std::unique_ptr<views::Fonts> fonts_;
  ImGuiContext* context_ = nullptr;
  std::string layout_file_;
  std::unique_ptr<text::Texts> texts_;
  std::unique_ptr<WorkspaceState> state_;
  std::unique_ptr<Session> session_;
  views::Fonts::Faces faces_;
  text::Language fonts_language_ = text::Language::en;
  std::unique_ptr<Workspace> workspace_;
  InputPace pace_;
  double last_input_ = 0;  // in the time of glfwGetTime()
};

}  // namespace ts::app
