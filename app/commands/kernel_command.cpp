#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/session.h"
#include "core/io/text_table.h"
#include "core/kernel_check/kernel_check.h"
#include "core/report/attention_stages.h"
#include "core/report/kernel_bench.h"
#include "core/report/stage_table.h"
#include "core/run/step_summary.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

struct KernelCommand {
  std::filesystem::path file;
  std::string check;
  bool time = false;
  bool stages = false;
  std::string gpu = "A100 80 GB SXM";
  report::StageSizes sizes;
  bool json = false;
};

// A kernel in plain C++ is timed at this size, on one thread.
constexpr int kTimedHeads = 4, kTimedLength = 512;

// Medians of one pass in seconds. The kernel's own is taken before and after the others, which go
// by turns, so a machine that changed meanwhile shows.
struct PassTimes {
  std::array<double, 2> file = {};
  double ours = 0, flash = 0;
};
struct Times {
  PassTimes forward;
  std::optional<PassTimes> backward;  // of a file that has one
};

base::Result<Times> time_kernel(const KernelCommand& command) {
  const int d_head = command.sizes.d_head;
  TS_TRY(const auto timed, unless_interrupted([&](const base::CancelToken& cancel) {
           return kernel_check::TimedKernel::compile(command.file, cancel);
         }));
  const auto of_file = [&] {
    return unless_interrupted([&](const base::CancelToken& cancel) {
      return timed.time(kTimedHeads, kTimedLength, d_head, cancel);
    });
  };
  TS_TRY(const auto before, of_file());
  Session session(make_engine_loader());
  SpecArguments arguments;
  arguments.workload = "attention";
  arguments.presets = {"a2-tiled"};
  arguments.settings = {"backend=own",
                        "B=1",
                        "heads=" + std::to_string(kTimedHeads),
                        "T=" + std::to_string(kTimedLength),
                        "d_head=" + std::to_string(d_head),
                        "causal=false",
                        before.backward_seconds ? "pass=forward+backward" : "pass=forward",
                        "threads=1"};
  TS_TRY(const auto ours, spec_from_arguments(arguments, session.gpus()));
  spec::WorkloadSpec flash = ours;
  flash.backend = spec::AttentionBackend::flash;
  TS_TRY(const auto compared, whole_comparison(session, flash, ours, report::bench_protocol()));
  TS_TRY(const auto after, of_file());
  const auto pass = [&](double first, double then, auto part) {
    const auto median = [&](std::size_t side) {
      const auto& steps = compared->sides[side].timed_steps;
      return run::summarise_steps(steps, part).median_ms * 1e-3;
    };
    return PassTimes{{first, then}, median(1), median(0)};
  };
  Times times;
  times.forward = pass(before.seconds, after.seconds, &run::StepTimes::forward_ns);
  if (before.backward_seconds && after.backward_seconds) {
    times.backward =
        pass(*before.backward_seconds, *after.backward_seconds, &run::StepTimes::backward_ns);
  }
  return times;
}

void print_pass(const char* name, const PassTimes& times, int d_head) {
  std::printf("%s of %d heads, T %d, d_head %d, fp32, on one thread:\n", name, kTimedHeads,
              kTimedLength, d_head);
  const auto time = [](double seconds) { return text::duration_ns(seconds * 1e9).joined(); };
  const double mine = (times.file[0] + times.file[1]) / 2;
  print_row("this kernel", time(times.file[0]) + ", then " + time(times.file[1]));
  print_row("ours", time(times.ours) + ", " + text::decimal(mine / times.ours, 2) +
                        " times as fast as this kernel");
  print_row("PyTorch's flash", time(times.flash) + ", " + text::decimal(mine / times.flash, 2) +
                                   " times as fast as this kernel");
}

nlohmann::json to_json(const PassTimes& times) {
  return {{"this_kernel", times.file}, {"ours", times.ours}, {"flash", times.flash}};
}

Exit check_kernel(const KernelCommand& command) {
  bool interrupted = false;
  auto checked = unless_interrupted([&](const base::CancelToken& cancel) {
    auto result = kernel_check::check_attention(command.file, command.sizes.d_head, cancel);
    interrupted = cancel.cancelled();
    return result;
  });
  if (!checked && interrupted) return tl::unexpected(Ended(checked.error(), 1));
  TS_TRY(const auto verdict, std::move(checked));
  std::optional<Times> times;
  base::Message untimed;
  // Only a right kernel has a time that can be compared.
  if (command.time && verdict.passed) {
    auto timed = time_kernel(command);
    if (timed) {
      times = *timed;
    } else {
      untimed = timed.error();
    }
  }
  if (command.json) {
    nlohmann::json document = verdict.result;
    document["passed"] = verdict.passed;
    document["sentence"] = verdict.message.sentence;
    if (times) {
      document["seconds"] = to_json(times->forward);
      document["seconds"]["heads"] = kTimedHeads;
      document["seconds"]["length"] = kTimedLength;
      document["seconds"]["backward"] =
          times->backward ? to_json(*times->backward) : nlohmann::json();
    }
    if (!untimed.empty()) document["not_timed"] = untimed.sentence;
    print_json(document);
  } else {
    std::printf("%s\n", text::printable(verdict.message.sentence).c_str());
    if (times) print_pass("Forward", times->forward, command.sizes.d_head);
    if (times && times->backward) print_pass("Backward", *times->backward, command.sizes.d_head);
    if (!untimed.empty()) std::printf("%s\n", text::printable(untimed.sentence).c_str());
  }
  return verdict.passed ? 0 : 1;
}

// How each kernel is launched, for who has a GPU (tests/gpu/own_kernels.py).
nlohmann::json launches(const report::StageSizes& sizes) {
  auto all = nlohmann::json::array();
  for (const report::StageKernel& kernel : report::kAttentionKernels) {
    if (sizes.type == "fp32" && !kernel.takes_fp32) continue;
    const report::Threads threads = kernel.threads(sizes.d_head);
    all.push_back({{"stage", kernel.stage},
                   {"part", kernel.part},
                   {"kernel", kernel.kernel(sizes.type, sizes.d_head)},
                   {"threads", {threads.x, threads.y}},
                   {"rows", kernel.rows(sizes.d_head)},
                   {"other", kernel.other(sizes.d_head)},
                   {"shared_bytes", kernel.shared_bytes(sizes.d_head)},
                   {"flops", report::stage_flops(kernel.function, sizes)}});
  }
  return all;
}

std::vector<std::string> sentences(const std::vector<base::Message>& messages) {
  std::vector<std::string> said;
  for (const base::Message& message : messages) said.push_back(message.sentence);
  return said;
}

Exit list_stages(const KernelCommand& command) {
  const spec::GpuCatalogue catalogue = built_in_gpus();
  const auto gpu = catalogue.require(command.gpu);
  if (!gpu) return base::fail("--gpu: " + gpu.error().sentence);
  const auto resources = report::resources_in(engine_folder() / "own_cuda");
  if (resources.empty()) return report(text::message("kernel_check.no_nvcc"), 1);
  const io::TextTable table =
      report::stage_table(report::stage_rows(resources, **gpu, command.sizes));
  const io::TextTable operators =
      report::stage_table(report::operator_rows(resources, **gpu, command.sizes));
  const auto remarks = report::stage_remarks(**gpu, command.sizes);
  if (table.rows.empty()) {
    return report(text::message("kernel_check.no_stage", {{"gpu", (*gpu)->name}}), 1);
  }
  if (command.json) {
    print_json({{"gpu", (*gpu)->name},
                {"columns", table.columns},
                {"rows", table.rows},
                {"operators", operators.rows},
                {"remarks", sentences(remarks)},
                {"launches", launches(command.sizes)}});
  } else {
    std::printf("%s\n", io::to_markdown(table).c_str());
    for (const std::string& said : sentences(remarks)) std::printf("%s\n", said.c_str());
    std::printf("\n%s\n", io::to_markdown(operators).c_str());
  }
  return 0;
}

Exit run_kernel_command(const KernelCommand& command) {
  if (command.stages) return list_stages(command);
  if (command.file.empty() || command.check.empty()) {
    return text::fail("kernel_check.nothing_asked");
  }
  return check_kernel(command);
}

}  // namespace

ParsedCommand kernel_command(CLI::App& app) {
  const auto options = std::make_shared<KernelCommand>();
  app.add_option("file", options->file, "CUDA C++ or C++ with the functions of docs/kernels.md");
  app.add_option("--check", options->check, "What the file computes")
      ->check(CLI::IsMember({"attention"}));
  app.add_flag("--time", options->time,
               "Of a right kernel in plain C++: its time beside ours and PyTorch's, on one thread");
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
  add_json(app, options->json);
  return parsed_command(options, run_kernel_command);
}

}  // namespace ts::app
