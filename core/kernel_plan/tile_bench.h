#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/io/text_table.h"
#include "core/report/kernel_bench.h"

// Tile sizes of our attention on the processor, measured: each pair of sizes by turns with 64 x 64,
// and what may be the reason beside it.
namespace ts::kernel_plan {

// Backend own with tiles of 32, 64, 128 and 256 rows, 64 x 64 left out. `base` gives the rest.
std::vector<spec::WorkloadSpec> tile_bench_specs(const spec::WorkloadSpec& base);
// The same step with 64 x 64.
spec::WorkloadSpec with_usual_tiles(spec::WorkloadSpec spec);

// Reasons why tiles may be slower than others. Times are measured, reasons are not.
enum class Cost : std::uint8_t { none, threads, cache, waste, passes, updates };

struct TileCosts {
  std::int64_t tasks = 0;    // tiles of Q of all heads: what threads can share
  std::int64_t passes = 0;   // over K and V of a head
  std::int64_t updates = 0;  // of a row of O, once for each tile of K
  std::int64_t bytes = 0;    // that a tile touches: Q, O, K, V and its scores in fp32
  double wasted = 0;         // share of the computed pairs that the result does not need
};
TileCosts costs_of(const spec::WorkloadSpec& spec);
// The first of the costs, in the order of Cost, that `one` has more of than `best`.
Cost cost_against(const TileCosts& one, const TileCosts& best, std::int64_t threads,
                  std::int64_t cache_bytes);

// Points are comparisons of 64 x 64 (A) with other tiles (B).
struct TileBench {
  std::vector<report::KernelPoint> points;
  std::int64_t threads = 1;
  std::int64_t cache_bytes = 0;  // of the L2 cache of a core; 0: not known
};
io::TextTable tile_table(const TileBench& bench);
// "Best: 128 x 128, 1.10 times as fast as 64 x 64 (95 % CI 1.05 to 1.15): ..."; or that none is
// surely faster.
std::string tile_sentence(const TileBench& bench);
nlohmann::json to_json(const TileBench& bench, const nlohmann::json& environment);

}  // namespace ts::kernel_plan
