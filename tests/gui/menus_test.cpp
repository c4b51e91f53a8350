// The menus of the right button: over a slice, a track, a block and a cell of the map.
#include <imgui_internal.h>

#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

bool menu_is_open() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
}

void right_click(ImGuiTestContext* context, const ImVec2& at) {
  context->MouseMoveToPos(at);
  context->Yield();
  context->MouseClick(ImGuiMouseButton_Right);
  context->Yield(3);
}

TEST_F(DrivenWindow, RightButtonOpensTheMenuOfASlice) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    IM_CHECK(
        point_at(context, "//###timeline", [] { return state().view.hovered_slice.has_value(); }));
    const ImVec2 at = ImGui::GetIO().MousePos;
    const trace::SliceRef slice = *state().view.hovered_slice;
    right_click(context, at);
    IM_CHECK(menu_is_open());
    context->ItemClick("//$FOCUSED/###slice_zoom");
    IM_CHECK(until(context, 20, [&] { return state().view.selected_slice == slice; }));
    IM_CHECK(!menu_is_open());
    right_click(context, at);
    context->ItemClick("//$FOCUSED/###slice_copy");
    const std::string name(session().strings().view(session().run()->trace.slice(slice).name));
    IM_CHECK_STR_EQ(ImGui::GetClipboardText(), name.c_str());
    right_click(context, at);
    IM_CHECK(context->ItemExists("//$FOCUSED/###track_fold"));
    context->ItemClick("//$FOCUSED/###slice_search");
    context->Yield(2);
    IM_CHECK_STR_EQ(state().view.search.c_str(), name.c_str());
    // A drag of the right button is a box to zoom into, and no menu.
    context->MouseMoveToPos(at);
    context->MouseDown(ImGuiMouseButton_Right);
    context->MouseMoveToPos({at.x + 60, at.y});
    context->MouseUp(ImGuiMouseButton_Right);
    context->Yield(3);
    IM_CHECK(!menu_is_open());
  });
}

TEST_F(DrivenWindow, RightButtonOpensTheMenuOfABlock) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    IM_CHECK(
        point_at(context, "//###memory", [] { return state().view.hovered_block.has_value(); }));
    const auto block = state().view.hovered_block;
    right_click(context, ImGui::GetIO().MousePos);
    IM_CHECK(menu_is_open());
    context->ItemClick("//$FOCUSED/###block_select");
    context->Yield(3);
    IM_CHECK(state().view.selected_block == block);
    IM_CHECK(!menu_is_open());
    // The blocks alive there, as a table for a spreadsheet: the block under the mouse is in it.
    right_click(context, ImGui::GetIO().MousePos);
    context->ItemClick("//$FOCUSED/###block_copy_live");
    context->Yield(3);
    const std::string table = ImGui::GetClipboardText();
    IM_CHECK(table.starts_with("bytes\tMiB\tcategory\ttensor\tshape"));
    const memory::Block& shown = session().run()->memory.blocks()[*block];
    IM_CHECK(table.find("\n" + std::to_string(shown.size) + "\t") != std::string::npos);
  });
}

TEST_F(DrivenWindow, RightButtonOpensTheMenuOfACell) {
  drive([](ImGuiTestContext* context) {
    state().page = Page::hunt;
    context->Yield(3);
    IM_CHECK(until(context, 60, [] { return state().hunts->progress() != nullptr; }));
    context->Yield(4);
    const ImGuiWindow* const page = context->GetWindowByRef("//###hunt_page");
    const spec::WorkloadSpec before = state().history.spec();
    right_click(context, {page->Pos.x + page->Size.x * 0.7F, page->Pos.y + page->Size.y * 0.4F});
    IM_CHECK(menu_is_open());
    context->ItemClick("//$FOCUSED/###cell_take");
    context->Yield(3);
    IM_CHECK(state().history.spec() != before);
    right_click(context, {page->Pos.x + page->Size.x * 0.7F, page->Pos.y + page->Size.y * 0.4F});
    context->ItemClick("//$FOCUSED/###cell_copy");
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("seq_len") != std::string::npos ||
             std::string(ImGui::GetClipboardText()).find("\"T\"") != std::string::npos);
    state().page = Page::run;
    session().predictions().cancel_hunt();
    context->Yield(2);
  });
}

}  // namespace
}  // namespace ts::app::testing
