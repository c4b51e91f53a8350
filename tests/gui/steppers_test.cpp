// The steppers: a key, steps by keys, buttons and the slider, playing, numbers that change, the
// card's limit, and what is copied and saved.
#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

// True if the button copies a text with this part.
bool copies(ImGuiTestContext* context, const std::string& part) {
  context->SetRef("//###stepper_sheet");
  context->ItemClick("###stepper_copy");
  return std::string(ImGui::GetClipboardText()).find(part) != std::string::npos;
}

void choose_stepper(ImGuiTestContext* context, const char* item) {
  context->SetRef("//###stepper_sheet");
  context->ItemClick("###stepper");
  context->Yield(2);
  context->ItemClick(item);
  context->Yield(2);
}

TEST_F(DrivenWindow, SteppersGoByKeysButtonsAndByThemselves) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4060 Laptop";
    show(spec);
    context->KeyPress(ImGuiKey_J);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###stepper_sheet")->Active);
    IM_CHECK(copies(context, "| 14 |"));  // 128 rows in tiles of 32, causal
    const ImGuiID inputs = context->WindowInfo("//###stepper_sheet/###stepper_inputs").ID;
    context->SetRef(inputs);
    context->ItemInputValue("###field_T", "64");
    context->Yield(2);
    IM_CHECK(!copies(context, "| 14 |"));
    // Out of its range: refused, and the number stays.
    context->SetRef(inputs);
    context->ItemInputValue("###field_T", "100000");
    context->Yield(2);
    IM_CHECK(!copies(context, "| 14 |"));

    const ImGuiID steps = context->WindowInfo("//###stepper_sheet/###stepper_steps").ID;
    const views::StepperView& view = window().steppers();
    context->SetRef(steps);
    context->ItemClick("###stepper_next");
    IM_CHECK_EQ(view.step(), 1U);
    context->KeyPress(ImGuiKey_RightArrow);
    context->KeyPress(ImGuiKey_PageDown);
    IM_CHECK_EQ(view.step(), 3U);
    context->KeyPress(ImGuiKey_LeftArrow);
    IM_CHECK_EQ(view.step(), 2U);
    context->KeyPress(ImGuiKey_End);
    IM_CHECK_EQ(view.step(), 6U);
    context->KeyPress(ImGuiKey_Home);
    IM_CHECK_EQ(view.step(), 0U);
    // Space plays and starts no run.
    context->KeyPress(ImGuiKey_Space);
    context->Yield(2);
    IM_CHECK(view.playing());
    IM_CHECK(!session().busy());
    IM_CHECK(until(context, 10, [&] { return view.step() > 0; }));
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(!view.playing());
    // The slider over the steps.
    context->MouseMove("###stepper_at");
    context->MouseClick();
    IM_CHECK(view.step() >= 2U && view.step() <= 4U);

    choose_stepper(context, "//$FOCUSED/###stepper_sums");
    IM_CHECK(copies(context, "| 9.9531 |"));
    context->ItemClick("//###stepper_sheet/###stepper_picture");
    context->Yield(5);
    IM_CHECK(
        std::ranges::any_of(std::filesystem::directory_iterator(saved()), [](const auto& entry) {
          return entry.path().filename().string().starts_with("step-sums");
        }));
    close_toasts(context);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###stepper_sheet")->Active);
    IM_CHECK(!view.has_keys());
  });
}

}  // namespace
}  // namespace ts::app::testing
