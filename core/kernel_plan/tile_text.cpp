#include "core/kernel_plan/tile_text.h"

#include <array>

#include "core/report/kernel_report.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::kernel_plan {
namespace {

std::string percent(double share) {
  return text::decimal(100 * share, 0) + " %";
}

// As in the keys of its texts.
std::string name_of(Why why) {
  constexpr std::array kNames = {"best",  "does_not_fit", "traffic",
                                 "waste", "occupancy",    "as_good"};
  return kNames[static_cast<std::size_t>(why)];
}

std::vector<base::Argument> arguments_of(const PlannedTiles& one, const PlannedTiles& best) {
  const double times = one.seconds && best.seconds ? *one.seconds / *best.seconds : 1;
  return {{"tiles", tiles_text(one)},
          {"times", text::decimal(times, 2)},
          {"passes", text::grouped(one.passes)},
          {"best_passes", text::grouped(best.passes)},
          {"wasted", percent(one.wasted)},
          {"best_wasted", percent(best.wasted)},
          {"occupancy", occupancy_text(one)},
          {"best_occupancy", occupancy_text(best)},
          {"shared", text::bytes(one.shared).joined()}};
}

base::Message limit_text(Limit limit) {
  return limit == Limit::memory ? text::message("own_kernels.limit.memory")
                                : text::message("own_kernels.limit.arithmetic");
}

}  // namespace

std::string tiles_text(const PlannedTiles& one) {
  return std::to_string(one.sizes.block_q) + " \xc3\x97 " + std::to_string(one.sizes.block_k);
}

std::string occupancy_text(const PlannedTiles& one) {
  if (!one.occupancy) return text::kNoNumber;
  return "\xe2\x89\xa4 " + percent(one.occupancy->share);
}

std::string time_text(const PlannedTiles& one) {
  if (!one.fits || !one.seconds) return text::kNoNumber;
  return "\xe2\x89\xa5 " + text::duration_ns(1e9 * *one.seconds).joined();
}

base::Message best_sentence(const PlannedTiles& best, const std::string& card, std::size_t tried) {
  if (!best.fits) return text::message("own_kernels.nothing_fits", {{"gpu", card}});
  return text::message("own_kernels.best", {{"tiles", tiles_text(best)},
                                            {"tried", std::to_string(tried)},
                                            {"gpu", card},
                                            {"time", time_text(best)},
                                            text::argument("limit", limit_text(best.limit)),
                                            {"passes", text::grouped(best.passes)},
                                            {"occupancy", occupancy_text(best)},
                                            {"wasted", percent(best.wasted)}});
}

base::Message chosen_sentence(const PlannedTiles& chosen, const PlannedTiles& best) {
  return text::message("own_kernels.chosen." + name_of(why(chosen, best)),
                       arguments_of(chosen, best));
}

std::string why_text(const PlannedTiles& one, const PlannedTiles& best, const text::Texts& texts) {
  return texts("own_kernels.why." + name_of(why(one, best)), arguments_of(one, best));
}

io::TextTable sweep_table(const std::vector<PlannedTiles>& all, const text::Texts& texts) {
  io::TextTable table{.right = {true, true, true, true, true, true, false}};
  for (const char* column : {"tiles", "shared", "occupancy", "bytes", "wasted", "least", "why"})
    table.columns.emplace_back(texts("own_kernels.column." + std::string(column)));
  for (const PlannedTiles& one : all) {
    table.rows.push_back({tiles_text(one), text::bytes(one.shared).joined(), occupancy_text(one),
                          text::bytes(static_cast<std::int64_t>(one.bytes)).joined(),
                          percent(one.wasted), time_text(one), why_text(one, all[0], texts)});
  }
  return table;
}

io::TextTable stages_side_by_side(const std::vector<report::StageRow>& rows, bool has_gpu,
                                  const text::Texts& texts) {
  io::TextTable table{.right = {false, false, true, true, true, true, true, true, true, true}};
  for (const char* column : {"stage", "kernel", "registers", "shared", "occupancy", "bytes",
                             "extra", "roof", "least", "measured"})
    table.columns.emplace_back(texts("own_kernels.column." + std::string(column)));
  for (const report::StageRow& row : rows) {
    const auto roof = row.roof_tflops();
    const auto least = row.least_seconds();
    std::string registers = std::to_string(row.resources.registers);
    if (row.resources.spilled > 0) registers += " + " + text::bytes(row.resources.spilled).joined();
    table.rows.push_back(
        {texts("own_kernels.stage." + row.stage), row.part, registers,
         text::bytes(row.shared).joined(),
         row.occupancy ? percent(row.occupancy->share) : std::string(text::kNoNumber),
         text::bytes(static_cast<std::int64_t>(row.bytes)).joined(),
         text::bytes(row.extra_bytes).joined(),
         roof ? text::decimal(*roof, 1) : std::string(text::kNoNumber),
         least ? "\xe2\x89\xa5 " + text::duration_ns(1e9 * *least).joined()
               : std::string(text::kNoNumber),
         has_gpu ? std::string(text::kNoNumber) : texts("own_kernels.needs_gpu")});
  }
  return table;
}

}  // namespace ts::kernel_plan
