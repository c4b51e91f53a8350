#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/commands/sweep_arguments.h"
#include "app/output/environment.h"
#include "app/output/named_files.h"
#include "app/output/output_folder.h"
#include "app/pictures/curve_picture.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/session/session.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/kernel_plan/stage_bench.h"
#include "core/kernel_plan/tile_bench.h"
#include "core/report/kernel_bench.h"
#include "core/run/compare.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

struct BenchCommand {
  std::string what;
  SpecArguments spec;
  std::vector<std::int64_t> lengths = {512, 1024, 4096, 16384};
  int pairs = 0;  // 0: until the ratio is known well enough
  std::optional<std::filesystem::path> out;
  bool json = false;
};

// "Roof: 0.12 TFLOP/s, 2048 x 2048 product in fp32 and copy, measured"
std::string roof_line(const report::Roofs& roofs) {
  return "Roof: " + text::decimal(roofs.tflops, 3) + " TFLOP/s, " + roofs.source.sentence + "\n";
}

std::string bench_text(const report::KernelBench& bench) {
  std::string text;
  if (!bench.points.empty()) {
    text = io::to_markdown(report::kernel_table(bench)) + "\n" + report::kernel_sentence(bench) +
           "\n" + roof_line(bench.reached_roofs());
  }
  if (bench.operators.empty()) return text;
  if (!text.empty()) text += "\n";
  return text + io::to_markdown(report::operator_table(bench)) + "\n" +
         report::operator_sentence(bench) + "\n";
}

// A benchmark as a document, as a table and in words.
struct BenchResult {
  nlohmann::json document;
  io::TextTable table;
  std::string words = {};
};

// Replaces the files of the folder, after every size, so that numbers are kept however the command
// ends. `cut`: there is more to measure.
base::Result<void> write_result(const BenchCommand& command, OutputFolder& folder,
                                BenchResult result, const std::optional<report::CutShort>& cut) {
  result.document["cut_short"] = report::to_json(cut);
  if (cut) result.words += report::cut_short_sentence(*cut).sentence + "\n";
  auto written = write_files(*command.out, {{"bench.json", io::json_text(result.document)},
                                            {"bench.csv", io::to_csv(result.table)},
                                            {"bench.md", result.words}});
  return written ? folder.finish() : written;
}

// The folder of --out, before anything is measured; none without that option.
base::Result<std::optional<OutputFolder>> claim_folder(const BenchCommand& command) {
  return OutputFolder::claim_if(command.out,
                                {"bench.json", "bench.csv", "bench.md", "bench.png", "bench.svg"});
}

base::Result<void> draw_bench(const std::filesystem::path& path, const report::KernelBench& bench) {
  if (bench.points.empty()) return {};
  TS_TRY(auto graphics, Graphics::open(Graphics::Kind::off_screen, 64, 64));
  return save_curve_figure(*graphics, report::kernel_curves(bench), report::kernel_axes(), path,
                           "bench");
}

// The step with PyTorch's kernel in place of ours.
spec::WorkloadSpec theirs_of(spec::WorkloadSpec spec) {
  spec.kernels = spec::Kernels::torch;
  if (spec.backend == spec::AttentionBackend::own) spec.backend = spec::AttentionBackend::flash;
  return spec;
}

using Specs = std::vector<spec::WorkloadSpec>;
using SpecsOf = std::function<Specs(const spec::WorkloadSpec&)>;

// Gives what is measured of the settings `base`. An error: one of it cannot run, or a setting
// changes nothing of it. Setting a default value is no mistake.
base::Result<Specs> measured_specs(const SpecArguments& arguments, const BenchCommand& command,
                                   const spec::GpuCatalogue& gpus, const spec::WorkloadSpec& base,
                                   const SpecsOf& specs_of) {
  Specs specs = specs_of(base);
  for (const spec::WorkloadSpec& spec : specs) {
    if (const auto problems = spec::validate(spec); !problems.empty())
      return tl::unexpected(problems.front());
  }
  for (const std::string& setting : command.spec.settings) {
    SpecArguments others = arguments;
    others.settings.erase(std::ranges::find(others.settings, setting));
    const auto without = spec_from_arguments(others, gpus);
    if (without && *without != base && specs_of(*without) == specs)
      return text::fail("bench_error.unused", {{"what", command.what}, {"setting", setting}});
  }
  return specs;
}

// One size: two specs by turns, how, and its name for the progress.
struct Size {
  spec::WorkloadSpec theirs, ours;
  std::string name;
  std::string instructions = {};  // of our kernel; empty: the fastest
};

// "4 of 18: norm rmsnorm, bf16, forward, 12 pairs; about 50 s left". The sizes that are left are
// taken to last as long as those that are done.
std::string progress_text(std::size_t done, std::size_t all, const std::string& name,
                          double seconds, const run::Comparison& so_far) {
  std::string words = std::to_string(done + 1) + " of " + std::to_string(all) + ": " + name + ", " +
                      std::to_string(so_far.sides[1].timed_steps.size()) + " pairs";
  if (done == 0) return words;
  const double of_one = seconds / static_cast<double>(done);
  return words + "; about " +
         text::duration_ns(1e9 * of_one * static_cast<double>(all - done)).joined() + " left";
}

// How a benchmark keeps its numbers: it takes them size by size, and says which it has so far.
struct Measured {
  std::function<void(std::size_t size, report::KernelPoint point)> take;
  std::function<BenchResult()> result;
  std::function<base::Result<void>()> draw = [] { return base::Result<void>(); };
};

// Times every size in its turn, writes and prints the result; the exit code. Where a size fails or
// the user ends it, the result is that of the sizes before, and the code is 1.
Exit measure_sizes(const BenchCommand& command, Session& session, const std::vector<Size>& sizes,
                   std::optional<OutputFolder>& folder, const Measured& measured) {
  run::Protocol protocol = report::bench_protocol();
  if (command.pairs > 0) take_steps(protocol, command.pairs);
  ProgressLine progress;
  const auto begin = std::chrono::steady_clock::now();
  double seconds = 0;  // that the sizes took that are done
  std::optional<report::CutShort> cut;
  for (std::size_t done = 0; done < sizes.size(); ++done) {
    const Size& size = sizes[done];
    session.use_instructions(size.instructions);
    const auto compared = whole_comparison(
        session, size.theirs, size.ours, protocol, [&](const run::Comparison& so_far) {
          progress.show(progress_text(done, sizes.size(), size.name, seconds, so_far));
        });
    if (!compared) {
      cut = {.done = done, .all = sizes.size(), .reason = compared.error()};
      break;
    }
    measured.take(done, report::kernel_point(**compared));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!folder || done + 1 == sizes.size()) continue;
    const report::CutShort so_far{done + 1, sizes.size(), text::message("bench_error.goes_on")};
    TS_TRY_DONE(or_failed(write_result(command, *folder, measured.result(), so_far)));
  }
  progress.clear();
  if (cut && cut->done == 0) return report(cut->reason, 1);
  BenchResult result = measured.result();
  if (folder) {
    TS_TRY_DONE(or_failed(measured.draw()));
    TS_TRY_DONE(or_failed(write_result(command, *folder, result, cut)));
  }
  if (command.json) {
    result.document["cut_short"] = report::to_json(cut);
    print_json(result.document);
  } else {
    std::printf("%s", result.words.c_str());
  }
  return cut ? report(report::cut_short_sentence(*cut), 1) : 0;
}

// The arguments, where nothing else is said those of our attention's preset.
SpecArguments of_attention(const BenchCommand& command) {
  SpecArguments arguments = command.spec;
  arguments.workload = "attention";
  if (arguments.presets.empty() && !arguments.spec_file) arguments.presets = {"a2-tiled"};
  return arguments;
}

// Tile sizes of our attention by turns with 64 x 64.
Exit bench_tiles(const BenchCommand& command, Session& session) {
  const SpecArguments arguments = of_attention(command);
  TS_TRY(const auto base, spec_from_arguments(arguments, session.gpus()));
  TS_TRY(const auto specs,
         measured_specs(arguments, command, session.gpus(), base, kernel_plan::tile_bench_specs));
  TS_TRY(auto folder, claim_folder(command));
  const Machine machine = read_machine();
  kernel_plan::TileBench bench;
  bench.cache_bytes = std::max<std::int64_t>(0, sysconf(_SC_LEVEL2_CACHE_SIZE));
  bench.threads = base.threads > 0 ? base.threads : machine.cores;
  std::vector<Size> sizes;
  for (const spec::WorkloadSpec& tiles : specs) {
    sizes.push_back(
        {kernel_plan::with_usual_tiles(tiles), tiles,
         "tiles of " + std::to_string(tiles.tile_q) + " x " + std::to_string(tiles.tile_k)});
  }
  Measured measured;
  measured.take = [&](std::size_t, report::KernelPoint point) {
    bench.points.push_back(std::move(point));
  };
  measured.result = [&] {
    BenchResult result{
        .document = kernel_plan::to_json(bench, environment_json(machine, session.engine())),
        .table = kernel_plan::tile_table(bench)};
    result.words = io::to_markdown(result.table) + "\n" + kernel_plan::tile_sentence(bench) + "\n";
    return result;
  };
  return measure_sizes(command, session, sizes, folder, measured);
}

// Our attention with each kind of instructions that this processor has, by turns with PyTorch's
// flash.
Exit bench_stages(const BenchCommand& command, Session& session) {
  SpecArguments arguments = of_attention(command);
  for (const char* usual : {"heads=4", "T=512", "B=1"})
    arguments.settings.insert(arguments.settings.begin(), usual);
  TS_TRY(const auto base, spec_from_arguments(arguments, session.gpus()));
  if (base.device != spec::DeviceKind::cpu) return text::fail("bench_error.stages_device");
  TS_TRY(const auto specs,
         measured_specs(arguments, command, session.gpus(), base, kernel_plan::stage_bench_specs));
  TS_TRY(auto folder, claim_folder(command));
  kernel_plan::StageBench bench;
  TS_TRY(bench.roofs, or_failed(measured_roofs(session, specs.front())));
  std::vector<Size> sizes;
  for (const std::string& stage : kernel_plan::stages_here()) {
    for (const spec::WorkloadSpec& ours : specs) {
      sizes.push_back({theirs_of(ours), ours,
                       kernel_plan::stage_text(stage) + ", " + std::string(to_string(ours.pass)),
                       stage});
    }
  }
  const text::Texts texts = built_in_texts();
  Measured measured;
  measured.take = [&](std::size_t size, report::KernelPoint point) {
    bench.points.push_back({sizes[size].instructions, std::move(point)});
  };
  measured.result = [&] {
    BenchResult result{
        .document = kernel_plan::to_json(bench, environment_json(read_machine(), session.engine())),
        .table = kernel_plan::stage_bench_table(bench, texts)};
    result.words = io::to_markdown(result.table) + "\n" + kernel_plan::stage_bench_sentence(bench) +
                   "\n" + roof_line(bench.reached_roofs());
    return result;
  };
  return measure_sizes(command, session, sizes, folder, measured);
}

// Times our kernels and PyTorch's by turns: attention over the sizes of the benchmark, and the
// operators.
Exit bench_kernels(const BenchCommand& command, Session& session) {
  SpecArguments arguments = command.spec;
  arguments.settings.insert(arguments.settings.begin(), "B=1");
  TS_TRY(const auto base, spec_from_arguments(arguments, session.gpus()));
  const auto specs_of_attention = [&](const spec::WorkloadSpec& from) {
    return command.what == "operators" ? std::vector<spec::WorkloadSpec>()
                                       : report::kernel_bench_specs(from, command.lengths);
  };
  const auto specs_of = [&](const spec::WorkloadSpec& from) {
    auto all = specs_of_attention(from);
    if (command.what == "attention") return all;
    for (spec::WorkloadSpec& one : report::operator_bench_specs(from)) all.push_back(one);
    return all;
  };
  TS_TRY(const auto specs, measured_specs(arguments, command, session.gpus(), base, specs_of));
  const std::size_t of_attention = specs_of_attention(base).size();
  TS_TRY(auto folder, claim_folder(command));
  report::KernelBench bench;
  TS_TRY(bench.roofs, or_failed(measured_roofs(session, specs.front())));
  std::vector<Size> sizes;
  for (const spec::WorkloadSpec& ours : specs)
    sizes.push_back({theirs_of(ours), ours, report::size_text(ours)});
  Measured measured;
  measured.take = [&](std::size_t size, report::KernelPoint point) {
    (size < of_attention ? bench.points : bench.operators).push_back(std::move(point));
  };
  measured.result = [&]() -> BenchResult {
    return {
        .document = report::to_json(bench, environment_json(read_machine(), session.engine())),
        .table = bench.points.empty() ? report::operator_table(bench) : report::kernel_table(bench),
        .words = bench_text(bench)};
  };
  measured.draw = [&] { return draw_bench(*command.out, bench); };
  return measure_sizes(command, session, sizes, folder, measured);
}

Exit run_bench_command(const BenchCommand& command) {
  if (command.what.empty()) return text::fail("bench_error.nothing_asked");
  const InterruptGuard guard;
  Session session(make_engine_loader());
  if (command.what == "tiles") return bench_tiles(command, session);
  if (command.what == "stages") return bench_stages(command, session);
  return bench_kernels(command, session);
}

}  // namespace

ParsedCommand bench_command(CLI::App& app) {
  const auto options = std::make_shared<BenchCommand>();
  app.add_option("what", options->what,
                 "attention: ours against PyTorch's flash; operators: norms, softmax, weighted sum "
                 "and cross entropy, ours against LibTorch's; kernels: both; tiles: tile sizes of "
                 "our attention against 64 x 64; stages: our attention with and without vector "
                 "instructions, against flash")
      ->check(CLI::IsMember({"kernels", "attention", "operators", "tiles", "stages"}));
  add_spec_options(app, options->spec);
  app.add_option("--lengths", options->lengths, "Values of T")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  app.add_option("--pairs", options->pairs,
                 "Pairs of steps, rounded up to even; default: until the ratio is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--out", options->out, "Write bench.json, tables and a figure to this folder");
  add_json(app, options->json);
  return parsed_command(options, run_bench_command);
}

}  // namespace ts::app
