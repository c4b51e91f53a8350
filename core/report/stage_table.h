#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/io/text_table.h"
#include "core/spec/gpu_catalogue.h"
#include "core/stats/occupancy.h"

// The stages of our attention in CUDA C++ on a card, before they run: what the compiler gave each
// kernel, how much of a multiprocessor it fills, and what the roofline allows.
namespace ts::report {

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
// Reads all NAME.resources of a folder; none without nvcc, which makes them.
std::vector<KernelResources> resources_in(const std::filesystem::path& folder);

struct StageSizes {
  std::string type = "bf16";  // fp32 bf16 fp16
  int d_head = 64;            // 32 64 128 256
  std::int64_t heads = 16, length = 4096;
  bool causal = false;
};

// Bytes that the blocks of a kernel read and write, as if no cache held a tile for two of them; the
// threads of a warp that read one number count as one.
double stage_bytes(std::string_view function, const StageSizes& sizes);
// Products of its tiles: 2 multiply-adds a pair of query and key and number of a head, for each of
// its products; half under a causal mask.
double stage_flops(std::string_view function, const StageSizes& sizes);

// A kernel of a stage, or of an operator on rows, on a card, in numbers.
struct StageRow {
  std::string stage, part;
  std::int64_t threads = 0;  // of a block
  KernelResources resources;
  int shared = 0;                                  // bytes of a block, static and dynamic
  std::optional<stats::Occupancy> occupancy = {};  // unset: no multiprocessor can hold a block
  double bytes = 0, flops = 0;                     // stage_bytes(), stage_flops()
  std::int64_t extra_bytes = 0;            // of global memory beside inputs and results: L, or D
  std::optional<double> peak_tflops = {};  // of what it computes with, where the card has it
  double memory_tflops = 0;                // what the bandwidth allows at its FLOP a byte
  double memory_seconds = 0;               // of its bytes
  [[nodiscard]] std::optional<double> roof_tflops() const;
  [[nodiscard]] bool memory_limits() const { return memory_tflops < peak_tflops.value_or(0); }
  // At the roof: the kernel takes at least that long.
  [[nodiscard]] std::optional<double> least_seconds() const;
};
// In reading order. A kernel that the card or the type cannot run is left out.
std::vector<StageRow> stage_rows(const std::vector<KernelResources>& resources,
                                 const spec::Gpu& gpu, const StageSizes& sizes);

// The kernels of norms, softmax, weighted sum and cross entropy (row_kernels.h), for a model of
// that many heads of that length: rows of heads * d_head numbers, of softmax one of the length for
// each head and token, of cross entropy one chunk of the classes. bytes: each number once.
std::vector<StageRow> operator_rows(const std::vector<KernelResources>& resources,
                                    const spec::Gpu& gpu, const StageSizes& sizes);
// Classes of a chunk for rows of that width.
std::int64_t classes_of_chunk(std::int64_t width);
// A sentence for each stage of attention that the type, the head or the card rules out, and for
// those that no GPU has run yet.
std::vector<base::Message> stage_remarks(const spec::Gpu& gpu, const StageSizes& sizes);

// A row a kernel: threads, registers, shared memory, spills, occupancy and its limit, bytes, FLOP a
// byte, and the roof there in TFLOP/s. A kernel that the card or the type cannot run is left out.
io::TextTable stage_table(const std::vector<StageRow>& rows);

}  // namespace ts::report
