// The least window there is: nothing is out of reach or without a name.
#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <cmath>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class SmallWindow : public DrivenWindow {
 protected:
  static void resize(ImGuiTestContext* context, int width, int height) {
    glfwSetWindowSize(window().graphics().window(), width, height);
    IM_CHECK(until(context, 20, [&] {
      const ImVec2 size = ImGui::GetIO().DisplaySize;
      return static_cast<int>(size.x) == width && static_cast<int>(size.y) == height;
    }));
    context->Yield(4);
  }
  static ImVec2 size_of(ImGuiTestContext* context, const char* panel) {
    return context->GetWindowByRef(panel)->Size;
  }
};

TEST_F(SmallWindow, TheBarKeepsEveryButtonAndTheTargetInside) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    resize(context, 960, 600);
    for (const char* const item : {"//###top_bar/###run", "//###top_bar/###live",
                                   "//###top_bar/###target", "//###top_bar/###language",
                                   "//###top_bar/###projector", "//###top_bar/###page_compare"}) {
      const ImRect box = context->ItemInfo(item).RectFull;
      IM_CHECK_GE(box.Min.x, 0.0F);
      IM_CHECK_LE(box.Max.x, 960.0F);
    }
    const float tabs = context->ItemInfo("//###top_bar/###page_compare").RectFull.Max.x;
    IM_CHECK_GE(context->ItemInfo("//###top_bar/###run").RectFull.Min.x, tabs);
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

TEST_F(SmallWindow, ThePanelsFollowTheWindowAndTheTimelineKeepsRoom) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    resize(context, 1600, 1000);
    const ImVec2 controls = size_of(context, "//###controls");
    const ImVec2 timeline = size_of(context, "//###timeline");
    IM_CHECK_EQ(controls.x, 320.0F);
    resize(context, 960, 600);
    IM_CHECK_LE(size_of(context, "//###controls").x, 270.0F);
    IM_CHECK_GE(size_of(context, "//###timeline").x, 380.0F);
    IM_CHECK_GE(size_of(context, "//###timeline").y, 200.0F);
    resize(context, 1600, 1000);
    IM_CHECK_EQ(size_of(context, "//###controls").x, controls.x);
    IM_CHECK_EQ(size_of(context, "//###timeline").x, timeline.x);
    IM_CHECK_LE(std::abs(size_of(context, "//###timeline").y - timeline.y), 2.0F);
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

}  // namespace
}  // namespace ts::app::testing
