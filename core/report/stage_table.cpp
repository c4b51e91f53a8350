#include "core/report/stage_table.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>

#include "core/io/file.h"
#include "core/report/attention_stages.h"
#include "core/report/kernel_report.h"
#include "core/stats/occupancy.h"
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
  return *std::find_if(kAttentionKernels.begin(), kAttentionKernels.end(),
                       [function](const StageKernel& one) { return one.function == function; });
}

// Dense peak of what the kernel computes with.
std::optional<double> peak_of(const spec::Gpu& gpu, const StageKernel& kernel,
                              const std::string& type) {
  if (std::string_view(kernel.stage) != "tensor_core") return gpu.fp32_tflops;
  return type == "bf16" ? gpu.bf16_tflops : gpu.fp16_tflops;
}

}  // namespace

std::vector<KernelResources> read_resources(std::string_view printed) {
  static const std::regex compiling(R"(Compiling entry function '(\w+)' for 'sm_(\d+)\w?')");
  static const std::regex spilled(R"((\d+) bytes spill stores, (\d+) bytes spill loads)");
  static const std::regex used(R"(Used (\d+) registers)");
  static const std::regex shared(R"((\d+) bytes smem)");
  std::vector<KernelResources> all;
  for (std::size_t begin = 0; begin < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', begin), printed.size());
    const std::string line(printed.substr(begin, end - begin));
    begin = end + 1;
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
  const int rows = kernel.other == 1 ? kWarpRows : kernel.rows(sizes.d_head);
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
  const auto roof = roof_tflops();
  if (!roof) return std::nullopt;
  return flops / (*roof * 1e12);
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
    StageRow row{.kernel = &kernel, .resources = *one};
    row.shared = one->static_shared + kernel.shared_bytes(sizes.d_head);
    trace::KernelLaunch launch;
    launch.block = {static_cast<std::int32_t>(kernel.threads_x),
                    static_cast<std::int32_t>(kernel.threads_y), 1};
    launch.registers = one->registers;
    launch.shared_memory = row.shared;
    row.occupancy = stats::occupancy(gpu.compute_capability, launch);
    row.bytes = stage_bytes(kernel.function, sizes);
    row.flops = stage_flops(kernel.function, sizes);
    const std::string_view part = kernel.part;
    if (part == "forward" || part == "row_sums") row.extra_bytes = sizes.heads * sizes.length * 4;
    row.peak_tflops = peak_of(gpu, kernel, sizes.type);
    row.memory_tflops = row.flops / row.bytes * gpu.bandwidth_gb_s * 1e-3;
    rows.push_back(row);
  }
  return rows;
}

io::TextTable stage_table(const std::vector<KernelResources>& resources, const spec::Gpu& gpu,
                          const StageSizes& sizes) {
  io::TextTable table{
      .columns = {"stage", "kernel", "threads", "registers", "shared", "spilled", "occupancy",
                  "limit", "bytes", "FLOP/B", "roof TFLOP/s"},
      .rows = {},
      .right = {false, false, true, true, true, true, true, false, true, true, true}};
  for (const StageRow& row : stage_rows(resources, gpu, sizes)) {
    const StageKernel& kernel = *row.kernel;
    const auto roof = row.roof_tflops();
    table.rows.push_back(
        {kernel.stage, kernel.part, std::to_string(kernel.threads_x * kernel.threads_y),
         std::to_string(row.resources.registers), text::bytes(row.shared).joined(),
         text::bytes(row.resources.spilled).joined(),
         row.occupancy ? text::decimal(100 * row.occupancy->share, 0) + " %" : text::kNoNumber,
         row.occupancy ? to_string(row.occupancy->limit) : "does not fit",
         text::bytes(static_cast<std::int64_t>(row.bytes)).joined(),
         text::decimal(row.flops / row.bytes, 1),
         roof ? text::decimal(*roof, 1) + (row.memory_limits() ? " (memory)" : " (arithmetic)")
              : text::kNoNumber});
  }
  return table;
}

}  // namespace ts::report
