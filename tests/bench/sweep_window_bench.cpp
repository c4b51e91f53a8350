// Whether a window that shows a sweep changes what the sweep measures, and what a frame costs
// meanwhile: the same sweep by turns with the window and without, medians point by point.
//   tests/gui/with_display.sh build/release/bench/sweep_window_bench [ROUNDS]
// The workload takes one thread, so that a second core has room for the window; without a GPU the
// window's picture is made by processor threads, too (LP_NUM_THREADS bounds them).
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "app/session/engine_loader.h"
#include "app/window/window.h"
#include "core/stats/quantiles.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

sweep::SweepSpec measured_sweep() {
  sweep::SweepSpec spec;
  spec.base.heads = 4;
  spec.base.threads = 1;
  spec.axes = {*sweep::parse_axis("T=64:512:x2")};
  spec.series = {*sweep::parse_series("backend=naive,flash")};
  spec.protocol.budget_s = 0.5;
  return spec;
}

double thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

std::vector<double> medians_of(const sweep::Sweep& sweep) {
  std::vector<double> all;
  for (const sweep::SweepPoint& point : sweep.points()) {
    all.push_back(point.measurement.step.median_ms);
  }
  return all;
}

template <class Work>
void until_done(const SweepSession& sweeps, const Work& work) {
  while (sweeps.sweep() == nullptr || !sweeps.sweep()->finished() || !sweeps.idle()) work();
}

std::vector<double> without_window(const std::filesystem::path& folder) {
  Session session(make_engine_loader(), make_dry_runner_loader());
  SweepSession sweeps(folder);
  while (session.engine() == nullptr) session.update();
  sweeps.start(session, measured_sweep());
  until_done(sweeps, [&] {
    session.update();
    sweeps.update();
    std::this_thread::sleep_for(2ms);
  });
  return medians_of(*sweeps.sweep());
}

std::vector<double> with_window(const std::filesystem::path& folder, std::vector<double>& frames) {
  auto window = Window::open({make_engine_loader(), make_dry_runner_loader(), folder, folder});
  if (!window) {
    std::fprintf(stderr, "%s\n", window.error().sentence.c_str());
    std::exit(1);
  }
  while ((*window)->session().engine() == nullptr) (*window)->frame();
  (*window)->state().page = Page::sweep;
  SweepSession& sweeps = *(*window)->state().sweeps;
  sweeps.start((*window)->session(), measured_sweep());
  until_done(sweeps, [&] {
    const double before = thread_cpu_ms();
    (*window)->frame();
    frames.push_back(thread_cpu_ms() - before);
    std::this_thread::sleep_for(std::chrono::duration<double>((*window)->seconds_between_frames()));
  });
  return medians_of(*sweeps.sweep());
}

int compare(int rounds) {
  const io::testing::TemporaryFolder folder;
  std::vector<double> frames;
  std::vector<std::vector<double>> ratios;
  for (int round = 0; round < rounds; ++round) {
    // Who goes first takes turns: drift of the machine hits both.
    const bool window_first = round % 2 == 0;
    std::vector<double> alone;
    if (!window_first) alone = without_window(folder.path());
    const auto shown = with_window(folder.path(), frames);
    if (window_first) alone = without_window(folder.path());
    ratios.resize(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) ratios[i].push_back(shown[i] / alone[i]);
    std::fprintf(stderr, "round %d of %d\n", round + 1, rounds);
  }
  std::vector<double> all;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    all.insert(all.end(), ratios[i].begin(), ratios[i].end());
    std::sort(ratios[i].begin(), ratios[i].end());
    std::printf("point %zu: with the window %.3f times as long (%.3f to %.3f)\n", i,
                stats::quantile_sorted(ratios[i], 0.5), ratios[i].front(), ratios[i].back());
  }
  const auto ratio = stats::summarise(all);
  std::printf("all points: median ratio %.3f", ratio->median);
  if (ratio->ci95) {
    std::printf(" [%.3f, %.3f]", ratio->ci95->low, ratio->ci95->high);
  }
  std::sort(frames.begin(), frames.end());
  std::printf("\n%zu frames: CPU of the main thread median %.2f ms, p95 %.2f ms, p99 %.2f ms\n",
              frames.size(), stats::quantile_sorted(frames, 0.5),
              stats::quantile_sorted(frames, 0.95), stats::quantile_sorted(frames, 0.99));
  return 0;
}

}  // namespace
}  // namespace ts::app

int main(int count, char** arguments) {
  constexpr int kRounds = 6;
  return ts::app::compare(count > 1 ? std::max(1, std::atoi(arguments[1])) : kRounds);
}
