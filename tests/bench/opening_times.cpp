// opening_times FILE...: for each file how long it takes until its beginning, and until all of it
// could be drawn, and the most memory that the process held. By itself for each file: the most
// memory only grows.
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/base/clock.h"
#include "core/files/opened_file.h"

namespace {

double ms_since(std::int64_t begin_ns) {
  return static_cast<double>(ts::base::now_ns() - begin_ns) * 1e-6;
}

bool open(const char* path) {
  const std::int64_t begin = ts::base::now_ns();
  double beginning_ms = 0;
  std::unique_ptr<ts::files::OpenedFile> beginning;  // held as long as the window holds it
  const auto opened =
      ts::files::open_file(path, {.beginning = [&](std::unique_ptr<ts::files::OpenedFile> file) {
                             beginning_ms = ms_since(begin);
                             beginning = std::move(file);
                           }});
  const double all_ms = ms_since(begin);
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().sentence.c_str());
    return false;
  }
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  std::printf("%s: %.0f MB, beginning %.0f ms, all %.0f ms, CPU %.2f s, peak %.0f MB\n", path,
              static_cast<double>(std::filesystem::file_size(path)) * 1e-6, beginning_ms, all_ms,
              seconds(usage.ru_utime) + seconds(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) * 1.024e-3);
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "opening_times FILE...\n");
    return 2;
  }
  for (int i = 1; i < count; ++i)
    if (!open(arguments[i])) return 1;
  return 0;
}
