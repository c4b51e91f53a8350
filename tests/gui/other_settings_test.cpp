// What the window shows of a run or a sweep after the settings were changed.
#include <algorithm>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, TheStatusBarSaysOfWhichSettingsItsFiguresAre) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK(!context->ItemExists("//###status_bar/###status_stale"));
    spec::WorkloadSpec spec = state().history.spec();
    spec.seq_len *= 2;
    show(spec);
    context->Yield(3);
    IM_CHECK(context->ItemExists("//###status_bar/###status_stale"));
    // Only where it is predicted for is another.
    spec.seq_len /= 2;
    spec.target_gpu = "H200 SXM";
    show(spec);
    context->Yield(3);
    IM_CHECK(!context->ItemExists("//###status_bar/###status_stale"));
  });
}

}  // namespace
}  // namespace ts::app::testing
