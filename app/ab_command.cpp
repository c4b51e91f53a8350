#include "app/ab_command.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/catalogue.h"
#include "app/engine_loader.h"
#include "app/environment.h"
#include "app/interrupt.h"
#include "app/report.h"
#include "app/spec_arguments.h"
#include "core/base/clock.h"
#include "core/io/text_table.h"
#include "core/run/compare.h"
#include "core/run/memory_limit.h"
#include "core/run/step_summary.h"
#include "core/run/workload_math.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

std::string in_ms(double ms) {
  return ms < 0 ? "\xe2\x80\x93" : text::duration_ns(ms * 1e6).joined();
}

std::vector<std::string> row_of(const char* title, const run::Comparison& comparison,
                                const stats::PairedRatio& ratio,
                                std::int64_t run::StepTimes::*part) {
  std::vector<std::string> row{title};
  for (const run::ComparedSide& side : comparison.sides) {
    const run::TimingSummary summary = run::summarise_steps(side.timed_steps, part);
    std::string words = in_ms(summary.median_ms);
    if (summary.std_ms >= 0) {
      words += ", mean " + in_ms(summary.mean_ms) + " \xc2\xb1 " + in_ms(summary.std_ms);
    }
    row.push_back(std::move(words));
  }
  std::string words = text::decimal(ratio.median, 3);
  if (ratio.ci95) {
    words += " (" + text::decimal(ratio.ci95->low, 3) + " to " +
             text::decimal(ratio.ci95->high, 3) + ")";
  }
  row.push_back(ratio.pairs > 0 ? words : "\xe2\x80\x93");
  return row;
}

void print_comparison(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec)) {
    std::printf("%s: A %s, B %s\n", one.key.c_str(), one.a.c_str(), one.b.c_str());
  }
  io::TextTable table;
  table.columns = {"", "A, median", "B, median", "B / A (95 % CI)"};
  table.right = {false, true, true, true};
  table.rows.push_back(row_of("step", comparison, comparison.total, &run::StepTimes::total_ns));
  if (comparison.forward.pairs > 0 && comparison.backward.pairs > 0) {
    table.rows.push_back(
        row_of("forward", comparison, comparison.forward, &run::StepTimes::forward_ns));
    table.rows.push_back(
        row_of("backward", comparison, comparison.backward, &run::StepTimes::backward_ns));
  }
  if (comparison.optimizer.pairs > 0) {
    table.rows.push_back(
        row_of("optimizer", comparison, comparison.optimizer, &run::StepTimes::optimizer_ns));
  }
  table.rows.push_back(
      {"peak allocated", text::bytes(a.peak).joined(), text::bytes(b.peak).joined(),
       a.peak > 0 ? text::decimal(static_cast<double>(b.peak) / static_cast<double>(a.peak), 3)
                  : "\xe2\x80\x93"});
  std::printf("%s\n%s\n", io::to_markdown(table).c_str(),
              run::comparison_sentence(comparison).c_str());
  for (int i = 0; i < 2; ++i) {
    if (comparison.sides[static_cast<std::size_t>(i)].warmup_stable) continue;
    std::printf("The warm-up of %s did not settle: take its figures with care\n",
                i == 0 ? "A" : "B");
  }
}

std::int64_t limit_of(const run::WorkloadSpec& spec, const run::GpuCatalogue& gpus,
                      const run::EngineInfo& engine) {
  const run::Gpu* const card = gpus.find(spec.target_gpu);
  std::int64_t device_bytes = 0;
  for (const run::DeviceInfo& device : engine.devices) {
    if (device.kind == spec.device && device.index == spec.device_index) {
      device_bytes = device.memory_bytes;
    }
  }
  return run::memory_limit(spec, card != nullptr ? card->memory_bytes : 0, device_bytes).bytes;
}

}  // namespace

int compare_workloads(const AbCommand& command) {
  const InterruptGuard guard;
  const run::GpuCatalogue gpus = built_in_gpus();
  const auto a = spec_from_arguments(command.spec, gpus);
  if (!a) return report(a.error().sentence, 2);
  const auto b = changed_spec(*a, command.changes, "--with", gpus);
  if (!b) return report(b.error().sentence, 2);

  auto engine = make_engine_loader()();
  if (!engine) return report(engine.error().sentence, 1);
  std::array<run::ComparedSide, 2> sides;
  sides[0].spec = *a;
  sides[1].spec = *b;
  for (run::ComparedSide& side : sides) {
    side.limit = limit_of(side.spec, gpus, (*engine)->info());
  }
  run::Protocol protocol;
  protocol.budget_s = 10;
  if (command.pairs > 0) {
    protocol.min_samples = protocol.max_samples = command.pairs;
    protocol.hard_budget_s = 1e9;
  }
  const base::CancelToken cancel;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto progress = [&](int pairs, double seconds) {
    if (InterruptGuard::interrupted()) cancel.cancel();
    if (terminal) std::fprintf(stderr, "\r\033[K%d pairs, %.0f s", pairs, seconds);
  };
  const run::Comparison comparison =
      run::compare(sides, protocol, {**engine, cancel, base::now_ns, progress});
  if (terminal) std::fputs("\r\033[K", stderr);
  if (command.json) {
    const auto environment = environment_json(read_machine(), &(*engine)->info());
    std::printf("%s\n", run::to_json(comparison, protocol, environment).dump(2).c_str());
  } else {
    print_comparison(comparison);
  }
  return comparison.failure ? 1 : 0;
}

}  // namespace ts::app
