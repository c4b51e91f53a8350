#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/environment.h"
#include "app/own_file/own_python.h"
#include "app/session/engine_loader.h"
#include "app/session/machine_probes.h"
#include "core/base/clock.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

struct DoctorCommand {
  bool json = false;
};

enum class Health : std::uint8_t { ok, limited, missing };

// One thing the program can use on this machine.
struct Finding {
  std::string id;     // "cpu", "libtorch", ...; stable, for scripts
  std::string title;  // "LibTorch"
  Health health = Health::ok;
  std::string found;        // what is there
  std::string advice = {};  // what to do when it is not ok; empty when ok
};

const char* to_string(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::limited:
      return "limited";
    case Health::missing:
      return "missing";
  }
  return "";
}

Finding processor(const Machine& machine) {
  std::string found = machine.cpu + ", " + std::to_string(machine.cores) + " logical processors";
  if (!machine.vector.empty()) found += ", " + machine.vector;
  const bool avx2 = machine.vector.find("AVX2") != std::string::npos;
  return {.id = "cpu",
          .title = "Processor",
          .health = avx2 ? Health::ok : Health::limited,
          .found = found,
          .advice = avx2 ? "" : "LibTorch is several times slower without AVX2"};
}

Finding memory(const Machine& machine) {
  const std::string found = text::bytes(machine.ram_bytes).joined();
  const bool enough = machine.ram_bytes >= (std::int64_t{3} << 30);
  return {.id = "ram",
          .title = "Memory",
          .health = enough ? Health::ok : Health::limited,
          .found = found,
          .advice = enough ? "" : "Less than 3 GiB: only small workloads will run"};
}

using Loaded = decltype(make_engine_loader()());

Finding engine(const Loaded& loaded) {
  if (!loaded) {
    return {.id = "libtorch",
            .title = "LibTorch",
            .health = Health::missing,
            .found = "not usable",
            .advice = loaded.error().sentence};
  }
  const run::EngineInfo& info = (*loaded)->info();
  std::string found = info.torch_version + ", " + std::to_string(info.threads) + " threads";
  if (const std::string minors = engine_minors(); !minors.empty())
    found += "; there are engines for torch " + minors;
  return {.id = "libtorch", .title = "LibTorch", .found = found};
}

Finding compiling(const Loaded& loaded) {
  if (!loaded)
    return {.id = "compiling",
            .title = "Compiled steps",
            .health = Health::missing,
            .found = "no LibTorch"};
  const std::string& reason = (*loaded)->info().not_compiled.sentence;
  if (reason.empty()) {
    return {.id = "compiling", .title = "Compiled steps", .found = "Inductor, by Python and g++"};
  }
  return {.id = "compiling",
          .title = "Compiled steps",
          .health = Health::limited,
          .found = "not here",
          .advice = reason};
}

// The Python that runs a script's file, and whether its torch is one that the recorder fits.
Finding python() {
  const std::filesystem::path path = own_python();
  const auto found = examine_python(path, {});
  const bool usable = found && found->find("torch none") == std::string::npos;
  const std::string problem = found ? "It has no torch" : found.error().sentence;
  return {.id = "python",
          .title = "Python of your own files",
          .health = usable ? Health::ok : Health::limited,
          .found = path.string() + (found ? ", " + *found : ""),
          .advice = usable ? ""
                           : problem +
                                 "; name another one: tensorscope run --model FILE.py --python "
                                 "PATH, or TENSORSCOPE_PYTHON"};
}

Finding gpu(const Machine& machine) {
  const Probe driver = probe_cuda_driver();
  if (driver.works) return {.id = "gpu", .title = "NVIDIA GPU", .found = driver.found};
  if (machine.nvidia_driver.empty()) {
    return {
        .id = "gpu",
        .title = "NVIDIA GPU",
        .health = Health::missing,
        .found = driver.found,
        .advice =
            "Nothing to do: workloads run on the processor, with a GPU's capacity as their limit"};
  }
  return {.id = "gpu",
          .title = "NVIDIA GPU",
          .health = Health::limited,
          .found = "driver " + machine.nvidia_driver + ", " + driver.found,
          .advice = machine.wsl ? "Update the Windows driver; WSL takes it from there"
                                : "Check nvidia-smi; the driver is loaded but CUDA does not start"};
}

Finding cupti(const Machine& machine, const Loaded& loaded) {
  const Probe probe = probe_cupti();
  if (loaded) {
    for (const run::DeviceInfo& device : (*loaded)->info().devices) {
      if (device.not_recorded.empty()) continue;
      return {.id = "cupti",
              .title = "CUPTI",
              .health = Health::limited,
              .found = device.not_recorded.sentence,
              .advice =
                  "Runs are measured, but their kernels are missing in the timeline. Close other "
                  "profilers; in a container or WSL, ask for the rights to profile"};
    }
  }
  if (probe.works) return {.id = "cupti", .title = "CUPTI", .found = probe.found};
  return {.id = "cupti",
          .title = "CUPTI",
          .health = machine.nvidia_driver.empty() ? Health::limited : Health::missing,
          .found = probe.found,
          .advice = "Run third_party/setup.sh again; CUPTI 13.0.1 or newer comes with it"};
}

// Checks the clock of all measurements against a sleep of known length: one to warm up, then three.
Finding timer() {
  constexpr std::int64_t kSleep = 50'000'000;
  std::vector<double> took;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = base::now_ns();
    std::this_thread::sleep_for(std::chrono::nanoseconds(kSleep));
    if (i > 0) took.push_back(static_cast<double>(base::now_ns() - begin));
  }
  std::ranges::sort(took);
  const double off = took[1] - static_cast<double>(kSleep);
  const std::string found =
      "a sleep of 50 ms took " + text::decimal(took[1] * 1e-6, 3) + " ms, the median of three";
  if (off >= 0 && off < 1e6) return {.id = "timer", .title = "Timer", .found = found};
  return {.id = "timer",
          .title = "Timer",
          .health = Health::limited,
          .found = found,
          .advice =
              "More than 1 ms off: the machine is busy or sleeps coarsely; expect wide intervals"};
}

Finding display() {
  const Probe probe = probe_display();
  return {.id = "display",
          .title = "Display",
          .health = probe.works ? Health::ok : Health::limited,
          .found = probe.found,
          .advice = probe.works ? "" : "No window here; run, shot and doctor work without one"};
}

Finding pictures() {
  const Probe probe = probe_software_gl();
  return {.id = "pictures",
          .title = "Pictures without a display",
          .health = probe.works ? Health::ok : Health::missing,
          .found = probe.found,
          .advice = probe.works ? "" : "apt-get install libosmesa6"};
}

Finding fonts() {
  const FontProbe probe = probe_fonts();
  if (probe.missing.empty()) return {.id = "fonts", .title = "Fonts", .found = probe.found};
  return {.id = "fonts",
          .title = "Fonts",
          .health = Health::limited,
          .found = probe.found + "; missing: " + probe.missing,
          .advice = "apt-get install fonts-inter fonts-jetbrains-mono fonts-noto-cjk"};
}

std::vector<Finding> examine_machine() {
  const Machine machine = read_machine();
  std::vector<Finding> findings;
  findings.push_back(
      {.id = "system", .title = "System", .found = machine.system + ", " + machine.kernel});
  findings.push_back(processor(machine));
  findings.push_back(memory(machine));
  findings.push_back(timer());
  findings.push_back(gpu(machine));
  const Loaded loaded = make_engine_loader()();
  findings.push_back(cupti(machine, loaded));
  findings.push_back(engine(loaded));
  findings.push_back(compiling(loaded));
  findings.push_back(python());
  findings.push_back(display());
  findings.push_back(pictures());
  findings.push_back(fonts());
  return findings;
}

nlohmann::json to_json(const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    list.push_back(
        {{"id", finding.id},
         {"title", finding.title},
         {"status", to_string(finding.health)},
         {"found", finding.found},
         {"advice", finding.advice.empty() ? nlohmann::json() : nlohmann::json(finding.advice)}});
  }
  return {{"findings", list}};
}

// Returns 0 when everything the program needs is there (a missing GPU or display is not a fault), 1
// when workloads cannot run.
int print_doctor(const DoctorCommand& command) {
  const std::vector<Finding> findings = examine_machine();
  bool can_run = true;
  for (const Finding& finding : findings) {
    if (finding.id == "libtorch" && finding.health == Health::missing) can_run = false;
  }
  if (command.json) {
    print_json(to_json(findings));
    return can_run ? 0 : 1;
  }
  for (const Finding& finding : findings) {
    std::printf("%-8s %-27s %s\n", to_string(finding.health), finding.title.c_str(),
                finding.found.c_str());
    if (!finding.advice.empty()) std::printf("%-36s %s\n", "", finding.advice.c_str());
  }
  return can_run ? 0 : 1;
}

}  // namespace

ParsedCommand doctor_command(CLI::App& app) {
  const auto options = std::make_shared<DoctorCommand>();
  add_json(app, options->json);
  return parsed_command(options, print_doctor);
}

}  // namespace ts::app
