// Needs a display, or Xvfb: tests/gui/with_display.sh build/release/bench/window_bench
#include <benchmark/benchmark.h>

#include <filesystem>

#include "app/window.h"
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

}  // namespace
}  // namespace ts::app

BENCHMARK_MAIN();
