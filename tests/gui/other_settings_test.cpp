// The window with a run or a sweep after the settings were changed.
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

// The prediction stays where a run fails before it allocates anything: an empty chart would tell
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

TEST_F(DrivenWindow, ACancelledRunLeavesTheFinishedOneOfTheSameSettings) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const run::Run* const finished = session().run();
    IM_CHECK(finished->verdict == run::Verdict::ok);
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 30, [&] { return session().run() != finished; }));
    session().cancel();
    IM_CHECK(until(context, 30, [] { return !session().busy(); }));
    context->Yield(3);
    IM_CHECK(session().current()->verdict == run::Verdict::cancelled);
    IM_CHECK(session().run() == finished);
    // Nothing of other settings was finished.
    show(long_attention());
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 30, [&] {
      return session().run() != finished && session().run()->spec == long_attention();
    }));
    session().cancel();
    IM_CHECK(until(context, 30, [] { return !session().busy(); }));
    context->Yield(3);
    IM_CHECK(session().run() == session().current());
  });
}

// A lesson runs its steps as a session does, without the Run page.
TEST_F(DrivenWindow, ALessonLeavesTheComparisonOfTwoRuns) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.backend = spec::AttentionBackend::naive;
    show(spec);
    IM_CHECK(run_to_end(context));
    spec.backend = spec::AttentionBackend::flash;
    show(spec);
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    const run::Run* const flash = session().run();
    IM_CHECK(state().earlier.spec.backend == spec::AttentionBackend::naive);

    spec::WorkloadSpec toy;
    spec::choose_workload(spec::WorkloadKind::toy, toy);
    IM_CHECK(session().start(toy, {}));
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    context->Yield(3);
    IM_CHECK(session().current()->spec.workload == spec::WorkloadKind::toy);
    IM_CHECK(session().run() == flash);
    IM_CHECK(state().figures.spec == spec);
    IM_CHECK(state().earlier.spec.backend == spec::AttentionBackend::naive);

    // One that the page itself ran stands alone.
    show(toy);
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK(session().run()->spec.workload == spec::WorkloadKind::toy);
    IM_CHECK_EQ(state().earlier.id, run::RunId{0});
  });
}

}  // namespace
}  // namespace ts::app::testing
