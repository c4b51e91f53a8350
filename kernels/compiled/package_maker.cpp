#include "kernels/compiled/package_maker.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/clock.h"
#include "core/io/child_process.h"
#include "core/io/file.h"
#include "kernels/compiled/package_store.h"
#include "kernels/compiled/scripts.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string python() {
  const std::string named = variable("TENSORSCOPE_PYTHON");
  return named.empty() ? TENSORSCOPE_TORCH_PYTHON : named;
}

bool in_path(const std::string& program) {
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// A folder that goes with its scope.
class WorkFolder {
 public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {
    std::error_code ignored;
    fs::create_directories(path_, ignored);
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What a failed Python says last is what was wrong.
std::string last_line(const fs::path& log) {
  const auto text = io::read_file(log);
  if (!text) return "it said nothing";
  std::istringstream lines(*text);
  std::string last = "it said nothing";
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last;
}

}  // namespace

std::string why_no_compiler() {
  const std::string program = python();
  const bool found = program.find('/') == std::string::npos ? in_path(program)
                                                            : access(program.c_str(), X_OK) == 0;
  if (!found) {
    return "Compiling a step needs Python 3.11 with torch 2.11: third_party/setup.sh sets it up "
           "where Python 3.11 is installed, or name one with TENSORSCOPE_PYTHON";
  }
  if (!in_path("g++") && variable("CXX").empty()) {
    return "Compiling a step needs the compiler g++, which is not installed";
  }
  return {};
}

base::Result<void> make_package(const PackageRequest& request, const fs::path& package,
                                const base::CancelToken& cancel) {
  if (std::string reason = why_no_compiler(); !reason.empty()) return base::fail(std::move(reason));
  const WorkFolder work(package.string() + "." + std::to_string(getpid()));
  auto json = nlohmann::json::parse(request.json);
  // PyTorch wants the ending.
  const fs::path made = work.path() / "made.pt2";
  json["package"] = made.string();
  json["scripts"] = work.path().string();
  const fs::path maker = work.path() / "make_package.py";
  const fs::path asked = work.path() / "request.json";
  const auto texts = {std::pair{maker, maker_script()},
                      std::pair{work.path() / "models.py", models_script()}};
  for (const auto& [path, text] : texts) {
    if (auto written = io::write_file(path, text); !written) return written;
  }
  if (auto written = io::write_file(asked, json.dump()); !written) return written;
  io::ChildCommand command;
  command.words = {python(), maker.string(), asked.string()};
  // Inductor's own cache goes with the folder.
  command.environment = {{"TORCHINDUCTOR_CACHE_DIR", (work.path() / "inductor").string()},
                         {"TMPDIR", work.path().string()}};
  command.log = work.path() / "log";
  const std::int64_t begin = base::now_ns();
  const auto code = io::run_child(command, cancel);
  if (!code) return tl::unexpected(code.error());
  if (*code != 0)
    return base::fail("Inductor did not compile this step: " + last_line(command.log));
  std::error_code error;
  fs::rename(made, package, error);
  if (error) return base::fail("Cannot keep " + package.string() + ": " + error.message());
  return note_seconds_to_make(package, static_cast<double>(base::now_ns() - begin) * 1e-9);
}

}  // namespace ts::kernels
