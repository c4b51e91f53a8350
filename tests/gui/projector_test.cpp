// The window on a wall: what a lecture needs is at hand, in large words.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class Projector : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    state().preferences.projector = true;
  }
  void TearDown() override { state().page = Page::run; }
  // Four of every letter that is drawn there.
  static std::size_t corners_of(const char* window, ImGuiTestContext* context) {
    return static_cast<std::size_t>(context->GetWindowByRef(window)->DrawList->VtxBuffer.Size);
  }
  static bool shows(ImGuiTestContext* context, const char* window) {
    const ImGuiWindow* const found = context->GetWindowByRef(window);
    return found != nullptr && found->Active;
  }
};

// The height of the lowest digit in the frame as drawn, in pixels. 0: there is none.
float lowest_digit() {
  // Where the digits of all sizes stand in the texture.
  std::map<std::array<float, 4>, float> digits;
  ImStableVector<ImFontBaked, 32>& baked = ImGui::GetIO().Fonts->Builder->BakedPool;
  for (int i = 0; i < baked.Size; ++i) {
    for (const ImFontGlyph& glyph : baked[i].Glyphs) {
      if (glyph.Codepoint >= '0' && glyph.Codepoint <= '9')
        digits[{glyph.U0, glyph.V0, glyph.U1, glyph.V1}] = 0;
    }
  }
  float lowest = 0;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (!window->Active || window->Hidden) continue;
    const ImVector<ImDrawVert>& corners = window->DrawList->VtxBuffer;
    // A letter is four corners, the third opposite to the first.
    for (int i = 0; i + 2 < corners.Size; ++i) {
      const ImDrawVert& first = corners[i];
      const ImDrawVert& opposite = corners[i + 2];
      if (!digits.contains({first.uv.x, first.uv.y, opposite.uv.x, opposite.uv.y})) continue;
      const float height = opposite.pos.y - first.pos.y;
      lowest = lowest == 0 ? height : std::min(lowest, height);
    }
  }
  return lowest;
}

// A digit is 0.727 of its size high; a size of 20 pixels at 1080p is the least on a wall.
TEST_F(Projector, NoDigitIsLowerThanThoseOfTwentyPixels) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    resize(context, 1920, 1080);
    show(small_attention());
    IM_CHECK(run_to_end(context));
    for (const Page page : {Page::run, Page::sweep, Page::hunt, Page::compare, Page::lessons}) {
      state().page = page;
      context->Yield(5);
      IM_CHECK_GE(lowest_digit(), 14.0F);
    }
    state().preferences.projector = false;
    state().page = Page::run;
    context->Yield(5);
    IM_CHECK_LT(lowest_digit(), 14.0F);
    state().preferences.projector = true;
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

TEST_F(Projector, TheStripHasWhatMattersForTheWorkload) {
  drive([](ImGuiTestContext* context) {
    const auto has = [context](const char* item) {
      return context->ItemExists((std::string("//###projector_controls/") + item).c_str());
    };
    context->Yield(3);
    IM_CHECK(has("###slider_B"));
    IM_CHECK(has("###slider_T"));
    IM_CHECK(has("###backend"));
    spec::WorkloadSpec mlp = state().history.spec();
    spec::choose_workload(spec::WorkloadKind::mlp, mlp);
    show(mlp);
    context->Yield(3);
    IM_CHECK(!has("###backend"));
    IM_CHECK(has("###slider_B"));
    IM_CHECK_EQ(has("###slider_T"), spec::field_applies(mlp, spec::Field::T));
  });
}

// The axes of a hunt, what a sweep varies and what B differs in stand in the form of their page; a
// key brings it, and so does the button in the strip.
TEST_F(Projector, EverySettingOfAPageIsReached) {
  drive([](ImGuiTestContext* context) {
    struct Form {
      Page page;
      const char* window;
      const char* own;  // a control that the strip has not
    };
    constexpr Form kForms[] = {{Page::run, "//###projector_form", "###preset"},
                               {Page::sweep, "//###sweep_controls", "###sweep_axis"},
                               {Page::hunt, "//###hunt_controls", "###hunt_x_field"},
                               {Page::compare, "//###compare_controls", "###compare_field"}};
    for (const Form& form : kForms) {
      state().page = form.page;
      context->Yield(3);
      IM_CHECK(!shows(context, form.window));
      context->KeyPress(ImGuiKey_C);
      context->Yield(3);
      IM_CHECK(shows(context, form.window));
      IM_CHECK(context->ItemExists((std::string(form.window) + "/" + form.own).c_str()));
      // Beside the page and not over it.
      const ImGuiWindow* const panel = context->GetWindowByRef(form.window);
      const ImGuiWindow* const strip = context->GetWindowByRef("//###projector_controls");
      IM_CHECK_EQ(panel->Pos.y, strip->Pos.y + strip->Size.y);
      context->ItemClick("//###projector_controls/###all_settings");
      context->Yield(3);
      IM_CHECK(!shows(context, form.window));
    }
    state().page = Page::hunt;
    state().hunt_edit = {};
    context->KeyPress(ImGuiKey_C);
    context->Yield(3);
    context->ItemClick("//###hunt_controls/###hunt_y_field");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###hunt_y_heads");
    context->Yield(2);
    IM_CHECK(state().hunt_edit.y.field == spec::Field::heads);
    state().hunt_edit = {};
    context->KeyPress(ImGuiKey_C);
  });
}

// How to leave is always said, in the bar at the bottom; the menus are behind one button.
TEST_F(Projector, TheBarsSayTheKeysAndHaveOneMenuButton) {
  drive([](ImGuiTestContext* context) {
    context->Yield(3);
    IM_CHECK(context->ItemExists("//###top_bar/###menus"));
    IM_CHECK(!context->ItemExists("//###top_bar/###menu_view"));
    context->ItemClick("//###top_bar/###menus");
    context->Yield(2);
    IM_CHECK(context->ItemExists("//$FOCUSED/###menu_view"));
    context->KeyPress(ImGuiKey_Escape);
    // A page without settings does not speak of them.
    const std::size_t of_run = corners_of("//###status_bar", context);
    state().page = Page::lessons;
    context->Yield(3);
    IM_CHECK_LT(corners_of("//###status_bar", context), of_run);
    state().page = Page::run;
    context->Yield(3);
    const std::size_t with_keys = corners_of("//###status_bar", context);
    context->KeyPress(ImGuiKey_P);
    context->Yield(3);
    IM_CHECK(context->ItemExists("//###top_bar/###menu_view"));
    // Four keys with their words are many more letters than the bar has without.
    IM_CHECK_GT(with_keys, corners_of("//###status_bar", context) + 4 * 20);
  });
}

// Naive against flash in fp32, which the card has no kernel for: what would repair it takes neither
// run's figures their place.
TEST_F(Projector, BothRunsOfALectureKeepTheirFigures) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    spec::WorkloadSpec spec = small_attention();
    spec.backend = spec::AttentionBackend::flash;
    show(spec);
    IM_CHECK(run_to_end(context));
    const char* const button = "//###projector_verdict/###repair_0";
    IM_CHECK(until(context, 60, [&] { return context->ItemExists(button); }));
    context->Yield(3);
    // In the line of the sentence, above the rows of the figures.
    const ImRect place = context->ItemInfo(button).RectFull;
    const ImGuiWindow* const head = context->GetWindowByRef("//###projector_verdict");
    IM_CHECK_LT(place.Max.y, head->Pos.y + head->Size.y / 2);
  });
}

}  // namespace
}  // namespace ts::app::testing
