#include "kernels/compiled/package_maker.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/io/child_process.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/text/message.h"
#include "kernels/compiled/package_store.h"
#include "kernels/compiled/scripts.h"
#include "kernels/observe/torch_version.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;

std::string python() {
  const std::string named = base::environment_variable("TENSORSCOPE_PYTHON");
  return named.empty() ? TENSORSCOPE_TORCH_PYTHON : named;
}

bool in_path(const std::string& program) {
  std::istringstream folders(base::environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

base::Message why_no_compiler() {
  const std::string program = python();
  const bool found = program.find('/') == std::string::npos ? in_path(program)
                                                            : access(program.c_str(), X_OK) == 0;
  if (!found) {
    return text::message("engine.no_python", {{"version", torch_minor()}});
  }
  if (!in_path("g++") && base::environment_variable("CXX").empty()) {
    return text::message("engine.no_compiler");
  }
  return {};
}

base::Result<fs::path> make_package(const PackageRequest& request, const fs::path& work,
                                    const base::CancelToken& cancel) {
  if (auto reason = why_no_compiler(); !reason.empty())
    return tl::unexpected<base::Error>(std::move(reason));
  auto json = io::parse_json(request.json);
  if (!json) return text::fail("package_error.request", {text::argument("reason", json.error())});
  fs::path made = work / "package";
  TS_TRY_DONE(io::make_folder(made));
  std::error_code ignored;
  fs::permissions(made, fs::perms::owner_all, ignored);
  const fs::path package = package_file(made);
  (*json)["package"] = package.string();
  (*json)["scripts"] = work.string();
  const fs::path maker = work / "make_package.py";
  const fs::path asked = work / "request.json";
  const std::string text = json->dump();
  for (const auto& [path, content] :
       {std::pair{maker, maker_script()}, std::pair{work / "models.py", models_script()},
        std::pair{asked, std::string_view(text)}}) {
    TS_TRY_DONE(io::write_file(path, content));
  }
  io::ChildCommand command;
  // Isolated (-I): neither the current folder nor the user's own packages are searched. The script
  // reads the absolute folders of PYTHONPATH itself, because torch is there.
  command.words = {python(), "-I", maker.string(), asked.string()};
  // Inductor's own cache is deleted with the folder. Inductor itself starts another Python.
  command.environment = {{"TORCHINDUCTOR_CACHE_DIR", (work / "inductor").string()},
                         {"TMPDIR", work.string()},
                         {"PYTHONSAFEPATH", "1"},
                         {"PYTHONNOUSERSITE", "1"}};
  command.log = work / "log";
  const std::int64_t begin = base::now_ns();
  TS_TRY(const auto code, io::run_child(command, cancel));
  if (code != 0) return text::fail("engine.inductor", {{"reason", io::last_line(command.log)}});
  fs::permissions(package, fs::perms::owner_read | fs::perms::owner_write, ignored);
  const double seconds = static_cast<double>(base::now_ns() - begin) * 1e-9;
  TS_TRY_DONE(note_package(made, seconds));
  return made;
}

}  // namespace ts::kernels
