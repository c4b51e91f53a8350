// The remedies in the inspector where the settings do not fit the card, or cannot run.
#include <algorithm>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class RemediesInTheWindow : public DrivenWindow {
 protected:
  // All there is to know of the settings as they are now; null until it is known.
  static const predict::Outlook* outlook() {
    const predict::Outlook* found = session().predictions().outlook();
    const bool current =
        found != nullptr && found->complete && found->spec == state().history.spec();
    return current ? found : nullptr;
  }
};

TEST_F(RemediesInTheWindow, ARemedyForTheCardIsPredictedWhereThisMachineCannotRunIt) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.heads = 16;
    spec.seq_len = 18'432;
    spec.target_gpu = "RTX 4090";
    show(spec);
    IM_CHECK(until(context, 60, [] { return outlook() != nullptr; }));
    IM_CHECK(prediction()->prediction.fit == predict::Fit::oom);
    const auto remedy = std::ranges::find(outlook()->remedies, predict::RemedyKind::efficient,
                                          &predict::Remedy::kind);
    IM_CHECK(remedy != outlook()->remedies.end());
    IM_CHECK(!remedy->runs_here);
    context->ItemClick("//###inspector/efficient/###remedy");
    IM_CHECK(state().history.spec().backend == spec::AttentionBackend::efficient);
    IM_CHECK(until(context, 60, [] { return outlook() != nullptr; }));
    // The card's prediction is shown, and why there will be no run beside it.
    IM_CHECK(prediction() != nullptr);
    IM_CHECK(prediction()->prediction.fit == predict::Fit::fits);
    IM_CHECK(!outlook()->not_here.sentence.empty());
    IM_CHECK(!spec::validate(state().history.spec()).empty());
    context->ItemClick("//###inspector/###repair_0");
    context->Yield(2);
    IM_CHECK(spec::validate(state().history.spec()).empty());
    IM_CHECK_EQ(state().history.spec().seq_len, spec.seq_len);
    IM_CHECK(until(context, 60, [] { return outlook() != nullptr; }));
    IM_CHECK(outlook()->not_here.sentence.empty());
  });
}

// A run of other settings is named as such until the next, and stays beside it.
TEST_F(RemediesInTheWindow, ARunIsOfItsOwnSettingsWhateverTheControlsSay) {
  drive([](ImGuiTestContext* context) {
    const auto copied = [context] {
      context->ItemClick("//###inspector/###copy_inspector");
      return std::string(ImGui::GetClipboardText());
    };
    spec::WorkloadSpec spec = small_attention();
    spec.backend = spec::AttentionBackend::naive;
    show(spec);
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK(!copied().starts_with("Of "));
    spec.backend = spec::AttentionBackend::math;
    show(spec);
    context->Yield(3);
    IM_CHECK(copied().starts_with("Of naive\n"));
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK(!copied().starts_with("Of "));
    IM_CHECK(state().earlier.spec.backend == spec::AttentionBackend::naive);
    IM_CHECK(state().earlier.step_ms > 0);
  });
}

TEST_F(RemediesInTheWindow, SettingsThatRunNowhereSayWhatWouldRepairThem) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.workload = spec::WorkloadKind::block;
    spec.d_model = 512;
    spec.heads = 7;
    show(spec);
    IM_CHECK(until(context, 60, [] { return outlook() != nullptr; }));
    IM_CHECK(prediction() == nullptr);
    context->ItemClick("//###inspector/###repair_0");
    context->Yield(2);
    IM_CHECK_EQ(state().history.spec().heads, std::int64_t{8});
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
  });
}

}  // namespace
}  // namespace ts::app::testing
