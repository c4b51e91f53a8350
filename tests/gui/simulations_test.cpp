// The simulations and the loader: a key, one of the numbers that varies, what is copied, and the
// timeline as a tab; a load that is cancelled.
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
    // Text that cannot be read is refused, and the columns stay.
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

class LoaderInTheWindow : public DrivenWindow {
 protected:
  static void open(ImGuiTestContext* context) {
    open_sheet(context, small_attention(), ImGuiMod_Shift | ImGuiKey_L);
  }
  static void set_number(ImGuiTestContext* context, const char* input, const char* number) {
    context->SetRef(context->WindowInfo("//###loader_sheet/###loader_choices").ID);
    context->ItemInputValue(input, number);
    context->SetRef(ImGuiTestRef());
  }
  static bool copied(ImGuiTestContext* context, const char* part) {
    ImGui::SetClipboardText("");
    context->ItemClick("//###loader_sheet/###loader_copy");
    return std::string(ImGui::GetClipboardText()).find(part) != std::string::npos;
  }
  static bool ended(ImGuiTestContext* context) {
    return context->ItemExists("//###loader_sheet/###loader_ask");
  }
};

TEST_F(LoaderInTheWindow, LoadsAColumnForEachNumberAndOpensTheTimeline) {
  drive([](ImGuiTestContext* context) {
    const std::size_t files = session().files().entries().size();
    open(context);
    context->ItemClick("//###loader_sheet/###loader_subject");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###loader_tokens");
    context->SetRef(context->WindowInfo("//###loader_sheet/###loader_choices").ID);
    context->ItemClick("###simulation_over");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###over_workers");
    context->SetRef(ImGuiTestRef());
    set_number(context, "###simulation_over_numbers", "1,2");
    context->ItemClick("//###loader_sheet/###loader_ask");
    IM_CHECK(until(context, 60, [&] {
      return ended(context) && copied(context, "| workers = 1 | workers = 2 |");
    }));
    IM_CHECK(copied(context, "| Padding | padding |"));
    context->ItemClick("//###loader_sheet/###loader_timeline");
    IM_CHECK(until(context, 60, [&] {
      const auto& entries = session().files().entries();
      return entries.size() == files + 1 && entries.back().opened != nullptr;
    }));
    IM_CHECK(session().files().entries().back().opened->trace != nullptr);
    IM_CHECK(!context->GetWindowByRef("//###loader_sheet")->Active);
    session().files().close(files);
  });
}

TEST_F(LoaderInTheWindow, EscapeStopsTheLoadThenClosesTheSheet) {
  drive([](ImGuiTestContext* context) {
    open(context);
    // No such folder: a sentence, and nothing is loaded.
    set_number(context, "###loader_data", "/no/such/folder");
    context->ItemClick("//###loader_sheet/###loader_ask");
    IM_CHECK(until(context, 60, [&] { return ended(context); }));
    set_number(context, "###loader_data", "");
    // Steps enough for half a minute: the load does not end before Escape stops it.
    set_number(context, "###field_batches", "1000");
    context->ItemClick("//###loader_sheet/###loader_ask");
    IM_CHECK(until(context, 60,
                   [&] { return context->ItemExists("//###loader_sheet/###loader_cancel"); }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [&] { return ended(context); }));
    IM_CHECK(context->GetWindowByRef("//###loader_sheet")->Active);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###loader_sheet")->Active);
  });
}

}  // namespace
}  // namespace ts::app::testing
