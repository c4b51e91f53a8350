#include "app/session/engine_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/environment.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

constexpr const char* kEngineFile = "libtensorscope_kernels.so";

// Why no engine of a wheel can work with the torch of the Python that started the program
// (python/tensorscope/_program.py says both); empty if there is one for it.
std::optional<base::Message> other_torch() {
  const std::string built = engine_minors();
  if (built.empty() || !base::environment_variable("TENSORSCOPE_TORCH").empty())
    return std::nullopt;
  const std::string here = base::environment_variable("TENSORSCOPE_TORCH_HERE");
  if (here.empty()) return text::message("engine.no_torch", {{"version", built}});
  return text::message("engine.other_torch", {{"built", built}, {"here", here}});
}

// Opens the library and creates one object with its function named `symbol`.
template <class Made>
base::Result<std::unique_ptr<Made>> load(const char* symbol) {
  if (auto problem = other_torch()) return tl::unexpected(std::move(*problem));
  const std::filesystem::path path = engine_file();
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) {
    return text::fail("engine.not_there", {{"file", kEngineFile}});
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return text::fail("engine.not_loaded", {{"reason", reason != nullptr ? reason : "?"}});
  }
  const auto version =
      reinterpret_cast<run::EngineVersionFunction>(dlsym(library, run::kEngineVersionSymbol));
  const auto create = reinterpret_cast<Made* (*)()>(dlsym(library, symbol));
  if (version == nullptr || create == nullptr || version() != run::kEngineInterfaceVersion) {
    return text::fail("engine.other_version", {{"file", kEngineFile}});
  }
  std::unique_ptr<Made> made(create());
  if (made == nullptr) return text::fail("engine.no_libtorch");
  return made;
}

}  // namespace

std::filesystem::path engine_folder() {
  const std::string named = base::environment_variable("TENSORSCOPE_ENGINE_DIR");
  return named.empty() ? program_folder() : std::filesystem::path(named);
}

std::filesystem::path engine_file() {
  const std::filesystem::path folder = engine_folder();
  if (folder.empty()) return {};
  // Without such a variable an empty name, which adds nothing.
  return folder / base::environment_variable("TENSORSCOPE_TORCH") / kEngineFile;
}

std::string engine_minors() {
  return base::environment_variable("TENSORSCOPE_TORCH_BUILT");
}

std::filesystem::path program_path() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

std::filesystem::path program_folder() {
  return program_path().parent_path();
}

bool has_cuda(const run::EngineInfo& engine) {
  return std::ranges::any_of(engine.devices, [](const run::DeviceInfo& device) {
    return device.kind == spec::DeviceKind::cuda && device.unavailable.empty();
  });
}

run::EngineLoader make_engine_loader() {
  return [] { return load<run::Engine>(run::kEngineCreateSymbol); };
}

predict::DryRunnerLoader make_dry_runner_loader() {
  return [] { return load<predict::DryRunner>(predict::kDryRunnerCreateSymbol); };
}

}  // namespace ts::app
