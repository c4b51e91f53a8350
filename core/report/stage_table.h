#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text_table.h"
#include "core/spec/gpu_catalogue.h"
#include "core/stats/occupancy.h"

// The stages of our attention in CUDA C++ on a card, before they run: what the compiler gave each
// kernel, how much of a multiprocessor it fills, and what the roofline allows.
namespace ts::report {

struct StageKernel;  // attention_stages.h

// A kernel as ptxas compiled it for one compute capability.
struct KernelResources {
  std::string kernel;     // attention_tiled_forward_bf16_64
  int capability = 0;     // 86 is 8.6
  int registers = 0;      // per thread
  int static_shared = 0;  // bytes; dynamic shared memory is in attention_stages.h
  int spilled = 0;        // bytes stored and loaded
};

// Reads what ptxas prints with -v. Lines of other programs are passed over.
std::vector<KernelResources> read_resources(std::string_view printed);
// Of all NAME.resources of a folder; none where there is no nvcc, which makes them.
std::vector<KernelResources> resources_in(const std::filesystem::path& folder);

struct StageSizes {
  std::string type = "bf16";  // fp32 bf16 fp16
  int d_head = 64;            // 32 64 128
  std::int64_t heads = 16, length = 4096;
  bool causal = false;
};

// Bytes that the blocks of a kernel read and write, as if no cache held a tile for two of them; the
// threads of a warp that read one number count as one.
double stage_bytes(std::string_view function, const StageSizes& sizes);
// Products of its tiles: 2 multiply-adds a pair of query and key and number of a head, for each of
// its products; half under a causal mask.
double stage_flops(std::string_view function, const StageSizes& sizes);

// A kernel of a stage on a card, in numbers.
struct StageRow {
  const StageKernel* kernel = nullptr;
  KernelResources resources;
  int shared = 0;                                  // bytes of a block, static and dynamic
  std::optional<stats::Occupancy> occupancy = {};  // unset: no multiprocessor can hold a block
  double bytes = 0, flops = 0;                     // stage_bytes(), stage_flops()
  std::int64_t extra_bytes = 0;            // of global memory beside inputs and results: L, or D
  std::optional<double> peak_tflops = {};  // of what it computes with, where the card has it
  double memory_tflops = 0;                // what the bandwidth allows at its FLOP a byte
  [[nodiscard]] std::optional<double> roof_tflops() const;
  [[nodiscard]] bool memory_limits() const { return memory_tflops < peak_tflops.value_or(0); }
  // At the roof: the kernel takes at least that long.
  [[nodiscard]] std::optional<double> least_seconds() const;
};
// In reading order. A kernel that the card or the type cannot run is left out.
std::vector<StageRow> stage_rows(const std::vector<KernelResources>& resources,
                                 const spec::Gpu& gpu, const StageSizes& sizes);

// A row a kernel: threads, registers, shared memory, spills, occupancy and its limit, bytes, FLOP a
// byte, and the roof there in TFLOP/s. A kernel that the card or the type cannot run is left out.
io::TextTable stage_table(const std::vector<KernelResources>& resources, const spec::Gpu& gpu,
                          const StageSizes& sizes);

}  // namespace ts::report
