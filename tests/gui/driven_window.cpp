#include "tests/gui/driven_window.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "app/session/engine_loader.h"

namespace ts::app::testing {
namespace {

struct Driven {
  std::filesystem::path folder;
  std::unique_ptr<Window> window;
  ImGuiTestEngine* engine = nullptr;
  std::vector<std::filesystem::path> restarted_with;
};
Driven* driven = nullptr;

constexpr int kDrawsEvery = 16;

}  // namespace

void DrivenWindow::SetUpTestSuite() {
  driven = new Driven;
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tensorscope_gui_XXXXXX").string();
  driven->folder = mkdtemp(pattern.data());
  // A test must not change what the user has chosen.
  ::setenv("XDG_CONFIG_HOME", (driven->folder / "config").c_str(), 1);
  // Scripts of other tests, or of who works here, must not find this window.
  ::setenv("XDG_RUNTIME_DIR", driven->folder.c_str(), 1);
  // Without the engine every script would wait for what never comes.
  const auto engine = make_dry_runner_loader()();
  ASSERT_TRUE(engine) << engine.error().sentence;
  Window::Options options{make_engine_loader(), make_dry_runner_loader(), driven->folder / "config",
                          driven->folder / "saved"};
  options.program = engine_folder() / "tensorscope";
  options.restart = [](const std::vector<std::filesystem::path>& files) {
    driven->restarted_with = files;
    return base::Message{"A test is not started again"};
  };
  auto opened = Window::open(std::move(options));
  ASSERT_TRUE(opened) << opened.error().sentence;
  driven->window = std::move(*opened);
  driven->engine = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(driven->engine);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Warning;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigLogToTTY = true;
  io.ConfigNoThrottle = true;
  // A busy machine draws one frame a second: only CTest's limit ends what hangs.
  io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = std::numeric_limits<float>::max();
  io.ConfigRestoreFocusAfterTests = false;
  ImGuiTestEngine_Start(driven->engine, ImGui::GetCurrentContext());
  driven->window->catches_up = false;
  driven->window->draws_every = kDrawsEvery;
  driven->window->after_frame = [] { ImGuiTestEngine_PostSwap(driven->engine); };
  for (int i = 0; i < 3; ++i) driven->window->frame();
}

void DrivenWindow::TearDownTestSuite() {
  if (driven->engine != nullptr) ImGuiTestEngine_Stop(driven->engine);
  driven->window.reset();
  if (driven->engine != nullptr) ImGuiTestEngine_DestroyContext(driven->engine);
  ::unsetenv("XDG_RUNTIME_DIR");
  ::unsetenv("XDG_CONFIG_HOME");
  std::error_code ignored;
  std::filesystem::remove_all(driven->folder, ignored);
  delete driven;
  driven = nullptr;
}

void DrivenWindow::SetUp() {
  ASSERT_NE(driven->engine, nullptr);
  Preferences& preferences = state().preferences;
  preferences.live = false;
  preferences.projector = false;
  preferences.language = text::Language::en;
  preferences.theme = views::ThemeKind::dark;
  preferences.scale = 1;
  state().view = {};
  state().page = Page::run;
  show(small_attention());
}

void DrivenWindow::drive(const std::function<void(ImGuiTestContext*)>& script) {
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(driven->engine, "window", "script");
  test->TestFunc = script;
  ImGuiTestEngine_QueueTest(driven->engine, test);
  while (!ImGuiTestEngine_IsTestQueueEmpty(driven->engine)) driven->window->frame();
  EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success);
  ImGuiTestEngine_UnregisterTest(driven->engine, test);
}

bool DrivenWindow::until(ImGuiTestContext* context, double seconds,
                         const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  // The processor draws the frames: what is waited for wants it as well.
  window().draws_every = 8 * kDrawsEvery;
  bool met = condition();
  while (!met && std::chrono::steady_clock::now() <= end) {
    context->Yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    met = condition();
  }
  window().draws_every = kDrawsEvery;
  return met;
}

bool DrivenWindow::run_to_end(ImGuiTestContext* context, double seconds) {
  const auto before = session().run() != nullptr ? session().run()->id : 0;
  context->KeyPress(ImGuiKey_Space);
  return until(context, seconds, [&] {
    return !session().busy() && session().run() != nullptr && session().run()->id != before &&
           session().run()->finished;
  });
}

Window& DrivenWindow::window() {
  return *driven->window;
}

const std::vector<std::filesystem::path>& DrivenWindow::restarted_with() {
  return driven->restarted_with;
}

void DrivenWindow::double_click(ImGuiTestContext* context, const char* item) {
  ImGuiIO& io = ImGui::GetIO();
  const float usual = io.MouseDoubleClickTime;
  io.MouseDoubleClickTime = 60;
  context->ItemDoubleClick(item);
  io.MouseDoubleClickTime = usual;
}

bool DrivenWindow::click_in_child_menu(ImGuiTestContext* context, const char* item) {
  ImGuiWindow* menu = nullptr;
  for (ImGuiWindow* const one : ImGui::GetCurrentContext()->Windows) {
    if (one->Active && (one->Flags & ImGuiWindowFlags_ChildMenu) != 0) menu = one;
  }
  if (menu == nullptr) return false;
  context->SetRef(menu);
  context->ItemClick(item);
  context->SetRef(ImGuiTestRef());
  return true;
}

void DrivenWindow::resize(ImGuiTestContext* context, int width, int height) {
  glfwSetWindowSize(window().graphics().window(), width, height);
  IM_CHECK(until(context, 20, [&] {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    return static_cast<int>(size.x) == width && static_cast<int>(size.y) == height;
  }));
  context->Yield(4);
}

bool DrivenWindow::point_at(ImGuiTestContext* context, const char* panel,
                            const std::function<bool()>& found) {
  const ImGuiWindow* const window = context->GetWindowByRef(panel);
  // A column may lie between two steps, where nothing ran.
  for (const float x : {0.4F, 0.6F, 0.5F, 0.3F, 0.7F}) {
    for (float y = window->Size.y - 50; y > 50; y -= 8) {
      context->MouseMoveToPos({window->Pos.x + window->Size.x * x, window->Pos.y + y});
      context->Yield(2);
      if (found()) return true;
    }
  }
  return false;
}

bool DrivenWindow::click_a_slice(ImGuiTestContext* context) {
  if (!point_at(context, "//###timeline", [] { return state().view.hovered_slice.has_value(); }))
    return false;
  context->MouseClick();
  context->Yield(2);
  return state().view.selected_slice.has_value();
}

bool DrivenWindow::click_a_block(ImGuiTestContext* context) {
  if (!point_at(context, "//###memory", [] { return state().view.hovered_block.has_value(); }))
    return false;
  context->MouseClick();
  context->Yield(2);
  return state().view.selected_block.has_value();
}

void DrivenWindow::close_toasts(ImGuiTestContext* context) {
  while (context->ItemExists("//###toasts/$$0/###toast_close")) {
    context->ItemClick("//###toasts/$$0/###toast_close");
    context->Yield(3);
  }
}

std::filesystem::path DrivenWindow::saved() {
  return folder() / "saved";
}

const std::filesystem::path& DrivenWindow::folder() {
  return driven->folder;
}

void DrivenWindow::open_sheet(ImGuiTestContext* context, const spec::WorkloadSpec& spec,
                              ImGuiKeyChord keys) {
  show(spec);
  IM_CHECK(until(context, 60, [] { return session().engine() != nullptr; }));
  context->KeyPress(keys);
  context->Yield(3);
}

spec::WorkloadSpec DrivenWindow::small_attention() {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::attention;
  spec.batch = 1;
  spec.heads = 2;
  spec.seq_len = 128;
  spec.d_head = 32;
  spec.pass = spec::Pass::forward_backward;
  return spec;
}

spec::WorkloadSpec DrivenWindow::long_attention() {
  spec::WorkloadSpec spec = small_attention();
  spec.batch = 4;
  spec.heads = 8;
  spec.seq_len = 1024;
  return spec;
}

bool DrivenWindow::has_torch() {
  static const bool has =
      std::system((std::string(TENSORSCOPE_TORCH_PYTHON) +
                   " -c 'import torch, sys; sys.exit(not torch.__version__.startswith(\"2.11.\"))'"
                   " >/dev/null 2>&1")
                      .c_str()) == 0;
  return has;
}

const predict::Forecast* DrivenWindow::prediction() {
  const predict::Outlook* outlook = session().predictions().outlook();
  const bool current = outlook != nullptr && outlook->spec == state().history.spec();
  return current ? outlook->target.get() : nullptr;
}

}  // namespace ts::app::testing
