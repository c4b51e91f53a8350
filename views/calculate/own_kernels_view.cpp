#include "views/calculate/own_kernels_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "core/kernel_plan/tile_text.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "views/calculate/chosen_inputs.h"
#include "views/calculate/stepper_picture.h"
#include "views/calculate/text_table.h"
#include "views/calculate/tile_map.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

using kernel_plan::PlannedTiles;

constexpr float kInputWidth = 280;  // at scale 1

const std::vector<calculate::Input>& inputs() {
  static const std::vector<calculate::Input> all = {
      {.name = "block_q", .start = 64, .least = 8, .most = 512},
      {.name = "block_k", .start = 64, .least = 8, .most = 512},
      {.name = "stages", .start = 1, .least = 1, .most = 4},
      {.name = "d_head", .start = 64, .least = 1, .most = 256},
      {.name = "T", .start = 4096, .least = 1, .most = 65536},
      {.name = "heads", .start = 16, .least = 1, .most = 1024},
      {.name = "causal", .start = 1, .least = 0, .most = 1},
      {.name = "element_bytes", .start = 2, .least = 2, .most = 4}};
  return all;
}

// The type of tensors whose elements have that many bytes.
const char* type_of(std::int64_t element_bytes) {
  return element_bytes > 2 ? "fp32" : "bf16";
}

// "Measured with heads 4, T 512, d_head 64, causal, bf16; the roof is 0.12 TFLOP/s, ..."
std::string measured_sizes(const Ui& ui, const kernel_plan::StageBench& bench) {
  const spec::WorkloadSpec& spec = bench.points.front().point.spec;
  const std::vector<base::Argument> numbers = {{"heads", std::to_string(spec.heads)},
                                               {"length", text::grouped(spec.seq_len)},
                                               {"width", std::to_string(spec.d_head)}};
  const base::Message sizes = spec.causal ? text::message("kernel_check.sizes_causal", numbers)
                                          : text::message("kernel_check.sizes", numbers);
  const auto rate = [](double tflops) { return text::rate(tflops * 1e12, "FLOP").joined(); };
  const double roof = bench.reached_roofs().tflops;
  const char* const key = roof > bench.roofs.tflops ? "own_kernels.processor.sizes_reached"
                                                    : "own_kernels.processor.sizes";
  return message_text(ui.texts, text::message(key, {text::argument("sizes", sizes),
                                                    {"type", to_string(spec.dtype)},
                                                    {"rate", rate(roof)},
                                                    {"product", rate(bench.roofs.tflops)}}));
}

bool same_tiles(const stepper::TileSizes& a, const stepper::TileSizes& b) {
  return a.block_q == b.block_q && a.block_k == b.block_k;
}

}  // namespace

OwnKernelsView::OwnKernelsView() : numbers_("own_kernels", inputs()) {}

kernel_plan::Attention OwnKernelsView::attention() const {
  return {.length = numbers_.number("T"),
          .heads = numbers_.number("heads"),
          .causal = numbers_.number("causal") != 0};
}

report::StageSizes OwnKernelsView::stage_sizes() const {
  return {.type = type_of(sizes().element_bytes),
          .d_head = static_cast<int>(sizes().d_head),
          .heads = attention().heads,
          .length = attention().length,
          .causal = attention().causal};
}

void OwnKernelsView::draw_head(const Ui& ui, const Shown& shown, Asked& asked) {
  shown.draw_select(std::min(ui.px(280), ImGui::GetContentRegionAvail().x * 0.3F));
  tooltip(ui, ui.texts("stepper.card_about"));
  ImGui::SameLine(0, ui.px(8));
  asked.step_through = text_button(ui, "###own_step", "own_kernels.step", ButtonKind::plain, "J");
  tooltip(ui, ui.texts("own_kernels.step_about"));
  ImGui::SameLine(0, ui.px(8));
  asked.sweep_here = text_button(ui, "###own_sweep", "own_kernels.sweep_here", ButtonKind::plain);
  tooltip(ui, ui.texts("own_kernels.sweep_here_about"));
  ImGui::SameLine(0, ui.px(8));
  if (!icon_button(ui, "###own_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) return;
  std::string words;
  if (shown.card != nullptr) {
    words = io::to_markdown(kernel_plan::stages_side_by_side(
                report::stage_rows(shown.resources, *shown.card, stage_sizes()), shown.has_gpu,
                ui.texts)) +
            "\n" +
            io::to_markdown(kernel_plan::sweep_table(
                kernel_plan::sweep_tiles(*shown.card, attention(), sizes()), ui.texts));
  }
  if (shown.measured != nullptr && !shown.measured->points.empty()) {
    words += "\n" + io::to_markdown(kernel_plan::stage_bench_table(*shown.measured, ui.texts)) +
             "\n" + measured_sizes(ui, *shown.measured) + "\n";
  }
  ImGui::SetClipboardText((shown.card_name + "\n\n" + words).c_str());
}

void OwnKernelsView::draw_stages(const Ui& ui, const Shown& shown, Asked& asked) {
  const report::StageSizes size = stage_sizes();
  const std::int64_t width = size.heads * size.d_head;
  const std::array<Choice, 3> choices = {{{"stages", ui.texts("own_kernels.stages"), {}},
                                          {"operators", ui.texts("own_kernels.operators"), {}},
                                          {"processor", ui.texts("own_kernels.processor"), {}}}};
  (void)segmented(ui, "###own_which", choices, part_,
                  std::min(ui.px(540), ImGui::GetContentRegionAvail().x));
  if (part_ == processor) return draw_processor(ui, shown, asked);
  const auto say = [&](std::string_view words) {
    wrapped_text(ui, TextStyle::body, ui.theme.text2, words, ui.px(12));
  };
  say(part_ == Part::stages
          ? ui.texts("own_kernels.stages_of",
                     {{"type", size.type}, {"d_head", std::to_string(size.d_head)}})
          : ui.texts("own_kernels.operators_of",
                     {{"type", size.type},
                      {"width", text::grouped(width)},
                      {"classes", text::grouped(report::classes_of_chunk(width))}}));
  if (shown.resources.empty()) return say(ui.texts("own_kernels.no_compiler"));
  if (shown.card == nullptr) return say(ui.texts("own_kernels.no_card"));
  const auto rows = part_ == Part::stages
                        ? report::stage_rows(shown.resources, *shown.card, size)
                        : report::operator_rows(shown.resources, *shown.card, size);
  if (rows.empty()) return say(ui.texts("own_kernels.no_stage"));
  draw_kernels(ui, shown, rows);
}

void OwnKernelsView::draw_kernels(const Ui& ui, const Shown& shown,
                                  const std::vector<report::StageRow>& rows) const {
  const io::TextTable table = kernel_plan::stages_side_by_side(rows, shown.has_gpu, ui.texts);
  constexpr std::array<float, 10> kWeights = {1.2F, 1, 1.1F, 1.05F, 1, 1.05F, 1, 0.9F, 1.1F, 1.2F};
  const bool of_attention = part_ == Part::stages;
  draw_text_table(
      ui, table, kWeights,
      {.id = of_attention ? "###own_stages" : "###own_operators",
       .about = [&](std::size_t row, std::size_t column) -> std::string {
         switch (column) {
           case 2:
             return rows[row].resources.spilled > 0 ? ui.texts("own_kernels.spilled") : "";
           case 4:
             if (!rows[row].occupancy) return {};
             return ui.texts(std::string("own_kernels.limited.") +
                             to_string(rows[row].occupancy->limit));
           case 5:
             return ui.texts(of_attention ? "own_kernels.bytes_about"
                                          : "own_kernels.row_bytes_about");
           case 6:
             return of_attention ? ui.texts("own_kernels.extra_about") : "";
           case 7:
             return ui.texts(rows[row].memory_limits() ? "own_kernels.limit.memory"
                                                       : "own_kernels.limit.arithmetic");
           case 8:
           case 9:
             return ui.texts("own_kernels.not_measured");
           default:
             break;
         }
         return {};
       }});
  if (!of_attention) return;
  for (const base::Message& remark : report::stage_remarks(*shown.card, stage_sizes()))
    wrapped_text(ui, TextStyle::small, ui.theme.text2, message_text(ui.texts, remark), ui.px(12));
}

std::vector<std::string> OwnKernelsView::stage_settings() const {
  constexpr std::int64_t kMostHeads = 4, kLongest = 512;
  const report::StageSizes sizes = stage_sizes();
  return {"heads=" + std::to_string(std::min(sizes.heads, kMostHeads)),
          "T=" + std::to_string(std::min(sizes.length, kLongest)),
          "d_head=" + std::to_string(sizes.d_head), "dtype=" + sizes.type,
          std::string("causal=") + (sizes.causal ? "true" : "false")};
}

void OwnKernelsView::draw_processor(const Ui& ui, const Shown& shown, Asked& asked) const {
  const auto say = [&](TextStyle style, Color color, const std::string& words) {
    wrapped_text(ui, style, color, words, ui.px(12));
  };
  say(TextStyle::body, ui.theme.text2, ui.texts("own_kernels.processor.about"));
  if (shown.measuring) {
    asked.cancel = text_button(ui, "###own_cancel", "advice.cancel", ButtonKind::plain, "Esc");
    ImGui::SameLine(0, ui.px(12));
    const auto& cut = shown.measured == nullptr ? std::nullopt : shown.measured->cut;
    const float share =
        cut ? static_cast<float>(cut->done) / static_cast<float>(std::max<std::size_t>(1, cut->all))
            : 0.0F;
    ImGui::AlignTextToFramePadding();
    text(ui, TextStyle::body, ui.theme.text2,
         cut ? ui.texts("own_kernels.processor.so_far",
                        {{"done", std::to_string(cut->done)}, {"all", std::to_string(cut->all)}})
             : ui.texts("own_kernels.processor.begins"));
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ui.theme.accent);
    ImGui::ProgressBar(share, {std::min(ui.px(480), ImGui::GetContentRegionAvail().x), ui.px(6)},
                       "");
    ImGui::PopStyleColor();
  } else {
    ImGui::BeginDisabled(!shown.why_not.empty());
    asked.measure =
        text_button(ui, "###own_measure", "own_kernels.processor.measure", ButtonKind::primary);
    ImGui::EndDisabled();
    tooltip(ui, ui.texts("own_kernels.processor.measure_about"));
    if (!shown.why_not.empty())
      say(TextStyle::small, ui.theme.warn, message_text(ui.texts, shown.why_not));
  }
  ImGui::Dummy({0, ui.px(4)});
  const kernel_plan::StageBench* const bench = shown.measured;
  if (bench != nullptr && !bench->problem.empty())
    say(TextStyle::body, ui.theme.bad, message_text(ui.texts, bench->problem));
  if (bench == nullptr || bench->points.empty()) {
    if (!shown.measuring)
      say(TextStyle::body, ui.theme.text2, ui.texts("own_kernels.processor.not_measured"));
    return;
  }
  constexpr std::array<float, 7> kWeights = {1.3F, 1, 1, 0.8F, 1.1F, 1, 0.8F};
  draw_text_table(ui, kernel_plan::stage_bench_table(*bench, ui.texts), kWeights,
                  {.id = "###own_measured"});
  say(TextStyle::small, ui.theme.text2, measured_sizes(ui, *bench));
}

void OwnKernelsView::draw_map(const Ui& ui, float width) {
  const stepper::TileSizes tiles = sizes();
  const stepper::TileGrid grid(attention().length, tiles.block_q, tiles.block_k,
                               attention().causal);
  section(ui, ui.texts("own_kernels.map"),
          std::to_string(grid.query_tiles()) + " \xc3\x97 " + std::to_string(grid.key_tiles()));
  const auto counts = grid.counts();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float small = sink.text_height(TextStyle::small) + ui.px(4);
  const std::string wasted =
      ui.texts("own_kernels.wasted", {{"share", text::decimal(100 * grid.wasted_share(), 1)}});
  const float wide = width - ui.px(16);
  const float foot = 3 * small + wrapped_height(ui, TextStyle::small, wasted, wide) + ui.px(10);
  const float room = std::max(ui.px(60), std::min(wide, ImGui::GetContentRegionAvail().y - foot));
  const Rect area{at.x, at.y, at.x + room, at.y + room};
  const TileMap map(grid, area, ui.metrics);
  map.draw(sink, ui.theme);
  ImGui::InvisibleButton("###own_map", {room, room});
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetMousePos();
    if (const auto place = map.at({mouse.x, mouse.y})) {
      const auto kind = grid.kind(place->query_tile, place->key_tile);
      const std::string q = std::to_string(place->query_tile), k = std::to_string(place->key_tile);
      tooltip(ui, kind == stepper::TileKind::skipped
                      ? ui.texts("own_kernels.tile_skipped", {{"q", q}, {"k", k}})
                      : ui.texts(kind == stepper::TileKind::masked ? "own_kernels.tile_masked"
                                                                   : "own_kernels.tile_full",
                                 {{"q", q},
                                  {"k", k},
                                  {"turn", text::grouped(grid.turn(*place) + 1)},
                                  {"all", text::grouped(counts.run())}}));
    }
  }
  float y = area.y1 + ui.px(6);
  const auto key = [&](stepper::TileKind kind, const char* name, std::int64_t count) {
    stepping::draw_key(sink, {at.x, y}, ui.theme, ui.metrics, TileMap::color_of(ui.theme, kind),
                       ui.texts(name) + std::string("  ") + text::grouped(count));
    y += small;
  };
  key(stepper::TileKind::full, "stepper.tiles.full", counts.full);
  key(stepper::TileKind::masked, "stepper.tiles.masked", counts.masked);
  key(stepper::TileKind::skipped, "stepper.tiles.skipped", counts.skipped);
  ImGui::SetCursorScreenPos({at.x, y});
  wrapped_text(ui, TextStyle::small, ui.theme.text2, wasted);
}

void OwnKernelsView::draw_sweep(const Ui& ui, const std::vector<PlannedTiles>& all,
                                const PlannedTiles& chosen, float height) {
  const io::TextTable table = kernel_plan::sweep_table(all, ui.texts);
  constexpr std::array<float, 7> kWeights = {1.05F, 1.1F, 1.2F, 1.15F, 0.9F, 1.25F, 1.9F};
  draw_text_table(ui, table, kWeights,
                  {.id = "###own_tiles",
                   .height = height,
                   .row_color = [&](std::size_t row) -> std::optional<Color> {
                     if (same_tiles(all[row].sizes, chosen.sizes)) return ui.theme.accent;
                     if (!all[row].fits) return ui.theme.text3;
                     return std::nullopt;
                   },
                   .pressed =
                       [&](std::size_t row) {
                         (void)numbers_.set("block_q", std::to_string(all[row].sizes.block_q));
                         (void)numbers_.set("block_k", std::to_string(all[row].sizes.block_k));
                       },
                   .about = {}});
}

void OwnKernelsView::draw_plan(const Ui& ui, const Shown& shown, bool with_sweep) {
  section(ui, ui.texts("own_kernels.tiles"), ui.texts("own_kernels.by_model"));
  const auto limit = shown.card == nullptr
                         ? std::nullopt
                         : stats::largest_shared_block(shown.card->compute_capability);
  const stepper::TileFit fit = stepper::fit_of(shown.card_name, limit, sizes());
  const stepper::SharedMemory shared = stepper::shared_memory(sizes());
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - ui.px(12);
  const auto used = static_cast<double>(shared.all()), most = static_cast<double>(fit.limit);
  const bool over = fit.limit > 0 && used > most;
  const std::array<stepping::Part, 2> parts = {
      {{static_cast<double>(shared.tiles), over ? ui.theme.bad : ui.theme.accent},
       {static_cast<double>(shared.scores), over ? darker(ui.theme.bad) : ui.theme.ok}}};
  const float y = stepping::draw_parts(
      sink, {at.x, at.y, at.x + width, at.y + ui.px(60)}, ui.theme, ui.metrics,
      {.name = ui.texts("stepper.tiles.shared"),
       .remark = ui.texts("stepper.tiles.shared_parts", {{"tiles", text::grouped(shared.tiles)},
                                                         {"scores", text::grouped(shared.scores)}}),
       .parts = parts,
       .most = std::max(used, most) * 1.02,
       .limit = most,
       .limit_color = over ? ui.theme.bad : ui.theme.text});
  ImGui::Dummy({width, y - at.y - ui.px(6)});
  const auto paragraph = [&](Color color, const base::Message& words) {
    wrapped_text(ui, TextStyle::body, color, message_text(ui.texts, words), ui.px(12));
  };
  paragraph(over ? ui.theme.bad : ui.theme.text2, fit.said);
  if (!limit) return;
  const auto all = kernel_plan::sweep_tiles(*shown.card, attention(), sizes());
  const PlannedTiles chosen = kernel_plan::plan_of(*shown.card, attention(), sizes());
  paragraph(ui.theme.text, kernel_plan::best_sentence(all[0], shown.card_name, all.size()));
  if (all[0].fits) paragraph(ui.theme.text, kernel_plan::chosen_sentence(chosen, all[0]));
  if (!with_sweep) return;
  ImGui::Dummy({0, ui.px(2)});
  draw_sweep(ui, all, chosen, std::max(ui.px(90), ImGui::GetContentRegionAvail().y));
}

OwnKernelsView::Asked OwnKernelsView::draw(const Ui& ui, const Shown& shown) {
  Asked asked;
  draw_head(ui, shown, asked);
  ImGui::Dummy({0, ui.px(2)});
  const float left = std::min(ui.px(kInputWidth), ImGui::GetContentRegionAvail().x * 0.27F);
  if (ImGui::BeginChild("###own_inputs", {left, 0}, ImGuiChildFlags_NavFlattened)) {
    (void)draw_chosen_inputs(ui, numbers_, problem_);
    wrapped_text(ui, TextStyle::small, ui.theme.text2, ui.texts("own_kernels.about"), ui.px(12));
  }
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###own_right", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    draw_stages(ui, shown, asked);
    ImGui::Dummy({0, ui.px(6)});
    // At least this high; a low window scrolls.
    const float below = std::max(ui.px(340), ImGui::GetContentRegionAvail().y);
    const float map = std::min(ImGui::GetContentRegionAvail().x * 0.3F, below - ui.px(150));
    // Below both where it would have to cut its words.
    const bool beside = ImGui::GetContentRegionAvail().x - map > ui.px(720);
    if (ImGui::BeginChild("###own_map_part", {map, below}, ImGuiChildFlags_NavFlattened))
      draw_map(ui, map);
    ImGui::EndChild();
    ImGui::SameLine(0, ui.px(14));
    if (ImGui::BeginChild("###own_plan", {0, below}, ImGuiChildFlags_NavFlattened))
      draw_plan(ui, shown, beside);
    ImGui::EndChild();
    if (!beside && shown.card != nullptr &&
        stats::largest_shared_block(shown.card->compute_capability)) {
      draw_sweep(ui, kernel_plan::sweep_tiles(*shown.card, attention(), sizes()),
                 kernel_plan::plan_of(*shown.card, attention(), sizes()), ui.px(260));
    }
  }
  ImGui::EndChild();
  return asked;
}

}  // namespace ts::views
