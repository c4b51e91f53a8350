// A Python file of the user's own in the window: asked for, its arguments dragged, predicted, run,
// and what goes wrong.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

constexpr const char* kSheet = "//###own_file_sheet/";
constexpr const char* kStep = R"(
import torch
open(__file__ + ".ran", "a").write("x")
def build(B, T, device, wide: bool = False):
    model = torch.nn.Linear(8, 16 if wide else 8).to(device)
    x = torch.ones(B, T, 8, device=device)
    def step():
        model.zero_grad()
        model(x).sum().backward()
    return step
)";
constexpr const char* kHangs = R"(
import time
def build(B, T, device):
    def step():
        open(__file__ + ".ran", "a").write("x")
        while True: time.sleep(0.1)
    return step
)";

class OwnFileInTheWindow : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    // Answers of earlier tests are none of this one's.
    ::setenv("XDG_CACHE_HOME", (folder() / "own_cache").c_str(), 1);
    if (!has_torch()) GTEST_SKIP() << "there is no Python with torch 2.11";
  }
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    while (!session().files().entries().empty()) session().files().close(0);
  }

  static std::filesystem::path write_file(const char* name, const char* text) {
    const auto path = folder() / name;
    std::ofstream(path) << text;
    return path;
  }
  static bool ran(const std::filesystem::path& path) {
    return std::filesystem::exists(path.string() + ".ran");
  }
  static bool shows(ImGuiTestContext* context, const std::string& item) {
    return context->ItemExists((kSheet + item).c_str());
  }
  static bool comes(ImGuiTestContext* context, const std::string& item) {
    return until(context, 600, [&] { return shows(context, item); });
  }
  static void press(ImGuiTestContext* context, const std::string& item) {
    context->ItemClick((kSheet + item).c_str());
  }
  static bool opened(ImGuiTestContext* context, std::size_t count) {
    return until(context, 600, [count] {
      const auto& all = session().files().entries();
      return all.size() == count && all.back().opened != nullptr && !all.back().loading();
    });
  }
};

TEST_F(OwnFileInTheWindow, RunsNothingBeforeItIsAllowedThenPredictsAndRuns) {
  const auto path = write_file("own.py", kStep);
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(10);
    IM_CHECK(shows(context, "###own_allow"));
    IM_CHECK(!ran(path));
    press(context, "###own_allow");
    // A forecast is there when its memory can be shown.
    IM_CHECK(comes(context, "**/###own_show"));
    IM_CHECK(ran(path));
    IM_CHECK(shows(context, "**/###own_memory"));
    press(context, "**/###own_show");
    IM_CHECK(opened(context, 1));
    const std::int64_t small =
        session().files().entries().back().opened->devices.front().run.memory.peak_bytes();
    // x and weights, at least.
    IM_CHECK_GT(small, std::int64_t{4 * 64 * 8 * 4});
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###slider_B"));
    context->ItemDragWithDelta((std::string(kSheet) + "**/###slider_B").c_str(), {400, 0});
    press(context, "**/###own_wide");
    IM_CHECK(comes(context, "**/###own_show"));
    press(context, "**/###own_show");
    IM_CHECK(opened(context, 2));
    IM_CHECK_GT(session().files().entries().back().opened->devices.front().run.memory.peak_bytes(),
                small);
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###own_run"));
    press(context, "**/###own_run");
    IM_CHECK(opened(context, 3));
    IM_CHECK_EQ(session().files().entries().back().opened->trace->run.recorded_steps.size(),
                std::size_t{3});
  });
}

// The pages of sweeps, maps and A/B take the module as a .pt2.
TEST_F(OwnFileInTheWindow, TheModelIsExportedForTheOtherPages) {
  const auto path = write_file("exported.py", kStep);
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###own_export"));
    press(context, "**/###own_export");
    IM_CHECK(until(context, 600, [] {
      return state().history.spec().workload == spec::WorkloadKind::own_model;
    }));
    const std::string& model = state().history.spec().model;
    IM_CHECK(model.ends_with(".pt2"));
    IM_CHECK(std::filesystem::exists(model));
    IM_CHECK(!shows(context, "**/###own_export"));
  });
}

// A slider takes the values of the file's range alone.
TEST_F(OwnFileInTheWindow, ASliderKeepsTheStepsOfARange) {
  const auto path = write_file("steps.py", R"(
import torch, typing
def build(B, T: typing.Annotated[int, range(24, 1000, 24)], device):
    open(__file__ + ".ran", "a").write(f"{T} ")
    return lambda: torch.ones(B, T, device=device)
)");
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###own_show"));
    context->ItemDragWithDelta((std::string(kSheet) + "**/###slider_T").c_str(), {90, 0});
    IM_CHECK(comes(context, "**/###own_show"));
    const auto lengths = [&path] {
      std::ifstream file(path.string() + ".ran");
      std::vector<int> all;
      for (int length = 0; file >> length;) all.push_back(length);
      return all;
    };
    IM_CHECK(until(context, 600, [&] { return lengths().back() > 48; }));
    for (const int length : lengths()) IM_CHECK_EQ(length % 24, 0);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

TEST_F(OwnFileInTheWindow, ThePythonIsChosenBeforeAnythingRuns) {
  const auto path = write_file("chosen.py", kStep);
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(3);
    const std::string python = std::string(kSheet) + "###own_python";
    context->ItemInputValue(python.c_str(), "/bin/false");
    IM_CHECK(until(context, 60, [&] { return shows(context, "###own_allow"); }));
    press(context, "###own_allow");
    // It ends at once, so that the question stands there again.
    IM_CHECK(until(context, 60, [&] {
      return shows(context, "###own_allow") && !shows(context, "###own_cancel");
    }));
    IM_CHECK(!ran(path));
    context->ItemInputValue(python.c_str(), TENSORSCOPE_TORCH_PYTHON);
    IM_CHECK(until(context, 60, [&] { return shows(context, "###own_allow"); }));
    IM_CHECK(!ran(path));
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###own_show"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

TEST_F(OwnFileInTheWindow, EscapeEndsAFileThatHangsAndTheWindowGoesOn) {
  const auto path = write_file("hangs.py", kHangs);
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###slider_B"));
    IM_CHECK(until(context, 600, [&] { return ran(path); }));
    IM_CHECK(comes(context, "**/###own_cancel"));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(comes(context, "**/###own_run"));
    IM_CHECK(!shows(context, "**/###own_show"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!shows(context, "**/###own_run"));
  });
}

TEST_F(OwnFileInTheWindow, AWrongFileIsASentenceAndCanBeRunAnew) {
  const auto path = write_file("wrong.py", "def build(B, T, device)\n");
  drive([&path](ImGuiTestContext* context) {
    window().open_files({path});
    context->Yield(3);
    press(context, "###own_allow");
    IM_CHECK(until(context, 600, [&] {
      return shows(context, "###own_allow") && !shows(context, "###own_cancel");
    }));
    write_file("wrong.py", kStep);
    press(context, "###own_allow");
    IM_CHECK(comes(context, "**/###own_show"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

}  // namespace
}  // namespace ts::app::testing
