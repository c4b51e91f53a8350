// The sheet of decision trees: a key, what has to be run, and a conclusion that is tried.
#include <string>

#include "core/spec/presets.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

void choose_tree(ImGuiTestContext* context, const char* row) {
  context->ItemClick("//###tree_sheet/###tree");
  context->Yield(2);
  context->ItemClick((std::string("//$FOCUSED/") + row).c_str());
  context->Yield(3);
}

// The window of a box, which is a child of a child of the sheet.
ImGuiID box(ImGuiTestContext* context, const char* node) {
  const ImGuiID boxes = context->WindowInfo("//###tree_sheet/###tree_boxes").ID;
  context->SetRef(boxes);
  return context->WindowInfo(node).ID;
}

TEST_F(DrivenWindow, ADecisionTreeSaysWhatToRunAndItsConclusionIsTried) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    show(spec);
    context->KeyPress(ImGuiKey_Q);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###tree_sheet")->Active);
    choose_tree(context, "###tree_flash");
    context->SetRef(box(context, "###node_gain"));
    context->ItemClick("###copy_command");
    const std::string command = ImGui::GetClipboardText();
    IM_CHECK(command.starts_with("tensorscope ab attention"));
    IM_CHECK(command.ends_with("--with backend=flash"));

    // The tree of attention for a generation ends at the cache.
    spec::choose_workload(spec::WorkloadKind::lm, spec);
    spec.pass = spec::Pass::generate;
    spec.kv_cache = false;
    show(spec);
    context->Yield(2);
    choose_tree(context, "###tree_attention");
    context->SetRef(box(context, "###node_cache"));
    context->ItemClick("###try");
    context->Yield(2);
    IM_CHECK(state().history.spec().kv_cache);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###tree_sheet")->Active);
    context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    context->Yield(2);
    IM_CHECK(!state().history.spec().kv_cache);
  });
}

}  // namespace
}  // namespace ts::app::testing
