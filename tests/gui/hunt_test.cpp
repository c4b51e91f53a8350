// The page of the hunt in the window: the map fills, a click opens a cell, a run gets its ring.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "core/predict/hunt_progress.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

class HuntInTheWindow : public DrivenWindow {
 protected:
  void TearDown() override { state().page = Page::run; }
  // The page shows the end of the last hunt: what was hunted while a frame was drawn is taken over
  // in the next.
  static bool complete(ImGuiTestContext* context) {
    context->Yield(3);  // the page has asked for what its settings say
    return until(context, 120, [] {
      const predict::HuntProgress* hunt = state().hunts->progress();
      const bool busy = session().predictions().hunt_busy();
      return hunt != nullptr && !busy && hunt == session().predictions().hunted().get();
    });
  }
};

TEST_F(HuntInTheWindow, TheMapFillsAndACellOpens) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    state().hunt_edit = {};
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(complete(context));
    const predict::HuntMap& map = state().hunts->map();
    IM_CHECK_EQ(map.size(), 13U * 12U);  // powers of two and their halves
    IM_CHECK_EQ(map.count(predict::CellState::probed) + map.count(predict::CellState::impossible),
                map.size());
    // A change of the settings begins another; one of the axes' own sizes does not.
    const std::uint64_t id = state().hunts->progress()->id;
    spec::WorkloadSpec spec = state().history.spec();
    spec.seq_len *= 2;
    state().history.set(spec);
    context->Yield(3);
    IM_CHECK_EQ(state().hunts->progress()->id, id);
    // A size between the steps gets a column of its own, beyond the range too; what is known stays.
    for (const std::int64_t length : {777, 10'000}) {
      spec.seq_len = length;
      state().history.set(spec);
      IM_CHECK(until(context, 60,
                     [] { return state().hunts->cell_of(state().history.spec()).has_value(); }));
      IM_CHECK(complete(context));
      const std::size_t cells = state().hunts->map().size();
      IM_CHECK(cells >= 14U * 12U);
      IM_CHECK_EQ(state().hunts->map().log().size() +
                      state().hunts->map().count(predict::CellState::impossible),
                  cells);
    }
    spec.d_head *= 2;
    state().history.set(spec);
    context->Yield(3);
    IM_CHECK(until(context, 120, [id] { return state().hunts->progress()->id > id; }));
    IM_CHECK(complete(context));
    // Somewhere in the map.
    const ImGuiWindow* page = context->GetWindowByRef("//###hunt_page");
    context->MouseMoveToPos({page->Pos.x + page->Size.x * 0.3F, page->Pos.y + page->Size.y * 0.4F});
    context->MouseClick();
    context->Yield(3);
    const auto cell = state().hunts->cell_of(state().history.spec());
    IM_CHECK(cell.has_value());
    // A run of that cell by a processor says nothing about a card, but is seen in the processor's
    // map.
    IM_CHECK(!state().hunts->map().cell(*cell).run.has_value());
    IM_CHECK(run_to_end(context));
    context->Yield(3);
    IM_CHECK(!state().hunts->map().cell(*cell).run.has_value());
    const std::uint64_t of_card = state().hunts->progress()->id;
    context->ItemClick("//###hunt_controls/###hunt_target/###here");
    context->Yield(3);
    IM_CHECK(until(context, 60, [of_card] { return state().hunts->progress()->id > of_card; }));
    IM_CHECK(complete(context));
    const auto here = state().hunts->cell_of(state().history.spec());
    IM_CHECK(here.has_value());
    IM_CHECK(state().hunts->map().cell(*here).run.has_value());
    context->ItemClick("//###hunt_page/###hunt_save");
    context->Yield(2);
    bool written = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(saved())) {
      written = written || entry.path().filename() == "hunt.md";
    }
    IM_CHECK(written);
  });
}

TEST_F(HuntInTheWindow, AnotherRowHasItsOwnEdge) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    state().hunt_edit = {};
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(complete(context));
    const std::size_t probes = state().hunts->map().log().size();
    const auto edge_at = [](std::int64_t row) {
      const predict::HuntProgress* hunt = state().hunts->progress();
      return hunt->exact && hunt->exact->y == row && !hunt->exact->edge.probes.empty();
    };
    IM_CHECK(edge_at(1));
    // Another row of the same map.
    state().history.set([] {
      spec::WorkloadSpec spec = small_attention();
      spec.batch = 16;
      return spec;
    }());
    context->Yield(3);
    IM_CHECK(!state().hunts->outdated());
    IM_CHECK(until(context, 60, [&] { return edge_at(16); }));
    IM_CHECK_EQ(state().hunts->map().log().size(), probes);
  });
}

// From the upper edge of a page to the first thing that is drawn in it, in pixels; its ground and
// the line at its left edge do not count.
float space_above(const ImGuiWindow& page) {
  float top = page.Size.y;
  for (const ImDrawVert& corner : page.DrawList->VtxBuffer) {
    const float y = corner.pos.y - page.Pos.y;
    if (y > 0.5F && corner.pos.x > page.Pos.x + 2) top = std::min(top, y);
  }
  return top;
}

TEST_F(HuntInTheWindow, TheSentenceOfAPageKeepsOffTheTopBar) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(complete(context));
    context->Yield(2);
    IM_CHECK_GE(space_above(*context->GetWindowByRef("//###hunt_page")), 12.0F);
    context->ItemClick("//###top_bar/###page_compare");
    context->Yield(3);
    IM_CHECK_GE(space_above(*context->GetWindowByRef("//###compare_page")), 12.0F);
  });
}

TEST_F(HuntInTheWindow, AMapOfEarlierSettingsIsNotThatOfNow) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    state().hunt_edit = {};
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(complete(context));
    IM_CHECK(!state().hunts->outdated());
    const std::uint64_t before = state().hunts->progress()->id;
    spec::WorkloadSpec spec = state().history.spec();
    spec.d_head *= 2;
    state().history.set(spec);
    // Until the new hunt has begun its first frame still has the old map.
    bool said = false;
    IM_CHECK(until(context, 60, [&] {
      const bool old = state().hunts->progress()->id == before;
      said = said || state().hunts->outdated();
      return !old;
    }));
    IM_CHECK(said);
    IM_CHECK(!state().hunts->outdated());
    // A kernel that the card lacks is named, not asked for.
    spec.backend = spec::AttentionBackend::flash;
    spec.dtype = spec::DataType::fp32;
    state().history.set(spec);
    IM_CHECK(until(context, 60, [] {
      return !state().hunts->outdated() && !state().hunts->progress()->obstacle.sentence.empty();
    }));
    IM_CHECK_EQ(state().hunts->map().log().size(), std::size_t{0});
  });
}

TEST_F(HuntInTheWindow, TheFrontierIsConfirmedByRealRuns) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.memory_limit = std::int64_t{24} << 20;
    show(spec);
    state().hunt_edit.x = {spec::Field::T, 64, 1024};
    state().hunt_edit.y = {spec::Field::B, 1, 4};
    state().hunt_edit.here = false;
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    IM_CHECK(complete(context));
    // The map of a card is not confirmed by a processor.
    IM_CHECK(state().hunts->confirm_problem(session(), spec) != nullptr);
    context->ItemClick("//###hunt_page/###hunt_confirm", 0, ImGuiTestOpFlags_NoError);
    IM_CHECK(!state().hunts->confirming().has_value());
    const std::uint64_t before = state().hunts->progress()->id;
    context->ItemClick("//###hunt_controls/###hunt_target/###here");
    context->Yield(3);
    IM_CHECK(until(context, 60, [before] { return state().hunts->progress()->id > before; }));
    IM_CHECK(complete(context));
    const std::size_t cells = predict::frontier_cells(state().hunts->map()).size();
    IM_CHECK(cells >= 4);
    context->ItemClick("//###hunt_page/###hunt_confirm");
    context->Yield(2);
    IM_CHECK(state().hunts->confirming().has_value());
    IM_CHECK(until(context, 240, [] { return !state().hunts->confirming().has_value(); }));
    const predict::HuntMap& map = state().hunts->map();
    IM_CHECK_EQ(map.confirmed().size(), cells);
    for (const std::size_t cell : map.confirmed()) {
      IM_CHECK(!map.cell(cell).contradicted());
      if (const auto error = map.cell(cell).peak_error()) IM_CHECK(std::abs(*error) < 0.01);
    }
    IM_CHECK_STR_EQ(state().hunts->confirm_problem(session(), spec), "hunt.confirm.nothing_left");
  });
}

TEST_F(HuntInTheWindow, ASecondFrontierPicturesAndZoom) {
  drive([](ImGuiTestContext* context) {
    show(small_attention());
    state().hunt_edit = {};
    context->ItemClick("//###top_bar/###page_hunt");
    context->Yield(2);
    context->ItemClick("//###hunt_controls/###hunt_compare");
    context->Yield(2);
    context->ItemClick("//$FOCUSED/###hunt_compare_efficient");
    context->Yield(3);
    IM_CHECK(until(context, 60, [] {
      const predict::HuntProgress* hunt = state().hunts->progress();
      return hunt != nullptr && hunt->other.has_value();
    }));
    IM_CHECK(complete(context));
    // It never stores the scores: its frontier lies nowhere lower.
    const auto own = state().hunts->progress()->map.frontier();
    const auto other = state().hunts->progress()->other->frontier();
    for (std::size_t row = 0; row < own.size(); ++row)
      IM_CHECK(other[row].value_or(0) >= own[row].value_or(0));
    context->ItemClick("//###hunt_page/###hunt_png");
    context->Yield(3);
    bool pictured = false;
    for (const auto& entry : std::filesystem::directory_iterator(saved())) {
      const std::string name = entry.path().filename().string();
      pictured = pictured || (name.starts_with("hunt-") && name.ends_with(".png"));
    }
    IM_CHECK(pictured);
    const std::int64_t width = state().hunt_edit.x.high - state().hunt_edit.x.low;
    context->ItemClick("//###hunt_page/###hunt_zoom_in");
    context->Yield(2);
    IM_CHECK(state().hunt_edit.x.high - state().hunt_edit.x.low < width);
    const auto closer = state().hunt_edit.x;
    IM_CHECK(complete(context));  // a map that is not there yet has no wheel
    const ImGuiWindow* page = context->GetWindowByRef("//###hunt_page");
    context->MouseMoveToPos({page->Pos.x + page->Size.x * 0.5F, page->Pos.y + page->Size.y * 0.5F});
    context->MouseWheelY(-1);
    context->Yield(2);
    IM_CHECK(state().hunt_edit.x.high > closer.high);
    state().hunt_edit = {};
  });
}

}  // namespace
}  // namespace ts::app::testing
