#include "core/kernel_plan/tile_plan.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ts::kernel_plan {
namespace {

constexpr std::int64_t kWarpRows = 16;
constexpr std::int64_t kMostThreads = 1024;  // of a block
constexpr int kMostRegisters = 255;          // of a thread
constexpr double kSame = 1.005;              // times are taken for equal below

constexpr std::array<std::int64_t, 5> kTiles = {16, 32, 64, 128, 256};

std::int64_t warps_of(std::int64_t rows) {
  return (rows + kWarpRows - 1) / kWarpRows;
}

}  // namespace

PlannedTiles plan_of(const spec::Gpu& gpu, const Attention& attention,
                     const stepper::TileSizes& sizes) {
  const stepper::TileGrid grid(attention.length, sizes.block_q, sizes.block_k, attention.causal);
  PlannedTiles plan{.sizes = sizes, .shared = stepper::shared_memory(sizes).all()};
  // 16 rows of O and of the scores in fp32, over the 32 threads of a warp.
  plan.registers = static_cast<int>((sizes.d_head + sizes.block_k + 1) / 2);
  const std::int64_t threads = 32 * warps_of(sizes.block_q);
  trace::KernelLaunch launch;
  launch.block = {static_cast<std::int32_t>(std::min(threads, kMostThreads)), 1, 1};
  launch.registers = std::min(plan.registers, kMostRegisters);
  launch.shared_memory = static_cast<std::int32_t>(plan.shared);
  const auto most = stats::largest_shared_block(gpu.compute_capability);
  plan.fits =
      most && plan.shared <= *most && threads <= kMostThreads && plan.registers <= kMostRegisters;
  if (plan.fits) plan.occupancy = stats::occupancy(gpu.compute_capability, launch);
  plan.fits = plan.occupancy.has_value();

  const auto heads = static_cast<double>(attention.heads);
  const auto row = static_cast<double>(sizes.d_head * sizes.element_bytes);
  plan.passes = grid.query_tiles();
  double keys = 0;  // rows of K that all tiles of Q load
  for (std::int64_t i = 0; i < grid.query_tiles(); ++i)
    keys += static_cast<double>(grid.key_end(i));
  const auto length = static_cast<double>(attention.length);
  plan.bytes = heads * (2 * length * row + 4 * length + 2 * keys * row);
  plan.flops = heads * 4 * grid.computed_pairs() * static_cast<double>(sizes.d_head);
  plan.wasted = grid.wasted_share();
  const auto peak = sizes.element_bytes > 2 ? gpu.fp32_tflops
                    : gpu.bf16_tflops       ? gpu.bf16_tflops
                                            : gpu.fp16_tflops;
  if (!peak) return plan;
  const double arithmetic = plan.flops / (*peak * 1e12);
  const double memory = plan.bytes / (gpu.bandwidth_gb_s * 1e9);
  plan.seconds = std::max(arithmetic, memory);
  plan.limit = memory > arithmetic ? Limit::memory : Limit::arithmetic;
  return plan;
}

std::vector<PlannedTiles> sweep_tiles(const spec::Gpu& gpu, const Attention& attention,
                                      const stepper::TileSizes& sizes) {
  std::vector<PlannedTiles> all;
  for (const std::int64_t queries : kTiles) {
    for (const std::int64_t keys : kTiles) {
      stepper::TileSizes tried = sizes;
      tried.block_q = queries;
      tried.block_k = keys;
      all.push_back(plan_of(gpu, attention, tried));
    }
  }
  const auto order = [](const PlannedTiles& one) {
    return std::tuple(!one.fits, one.seconds.value_or(0),
                      one.occupancy ? -one.occupancy->share : 0.0, one.shared);
  };
  std::ranges::stable_sort(all, {}, order);
  return all;
}

Why why(const PlannedTiles& one, const PlannedTiles& best) {
  const bool same = one.sizes.block_q == best.sizes.block_q &&
                    one.sizes.block_k == best.sizes.block_k &&
                    one.sizes.stages == best.sizes.stages;
  if (!one.fits) return Why::does_not_fit;
  if (same) return Why::best;
  if (one.seconds && best.seconds && *one.seconds > kSame * *best.seconds)
    return one.limit == Limit::memory ? Why::traffic : Why::waste;
  const double share = one.occupancy ? one.occupancy->share : 0;
  const double of_best = best.occupancy ? best.occupancy->share : 0;
  return share < of_best ? Why::occupancy : Why::as_good;
}

}  // namespace ts::kernel_plan
