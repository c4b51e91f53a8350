#include "core/kernel_plan/tile_bench.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/spec/workload_math.h"
#include "core/stepper/tile_grid.h"
#include "core/text/numbers.h"

namespace ts::kernel_plan {
namespace {

constexpr std::int64_t kUsual = 64;
constexpr std::array<std::int64_t, 4> kMeasuredTiles = {32, 64, 128, 256};

std::string tiles_of(const spec::WorkloadSpec& spec) {
  return std::to_string(spec.tile_q) + " x " + std::to_string(spec.tile_k);
}

const report::KernelPoint& best_of(const TileBench& bench) {
  return *std::ranges::max_element(bench.points, {}, &report::KernelPoint::speed);
}

bool surely_faster(const report::KernelPoint& point) {
  return point.ratio.ci95 && point.ratio.ci95->high < 1;
}

std::string interval_of(const report::KernelPoint& point) {
  if (!point.ratio.ci95) return {};
  return text::decimal(1 / point.ratio.ci95->high, 2) + " to " +
         text::decimal(1 / point.ratio.ci95->low, 2);
}

std::string percent_of(double share) {
  return text::decimal(100 * share, 1) + " %";
}

const char* text_of(Cost cost) {
  constexpr std::array kNames = {"",
                                 "fewer tiles of Q than threads",
                                 "a tile is larger than the L2 cache",
                                 "more pairs for nothing",
                                 "more passes over K and V",
                                 "O is updated more often"};
  return kNames[static_cast<std::size_t>(cost)];
}

}  // namespace

std::vector<spec::WorkloadSpec> tile_bench_specs(const spec::WorkloadSpec& base) {
  std::vector<spec::WorkloadSpec> specs;
  for (const std::int64_t queries : kMeasuredTiles) {
    for (const std::int64_t keys : kMeasuredTiles) {
      if (queries == kUsual && keys == kUsual) continue;
      spec::WorkloadSpec spec = base;
      spec.backend = spec::AttentionBackend::own;
      spec.tile_q = queries;
      spec.tile_k = keys;
      specs.push_back(spec);
    }
  }
  return specs;
}

spec::WorkloadSpec with_usual_tiles(spec::WorkloadSpec spec) {
  spec.tile_q = spec.tile_k = kUsual;
  return spec;
}

TileCosts costs_of(const spec::WorkloadSpec& spec) {
  const stepper::TileGrid grid(spec.seq_len, spec.tile_q, spec.tile_k, spec.causal);
  const std::int64_t d_head = spec::head_size(spec);
  return {.tasks = grid.query_tiles() * spec.heads * spec.batch,
          .passes = grid.query_tiles(),
          .updates = grid.key_tiles(),
          .bytes = 4 * (2 * (spec.tile_q + spec.tile_k) * d_head + spec.tile_q * spec.tile_k),
          .wasted = grid.wasted_share()};
}

Cost cost_against(const TileCosts& one, const TileCosts& best, std::int64_t threads,
                  std::int64_t cache_bytes) {
  constexpr double kMoreWaste = 0.01;
  if (one.tasks < threads && best.tasks > one.tasks) return Cost::threads;
  if (cache_bytes > 0 && one.bytes > cache_bytes && best.bytes <= cache_bytes) return Cost::cache;
  if (one.wasted > best.wasted + kMoreWaste) return Cost::waste;
  if (one.passes > best.passes) return Cost::passes;
  return one.updates > best.updates ? Cost::updates : Cost::none;
}

io::TextTable tile_table(const TileBench& bench) {
  io::TextTable table{
      .columns = {"tiles", "time", "times as fast as 64 x 64", "95 % CI", "passes over K and V",
                  "pairs for nothing", "a tile touches", "against the best"},
      .right = {true, true, true, true, true, true, true, false}};
  if (bench.points.empty()) return table;
  const TileCosts best = costs_of(best_of(bench).spec);
  for (const report::KernelPoint& point : bench.points) {
    const TileCosts costs = costs_of(point.spec);
    table.rows.push_back({tiles_of(point.spec), text::duration_ns(point.ours_ms * 1e6).joined(),
                          text::decimal(point.speed(), 2), interval_of(point),
                          text::grouped(costs.passes), percent_of(costs.wasted),
                          text::bytes(costs.bytes).joined(),
                          text_of(cost_against(costs, best, bench.threads, bench.cache_bytes))});
  }
  return table;
}

std::string tile_sentence(const TileBench& bench) {
  if (bench.points.empty()) return {};
  const report::KernelPoint& best = best_of(bench);
  if (!surely_faster(best)) {
    return "No tiles are surely faster than 64 x 64: the best, " + tiles_of(best.spec) + ", are " +
           text::decimal(best.speed(), 2) + " times as fast (95 % CI " + interval_of(best) + ")";
  }
  const TileCosts costs = costs_of(best.spec), usual = costs_of(with_usual_tiles(best.spec));
  std::string sentence =
      "Best: " + tiles_of(best.spec) + ", " + text::decimal(best.speed(), 2) +
      " times as fast as 64 x 64 (95 % CI " + interval_of(best) + "): K and V are read " +
      text::grouped(costs.passes) + " times instead of " + text::grouped(usual.passes) + ", " +
      percent_of(costs.wasted) + " of the pairs are for nothing instead of " +
      percent_of(usual.wasted) + ", a tile touches " + text::bytes(costs.bytes).joined();
  if (bench.cache_bytes > 0) {
    sentence += " of " + text::bytes(bench.cache_bytes).joined() + " of L2 cache";
  }
  return sentence;
}

nlohmann::json to_json(const TileBench& bench, const nlohmann::json& environment) {
  auto points = nlohmann::json::array();
  for (const report::KernelPoint& point : bench.points) {
    const TileCosts costs = costs_of(point.spec);
    nlohmann::json json = to_json(point, "usual_ms");
    json.update({{"passes", costs.passes}, {"wasted", costs.wasted}, {"tile_bytes", costs.bytes}});
    points.push_back(std::move(json));
  }
  return {{"sentence", tile_sentence(bench)},
          {"threads", bench.threads},
          {"l2_bytes", bench.cache_bytes},
          {"points", std::move(points)},
          {"environment", environment}};
}

}  // namespace ts::kernel_plan
