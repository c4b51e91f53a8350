// Our kernels on a card: a key and a menu, sliders that move tiles, the card's limit, what is
// copied, and the ways to the stepper and to the sweep that measures.
#include <imgui_internal.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

TEST_F(DrivenWindow, OwnKernelsOnACard) {
  drive([](ImGuiTestContext* context) {
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4060 Laptop";
    show(spec);
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###kernels_sheet")->Active);
    const auto copied = [&] {
      context->SetRef("//###kernels_sheet");
      context->ItemClick("###own_copy");
      return std::string(ImGui::GetClipboardText());
    };
    const std::string before = copied();
    IM_CHECK(before.find("RTX 4060 Laptop") != std::string::npos);
    IM_CHECK(before.find("| 64 \xc3\x97 64 |") != std::string::npos);
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_d_head", "256");
    context->Yield(2);
    IM_CHECK(copied() != before);
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_block_q", "128");
    context->Yield(2);
    IM_CHECK_EQ(window().kernels().sizes().block_q, 128);
    // Out of its range: refused, and the number stays.
    context->ItemInputValue("###field_block_q", "100000");
    context->Yield(2);
    IM_CHECK_EQ(window().kernels().sizes().block_q, 128);

    context->ItemClick("//###kernels_sheet/###own_step");
    context->Yield(3);
    IM_CHECK(context->GetWindowByRef("//###stepper_sheet")->Active);
    IM_CHECK_STR_EQ(window().steppers().shown().id, "tiles");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    context->ItemClick("//###kernels_sheet/###own_sweep");
    context->Yield(5);
    IM_CHECK(!context->GetWindowByRef("//###kernels_sheet")->Active);
    IM_CHECK(state().page == Page::sweep);
    IM_CHECK_STR_EQ(state().sweep_edit.preset.c_str(), "own-tiles");
    IM_CHECK(!session().busy());
  });
}

// A small window cuts none of the words that say why tiles are not the best.
TEST_F(DrivenWindow, OwnKernelsSayWhyInASmallWindow) {
  drive([](ImGuiTestContext* context) {
    const ImVec2 before = ImGui::GetIO().DisplaySize;
    resize(context, 1280, 720);
    spec::WorkloadSpec spec = small_attention();
    spec.target_gpu = "RTX 4090";
    show(spec);
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_T", "4096");
    context->ItemInputValue("###field_d_head", "64");
    context->ItemInputValue("###field_block_q", "64");
    const ImGuiID right = context->WindowInfo("//###kernels_sheet/###own_right").ID;
    context->SetRef(right);
    context->ScrollToBottom(right);
    context->Yield(3);
    const ImGuiTable* const table = ImGui::TableFindByID(context->GetID("###own_tiles"));
    context->SetRef(ImGuiTestRef());
    IM_CHECK(table != nullptr);
    const ImGuiTableColumn& why = table->Columns[table->ColumnsCount - 1];
    const float room = why.WorkMaxX - why.WorkMinX;
    context->ItemClick("//###kernels_sheet/###own_copy");
    std::istringstream copied(ImGui::GetClipboardText());
    std::size_t rows = 0;
    for (std::string line; std::getline(copied, line);) {
      if (std::ranges::count(line, '|') != table->ColumnsCount + 1) continue;
      const std::size_t last = line.rfind('|', line.size() - 2) + 2;
      const std::string words = line.substr(last, line.size() - last - 2);
      IM_CHECK_GE(room, ImGui::CalcTextSize(words.c_str()).x);
      rows += words.find("K and V read") != std::string::npos ? 1 : 0;
    }
    IM_CHECK_GT(rows, 10U);
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    resize(context, static_cast<int>(before.x), static_cast<int>(before.y));
  });
}

// In a process of its own: the sheet has its numbers while they come, and Esc ends it, not the
// sheet.
TEST_F(DrivenWindow, OwnKernelsMeasuredOnThisProcessor) {
  drive([](ImGuiTestContext* context) {
    state().stages.reset();
    show(small_attention());
    context->KeyPress(ImGuiKey_Y);
    context->Yield(3);
    context->ItemClick("//###kernels_sheet/**/###own_which/processor");
    context->SetRef(context->WindowInfo("//###kernels_sheet/###own_inputs").ID);
    context->ItemInputValue("###field_d_head", "32");
    context->ItemInputValue("###field_T", "64");
    context->ItemInputValue("###field_heads", "1");
    context->SetRef(ImGuiTestRef());
    IM_CHECK(!context->ItemExists("//###kernels_sheet/**/###own_measured"));
    const auto measures = [&] {
      return context->ItemExists("//###kernels_sheet/**/###own_cancel");
    };
    context->ItemClick("//###kernels_sheet/**/###own_measure");
    IM_CHECK(until(context, 60, measures));
    IM_CHECK(until(context, 180, [&] { return !measures(); }));
    const kernel_plan::StageBench bench = *state().stages;
    IM_CHECK_STR_EQ(bench.problem.sentence.c_str(), "");
    IM_CHECK(!bench.cut);
    const auto stages = kernel_plan::stages_here();
    IM_CHECK_EQ(bench.points.size(), 2 * stages.size());
    IM_CHECK(bench.stages() == stages);
    for (const auto& [instructions, point] : bench.points) {
      IM_CHECK_EQ(point.spec.d_head, 32);
      IM_CHECK_EQ(point.spec.seq_len, 64);
      IM_CHECK_EQ(point.spec.dtype, spec::DataType::bf16);
      IM_CHECK(point.ours_ms > 0 && point.theirs_ms > 0);
    }
    IM_CHECK(bench.roofs.tflops > 0);
    context->ItemClick("//###kernels_sheet/###own_copy");
    IM_CHECK(std::string(ImGui::GetClipboardText()).find("| plain loops |") != std::string::npos);

    context->ItemClick("//###kernels_sheet/**/###own_measure");
    IM_CHECK(until(context, 60, [&] { return measures() && state().stages->points.empty(); }));
    context->KeyPress(ImGuiKey_Escape);
    IM_CHECK(until(context, 60, [&] { return !measures(); }));
    IM_CHECK(context->GetWindowByRef("//###kernels_sheet")->Active);
    IM_CHECK_STR_EQ(state().stages->problem.sentence.c_str(), "Cancelled");
    context->KeyPress(ImGuiKey_Escape);
    context->Yield(3);
    IM_CHECK(!context->GetWindowByRef("//###kernels_sheet")->Active);
  });
}

}  // namespace
}  // namespace ts::app::testing
