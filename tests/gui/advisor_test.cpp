// The advisor: searched beside the window, and a row that sets the controls in one step.
#include <string>

#include "core/spec/presets.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, TheAdvisorSetsTheControlsInOneStep) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec;
    spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, "tiny"), spec);
    spec.batch = 8;
    spec.target_gpu = "RTX 4060";
    show(spec);
    IM_CHECK(until(context, 60, [] { return session().engine() != nullptr; }));
    context->KeyPress(ImGuiKey_V);
    context->Yield(3);
    context->SetRef("//###advisor_sheet");
    context->ItemClick("**/###advice_axis_3");  // the optimizer stays
    context->ItemClick("###advice_ask");
    const auto copied = [context] {
      context->ItemClick("//###advisor_sheet/###advice_copy");
      return std::string(ImGui::GetClipboardText());
    };
    IM_CHECK(until(context, 60, [&] {
      return context->ItemExists("//###advisor_sheet/###advice_ask") &&
             copied().find("LAB-9") != std::string::npos;
    }));
    const std::string table = copied();
    IM_CHECK(table.find("| fastest | bf16 | flash | off | adamw_fused | 8 | 1 |") !=
             std::string::npos);
    context->ItemClick("//###advisor_sheet/**/###advice_try");
    const spec::WorkloadSpec& set = state().history.spec();
    IM_CHECK(set.dtype == spec::DataType::bf16);
    IM_CHECK(set.backend == spec::AttentionBackend::flash);
    IM_CHECK(set.device == spec.device);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    context->Yield(2);
    IM_CHECK(state().history.spec() == spec);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###advisor_sheet")->Active);
  });
}

}  // namespace
}  // namespace ts::app::testing
