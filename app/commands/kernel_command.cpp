#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "core/io/text_table.h"
#include "core/kernel_check/kernel_check.h"
#include "core/report/attention_stages.h"
#include "core/report/stage_table.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

struct KernelCommand {
  std::filesystem::path file;
  std::string check;
  bool stages = false;
  std::string gpu = "A100 80 GB SXM";
  report::StageSizes sizes;
  bool json = false;
};

int check_kernel(const KernelCommand& command) {
  const auto verdict = kernel_check::check_attention(command.file, command.sizes.d_head, {});
  if (!verdict) return report(verdict.error().sentence, 2);
  if (command.json) {
    nlohmann::json document = verdict->result;
    document["passed"] = verdict->passed;
    document["sentence"] = verdict->message.sentence;
    print_json(document);
  } else {
    std::printf("%s\n", text::printable(verdict->message.sentence).c_str());
  }
  return verdict->passed ? 0 : 1;
}

// How each kernel is launched, for who has a GPU (tests/gpu/own_kernels.py).
nlohmann::json launches(const report::StageSizes& sizes) {
  auto all = nlohmann::json::array();
  for (const report::StageKernel& kernel : report::kAttentionKernels) {
    if (sizes.type == "fp32" && !kernel.takes_fp32) continue;
    all.push_back({{"stage", kernel.stage},
                   {"part", kernel.part},
                   {"kernel", kernel.kernel(sizes.type, sizes.d_head)},
                   {"threads", {kernel.threads_x, kernel.threads_y}},
                   {"rows", kernel.rows(sizes.d_head)},
                   {"shared_bytes", kernel.shared_bytes(sizes.d_head)},
                   {"flops", report::stage_flops(kernel.function, sizes)}});
  }
  return all;
}

int list_stages(const KernelCommand& command) {
  const spec::GpuCatalogue catalogue = built_in_gpus();
  const auto gpu = catalogue.require(command.gpu);
  if (!gpu) return report("--gpu: " + gpu.error().sentence, 2);
  const auto resources = report::resources_in(engine_folder() / "own_cuda");
  if (resources.empty()) return report(text::message("kernel_check.no_nvcc"), 1);
  const io::TextTable table = report::stage_table(resources, **gpu, command.sizes);
  if (table.rows.empty()) {
    return report(text::message("kernel_check.no_stage", {{"gpu", (*gpu)->name}}), 1);
  }
  if (command.json) {
    print_json({{"gpu", (*gpu)->name},
                {"columns", table.columns},
                {"rows", table.rows},
                {"launches", launches(command.sizes)}});
  } else {
    std::printf("%s\n", io::to_markdown(table).c_str());
  }
  return 0;
}

int run_kernel_command(const KernelCommand& command) {
  if (command.stages) return list_stages(command);
  if (command.file.empty() || command.check.empty()) {
    return report(text::message("kernel_check.nothing_asked"), 2);
  }
  return check_kernel(command);
}

}  // namespace

ParsedCommand kernel_command(CLI::App& app) {
  const auto options = std::make_shared<KernelCommand>();
  app.add_option("file", options->file, "CUDA C++ or C++ with the functions of docs/kernels.md");
  app.add_option("--check", options->check, "What the file computes")
      ->check(CLI::IsMember({"attention"}));
  app.add_flag("--stages", options->stages,
               "List our attention in CUDA C++: registers, shared memory, occupancy, roofline");
  app.add_option("--gpu", options->gpu, "Of --stages: the card; default A100 80 GB SXM");
  app.add_option("--dtype", options->sizes.type, "Of --stages; default bf16")
      ->check(CLI::IsMember({"fp32", "bf16", "fp16"}));
  app.add_option("--T", options->sizes.length, "Of --stages: length; default 4096")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--heads", options->sizes.heads, "Of --stages, with the batch; default 16")
      ->check(CLI::Range(1, 65535));
  app.add_flag("--causal", options->sizes.causal, "Of --stages: with a causal mask");
  app.add_option("--d-head", options->sizes.d_head, "Width of a head; default 64")
      ->check(CLI::Range(1, 256));
  app.add_flag("--json", options->json, "Print one JSON document on standard output");
  return parsed_command(options, run_kernel_command);
}

}  // namespace ts::app
