#include "app/output/environment.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/io/file.h"

namespace ts::app {
namespace {

std::string vector_instructions() {
  const std::string flags = " " + io::line_value("/proc/cpuinfo", "flags", ':') + " ";
  std::string found;
  for (const auto& [flag, name] : {std::pair{" avx2 ", "AVX2"},
                                   {" avx512f ", "AVX-512"},
                                   {" avx512_bf16 ", "AVX-512 BF16"},
                                   {" amx_bf16 ", "AMX BF16"}}) {
    if (flags.find(flag) != std::string::npos)
      found += (found.empty() ? "" : ", ") + std::string(name);
  }
  return found;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return CPU_COUNT(&set);
}

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return {};
  // "NVRM version: NVIDIA UNIX ... Module  580.65.06  ...": the first word of digits and dots.
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return "unknown version";
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace

Machine read_machine() {
  Machine machine;
  machine.system = io::line_value("/etc/os-release", "PRETTY_NAME", '=');
  utsname names{};
  if (uname(&names) == 0) {
    machine.kernel = std::string(names.sysname) + " " + names.release;
    machine.wsl = machine.kernel.find("icrosoft") != std::string::npos;
  }
  machine.cpu = io::line_value("/proc/cpuinfo", "model name", ':');
  machine.cores = usable_cores();
  machine.vector = vector_instructions();
  machine.ram_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  machine.nvidia_driver = driver_version();
  return machine;
}

nlohmann::json environment_json(const Machine& machine, const run::EngineInfo* engine) {
  nlohmann::json json = {
      {"program", "tensorscope " TENSORSCOPE_VERSION},
      {"date_utc", utc_now()},
      {"system", machine.system},
      {"kernel", machine.kernel},
      {"wsl", machine.wsl},
      {"cpu", machine.cpu},
      {"cores", machine.cores},
      {"vector_instructions", machine.vector},
      {"ram_bytes", machine.ram_bytes},
      {"nvidia_driver", nullptr},
      {"libtorch", nullptr},
  };
  if (!machine.nvidia_driver.empty()) json["nvidia_driver"] = machine.nvidia_driver;
  if (engine != nullptr) {
    json["libtorch"] = {
        {"version", engine->torch_version}, {"build", engine->build}, {"threads", engine->threads}};
  }
  return json;
}

}  // namespace ts::app
