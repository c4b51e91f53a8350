#include "app/confirm_run.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/io/file.h"

namespace ts::app {
namespace {

// Removed with the scope.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              ("tensorscope-confirm-" + std::to_string(getpid()) + ".json")) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

base::Result<ConfirmedRun> confirm_in_fresh_process(const run::WorkloadSpec& spec) {
  const TemporaryFile file;
  if (auto written = io::write_file(file.path(), run::to_json(spec).dump()); !written) {
    return tl::unexpected(written.error());
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return base::fail("The program does not find itself: " + error.message());
  const std::string command = quoted(program.string()) + " run --json --steps 2 --spec " +
                              quoted(file.path().string()) + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return base::fail("No process can be started to confirm the edge");
  std::string out;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) {
    out.append(buffer, got);
  }
  const auto json = nlohmann::json::parse(out, nullptr, false);
  try {
    const auto verdict = json.at("verdict").get<std::string>();
    if (verdict != "ok" && verdict != "oom") {
      return base::fail("The run that was to confirm the edge ended as " + verdict);
    }
    return ConfirmedRun{verdict == "ok",
                        json.at("memory").at("peak_allocated").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    return base::fail("The run that was to confirm the edge ended without a result");
  }
}

}  // namespace ts::app
