#include "app/own_file/own_python.h"

#include <unistd.h>

#include <chrono>
#include <system_error>

#include "app/session/engine_loader.h"
#include "app/session/preferences.h"
#include "core/base/environment.h"
#include "core/io/file.h"
#include "core/io/private_folder.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChoice = "python.txt";
// The current folder, which -c puts first, gives way to the package.
constexpr const char* kStart =
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); "
    "runpy.run_module('tensorscope', run_name='__main__', alter_sys=True)";

fs::path remembered() {
  const auto folder = preferences_folder();
  if (!folder) return {};
  const auto text = io::read_file(*folder / kChoice);
  if (!text) return {};
  return text->substr(0, text->find('\n'));
}

// A name without a folder is left to the search in PATH.
bool can_start(const fs::path& python) {
  if (python.empty()) return false;
  return !python.has_parent_path() || access(python.c_str(), X_OK) == 0;
}

// The folder of the package: of the library and the program in a wheel, else in the tree that built
// them.
fs::path package_parent() {
  std::error_code ignored;
  for (const fs::path& folder : {engine_folder(), program_folder()}) {
    for (const fs::path& parent :
         {folder.parent_path(), folder.parent_path().parent_path() / "python"})
      if (fs::exists(parent / "tensorscope" / "__main__.py", ignored)) return parent;
  }
  return program_folder();
}

}  // namespace

fs::path own_python() {
  if (fs::path named = base::environment_variable("TENSORSCOPE_PYTHON"); !named.empty())
    return named;
  if (fs::path chosen = remembered(); can_start(chosen)) return chosen;
  const fs::path made = TENSORSCOPE_TORCH_PYTHON;
  return can_start(made) ? made : "python3";
}

base::Result<void> remember_python(const fs::path& python) {
  TS_TRY(const auto folder, preferences_folder());
  if (auto made = io::make_folder(folder); !made) return made;
  return io::write_file(folder / kChoice, python.string() + "\n");
}

io::ChildCommand own_python_command(const fs::path& python, const std::vector<std::string>& words) {
  io::ChildCommand command;
  command.words = {python.string(), "-c", kStart, package_parent().string()};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment = {{"PYTHONUNBUFFERED", "1"},
                         {"TENSORSCOPE_ENGINE_DIR", engine_folder().string()}};
  return command;
}

base::Result<std::string> examine_python(const fs::path& python, const base::CancelToken& cancel) {
  TS_TRY(auto folder, io::PrivateFolder::make(fs::temp_directory_path(), "tensorscope-"));
  io::ChildCommand command = own_python_command(python, {"own"});
  command.log = folder.path() / "log";
  command.limit = std::chrono::seconds(60);
  TS_TRY(const auto code, io::run_child(command, cancel));
  std::string line = io::last_line(command.log);
  if (code != 0) {
    return text::fail("own_file.python", {{"python", python.string()}, {"reason", line}});
  }
  return line;
}

}  // namespace ts::app
