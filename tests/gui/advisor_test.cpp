// The advisor: searched beside the window, and a row that sets the controls in one step.
#include <algorithm>
#include <filesystem>
#include <string>

#include "core/spec/presets.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class AdvisorInTheWindow : public DrivenWindow {
 protected:
  static spec::WorkloadSpec small_model() {
    spec::WorkloadSpec spec;
    spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, "tiny"), spec);
    spec.batch = 8;
    spec.target_gpu = "RTX 4060";
    return spec;
  }
};

TEST_F(AdvisorInTheWindow, SetsTheControlsInOneStep) {
  drive([](ImGuiTestContext* context) {
    const spec::WorkloadSpec spec = small_model();
    open_sheet(context, spec, ImGuiKey_V);
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

// The ladder beside it: the same rungs as the command's, copied and saved as a picture.
TEST_F(AdvisorInTheWindow, ShowsTheLadder) {
  std::filesystem::remove_all(saved());
  drive([](ImGuiTestContext* context) {
    open_sheet(context, small_model(), ImGuiKey_V);
    context->ItemClick("//###advisor_sheet/###advice_kind/ladder");
    context->ItemClick("//###advisor_sheet/###advice_ask");
    const auto copied = [context] {
      ImGui::SetClipboardText("");
      context->ItemClick("//###advisor_sheet/###advice_copy");
      return std::string(ImGui::GetClipboardText());
    };
    IM_CHECK(until(context, 60, [&] {
      return context->ItemExists("//###advisor_sheet/###advice_ask") && !copied().empty();
    }));
    const std::string table = copied();
    for (const char* const rung : {"| fp32, stored scores |", "| TF32 |", "| Flash attention |",
                                   "| Fused AdamW |", "| Compiled by Inductor |"}) {
      IM_CHECK(table.find(rung) != std::string::npos);
    }
    context->ItemClick("//###advisor_sheet/###advice_picture");
    IM_CHECK(until(context, 60, [] {
      const std::filesystem::directory_iterator all(saved());
      return std::any_of(begin(all), end(all),
                         [](const auto& one) { return one.path().extension() == ".svg"; });
    }));
    close_toasts(context);
    context->ItemClick("//###advisor_sheet/###advice_kind/settings");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

// Measured here: the rungs run one after the other, their steps replace the bounds, and Cancel ends
// it with what is known.
TEST_F(AdvisorInTheWindow, RunsTheRungsOfTheLadder) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_model();
    spec.batch = 4;
    spec.seq_len = 32;
    spec.layers = 1;
    spec.device = spec::DeviceKind::cpu;
    show(spec);
    IM_CHECK(run_to_end(context, 60));  // measures the roofs
    open_sheet(context, spec, ImGuiKey_V);
    context->SetRef("//###advisor_sheet");
    context->ItemClick("###advice_kind/ladder");
    context->ItemClick("###advice_device/here");
    context->ItemClick("###advice_ask");
    const auto copied = [context] {
      ImGui::SetClipboardText("");
      context->ItemClick("//###advisor_sheet/###advice_copy");
      return std::string(ImGui::GetClipboardText());
    };
    const auto enabled = [context] {
      const ImGuiTestItemInfo item = context->ItemInfo("//###advisor_sheet/###advice_measure");
      return (item.ItemFlags & ImGuiItemFlags_Disabled) == 0;
    };
    IM_CHECK(until(context, 60, enabled));
    IM_CHECK(copied().find("Step, measured") == std::string::npos);
    const auto asked = session().asked();
    context->ItemClick("###advice_measure");
    IM_CHECK(until(context, 120, [&] { return session().asked() >= asked + 3; }));
    IM_CHECK(!enabled());
    context->ItemClick("###advice_cancel");
    IM_CHECK(until(context, 60, [&] { return enabled() && !session().busy(); }));
    IM_CHECK(copied().find("| Rung | Step, measured |") != std::string::npos);
    context->ItemClick("###advice_device/card");
    context->ItemClick("###advice_kind/settings");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
  });
}

}  // namespace
}  // namespace ts::app::testing
