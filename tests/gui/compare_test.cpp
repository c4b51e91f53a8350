// The page of A against B in the window: started by a key, followed, broken off, started again.
#include <filesystem>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class CompareInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override { state().page = Page::run; }
};

TEST_F(CompareInTheWindow, ComparesShowsProgressAndCanBeStopped) {
  drive([](ImGuiTestContext* context) {
    // The timing of a small one may be over within one frame.
    show(long_attention());
    context->ItemClick("//###top_bar/###page_compare");
    context->Yield(2);
    context->ItemClick("//###compare_controls/###compare_field");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###compare_field_B");
    context->Yield(2);
    IM_CHECK(state().compare_edit.field == spec::Field::B);
    context->KeyPress(ImGuiKey_Space);
    IM_CHECK(until(context, 60, [] {
      const run::Comparison* so_far = session().comparison();
      return so_far != nullptr && so_far->stage == run::Stage::timing;
    }));
    IM_CHECK(session().comparing());
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 10, [] { return !session().busy(); }));
    IM_CHECK(session().comparison()->failure.has_value());
    IM_CHECK(session().comparison()->failure->verdict == run::Verdict::cancelled);
    // Once more and smaller, to its end.
    show(small_attention());
    context->Yield(2);
    context->ItemClick("//###compare_page/###compare_start");
    IM_CHECK(until(context, 60, [] { return session().comparing(); }));
    IM_CHECK(until(context, 60, [] { return !session().busy(); }));
    const run::Comparison& whole = *session().comparison();
    IM_CHECK(!whole.failure.has_value());
    IM_CHECK(whole.total.pairs >= 10);
    IM_CHECK(whole.sides[1].spec.batch != whole.sides[0].spec.batch);
    context->ItemClick("//###compare_page/###compare_copy");
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("| step |") != std::string::npos);
  });
}

// Predictions of both sides, a run that was kept, and a picture of them.
TEST_F(CompareInTheWindow, TwoMemoryTimelinesAreChosenAndSaved) {
  std::filesystem::remove_all(saved());
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    IM_CHECK(run_to_end(context));
    const ImGuiWindow* const memory = context->GetWindowByRef("//###memory");
    context->MouseMoveToPos(
        {memory->Pos.x + memory->Size.x * 0.5F, memory->Pos.y + memory->Size.y - 12});
    context->MouseClick(ImGuiMouseButton_Right);
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###memory_keep");
    context->Yield(2);
    IM_CHECK_EQ(state().kept_memory.size(), std::size_t{1});
    IM_CHECK_EQ(state().kept_memory[0].log->peak_bytes(), session().run()->memory.peak_bytes());
    context->ItemClick("//###top_bar/###page_compare");
    context->Yield(2);
    context->ItemClick("//###compare_memory/###pair_second");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###pair_second_kept1");
    context->Yield(2);
    context->ItemClick("//###compare_memory/###pair_more");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###panel_save");
    context->Yield(4);
    close_toasts(context);
    context->ItemClick("//###compare_memory/###pair_more");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###panel_copy");
    context->Yield(2);
    const std::string svg = ImGui::GetClipboardText();
    IM_CHECK(svg.find("Kept: ") != std::string::npos);
    IM_CHECK(svg.find(" times the first") != std::string::npos);
  });
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(saved()))
    files += entry.path().filename().string().starts_with("memory-pair-") ? 1 : 0;
  EXPECT_EQ(files, 2) << "PNG and SVG";
  state().kept_memory.clear();
  std::filesystem::remove_all(saved());
}

}  // namespace
}  // namespace ts::app::testing
