#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pictures/graphics.h"
#include "app/session/languages.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/window/input_pace.h"
#include "app/window/workspace.h"

struct ImGuiContext;

namespace ts::app {

// The program with a window: preferences, session, workspace and the frame loop. Main thread. Tests
// make one with a fake engine and drive frame() themselves.
class Window {
 public:
  struct Options {
    run::EngineLoader loader;
    predict::DryRunnerLoader dry_runner;
    std::filesystem::path preferences_folder;
    std::filesystem::path save_folder;  // where things are saved if the preferences name no other
    std::vector<std::unique_ptr<files::OpenedFile>> files = {};  // to show from the start
    std::filesystem::path sweep = {};                            // likewise; empty: none
    // Starts the program anew with these files; the sentence why it cannot, if it returns.
    std::function<std::string(const std::vector<std::filesystem::path>&)> restart = {};
  };
  static base::Result<std::unique_ptr<Window>> open(Options options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Draws frames until the user leaves; sleeps while nothing changes. Returns the exit code.
  int run();

  // Opens files as dropping them onto the window does.
  void open_files(const std::vector<std::filesystem::path>& paths);

  // One frame on screen. Input that one frame cannot tell apart is worked off in frames of which
  // the last is shown, for kCatchUp at most. False when the user asked to leave.
  bool frame();
  static constexpr std::int64_t kCatchUp = 100'000'000;  // nanoseconds

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] WorkspaceState& state() { return *state_; }
  [[nodiscard]] Graphics& graphics() { return *graphics_; }
  // Called after each frame is on screen; for the test engine.
  std::function<void()> after_frame;
  // Off for the test engine, which wants every frame on screen.
  bool catches_up = true;
  // Time from construction to the first frame on screen, in nanoseconds; 0 before.
  [[nodiscard]] std::int64_t first_frame_ns() const { return first_frame_ns_; }
  // How long run() sleeps while something moves by itself and no input comes: longer while the
  // processor, which draws the window, is what is measured.
  [[nodiscard]] double seconds_between_frames() const;
  // What the last frame took until its draw lists were made: everything but drawing them.
  [[nodiscard]] std::int64_t own_work_ns() const { return own_work_ns_; }

 private:
  Window() = default;
  void load_fonts();
  Requests build_frame(Layout layout);
  void wait_for_input();
  std::optional<std::filesystem::path> made_save_folder();
  void save(Requests::Save what);
  void save_lesson();
  void save_picture_of_window();
  void save_picture_of_hunt(std::filesystem::path path);
  void save_figure_of_sweep(const Requests::Figure& request);
  void remember();
  // The same without asking the display, which may be gone.
  void remember_what_is_known();
  void restart();

  Options options_;
  std::int64_t opened_ns_ = 0;
  std::int64_t first_frame_ns_ = 0;
  std::int64_t own_work_ns_ = 0;
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
  double last_input_ = 0;  // on glfwGetTime()
};

}  // namespace ts::app
