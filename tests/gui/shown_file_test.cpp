// A file in the window: the room it gets, its page, and what does not take its place.
#include <imgui_internal.h>

#include <fstream>
#include <iterator>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class ShownFile : public DrivenWindow {
 protected:
  void TearDown() override {
    while (!session().files().entries().empty()) session().files().close(0);
  }
  static bool opens(ImGuiTestContext* context, const char* name, const char* content) {
    std::ofstream(folder() / name) << content;
    window().open_files({folder() / name});
    const bool read = until(context, 20, [] { return !session().files().loading(); });
    context->Yield(4);
    return read;
  }
};

constexpr const char* kKernel = R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 100}]})";

// A trace without allocations has no panel for them; one with them has.
TEST_F(ShownFile, TheTimelineHasTheRoomOfAMemoryThatIsNotThere) {
  drive([](ImGuiTestContext* context) {
    const auto height = [&] { return context->GetWindowByRef("//###timeline")->Size.y; };
    const float with = height();
    IM_CHECK(opens(context, "bare.json", kKernel));
    IM_CHECK_GT(height(), with * 1.5F);
    IM_CHECK(!context->GetWindowByRef("//###memory")->Active);
    session().files().close(0);
    context->Yield(4);
    IM_CHECK_EQ(height(), with);
    IM_CHECK(context->GetWindowByRef("//###memory")->Active);
  });
}

TEST_F(ShownFile, TheShownOneIsSavedAsAPage) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(opens(context, "page.json", kKernel));
    context->ItemClick("//###top_bar/###menu_file");
    context->ItemClick("//$FOCUSED/###menu_save_page");
    context->Yield(4);
    std::string page;
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      std::ifstream file(entry.path());
      if (entry.path().extension() == ".html")
        page.assign(std::istreambuf_iterator<char>(file), {});
    }
    IM_CHECK(page.find("gemm") != std::string::npos);
    close_toasts(context);
  });
  std::filesystem::remove_all(saved());
}

// Live has a run to start, which would take the file's place.
TEST_F(ShownFile, LiveWaitsWhileAFileIsShown) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    IM_CHECK(opens(context, "shown.json", kKernel));
    state().preferences.live = true;
    context->SleepNoSkip(0.6F, 0.05F);  // longer than a changed setting rests
    IM_CHECK(session().files().current() != nullptr);
    IM_CHECK(!session().busy());
    state().preferences.live = false;
  });
}

}  // namespace
}  // namespace ts::app::testing
