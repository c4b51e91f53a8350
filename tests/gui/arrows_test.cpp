// Arrow keys in charts: the slice, the block or the cell beside the selected one.
#include <algorithm>

#include "core/allocator/snapshot_of_log.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, ArrowsGoFromSliceToSlice) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    views::ViewState& view = state().view;
    IM_CHECK(click_a_slice(context));
    trace::SliceRef slice = *view.selected_slice;
    slice.index = 0;
    view.selected_slice = slice;
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(2);
    IM_CHECK(view.selected_slice->track == slice.track && view.selected_slice->index == 1);
    context->KeyPress(ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK(*view.selected_slice == slice);
    // The first has none before it.
    context->KeyPress(ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK(*view.selected_slice == slice);
    context->KeyPress(ImGuiKey_DownArrow);
    context->Yield(2);
    const trace::SliceRef below = *view.selected_slice;
    IM_CHECK(below.track != slice.track || below.depth != slice.depth);
    context->KeyPress(ImGuiKey_UpArrow);
    context->Yield(2);
    IM_CHECK(view.selected_slice->track == slice.track);
    IM_CHECK(view.selected_slice->depth == slice.depth);
    // The ring stays where it is: the keys are the chart's.
    IM_CHECK(!ImGui::GetIO().NavVisible);
  });
}

TEST_F(DrivenWindow, ArrowsGoFromBlockToBlock) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    context->Yield(4);
    views::ViewState& view = state().view;
    IM_CHECK(click_a_block(context));
    view.selected_block = 1;
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(2);
    IM_CHECK_EQ(*view.selected_block, memory::BlockIndex{2});
    context->KeyPress(ImGuiKey_LeftArrow);
    context->KeyPress(ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK_EQ(*view.selected_block, memory::BlockIndex{0});
    context->KeyPress(ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK_EQ(*view.selected_block, memory::BlockIndex{0});
  });
}

// The blocks of an opened snapshot, over what is free between them.
TEST_F(DrivenWindow, ArrowsGoFromBlockToBlockOfTheSegments) {
  drive([](ImGuiTestContext* context) {
    IM_CHECK(run_to_end(context));
    const std::filesystem::path path = folder() / "arrows.pickle";
    const allocator::Snapshot snapshot =
        allocator::snapshot_of(session().run()->memory, session().strings());
    IM_CHECK(snapshot::write_snapshot(path, snapshot, snapshot::snapshot_format_of(path)));
    window().open_files({path});
    IM_CHECK(until(context, 60, [] {
      const OpenedFiles::Entry* const entry = session().files().current();
      return entry != nullptr && entry->opened != nullptr;
    }));
    context->Yield(4);
    views::ViewState& view = state().view;
    // In the lower margin: no block is chosen.
    const ImRect map = context->ItemInfo("//###timeline/###segments").RectFull;
    context->MouseMoveToPos({map.Min.x + 3, map.Max.y - 2});
    context->MouseClick();
    view.selected_block.reset();
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(2);
    IM_CHECK(view.selected_block.has_value());
    const memory::BlockIndex first = *view.selected_block;
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(2);
    IM_CHECK(*view.selected_block != first);
    context->KeyPress(ImGuiKey_LeftArrow);
    context->Yield(2);
    IM_CHECK_EQ(*view.selected_block, first);
    // There is nothing before it.
    context->KeyPress(ImGuiKey_LeftArrow);
    context->KeyPress(ImGuiKey_UpArrow);
    context->Yield(2);
    IM_CHECK_EQ(*view.selected_block, first);
    // The other pages are of the settings: they have their card.
    IM_CHECK(!context->ItemExists("//###top_bar/###target"));
    state().page = Page::sweep;
    context->Yield(3);
    IM_CHECK(context->ItemExists("//###top_bar/###target"));
    state().page = Page::run;
    session().files().close(session().files().entries().size() - 1);
    context->Yield(2);
  });
}

// The controls of that page tell the settings as they are there.
TEST_F(DrivenWindow, ThePageOfSweepsPredictsWhatIsSet) {
  drive([](ImGuiTestContext* context) {
    state().page = Page::sweep;
    spec::WorkloadSpec spec = small_attention();
    spec.seq_len = 176;
    show(spec);
    IM_CHECK(until(context, 60, [] { return prediction() != nullptr; }));
    state().page = Page::run;
  });
}

TEST_F(DrivenWindow, ArrowsGoFromCellToCellOfTheMap) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(until(context, 120, [] {
      const predict::HuntProgress* const hunt = state().hunts->progress();
      return hunt != nullptr && !hunt->running && !session().predictions().hunt_busy();
    }));
    const predict::HuntMap& map = state().hunts->map();
    // In the margin: no cell is opened.
    const ImGuiWindow* const page = context->GetWindowByRef("//###hunt_page");
    context->MouseMoveToPos({page->Pos.x + 3, page->Pos.y + page->Size.y * 0.5F});
    context->MouseClick();
    context->Yield(2);
    const std::size_t cell = *state().hunts->cell_of(state().history.spec());
    const spec::WorkloadSpec before = state().history.spec();
    context->KeyPress(ImGuiKey_RightArrow);
    context->Yield(3);
    IM_CHECK_EQ(*state().hunts->cell_of(state().history.spec()), cell + 1);
    context->KeyPress(ImGuiKey_UpArrow);
    context->Yield(3);
    IM_CHECK_EQ(*state().hunts->cell_of(state().history.spec()), cell + 1 + map.x_values().size());
    context->KeyPress(ImGuiKey_LeftArrow);
    context->KeyPress(ImGuiKey_DownArrow);
    context->Yield(3);
    IM_CHECK(state().history.spec() == before);
    state().page = Page::run;
  });
}

}  // namespace
}  // namespace ts::app::testing
