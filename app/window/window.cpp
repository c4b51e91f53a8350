#include "app/window/window.h"

// clang-format off
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
// clang-format on
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/output/environment.h"
#include "app/output/file_page.h"
#include "app/output/own_report.h"
#include "app/output/sweep_files.h"
#include "app/output/time_stamp.h"
#include "app/pictures/hunt_picture.h"
#include "app/pictures/picture.h"
#include "app/pictures/sweep_picture.h"
#include "app/session/file_list.h"
#include "app/session/interrupt.h"
#include "app/session/run_files.h"
#include "app/window/lost_display.h"
#include "app/window/save.h"
#include "app/window/workspace_picture.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/sweep/sweep_findings.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// Frames continue this long after input: a tooltip appears without further input.
constexpr double kSettleSeconds = 0.8;
constexpr double kSettleFrameSeconds = 1.0 / 30;
// The caret blinks while text is typed.
constexpr double kCaretSeconds = 0.4;
// The interval at which an idle window reads messages of the worker.
constexpr double kIdleSeconds = 0.1;
constexpr double kAnimatedSeconds = 1.0 / 60;
// Measurements on the processor are more accurate with less drawing; live values may be 200 ms
// late.
constexpr double kMeasuringSeconds = 0.1;
// A script's records are 30 ms old when they come, and a frame may take 100 ms without a GPU.
constexpr double kLiveSeconds = 0.05;
// The part of a frame for new messages of a run: many records must not block the window.
constexpr std::int64_t kUpdateTime = 12'000'000;  // nanoseconds

void on_drop(GLFWwindow* handle, int count, const char** paths) {
  auto* window = static_cast<Window*>(glfwGetWindowUserPointer(handle));
  window->open_files({paths, paths + count});
}

// A script that begins to show itself is on screen at once, as a file that is opened.
bool take_news(Session& session, WorkspaceState& state) {
  const std::size_t files = session.files().entries().size();
  const bool news = session.update(kUpdateTime);
  if (session.files().entries().size() > files) state.page = Page::run;
  return news;
}

}  // namespace

base::Result<std::unique_ptr<Window>> Window::open(Options options) {
  std::unique_ptr<Window> window(new Window);
  window->opened_ns_ = base::now_ns();
  window->options_ = std::move(options);
  base::Message problem;
  window->state_ = std::make_unique<WorkspaceState>(
      load_preferences(window->options_.preferences_folder, problem));
  window->state_->default_save_folder = window->options_.save_folder;
  window->state_->program = window->options_.program;
  window->state_->choose_save_folder(window->state_->preferences.save_folder);
  const Preferences& preferences = window->state_->preferences;
  TS_TRY(window->graphics_, Graphics::open(Graphics::Kind::window, preferences.window_width,
                                           preferences.window_height));

  window->context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(window->context_);
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  // Ctrl+Tab goes to the next panel at once: a list of panels would show their ids.
  window->context_->ConfigNavWindowingKeyNext = 0;
  window->context_->ConfigNavWindowingKeyPrev = 0;
  std::error_code ignored;
  std::filesystem::create_directories(window->options_.preferences_folder, ignored);
  window->layout_file_ = (window->options_.preferences_folder / "layout.ini").string();
  io.IniFilename = window->layout_file_.c_str();
  if (!window->graphics_->attach_imgui(true)) {
    return base::fail("OpenGL 3.3 is not usable here: " + window->graphics_->renderer());
  }
  window->fonts_ = std::make_unique<views::Fonts>();
  window->texts_ = std::make_unique<text::Texts>(built_in_texts());
  window->load_fonts();
  // The worker starts to load LibTorch here, in parallel with the first frame.
  window->session_ =
      std::make_unique<Session>(window->options_.loader, window->options_.dry_runner);
  window->session_->want_roof();
  window->workspace_ = std::make_unique<Workspace>(*window->session_, *window->state_,
                                                   *window->texts_, window->faces_);
  if (!problem.empty()) window->workspace_->notices().add(problem);
  if (const auto listens = window->session_->listen(live::meeting_folder()); !listens)
    window->workspace_->notices().add(listens.error());
  for (auto& file : window->options_.files) {
    remember_file(window->state_->preferences.recent_files, file->path);
    window->session_->files().add(std::move(file));
  }
  window->options_.files.clear();
  window->workspace_->open_files(window->options_.paths);
  glfwSetWindowUserPointer(window->graphics_->window(), window.get());
  glfwSetDropCallback(window->graphics_->window(), on_drop);
  glfwShowWindow(window->graphics_->window());
  return window;
}

Window::~Window() {
  if (workspace_ != nullptr) workspace_->leave_demo();
  if (session_ != nullptr) remember();
  workspace_.reset();
  // The sweep's runner detaches from the session, which must still exist.
  if (state_ != nullptr) {
    state_->lessons->keep();
    state_->lessons.reset();
    state_->sweeps.reset();
  }
  session_.reset();
  if (context_ != nullptr) {
    ImGui::SetCurrentContext(context_);
    if (ImGui::GetIO().BackendRendererUserData != nullptr) ImGui_ImplOpenGL3_Shutdown();
    if (ImGui::GetIO().BackendPlatformUserData != nullptr) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext(context_);
  }
}

void Window::load_fonts() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  fonts_language_ = state_->preferences.language;
  texts_->choose(fonts_language_);
  if (faces_.regular != nullptr) atlas.Clear();
  faces_ = fonts_->add_to(atlas, fonts_language_);
}

void Window::open_files(const std::vector<std::filesystem::path>& paths) {
  workspace_->open_files(paths);
}

void Window::remember() {
  Preferences& preferences = state_->preferences;
  glfwGetWindowSize(graphics_->window(), &preferences.window_width, &preferences.window_height);
  remember_what_is_known();
}

void Window::remember_what_is_known() {
  Preferences& preferences = state_->preferences;
  preferences.spec = state_->history.spec();
  // At the end a failure cannot be reported any more; no measurement is lost.
  static_cast<void>(save_preferences(options_.preferences_folder, preferences));
}

// Creates the folder; if that fails, shows the reason.
std::optional<std::filesystem::path> Window::made_save_folder() {
  std::filesystem::path folder = state_->save_folder();
  const auto made = folder.empty() ? text::fail("file_error.no_home") : io::make_folder(folder);
  if (made) return folder;
  workspace_->notices().add(made.error());
  return std::nullopt;
}

void Window::save(Requests::Save what) {
  const auto folder = made_save_folder();
  if (!folder) return;
  const auto saved = save_in_folder(what, *graphics_, *session_, *state_, *folder);
  saved ? workspace_->notices().saved(*saved) : workspace_->notices().add(saved.error());
}

// Into the folder of the lesson itself, which has the folders of its steps.
void Window::save_lesson() {
  const LessonRunner* const lesson = state_->lessons->shown();
  if (lesson == nullptr) return;
  const auto saved = save_lesson_folder(*graphics_, *session_, *state_, *lesson, *texts_);
  saved ? workspace_->notices().saved(lesson->folder()) : workspace_->notices().add(saved.error());
}

void Window::save_picture_of_window() {
  PictureOptions picture;
  picture.page = state_->page;
  picture.projector = state_->preferences.projector;
  picture.demo = true;
  glfwGetFramebufferSize(graphics_->window(), &picture.width, &picture.height);
  const auto folder = made_save_folder();
  if (!folder) return;
  const auto path = new_path(*folder, "picture", ".png");
  const auto saved = save_picture(*graphics_, *session_, *state_, picture, path);
  saved ? workspace_->notices().saved(path) : workspace_->notices().add(saved.error());
}

void Window::save_picture_of_panel(const Requests::Panel& panel) {
  const auto folder = made_save_folder();
  if (!folder) return;
  const PictureOptions picture{.page = panel.page, .width = panel.width, .height = panel.height};
  auto path = new_path(*folder, page_name(panel.page), ".png");
  auto saved = save_picture(*graphics_, *session_, *state_, picture, path);
  if (saved && !panel.svg.empty())
    saved = io::write_file(std::filesystem::path(path).replace_extension(".svg"), panel.svg);
  saved ? workspace_->notices().saved(path) : workspace_->notices().add(saved.error());
}

void Window::save_page_of_file() {
  const OpenedFiles::Entry* const entry = session_->files().current();
  const auto folder = made_save_folder();
  if (!folder || entry == nullptr || entry->opened == nullptr) return;
  const auto path = new_path(*folder, "page", ".html");
  const auto notes = state_->notes.find(state_->viewed);
  const auto all =
      notes == state_->notes.end() ? std::span<const files::Note>() : notes->second.all();
  const auto saved = io::write_file(path, file_page(*entry->opened, entry->device, all));
  saved ? workspace_->notices().saved(path) : workspace_->notices().add(saved.error());
}

void Window::save_drawing(const Requests::Drawing& drawing) {
  const auto folder = made_save_folder();
  if (!folder) return;
  const FigurePage page{.language = state_->preferences.language,
                        .width = drawing.width,
                        .height = drawing.height,
                        .background = theme_of(state_->preferences).bg,
                        .scale = state_->preferences.scale};
  const auto path = new_path(*folder, drawing.name, ".png");
  const auto saved = save_figure(*graphics_, page, drawing.draw, *folder, path.stem().string());
  saved ? workspace_->notices().saved(path) : workspace_->notices().add(saved.error());
}

void Window::save_picture_of_hunt(std::filesystem::path path) {
  const HuntSession& sweeps = *state_->hunts;
  if (sweeps.progress() == nullptr) return;
  const bool beside_others = path.empty();
  if (beside_others) {
    const auto folder = made_save_folder();
    if (!folder) return;
    path = new_path(*folder, "hunt", ".png");
  }
  HuntPicture picture;
  picture.theme = state_->preferences.theme;
  picture.language = state_->preferences.language;
  picture.other = sweeps.other_name();
  const auto& other = sweeps.progress()->other;
  const SaveParts& parts = state_->preferences.save_parts;
  base::Result<void> saved;
  if (beside_others || parts.has(SavePart::pictures)) {
    saved = save_hunt_picture(*graphics_, sweeps.map(), other ? &*other : nullptr,
                              sweeps.progress()->target, picture, path);
  }
  if (saved && !beside_others && parts.has(SavePart::report))
    saved = write_own_report(path.parent_path(), *texts_);
  if (saved && !beside_others) return;  // its folder was reported before
  saved ? workspace_->notices().saved(path) : workspace_->notices().add(saved.error());
}

void Window::save_figure_of_sweep(const Requests::Figure& request) {
  const sweep::Sweep* const sweep = state_->sweeps->sweep();
  if (sweep == nullptr || session_->engine() == nullptr) return;
  const SweepNotes notes = notes_of(read_machine(), *session_->engine(), *sweep);
  FigureOptions options;
  if (request.only) {
    options.width = kChartWidth;
    options.height = kChartHeight;
  }
  options.theme = state_->preferences.theme;
  options.language = state_->preferences.language;
  options.caption = sweep::sweep_caption(*sweep, notes.device, notes.versions);
  options.look = state_->sweep_page.look;
  options.only = request.only;
  const SaveParts& parts = state_->preferences.save_parts;
  base::Result<void> saved;
  if (request.only || parts.has(SavePart::pictures))
    saved = save_sweep_figure(*graphics_, *sweep, options, request.folder);
  if (saved && parts.has(SavePart::report)) saved = write_own_report(request.folder, *texts_);
  if (!saved) workspace_->notices().add(saved.error());
}

// Saves the run beside the pictures. The new start shows its memory again, and everything that was
// open. This object is not destroyed: a device that does not respond could block the worker.
void Window::restart() {
  std::vector<std::filesystem::path> paths;
  if (session_->run() != nullptr) {
    const auto parent = made_save_folder();
    if (!parent) return;
    const auto folder = new_path(*parent, "run");
    const auto saved = write_run(folder, *session_, document_of(*session_));
    if (!saved) {
      workspace_->notices().add(saved.error());
      return;
    }
    if (!session_->run()->memory.events().empty()) paths.push_back(folder / "snapshot.pickle");
  }
  // Only files that can be opened again: a start with anything else would end at once.
  for (const OpenedFiles::Entry& entry : session_->files().entries()) {
    if (entry.opened != nullptr && entry.live == nullptr) paths.push_back(entry.path);
  }
  if (is_sweep(state_->sweeps->own_folder())) paths.push_back(state_->sweeps->own_folder());
  remember();
  workspace_->notices().add(options_.restart(paths));
}

// Builds the frame up to the draw lists.
Requests Window::build_frame() {
  if (state_->preferences.language != fonts_language_) load_fonts();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  pace_.hold(base::now_ns());
  ImGui::NewFrame();
  pace_.release();
  return workspace_->draw(true);
}

void Window::draw_on_screen(std::uint32_t background) {
  GLFWwindow* window = graphics_->window();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  clear_target(background, width, height);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
}

bool Window::frame() {
  GLFWwindow* window = graphics_->window();
  const std::int64_t begin_ns = base::now_ns();
  if (!workspace_->holds()) take_news(*session_, *state_);
  const views::Theme* theme = &theme_of(state_->preferences);
  Requests requests = build_frame();
  // Drawing is the slow part of slow frames: frames for waiting input are not all drawn.
  while (catches_up && pace_.waiting() && !requests.quit && base::now_ns() - begin_ns < kCatchUp) {
    ImGui::EndFrame();
    theme = &theme_of(state_->preferences);
    requests.add(build_frame());
  }
  ImGui::Render();
  own_work_ns_ = base::now_ns() - begin_ns;
  if (frames_++ % draws_every == 0) draw_on_screen(theme->bg);
  if (first_frame_ns_ == 0) first_frame_ns_ = base::now_ns() - opened_ns_;
  if (after_frame) after_frame();
  if (requests.picture) save_picture_of_window();
  if (requests.drawing) save_drawing(*requests.drawing);
  if (requests.panel) save_picture_of_panel(*requests.panel);
  if (requests.save) save(*requests.save);
  if (requests.lesson) save_lesson();
  if (requests.save_page) save_page_of_file();
  if (requests.save_session) {
    if (const auto folder = made_save_folder()) workspace_->save_session(*folder);
  }
  if (requests.hunt_picture) save_picture_of_hunt(*requests.hunt_picture);
  if (requests.restart && options_.restart) restart();
  if (requests.figure) save_figure_of_sweep(*requests.figure);
  return !requests.quit && glfwWindowShouldClose(window) == 0;
}

double Window::seconds_between_frames() const {
  const run::Run* const run = session_->busy() ? session_->current() : nullptr;
  const bool on_cpu = run != nullptr && run->spec.device == spec::DeviceKind::cpu;
  if (on_cpu) return kMeasuringSeconds;
  return session_->files().growing() ? kLiveSeconds : kAnimatedSeconds;
}

void Window::wait_for_input() {
  const double drawn = glfwGetTime();
  if (pace_.waiting() || session_->behind()) {
    glfwPollEvents();
    last_input_ = drawn;
    return;
  }
  if (workspace_->animated()) {
    glfwWaitEventsTimeout(seconds_between_frames());
    last_input_ = glfwGetTime();
    return;
  }
  // Nothing is drawn until something changes: an idle window uses almost no processor time.
  while (true) {
    const double before = glfwGetTime();
    const bool settling = before - last_input_ < kSettleSeconds;
    const double timeout = settling ? kSettleFrameSeconds : kIdleSeconds;
    glfwWaitEventsTimeout(timeout);
    const double now = glfwGetTime();
    const bool woken = now - before < timeout * 0.98;
    if (woken) last_input_ = now;
    const bool blinks = ImGui::GetIO().WantTextInput && now - drawn > kCaretSeconds;
    const bool news = !workspace_->holds() && take_news(*session_, *state_);
    if (woken || settling || blinks || news || workspace_->animated()) return;
    if (InterruptGuard::interrupted()) return;
  }
}

int Window::run() {
  const InterruptGuard guard;
  // The X error handler runs on the stack of its caller and must not return: the process ends
  // there, and everything but the display is unchanged.
  const OnLostDisplay lost([this] {
    remember_what_is_known();
    std::fputs("tensorscope: the display is gone; the settings are saved\n", stderr);
    std::_Exit(1);
  });
  glfwSwapInterval(1);
  while (frame() && !InterruptGuard::interrupted()) wait_for_input();
  return 0;
}

}  // namespace ts::app
