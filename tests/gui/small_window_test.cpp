// The least window there is: nothing is out of reach or without a name.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class SmallWindow : public DrivenWindow {
 protected:
  static ImVec2 size_of(ImGuiTestContext* context, const char* panel) {
    return context->GetWindowByRef(panel)->Size;
  }
  // The height of the tallest letter that is drawn in the first line of a page, in pixels.
  static float tallest_letter(ImGuiTestContext* context, const char* page) {
    const ImGuiWindow* const found = context->GetWindowByRef(page);
    const ImVec2 ground = ImGui::GetDrawListSharedData()->TexUvWhitePixel;
    const ImVector<ImDrawVert>& corners = found->DrawList->VtxBuffer;
    float tallest = 0;
    // A letter is four corners, the third opposite to the first.
    for (int i = 0; i + 2 < corners.Size; ++i) {
      const ImDrawVert& first = corners[i];
      const ImDrawVert& opposite = corners[i + 2];
      const bool letter = first.uv.x != ground.x && opposite.uv.x > first.uv.x &&
                          opposite.uv.y > first.uv.y && opposite.pos.y > first.pos.y;
      if (letter && opposite.pos.y < found->Pos.y + 40)
        tallest = std::max(tallest, opposite.pos.y - first.pos.y);
    }
    return tallest;
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

// The first sentence of a page is wrapped or cut in a narrow window, never smaller.
TEST_F(SmallWindow, TheHeadlineOfAPageKeepsItsSize) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    spec::WorkloadSpec spec = small_attention();
    spec.batch = 64;
    show(spec);
    const auto head_is_large = [&](Page page, const char* id) {
      state().page = page;
      resize(context, 1900, 1000);
      IM_CHECK(until(context, 60, [] { return !session().predictions().hunt_busy(); }));
      context->Yield(3);
      const float wide = tallest_letter(context, id);
      IM_CHECK_GT(wide, 12.0F);
      resize(context, 960, 600);
      IM_CHECK_EQ(tallest_letter(context, id), wide);
    };
    head_is_large(Page::hunt, "//###hunt_page");
    // The reason why there is nothing to compare is a long sentence.
    spec.dtype = spec::DataType::fp32;
    spec.backend = spec::AttentionBackend::cudnn;
    show(spec);
    head_is_large(Page::compare, "//###compare_page");
    state().page = Page::run;
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

// Rows without room are reached with the wheel.
TEST_F(SmallWindow, TheComparisonScrollsToItsPairs) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    resize(context, 1900, 1000);
    state().page = Page::compare;
    show(small_attention());
    state().compare_edit.field = spec::Field::B;
    context->Yield(3);
    context->ItemClick("//###compare_page/###compare_start");
    IM_CHECK(until(context, 60, [] { return session().comparing(); }));
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    IM_CHECK(!session().comparison()->failure.has_value());
    context->Yield(3);
    const ImGuiWindow* const page = context->GetWindowByRef("//###compare_page");
    IM_CHECK_EQ(page->ScrollMax.y, 0.0F);
    resize(context, 960, 600);
    context->Yield(3);
    IM_CHECK_GT(page->ScrollMax.y, 60.0F);
    IM_CHECK_LE(page->ScrollMax.y, 300.0F);
    context->MouseMoveToPos({page->Pos.x + page->Size.x / 2, page->Pos.y + page->Size.y / 2});
    context->MouseWheelY(-100);
    context->Yield(3);
    IM_CHECK_EQ(page->Scroll.y, page->ScrollMax.y);
    const float most = page->ScrollMax.y;
    context->Yield(10);
    IM_CHECK_EQ(page->ScrollMax.y, most);
    state().page = Page::run;
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

}  // namespace
}  // namespace ts::app::testing
