#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/command_line.h"
#include "app/commands/progress_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/output/environment.h"
#include "app/output/output_folder.h"
#include "app/pictures/curve_picture.h"
#include "app/session/engine_loader.h"
#include "app/session/session.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/report/kernel_bench.h"
#include "core/run/compare.h"

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

// The roof of the machine, which comes with a run.
base::Result<report::Roofs> measured_roofs(Session& session, const spec::WorkloadSpec& spec) {
  session.want_roof();
  run_to_end(session, spec, {.max_warmup_s = 0, .max_samples = 10, .budget_s = 0},
             [](const run::Run&) {});
  if (session.run() == nullptr) return tl::unexpected(base::Error(session.engine_problem()));
  if (session.roof_of(spec) == nullptr) return tl::unexpected(base::Error(session.run()->failure));
  return report::roofs_of_run(*session.run());
}

base::Result<void> write_bench(const std::filesystem::path& path, const report::KernelBench& bench,
                               const nlohmann::json& document) {
  const auto folder =
      OutputFolder::claim(path, {"bench.json", "bench.csv", "bench.md", "bench.png", "bench.svg"});
  if (!folder) return tl::unexpected(folder.error());
  const io::TextTable table = report::kernel_table(bench);
  for (const auto& [name, content] :
       {std::pair<const char*, std::string>{"bench.json", io::json_text(document)},
        {"bench.csv", io::to_csv(table)},
        {"bench.md", io::to_markdown(table) + "\n" + report::kernel_sentence(bench) + "\n"}}) {
    if (auto written = io::write_file(path / name, content); !written) return written;
  }
  auto graphics = Graphics::open(Graphics::Kind::off_screen, 64, 64);
  if (!graphics) return tl::unexpected(graphics.error());
  if (auto drawn = save_curve_figure(**graphics, report::kernel_curves(bench),
                                     report::kernel_axes(), path, "bench");
      !drawn) {
    return drawn;
  }
  return folder->finish();
}

// Times our attention and PyTorch's flash by turns over the sizes of the benchmark.
int bench_kernels(const BenchCommand& command) {
  Session session(make_engine_loader());
  SpecArguments arguments = command.spec;
  arguments.settings.insert(arguments.settings.begin(), "B=1");
  const auto base = spec_from_arguments(arguments, session.gpus());
  if (!base) return report(base.error().sentence, 2);
  const auto specs = report::kernel_bench_specs(*base, command.lengths);
  for (const spec::WorkloadSpec& spec : specs) {
    if (const auto problems = spec::validate(spec); !problems.empty()) {
      return report(problems.front().sentence, 2);
    }
  }
  report::KernelBench bench;
  const auto roofs = measured_roofs(session, specs.front());
  if (!roofs) return report(roofs.error().sentence, 1);
  bench.roofs = *roofs;
  run::Protocol protocol = run::comparison_protocol();
  if (command.pairs > 0) {
    protocol.min_samples = protocol.max_samples = command.pairs;
    protocol.hard_budget_s = 1e9;
  }
  ProgressLine progress;
  for (const spec::WorkloadSpec& ours : specs) {
    progress.show(std::to_string(bench.points.size()) + " of " + std::to_string(specs.size()) +
                  " sizes");
    spec::WorkloadSpec theirs = ours;
    theirs.backend = spec::AttentionBackend::flash;
    compare_to_end(session, theirs, ours, protocol, [](const run::Comparison&) {});
    if (session.comparison() == nullptr) return report(session.comparison_problem(), 1);
    if (const auto& failure = session.comparison()->failure) {
      return report(failure->sentence, 1);
    }
    bench.points.push_back(report::kernel_point(*session.comparison()));
  }
  progress.clear();
  const nlohmann::json document =
      report::to_json(bench, environment_json(read_machine(), session.engine()));
  if (command.out) {
    if (const auto written = write_bench(*command.out, bench, document); !written) {
      return report(written.error().sentence, 1);
    }
  }
  if (command.json) {
    print_json(document);
  } else {
    std::printf("%s\n%s\n", io::to_markdown(report::kernel_table(bench)).c_str(),
                report::kernel_sentence(bench).c_str());
  }
  return 0;
}

}  // namespace

ParsedCommand bench_command(CLI::App& app) {
  const auto options = std::make_shared<BenchCommand>();
  app.add_option("what", options->what, "kernels: our attention against PyTorch's flash")
      ->required()
      ->check(CLI::IsMember({"kernels"}));
  add_spec_options(app, options->spec);
  app.add_option("--lengths", options->lengths, "Values of T")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  app.add_option("--pairs", options->pairs,
                 "Pairs of steps, rounded up to even; default: until the ratio is sure")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--out", options->out, "Write bench.json, tables and a figure to this folder");
  app.add_flag("--json", options->json, "Print one JSON document on standard output");
  return parsed_command(options, bench_kernels);
}

}  // namespace ts::app
