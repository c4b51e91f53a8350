// live_window_bench COMMAND...: how late a window shows what a script does. Opens the window,
// starts the command, which records with --live, and prints for all batches that came the time from
// their oldest record to its place in the window's store. Needs a display, or Xvfb
// (tests/gui/with_display.sh).
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/window/window.h"
#include "core/io/child_process.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

void print(const files::LiveFile& live, std::int64_t longest_frame_ns) {
  std::vector<std::int64_t> delays = live.delays();
  std::ranges::sort(delays);
  const auto ms = [&](double part) {
    const auto at = static_cast<std::size_t>(part * static_cast<double>(delays.size() - 1));
    return static_cast<double>(delays[at]) * 1e-6;
  };
  const run::Run& run = live.opened()->trace->run;
  std::printf("%zu steps, %zu batches, %llu slices, %zu memory events, %llu records lost\n",
              run.recorded_steps.size(), delays.size(),
              static_cast<unsigned long long>(run.trace.slice_count()), run.memory.events().size(),
              static_cast<unsigned long long>(run.dropped));
  if (delays.empty()) return;
  std::printf(
      "delay of a batch's oldest record: median %.0f ms, p95 %.0f ms, p99 %.0f ms, most %.0f ms\n",
      ms(0.5), ms(0.95), ms(0.99), ms(1));
  std::printf("longest frame %.1f ms\n", static_cast<double>(longest_frame_ns) * 1e-6);
}

int show(std::vector<std::string> command) {
  const io::testing::TemporaryFolder folder;
  const auto no_engine = [] { return base::fail("no engine is needed here"); };
  auto opened = Window::open({no_engine, {}, folder.path(), folder.path()});
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().sentence.c_str());
    return 1;
  }
  Window& window = **opened;
  for (int i = 0; i < 10; ++i) window.frame();
  pid_t script = 0;
  const io::SpawnArguments words(std::move(command));
  if (::posix_spawnp(&script, words.data()[0], nullptr, nullptr, words.data(), environ) != 0)
    return 1;
  std::shared_ptr<files::LiveFile> live;
  std::int64_t longest_ns = 0;
  window.after_frame = [&] {
    const auto& entries = window.session().files().entries();
    if (live == nullptr && !entries.empty()) live = entries[0].live;
    if (live != nullptr && live->grows()) longest_ns = std::max(longest_ns, window.own_work_ns());
    int status = 0;
    const bool whole = live != nullptr && live->complete();
    if (whole || (live == nullptr && ::waitpid(script, &status, WNOHANG) == script))
      std::raise(SIGINT);
  };
  const int code = window.run();
  if (live == nullptr) {
    std::fputs("the command showed nothing\n", stderr);
    return 1;
  }
  print(*live, longest_ns);
  ::waitpid(script, nullptr, 0);
  return code;
}

}  // namespace
}  // namespace ts::app

int main(int count, char** words) {
  return ts::app::show({words + 1, words + count});
}
