#include <benchmark/benchmark.h>

#include <imgui.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "tests/views/synthetic_run.h"
#include "tests/views/texts_for_tests.h"
#include "views/common/fonts.h"
#include "views/common/imgui_sink.h"
#include "views/memory/memory_chart.h"
#include "views/timeline/timeline_chart.h"

// The cost of one frame of a chart for the UI thread: layout, answers and drawing into a real list
// of a panel of 1600 x 560 pixels. Budget: 2 ms.
namespace ts::views {
namespace {

constexpr Rect kPanel{0, 0, 1600, 560};

// CPU time of this thread: what others on the machine do does not count.
std::int64_t thread_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Runs are made once and kept: ten million slices take seconds to write.
struct Runs {
  base::StringTable strings;
  std::map<std::int64_t, std::unique_ptr<run::Run>> dense;
  std::map<std::int64_t, std::unique_ptr<run::Run>> memory;
};
Runs& runs() {
  static Runs all;
  return all;
}
const run::Run& dense(std::int64_t slices) {
  auto& run = runs().dense[slices];
  if (!run) run = testing::dense_run(runs().strings, static_cast<std::uint64_t>(slices), 1);
  return *run;
}
const run::Run& memory_run(std::int64_t events) {
  auto& run = runs().memory[events];
  if (!run) run = testing::busy_memory_run(runs().strings, static_cast<std::uint32_t>(events), 1);
  return *run;
}

// Dear ImGui with the program's fonts, without a window.
class Frames {
 public:
  Frames() : texts_(testing::program_texts()) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.DisplaySize = {1600, 1200};
    faces_ = fonts_.add_to(*io.Fonts, text::Language::en);
  }
  ~Frames() { ImGui::DestroyContext(); }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  // Times `draw` alone; Dear ImGui's own frame is not counted.
  template <class Draw>
  void frame(benchmark::State& bench, const run::Run& run, const Draw& draw) {
    ImGui::NewFrame();
    now_ += 16'000'000;
    ImGuiSink sink(*ImGui::GetBackgroundDrawList(), faces_, 1);
    ViewContext context{&run,       runs().strings, texts_, theme(ThemeKind::dark),
                        Metrics{1}, state,          now_,   0,
                        {},         &faces_};
    // As in the window: a run that has ended is kept by its session.
    context.memory.owner = std::shared_ptr<const void>(&run, [](const void*) {});
    const std::int64_t begin = thread_ns();
    draw(sink, context);
    const double seconds = static_cast<double>(thread_ns() - begin) * 1e-9;
    bench.SetIterationTime(seconds);
    seconds_.push_back(seconds);
    ImGui::Render();
    for (ImTextureData* texture : *ImGui::GetDrawData()->Textures) {
      texture->SetTexID(static_cast<ImTextureID>(1));
      texture->SetStatus(ImTextureStatus_OK);
    }
    vertices_ = ImGui::GetDrawData()->TotalVtxCount;
  }
  // The cost of one frame in twenty and of the worst one, after the first, which makes everything.
  void report(benchmark::State& bench) {
    bench.counters["vertices"] = vertices_;
    if (seconds_.size() < 2) return;
    std::sort(seconds_.begin() + 1, seconds_.end());
    bench.counters["first_us"] = seconds_.front() * 1e6;
    bench.counters["p95_us"] = seconds_[1 + (seconds_.size() - 2) * 95 / 100] * 1e6;
    bench.counters["worst_us"] = seconds_.back() * 1e6;
  }

  ViewState state;

 private:
  text::Texts texts_;
  Fonts fonts_;
  Fonts::Faces faces_;
  std::int64_t now_ = 1'000'000'000;
  int vertices_ = 0;
  std::vector<double> seconds_;
};

ChartInput mouse_at(float x, float y, std::int64_t now) {
  ChartInput input;
  input.hovered = true;
  input.mouse = {x, y};
  input.seconds = 0.016F;
  input.now_ns = now;
  return input;
}

template <class Chart>
void one(Frames& frames, benchmark::State& bench, Chart& chart, const run::Run& run, float wheel) {
  frames.frame(bench, run, [&](ImGuiSink& sink, ViewContext& context) {
    chart.lay_out(sink, kPanel, context);
    ChartInput input = mouse_at(900, 250, context.now_ns);
    input.wheel = wheel;
    chart.update(input, context);
    chart.draw(sink, context);
  });
}

// Nothing moves: answers of queries are kept.
template <class Chart>
void still(benchmark::State& bench, const run::Run& run) {
  Frames frames;
  Chart chart;
  for (auto _ : bench) one(frames, bench, chart, run, 0);
  frames.report(bench);
}

// Zooms in and out without a pause: every frame asks anew.
template <class Chart>
void zooming(benchmark::State& bench, const run::Run& run) {
  Frames frames;
  Chart chart;
  int step = 0;
  for (auto _ : bench) {
    const bool in = step++ / 40 % 2 == 0;
    one(frames, bench, chart, run, in ? 0.5F : -0.5F);
  }
  frames.report(bench);
}

void timeline_still(benchmark::State& bench) {
  still<TimelineChart>(bench, dense(bench.range(0)));
}
void timeline_zooming(benchmark::State& bench) {
  zooming<TimelineChart>(bench, dense(bench.range(0)));
}
void timeline_searching(benchmark::State& bench) {
  Frames frames;
  frames.state.search = "op_17";
  TimelineChart chart;
  int step = 0;
  for (auto _ : bench) one(frames, bench, chart, dense(bench.range(0)), step++ % 2 ? 1 : -1);
  frames.report(bench);
}
void memory_still(benchmark::State& bench) {
  still<MemoryChart>(bench, memory_run(bench.range(0)));
}
void memory_zooming(benchmark::State& bench) {
  zooming<MemoryChart>(bench, memory_run(bench.range(0)));
}

// A file whose log nothing changes any more, so that its layout is made beside the frame: time and
// bytes are zoomed by turns, without a pause.
void opened_memory_zooming(benchmark::State& bench) {
  const run::Run& run = memory_run(bench.range(0));
  const std::shared_ptr<const void> owner(&run, [](const void*) {});
  Frames frames;
  MemoryChart chart;
  int step = 0;
  std::size_t pictures = 0;
  frames.state.block_colors = BlockColors::allocation;
  for (auto _ : bench) {
    frames.frame(bench, run, [&](ImGuiSink& sink, ViewContext& context) {
      context.memory.kind = MemorySource::Kind::opened;
      context.memory.log = &run.memory;
      context.memory.id = run.id;
      context.memory.owner = owner;
      chart.lay_out(sink, kPanel, context);
      ChartInput input = mouse_at(700, 350, context.now_ns);
      input.wheel = step / 40 % 2 == 0 ? 0.5F : -0.5F;
      input.ctrl = step / 80 % 2 == 0;
      ++step;
      chart.update(input, context);
      chart.draw(sink, context);
    });
    pictures += chart.moving() ? 0 : 1;
  }
  bench.counters["exact_frames"] = static_cast<double>(pictures);
  bench.counters["blocks"] = static_cast<double>(run.memory.blocks().size());
  frames.report(bench);
}

BENCHMARK(timeline_still)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(timeline_zooming)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(timeline_searching)->Arg(1'000'000)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(memory_still)->Arg(10'000)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(memory_zooming)
    ->Arg(10'000)
    ->Arg(100'000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(opened_memory_zooming)
    ->Arg(100'000)
    ->Arg(2'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ts::views

BENCHMARK_MAIN();
