// Our kernels on a card: a key and a menu, sliders that move tiles, the card's limit, what is
// copied, and the ways to the stepper and to the sweep that measures.
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, OwnKernelsOnACard) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4060 Laptop";
    show(spec);
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###kernels_sheet")->Active);
    const auto copied = [&] {
      context->SetRef("//###kernels_sheet");
      context->ItemClick("###own_copy");
      return std::string(ImGui::GetClipboardText());
    };
    const std::string before = copied();
    IM_CHECK(before.find("RTX 4060 Laptop") != std::string::npos);
    IM_CHECK(before.find("| 64 \xc3\x97 64 |") != std::string::npos);
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_d_head", "256");
    context->Yield(2);
    IM_CHECK(copied() != before);
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_block_q", "128");
    context->Yield(2);
    IM_CHECK_EQ(window().kernels().sizes().block_q, 128);
    // Out of its range: refused, and the number stays.
    context->ItemInputValue("###field_block_q", "100000");
    context->Yield(2);
    IM_CHECK_EQ(window().kernels().sizes().block_q, 128);

    context->ItemClick("//###kernels_sheet/###own_step");
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###stepper_sheet")->Active);
    IM_CHECK_STR_EQ(window().steppers().shown().id, "tiles");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    context->ItemClick("//###kernels_sheet/###own_sweep");
    context->Yield(5);
    IM_CHECK(!context->GetWindowByRef("//###kernels_sheet")->Active);
    IM_CHECK(state().page == Page::sweep);
    IM_CHECK_STR_EQ(state().sweep_edit.preset.c_str(), "own-tiles");
    IM_CHECK(!session().busy());
  });
}

}  // namespace
}  // namespace ts::app::testing
