#include "app/session/machine_probes.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <filesystem>

#include "app/session/engine_loader.h"
#include "core/base/environment.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

// Opens the first library of the list that loads. It stays open: probes are few and short-lived.
void* open_first(std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string version_of(int number) {  // 13000 -> "13.0"
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

Probe probe_cuda_driver() {
  void* library = open_first({"libcuda.so.1"});
  if (library == nullptr) return {false, "no NVIDIA driver (libcuda.so.1)"};
  const auto init = symbol<int (*)(unsigned)>(library, "cuInit");
  const auto count = symbol<int (*)(int*)>(library, "cuDeviceGetCount");
  const auto name = symbol<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  const auto memory = symbol<int (*)(std::size_t*, int)>(library, "cuDeviceTotalMem_v2");
  const auto version = symbol<int (*)(int*)>(library, "cuDriverGetVersion");
  if (init == nullptr || count == nullptr || name == nullptr || memory == nullptr ||
      version == nullptr) {
    return {false, "libcuda.so.1 is not NVIDIA's driver library"};
  }
  if (const int error = init(0); error != 0) {
    return {false, "the CUDA driver does not start (error " + std::to_string(error) + ")"};
  }
  int devices = 0;
  if (count(&devices) != 0 || devices == 0) return {false, "no CUDA device"};
  std::array<char, 128> text{};
  std::size_t bytes = 0;
  int driver = 0;
  name(text.data(), static_cast<int>(text.size()) - 1, 0);
  memory(&bytes, 0);
  version(&driver);
  std::string found = std::string(text.data()) + ", " +
                      text::bytes(static_cast<std::int64_t>(bytes)).joined() + ", driver API " +
                      version_of(driver);
  if (devices > 1) found += ", and " + std::to_string(devices - 1) + " more";
  return {true, found};
}

std::vector<std::string> cuda_card_names() {
  std::vector<std::string> names;
  if (!probe_cuda_driver().works) return names;
  void* const library = open_first({"libcuda.so.1"});
  int devices = 0;
  symbol<int (*)(int*)>(library, "cuDeviceGetCount")(&devices);
  const auto name = symbol<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  for (int device = 0; device < devices; ++device) {
    std::array<char, 128> text{};
    if (name(text.data(), static_cast<int>(text.size()) - 1, device) == 0)
      names.emplace_back(text.data());
  }
  return names;
}

Probe probe_cupti() {
  void* library = open_first({"libcupti.so.13", "libcupti.so"});
  if (library == nullptr) {
    // LibTorch has its own; the engine finds it by its run path, the program need not find it.
    library = dlopen(engine_file().c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) library = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
  }
  if (library == nullptr) return {false, "libcupti.so.13 not found"};
  // Without a driver's library CUPTI 13.2 calls itself without end when it is asked.
  if (open_first({"libcuda.so.1"}) == nullptr)
    return {true, "found; without a driver it does not tell its version"};
  const auto version = symbol<int (*)(std::uint32_t*)>(library, "cuptiGetVersion");
  std::uint32_t number = 0;
  if (version == nullptr || version(&number) != 0) return {false, "libcupti does not answer"};
  // 13.0.0 crashes when threads are named through NVTX; 13.0.1 is the first usable one.
  if (number < 130001) return {false, "CUPTI " + std::to_string(number) + " is older than 13.0.1"};
  return {true, "API version " + std::to_string(number)};
}

Probe probe_display() {
  const std::string name = base::environment_variable("DISPLAY");
  if (name.empty()) return {false, "DISPLAY is not set"};
  void* library = open_first({"libX11.so.6"});
  if (library == nullptr) return {false, "libX11.so.6 not found"};
  const auto open = symbol<void* (*)(const char*)>(library, "XOpenDisplay");
  const auto close = symbol<int (*)(void*)>(library, "XCloseDisplay");
  if (open == nullptr || close == nullptr) return {false, "libX11.so.6 is not usable"};
  void* display = open(nullptr);
  if (display == nullptr) return {false, std::string("no X server answers at ") + name};
  close(display);
  if (open_first({"libGL.so.1"}) == nullptr) return {false, "libGL.so.1 not found"};
  return {true, std::string("X at ") + name};
}

Probe probe_software_gl() {
  void* library = open_first({"libOSMesa.so.8", "libOSMesa.so.6"});
  if (library == nullptr) return {false, "libOSMesa.so.8 not found"};
  return {true, "OSMesa"};
}

FontProbe probe_fonts() {
  FontProbe probe;
  const auto look = [&probe](const char* family, const char* path) {
    std::error_code ignored;
    std::string& list = std::filesystem::exists(path, ignored) ? probe.found : probe.missing;
    list += (list.empty() ? "" : ", ") + std::string(family);
  };
  look("Inter", "/usr/share/fonts/opentype/inter/Inter-Regular.otf");
  look("JetBrains Mono", "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf");
  look("Noto Sans CJK", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc");
  return probe;
}

}  // namespace ts::app
