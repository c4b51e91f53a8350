// What the window shows of a run or a sweep after the settings were changed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/spec/presets.h"
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

// What is predicted stays where a run fails before it allocates anything: an empty chart would tell
// less.
TEST_F(DrivenWindow, ARunThatFailsAtOnceLeavesItsPrediction) {
  const std::filesystem::path corpus = folder() / "corpus.txt";
  std::ofstream(corpus) << std::string(1000, 'a');
  drive([&corpus](ImGuiTestContext* context) {
    spec::WorkloadSpec spec;
    spec::choose_workload(spec::WorkloadKind::lm, spec);
    spec.seq_len = 64;
    spec.batch = 1;
    spec.corpus = corpus.string();
    show(spec);
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    context->Yield(3);
    const auto corners = [context] {
      return context->GetWindowByRef("//###memory")->DrawList->VtxBuffer.Size;
    };
    const int predicted = corners();
    std::filesystem::remove(corpus);
    IM_CHECK(run_to_end(context));
    IM_CHECK(session().run()->verdict == run::Verdict::failed);
    IM_CHECK(session().run()->memory.events().empty());
    context->Yield(3);
    // Without the stack hardly anything would be drawn.
    IM_CHECK_GT(corners(), predicted / 2);
  });
}

}  // namespace
}  // namespace ts::app::testing
