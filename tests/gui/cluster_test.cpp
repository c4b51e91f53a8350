// The smallest cluster, searched beside the window.
#include <string>

#include "core/spec/presets.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class ClusterInTheWindow : public DrivenWindow {
 protected:
  // Too large for one card of 8 GB.
  static spec::WorkloadSpec medium_model() {
    spec::WorkloadSpec spec;
    spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, "medium"), spec);
    spec.seq_len = 256;
    spec.target_gpu = "RTX 4060";
    return spec;
  }
  static void open(ImGuiTestContext* context) {
    open_sheet(context, medium_model(), ImGuiMod_Shift | ImGuiKey_V);
  }
  static std::string copied(ImGuiTestContext* context) {
    ImGui::SetClipboardText("");
    context->ItemClick("//###cluster_sheet/###cluster_copy");
    return ImGui::GetClipboardText();
  }
};

TEST_F(ClusterInTheWindow, FindsItAndCopiesTheRows) {
  drive([](ImGuiTestContext* context) {
    open(context);
    context->ItemClick("//###cluster_sheet/**/###cluster_most/8");
    context->ItemClick("//###cluster_sheet/###cluster_ask");
    IM_CHECK(until(context, 120, [&] {
      return context->ItemExists("//###cluster_sheet/###cluster_ask") && !copied(context).empty();
    }));
    const std::string rows = copied(context);
    IM_CHECK(rows.find("The smallest cluster is ") == 0);
    IM_CHECK(rows.find("| data parallel | 2 | no |") != std::string::npos);
    IM_CHECK(rows.find("PCIe 4.0 x16") != std::string::npos);
    // A slower link between the cards costs time and changes no number of cards.
    context->ItemClick("//###cluster_sheet/**/###cluster_inside");
    context->ItemClick("**/###Ethernet 25G");
    context->ItemClick("//###cluster_sheet/###cluster_ask");
    IM_CHECK(until(context, 120, [&] {
      return context->ItemExists("//###cluster_sheet/###cluster_ask") &&
             copied(context).find("Ethernet 25G") != std::string::npos;
    }));
    const std::string slower = copied(context);
    IM_CHECK(slower != rows);
    IM_CHECK(slower.substr(0, slower.find(':')) == rows.substr(0, rows.find(':')));
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

TEST_F(ClusterInTheWindow, EscapeStopsTheSearchThenClosesTheSheet) {
  drive([](ImGuiTestContext* context) {
    open(context);
    context->ItemClick("//###cluster_sheet/**/###cluster_most/4096");
    context->ItemClick("//###cluster_sheet/###cluster_ask");
    IM_CHECK(until(context, 60,
                   [&] { return context->ItemExists("//###cluster_sheet/###cluster_cancel"); }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60,
                   [&] { return context->ItemExists("//###cluster_sheet/###cluster_ask"); }));
    IM_CHECK(context->GetWindowByRef("//###cluster_sheet")->Active);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###cluster_sheet")->Active);
  });
}

}  // namespace
}  // namespace ts::app::testing
