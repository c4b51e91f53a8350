// Needs a display, or Xvfb: tests/gui/with_display.sh build/release/bench/window_bench
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "app/session/engine_loader.h"
#include "app/window/window.h"
#include "core/spec/presets.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

// No engine: what is measured is the window.
run::EngineLoader no_engine() {
  return [] { return base::fail("no engine is needed here"); };
}

// From nothing to the first frame on screen: display, context, fonts, one frame.
void first_frame(benchmark::State& state) {
  const io::testing::TemporaryFolder folder;
  Preferences preferences = default_preferences();
  preferences.language = static_cast<text::Language>(state.range(0));
  if (!save_preferences(folder.path(), preferences)) return state.SkipWithError("cannot save");
  for (auto _ : state) {
    auto window = Window::open({no_engine(), {}, folder.path(), folder.path()});
    if (!window) return state.SkipWithError(window.error().sentence.c_str());
    (*window)->frame();
    state.SetIterationTime(static_cast<double>((*window)->first_frame_ns()) * 1e-9);
  }
}
BENCHMARK(first_frame)
    ->DenseRange(0, text::kLanguageCount - 1)
    ->ArgName("language")
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

// A frame of the whole window before anything has run: what an idle redraw costs.
void empty_frame(benchmark::State& state) {
  const io::testing::TemporaryFolder folder;
  auto window = Window::open({no_engine(), {}, folder.path(), folder.path()});
  if (!window) return state.SkipWithError(window.error().sentence.c_str());
  for (int i = 0; i < 10; ++i) (*window)->frame();
  for (auto _ : state) (*window)->frame();
}
BENCHMARK(empty_frame)->UseRealTime()->Unit(benchmark::kMillisecond);

enum class Drag {
  steady,  // through the values and back, one a frame
  erratic  // to any of them in every frame, so that none can be foreseen
};

// A slider is dragged over `values`. Time: our own work until the
// draw lists are made, the wait for the prediction with it and the software rasteriser without:
// its threads go on after the buffers were swapped, so the next frame begins only when they have
// had time to end. same_frame: frames that showed the prediction of their own settings.
// dry_run_ms: median of the dry run in it.
void dragging(benchmark::State& state, const char* preset, spec::Field field, Drag drag,
              const std::vector<std::int64_t>& values) {
  using Clock = std::chrono::steady_clock;
  const io::testing::TemporaryFolder folder;
  Preferences preferences = default_preferences();
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::lm, preset), preferences.spec);
  preferences.spec.pass = spec::Pass::full_step;
  if (!save_preferences(folder.path(), preferences)) return state.SkipWithError("cannot save");
  auto opened =
      Window::open({make_engine_loader(), make_dry_runner_loader(), folder.path(), folder.path()});
  if (!opened) return state.SkipWithError(opened.error().sentence.c_str());
  Window& window = **opened;
  const auto loaded_by = Clock::now() + std::chrono::seconds(60);
  const auto settled = [&] {
    const predict::Outlook* outlook = window.session().predictions().outlook();
    return outlook != nullptr && outlook->complete;
  };
  while (!settled()) {
    window.frame();
    if (Clock::now() > loaded_by) return state.SkipWithError("no prediction came");
  }
  constexpr std::chrono::milliseconds kRasterises{40};
  std::vector<std::int64_t> took;
  std::vector<std::int64_t> dry_runs;
  std::int64_t same_frame = 0;
  std::size_t turn = 0;
  for (auto _ : state) {
    spec::WorkloadSpec spec = window.state().history.spec();
    const std::size_t there = turn++ % (2 * values.size() - 2);
    std::size_t stop = there < values.size() ? there : 2 * values.size() - 2 - there;
    // A full period, and never the neighbour: 25 values in strides of 11 and 14.
    if (drag == Drag::erratic) stop = 11 * turn % values.size();
    spec.*(field == spec::Field::T ? &spec::WorkloadSpec::seq_len : &spec::WorkloadSpec::batch) =
        values[stop];
    window.state().history.preview(spec);
    window.frame();
    took.push_back(window.own_work_ns());
    const predict::Outlook* outlook = window.session().predictions().outlook();
    same_frame += outlook != nullptr && outlook->spec == spec ? 1 : 0;
    if (outlook != nullptr && outlook->target != nullptr)
      dry_runs.push_back(outlook->target->run.duration_ns);
    state.SetIterationTime(static_cast<double>(window.own_work_ns()) * 1e-9);
    std::this_thread::sleep_for(kRasterises);
  }
  std::sort(took.begin(), took.end());
  std::sort(dry_runs.begin(), dry_runs.end());
  const auto quantile = [&](double part) {
    const auto at = static_cast<std::size_t>(part * static_cast<double>(took.size() - 1));
    return static_cast<double>(took[at]) * 1e-6;
  };
  state.counters["p50_ms"] = quantile(0.5);
  state.counters["p95_ms"] = quantile(0.95);
  state.counters["max_ms"] = quantile(1);
  if (!dry_runs.empty())
    state.counters["dry_run_ms"] = static_cast<double>(dry_runs[dry_runs.size() / 2]) * 1e-6;
  state.counters["same_frame_%"] =
      100 * static_cast<double>(same_frame) / static_cast<double>(took.size());
}
const std::vector<std::int64_t> kLengths = {128, 144, 160, 176, 192, 208, 224, 240, 256,
                                            288, 320, 352, 384, 416, 448, 480, 512, 576,
                                            640, 704, 768, 832, 896, 960, 1024};
BENCHMARK_CAPTURE(dragging, T_of_2_7B, "2.7B", spec::Field::T, Drag::steady, kLengths)
    ->UseManualTime()
    ->Iterations(300)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dragging, T_of_2_7B_erratic, "2.7B", spec::Field::T, Drag::erratic, kLengths)
    ->UseManualTime()
    ->Iterations(300)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dragging, B_of_small, "small", spec::Field::B, Drag::steady,
                  {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    ->UseManualTime()
    ->Iterations(300)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ts::app

BENCHMARK_MAIN();
