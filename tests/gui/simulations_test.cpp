// The simulations: a key, one of its numbers that varies, what is copied, and the timeline as a
// tab.
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, SimulationsFollowTheirNumbersAndOpenTheirTimeline) {
  drive([](ImGuiTestContext* context) {
    const std::size_t files = session().files().entries().size();
    context->KeyPress(ImGuiMod_Shift | ImGuiKey_K);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###simulation_sheet")->Active);
    const auto copied = [context](const std::string& part) {
      context->ItemClick("//###simulation_sheet/###simulation_copy");
      return std::string(ImGui::GetClipboardText()).find(part) != std::string::npos;
    };
    context->ItemClick("//###simulation_sheet/###simulation");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###simulation_pipeline");
    IM_CHECK(until(context, 60, [&] { return copied("| Bubble | bubble |"); }));
    const ImGuiID inputs = context->WindowInfo("//###simulation_sheet/###simulation_inputs").ID;
    context->SetRef(inputs);
    context->ItemClick("###simulation_over");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###over_micro_batches");
    context->SetRef(inputs);
    context->ItemInputValue("###simulation_over_numbers", "4,16");
    IM_CHECK(
        until(context, 60, [&] { return copied("| micro_batches = 4 | micro_batches = 16 |"); }));
    // The closed form of the pipeline's bubble: (p - 1) / (m + p - 1) with 4 stages.
    IM_CHECK(copied("| 42.9 % | 15.8 % |"));
    // What cannot be read is refused, and the columns stay.
    context->SetRef(inputs);
    context->ItemInputValue("###simulation_over_numbers", "4,x");
    context->Yield(3);
    IM_CHECK(copied("| 42.9 % | 15.8 % |"));
    context->ItemClick("//###simulation_sheet/###simulation_timeline");
    IM_CHECK(until(context, 60, [&] {
      const auto& entries = session().files().entries();
      return entries.size() == files + 1 && entries.back().opened != nullptr;
    }));
    IM_CHECK(session().files().entries().back().opened->trace != nullptr);
    IM_CHECK(!context->GetWindowByRef("//###simulation_sheet")->Active);
    session().files().close(files);
    context->SetRef(ImGuiTestRef());
  });
}

}  // namespace
}  // namespace ts::app::testing
