#include "app/ranks/confirm_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

// The specification for the other process: a file in memory, without a name that somebody else
// could have taken before. Child processes inherit it.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content) : number_(memfd_create("specification", 0)) {
    std::size_t done = 0;
    while (number_ >= 0 && done < content.size()) {
      const ssize_t written = ::write(number_, content.data() + done, content.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    complete_ = number_ >= 0 && done == content.size();
  }
  ~MemoryFile() {
    if (number_ >= 0) ::close(number_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_ = -1;
  bool complete_ = false;
};

}  // namespace

base::Result<ConfirmedRun> confirm_in_fresh_process(const spec::WorkloadSpec& spec) {
  const MemoryFile file(to_json(spec).dump());
  if (!file.complete()) return base::fail("There is no memory for the run that confirms the edge");
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return base::fail("The program does not find itself: " + error.message());
  const std::string command = text::shell_quoted(program.string()) +
                              " run --json --steps 2 --spec " + file.path() + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return base::fail("No process can be started to confirm the edge");
  std::string out;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe.get())) > 0;) {
    out.append(buffer, got);
  }
  const auto json = io::parse_json(out);
  if (!json) return base::fail("The run that was to confirm the edge ended without a result");
  try {
    const auto verdict = json->at("verdict").get<std::string>();
    if (verdict != "ok" && verdict != "oom") {
      return base::fail("The run that was to confirm the edge ended as " + verdict);
    }
    return ConfirmedRun{verdict == "ok",
                        json->at("memory").at("peak_allocated").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    return base::fail("The run that was to confirm the edge ended without a result");
  }
}

}  // namespace ts::app
