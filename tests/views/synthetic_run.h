#pragma once

#include <cstdint>
#include <memory>

#include "core/base/string_table.h"
#include "core/run/run.h"

// A run as a training transformer would leave it behind, made from rules and a seed: for tests,
// benchmarks and pictures of the charts. No figure in it was measured.
namespace ts::views::testing {

struct TransformerShape {
  std::int32_t layers = 12;
  std::int32_t steps = 3;
  std::int64_t activation_bytes = std::int64_t{384} << 20;  // largest tensor of a layer
  std::int64_t parameter_bytes = std::int64_t{14} << 20;    // largest parameter of a layer
  std::int64_t operator_ns = 90'000;                        // typical length of an operator
  std::int64_t memory_limit = 0;                            // refuses beyond it; 0 never
  int micro_batches = 1;                                    // of a step
  bool checkpoint = false;  // every layer runs again in the backward
  double stop_after = 1;    // part of the last step that has run
  std::uint32_t seed = 7;
};

std::unique_ptr<run::Run> transformer_run(base::StringTable& strings, TransformerShape shape);

// `slices` slices on a few tracks and depths, without memory: for scale.
std::unique_ptr<run::Run> dense_run(base::StringTable& strings, std::uint64_t slices,
                                    std::uint32_t seed);
// `events` allocations and frees without slices: for scale.
std::unique_ptr<run::Run> busy_memory_run(base::StringTable& strings, std::uint32_t events,
                                          std::uint32_t seed);

// Tells the run that so many records were lost.
void lose_records(run::Run& run, std::uint64_t records);

}  // namespace ts::views::testing
