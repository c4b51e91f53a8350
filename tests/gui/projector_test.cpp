// The window on a wall: what a lecture needs is at hand, in large words.
#include <imgui_internal.h>

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
