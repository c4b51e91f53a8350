// The calculators: a key, numbers that are chosen, and what is copied.
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

bool copied(const std::string& part) {
  return std::string(ImGui::GetClipboardText()).find(part) != std::string::npos;
}

TEST_F(DrivenWindow, CalculatorsFollowTheirNumbersAndTheSettings) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.batch = 3;
    show(spec);
    context->KeyPress(ImGuiKey_K);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###calculator_sheet")->Active);
    context->SetRef("//###calculator_sheet");
    context->ItemClick("###calculator");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###calculator_zero");
    context->Yield(2);
    context->ItemClick("//###calculator_sheet/###calculator_copy");
    IM_CHECK(copied("| 22,750,000,000 |"));
    const ImGuiID inputs = context->WindowInfo("//###calculator_sheet/###calculator_inputs").ID;
    context->SetRef(inputs);
    context->ItemInputValue("###field_ranks", "64");
    context->Yield(2);
    context->ItemClick("//###calculator_sheet/###calculator_copy");
    IM_CHECK(copied("| 64 |"));
    // A number out of the range is refused, and the old one stays.
    context->SetRef(inputs);
    context->ItemInputValue("###field_ranks", "0");
    context->Yield(2);
    context->ItemClick("//###calculator_sheet/###calculator_copy");
    IM_CHECK(copied("| 64 |"));
    context->SetRef("//###calculator_sheet");
    context->ItemClick("###calculator");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###calculator_tensors");
    context->Yield(2);
    context->ItemClick("//###calculator_sheet/###calculator_take");
    context->ItemClick("//###calculator_sheet/###calculator_copy");
    IM_CHECK(copied("| B | "));
    IM_CHECK(copied("| 3 |"));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###calculator_sheet")->Active);
  });
}

}  // namespace
}  // namespace ts::app::testing
