#include "core/report/stage_table.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <utility>

#include "core/io/file.h"
#include "core/report/attention_stages.h"
#include "core/report/kernel_report.h"
#include "core/report/row_kernels.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {
namespace {

constexpr int kWarpRows = 32;  // rows whose threads read the same number at once

int number_in(const char* digits) {
  return static_cast<int>(std::strtol(digits, nullptr, 10));
}

int number_at(const std::smatch& match, std::size_t group) {
  return number_in(match[group].str().c_str());
}

// "8.6" is 86; 0 if it is none.
int capability_of(const spec::Gpu& gpu) {
  const std::size_t point = gpu.compute_capability.find('.');
  if (point == std::string::npos) return 0;
  return 10 * number_in(gpu.compute_capability.c_str()) +
         number_in(gpu.compute_capability.c_str() + point + 1);
}

// The code that the driver takes: the newest of the card's own major number, not newer than the
// card.
const KernelResources* resources_on(const std::vector<KernelResources>& all,
                                    const std::string& kernel, int capability) {
  const KernelResources* best = nullptr;
  for (const KernelResources& one : all) {
    if (one.kernel != kernel || one.capability > capability) continue;
    if (one.capability / 10 != capability / 10) continue;
    if (best == nullptr || one.capability > best->capability) best = &one;
  }
  return best;
}

const StageKernel& stage_of(std::string_view function) {
  return *std::ranges::find(kAttentionKernels, function, &StageKernel::function);
}

// Dense peak of what the kernel computes with.
std::optional<double> peak_of(const spec::Gpu& gpu, const StageKernel& kernel,
                              const std::string& type) {
  if (kernel.takes_fp32) return gpu.fp32_tflops;
  return type == "bf16" ? gpu.bf16_tflops : gpu.fp16_tflops;
}

// Adds the rest to a kernel with known sums: threads, shared memory, occupancy, the roof.
void put_on(const spec::Gpu& gpu, const Threads& threads, int dynamic_shared, StageRow& row) {
  row.threads = std::int64_t{threads.x} * threads.y;
  row.shared = row.resources.static_shared + dynamic_shared;
  trace::KernelLaunch launch;
  launch.block = {static_cast<std::int32_t>(threads.x), static_cast<std::int32_t>(threads.y), 1};
  launch.registers = row.resources.registers;
  launch.shared_memory = row.shared;
  row.occupancy = stats::occupancy(gpu.compute_capability, launch);
  row.memory_tflops = row.flops / row.bytes * gpu.bandwidth_gb_s * 1e-3;
  row.memory_seconds = row.bytes / (gpu.bandwidth_gb_s * 1e9);
}

double element_bytes(const StageSizes& sizes) {
  return sizes.type == "fp32" ? 4 : 2;
}

// As kernels/operators/cross_entropy_on_cuda.cpp cuts classes into chunks.
constexpr std::int64_t kFewestClasses = 2048;

struct Matrix {
  double rows, width;
};
Matrix rows_for(const RowKernel& kernel, const StageSizes& sizes) {
  const std::string_view of = kernel.stage, part = kernel.part;
  const auto length = static_cast<double>(sizes.length), heads = static_cast<double>(sizes.heads);
  const std::int64_t width = sizes.heads * sizes.d_head;
  if (of == "softmax") return {heads * length, length};
  if (of == "cross_entropy" && part != "d_x, sum")
    return {length, static_cast<double>(classes_of_chunk(width))};
  return {length, static_cast<double>(width)};
}

constexpr int kWarpgroupCapability = 90;  // of sm_90a, which no later card runs

}  // namespace

std::vector<KernelResources> read_resources(std::string_view printed) {
  static const std::regex compiling(R"(Compiling entry function '(\w+)' for 'sm_(\d+)\w?')");
  static const std::regex spilled(R"((\d+) bytes spill stores, (\d+) bytes spill loads)");
  static const std::regex used(R"(Used (\d+) registers)");
  static const std::regex shared(R"((\d+) bytes smem)");
  std::vector<KernelResources> all;
  for (const std::string_view printed_line : text::pieces(printed, '\n')) {
    const std::string line(printed_line);
    std::smatch match;
    if (std::regex_search(line, match, compiling)) {
      all.push_back({.kernel = match[1], .capability = number_at(match, 2)});
    }
    if (all.empty()) continue;
    if (std::regex_search(line, match, spilled)) {
      all.back().spilled = number_at(match, 1) + number_at(match, 2);
    }
    if (std::regex_search(line, match, used)) all.back().registers = number_at(match, 1);
    if (std::regex_search(line, match, shared)) all.back().static_shared = number_at(match, 1);
  }
  return all;
}

std::vector<KernelResources> resources_in(const std::filesystem::path& folder) {
  std::vector<KernelResources> all;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() != ".resources") continue;
    const auto printed = io::read_file(entry.path());
    if (!printed) continue;
    const auto some = read_resources(*printed);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double stage_bytes(std::string_view function, const StageSizes& sizes) {
  const StageKernel& kernel = stage_of(function);
  const std::string_view part = kernel.part;
  const double length = static_cast<double>(sizes.length), heads = static_cast<double>(sizes.heads);
  const double tensor = heads * length * sizes.d_head * (sizes.type == "fp32" ? 4 : 2);
  const double sums = heads * length * 4;
  if (part == "row_sums") return 2 * tensor + sums;
  const int rows = kernel.other(sizes.d_head) == 1 ? kWarpRows : kernel.rows(sizes.d_head);
  const double blocks = static_cast<double>((sizes.length + rows - 1) / rows);
  // Two tensors of the other side for each block, or half of them.
  const double tiles = 2 * tensor * blocks * (sizes.causal ? 0.5 : 1);
  if (part == "forward") return 2 * tensor + sums + tiles;
  if (part == "d_q") return 3 * tensor + 2 * sums + tiles;
  return 4 * tensor + tiles + 2 * sums * blocks * (sizes.causal ? 0.5 : 1);
}

double stage_flops(std::string_view function, const StageSizes& sizes) {
  const std::string_view part = stage_of(function).part;
  const double length = static_cast<double>(sizes.length), heads = static_cast<double>(sizes.heads);
  if (part == "row_sums") return 2 * heads * length * sizes.d_head;
  const double products = part == "forward" ? 2 : part == "d_q" ? 3 : 4;
  return products * 2 * heads * length * length * sizes.d_head * (sizes.causal ? 0.5 : 1);
}

std::optional<double> StageRow::roof_tflops() const {
  if (!peak_tflops) return std::nullopt;
  return std::min(memory_tflops, *peak_tflops);
}

std::optional<double> StageRow::least_seconds() const {
  if (!peak_tflops) return std::nullopt;
  return std::max(memory_seconds, flops / (*peak_tflops * 1e12));
}

std::vector<StageRow> stage_rows(const std::vector<KernelResources>& resources,
                                 const spec::Gpu& gpu, const StageSizes& sizes) {
  std::vector<StageRow> rows;
  const int capability = capability_of(gpu);
  for (const StageKernel& kernel : kAttentionKernels) {
    if (sizes.type == "fp32" && !kernel.takes_fp32) continue;
    const KernelResources* const one =
        resources_on(resources, kernel.kernel(sizes.type, sizes.d_head), capability);
    if (one == nullptr) continue;
    StageRow row{.stage = kernel.stage, .part = kernel.part, .resources = *one};
    row.bytes = stage_bytes(kernel.function, sizes);
    row.flops = stage_flops(kernel.function, sizes);
    const std::string_view part = kernel.part;
    if (part == "forward" || part == "row_sums") row.extra_bytes = sizes.heads * sizes.length * 4;
    row.peak_tflops = peak_of(gpu, kernel, sizes.type);
    put_on(gpu, kernel.threads(sizes.d_head), kernel.shared_bytes(sizes.d_head), row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::int64_t classes_of_chunk(std::int64_t width) {
  return std::max(width, kFewestClasses);
}

std::vector<StageRow> operator_rows(const std::vector<KernelResources>& resources,
                                    const spec::Gpu& gpu, const StageSizes& sizes) {
  std::vector<StageRow> rows;
  const int capability = capability_of(gpu);
  for (const RowKernel& kernel : kRowKernels) {
    const KernelResources* const one =
        resources_on(resources, kernel.kernel(sizes.type), capability);
    if (one == nullptr) continue;
    StageRow row{.stage = kernel.stage, .part = kernel.part, .resources = *one};
    const Matrix rows_of = rows_for(kernel, sizes);
    const double numbers = rows_of.rows * rows_of.width;
    const auto blocks =
        static_cast<double>(RowsOfBlocks(static_cast<std::int64_t>(rows_of.rows)).count);
    const RowBytes& bytes = kernel.bytes;
    row.bytes = numbers * (bytes.numbers * element_bytes(sizes) + bytes.floats * 4) +
                rows_of.rows * bytes.per_row + bytes.partials * blocks * rows_of.width * 4;
    row.extra_bytes = static_cast<std::int64_t>(bytes.partials * blocks * rows_of.width * 4 +
                                                numbers * std::min(bytes.floats, 1.0) * 4);
    row.flops = kernel.flops * numbers + bytes.partials * blocks * rows_of.width;
    row.peak_tflops = gpu.fp32_tflops;
    const auto width = static_cast<std::int64_t>(rows_of.width);
    const auto number_bytes = static_cast<std::int64_t>(element_bytes(sizes));
    put_on(gpu, threads_of(kernel.launch, width, number_bytes), 0, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<base::Message> stage_remarks(const spec::Gpu& gpu, const StageSizes& sizes) {
  std::vector<base::Message> remarks;
  const int capability = capability_of(gpu);
  for (const StageKernel& kernel : kAttentionKernels) {
    const bool tma = kernel.first_capability == kWarpgroupCapability;
    if (std::string_view(kernel.part) != "forward") continue;
    const base::Message stage = text::message("own_kernels.stage." + std::string(kernel.stage));
    if (sizes.type == "fp32" && !kernel.takes_fp32) {
      remarks.push_back(text::message("own_kernels.remark.type", {text::argument("stage", stage)}));
    } else if (capability < kernel.first_capability) {
      const std::string needed = std::to_string(kernel.first_capability / 10) + "." +
                                 std::to_string(kernel.first_capability % 10);
      remarks.push_back(text::message("own_kernels.remark.capability",
                                      {text::argument("stage", stage), {"needed", needed}}));
    } else if (tma && capability > kernel.first_capability) {
      remarks.push_back(
          text::message("own_kernels.remark.sm_90a", {text::argument("stage", stage)}));
    } else if (tma && sizes.d_head < kernel.narrowest) {
      remarks.push_back(
          text::message("own_kernels.remark.width", {text::argument("stage", stage)}));
    } else if (tma) {
      remarks.push_back(
          text::message("own_kernels.remark.not_chosen", {text::argument("stage", stage)}));
    }
  }
  return remarks;
}

io::TextTable stage_table(const std::vector<StageRow>& rows) {
  io::TextTable table{
      .columns = {"stage", "kernel", "threads", "registers", "shared", "spilled", "occupancy",
                  "limit", "bytes", "FLOP/B", "roof TFLOP/s"},
      .right = {false, false, true, true, true, true, true, false, true, true, true}};
  for (const StageRow& row : rows) {
    const auto roof = row.roof_tflops();
    table.rows.push_back(
        {row.stage, row.part, std::to_string(row.threads), std::to_string(row.resources.registers),
         text::bytes(row.shared).joined(), text::bytes(row.resources.spilled).joined(),
         row.occupancy ? text::decimal(100 * row.occupancy->share, 0) + " %" : text::kNoNumber,
         row.occupancy ? limit_text(row.occupancy->limit) : "does not fit",
         text::bytes(static_cast<std::int64_t>(row.bytes)).joined(),
         text::decimal(row.flops / row.bytes, 1),
         roof ? text::decimal(*roof, 1) + (row.memory_limits() ? " (memory)" : " (arithmetic)")
              : text::kNoNumber});
  }
  return table;
}

}  // namespace ts::report
