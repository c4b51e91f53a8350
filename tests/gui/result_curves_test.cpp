// The chart of a workload that is about its numbers, in the window.
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class ResultCurvesInTheWindow : public DrivenWindow {};

TEST_F(ResultCurvesInTheWindow, ARunningSumIsDrawnAndCopied) {
  drive([](ImGuiTestContext* context) {
    const ImGuiTestItemInfo none =
        context->ItemInfo("//###inspector/###curve_more", ImGuiTestOpFlags_NoError);
    IM_CHECK(none.ID == 0);
    spec::WorkloadSpec spec;
    spec.workload = spec::WorkloadKind::accumulation;
    spec.pass = spec::Pass::forward;
    spec.seq_len = 40;
    show(spec);
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    context->ItemClick("//###inspector/###curve_more");
    context->ItemClick("//$FOCUSED/###curve_data");
    const std::string data = ImGui::GetClipboardText();
    IM_CHECK(data.starts_with("additions\tfp32 += fp32\tfp16 += fp16"));
    IM_CHECK(data.find("\n40\t") != std::string::npos);
    context->Yield(2);  // the menu closes
    context->ItemClick("//###inspector/###curve_more");
    context->ItemClick("//$FOCUSED/###curve_svg");
    const std::string svg = ImGui::GetClipboardText();
    IM_CHECK(svg.starts_with("<svg"));
    IM_CHECK(svg.find("bf16 += bf16") != std::string::npos);
    // The copied text of the inspector has the sums as well.
    context->ItemClick("//###inspector/###copy_inspector");
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("fp16 += fp16\t") != std::string::npos);
  });
}

}  // namespace
}  // namespace ts::app::testing
