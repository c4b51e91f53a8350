// The page of A against B in the window: started by a key, followed, broken off, started again.
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class CompareInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override { state().page = Page::run; }
};

TEST_F(CompareInTheWindow, ComparesShowsProgressAndCanBeStopped) {
  drive([](ImGuiTestContext* context) {
    // Of a small one the timing may be over within one frame.
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

}  // namespace
}  // namespace ts::app::testing
