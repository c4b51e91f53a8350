// Predicted against measured, in the window: opened from the inspector, copied, closed.
#include "core/memory/log_comparison.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class AgreementInTheWindow : public DrivenWindow {};

TEST_F(AgreementInTheWindow, ARunIsComparedEventByEvent) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    context->ItemClick("//###inspector/###show_agreement");
    context->Yield(3);
    IM_CHECK(state().view.show_agreement);
    const ImGuiTestItemInfo events =
        context->ItemInfo("//###agreement_sheet/###all_events", ImGuiTestOpFlags_NoError);
    IM_CHECK(events.ID != 0);
    context->ItemClick("//###agreement_sheet/###copy_categories_TSV");
    const std::string categories = ImGui::GetClipboardText();
    IM_CHECK(categories.starts_with("category\tpredicted B\tmeasured B"));
    IM_CHECK(categories.find("total\t") != std::string::npos);
    // Every event of naive attention on the CPU is predicted.
    const predict::Forecast* forecast = prediction();
    IM_CHECK(forecast != nullptr);
    context->ItemClick("//###agreement_sheet/###all_events");
    context->Yield(2);
    context->ItemClick("//###agreement_sheet/###copy_events_Markdown");
    const std::string all = ImGui::GetClipboardText();
    IM_CHECK(all.find("| same |") != std::string::npos);
    IM_CHECK(all.find("only_predicted") == std::string::npos);
    IM_CHECK(all.find("only_measured") == std::string::npos);
    IM_CHECK(all.find("changed") == std::string::npos);
    context->ItemClick("//###agreement_sheet/###copy_events_LaTeX");
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("tabular") != std::string::npos);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(2);
    IM_CHECK(!state().view.show_agreement);
  });
}

TEST_F(AgreementInTheWindow, WithoutARunTheReasonIsSaid) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.seq_len = 96;
    show(spec);
    context->Yield(2);
    context->KeyPress(ImGuiKey_E);
    context->Yield(2);
    IM_CHECK(state().view.show_agreement);
    const ImGuiTestItemInfo none =
        context->ItemInfo("//###agreement_sheet/###all_events", ImGuiTestOpFlags_NoError);
    IM_CHECK(none.ID == 0);
    context->KeyPress(ImGuiKey_E);
    context->Yield(2);
    IM_CHECK(!state().view.show_agreement);
  });
}

}  // namespace
}  // namespace ts::app::testing
