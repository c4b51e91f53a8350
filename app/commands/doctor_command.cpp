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

// The state of a thing that the program can use.
struct Found {
  Health health;
  std::string what;
  std::string advice = {};  // what to do when it is not ok; empty when ok
};

struct Finding {
  std::string id;     // "cpu", "libtorch", ...; stable, for scripts
  std::string title;  // "LibTorch"
  Found found;
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

Found processor(const Machine& machine) {
  std::string found = machine.cpu + ", " + std::to_string(machine.cores) + " logical processors";
  if (!machine.vector.empty()) found += ", " + machine.vector;
  if (machine.vector.find("AVX2") != std::string::npos) return {Health::ok, found};
  return {Health::limited, found, "LibTorch is several times slower without AVX2"};
}

Found memory(const Machine& machine) {
  const std::string found = text::bytes(machine.ram_bytes).joined();
  if (machine.ram_bytes >= (std::int64_t{3} << 30)) return {Health::ok, found};
  return {Health::limited, found, "Less than 3 GiB: only small workloads will run"};
}

using Loaded = decltype(make_engine_loader()());

Found engine(const Loaded& loaded) {
  if (!loaded) return {Health::missing, "not usable", loaded.error().sentence};
  const run::EngineInfo& info = (*loaded)->info();
  std::string found = info.torch_version + ", " + std::to_string(info.threads) + " threads";
  if (const std::string minors = engine_minors(); !minors.empty())
    found += "; there are engines for torch " + minors;
  return {Health::ok, found};
}

Found compiling(const Loaded& loaded) {
  if (!loaded) return {Health::missing, "no LibTorch"};
  const std::string& reason = (*loaded)->info().not_compiled.sentence;
  if (reason.empty()) return {Health::ok, "Inductor, by Python and g++"};
  return {Health::limited, "not here", reason};
}

// The Python that runs a script's file, and whether its torch is one that the recorder fits.
Found python() {
  const std::filesystem::path path = own_python();
  const auto found = examine_python(path, {});
  const std::string words = path.string() + (found ? ", " + *found : "");
  if (found && found->find("torch none") == std::string::npos) return {Health::ok, words};
  return {Health::limited, words,
          (found ? "It has no torch" : found.error().sentence) +
              "; name another one: tensorscope run --model FILE.py --python PATH, or "
              "TENSORSCOPE_PYTHON"};
}

Found gpu(const Machine& machine) {
  const Probe driver = probe_cuda_driver();
  if (driver.works) return {Health::ok, driver.found};
  if (machine.nvidia_driver.empty()) {
    return {Health::missing, driver.found,
            "Nothing to do: workloads run on the processor, with a GPU's capacity as their limit"};
  }
  return {Health::limited, "driver " + machine.nvidia_driver + ", " + driver.found,
          machine.wsl ? "Update the Windows driver; WSL takes it from there"
                      : "Check nvidia-smi; the driver is loaded but CUDA does not start"};
}

Found cupti(const Machine& machine, const Loaded& loaded) {
  const Probe probe = probe_cupti();
  if (loaded) {
    for (const run::DeviceInfo& device : (*loaded)->info().devices) {
      if (device.not_recorded.empty()) continue;
      return {Health::limited, device.not_recorded.sentence,
              "Runs are measured, but their kernels are missing in the timeline. Close other "
              "profilers; in a container or WSL, ask for the rights to profile"};
    }
  }
  if (probe.works) return {Health::ok, probe.found};
  return {machine.nvidia_driver.empty() ? Health::limited : Health::missing, probe.found,
          "Run third_party/setup.sh again; CUPTI 13.0.1 or newer comes with it"};
}

// Checks the clock of all measurements against a sleep of known length: one to warm up, then three.
Found timer() {
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
  if (off >= 0 && off < 1e6) return {Health::ok, found};
  return {Health::limited, found,
          "More than 1 ms off: the machine is busy or sleeps coarsely; expect wide intervals"};
}

// `otherwise`, with that advice, where the probe fails.
Found tried(const Probe& probe, Health otherwise, const char* advice) {
  if (probe.works) return {Health::ok, probe.found};
  return {otherwise, probe.found, advice};
}

Found fonts() {
  const FontProbe probe = probe_fonts();
  if (probe.missing.empty()) return {Health::ok, probe.found};
  return {Health::limited, probe.found + "; missing: " + probe.missing,
          "apt-get install fonts-inter fonts-jetbrains-mono fonts-noto-cjk"};
}

std::vector<Finding> examine_machine() {
  const Machine machine = read_machine();
  // Before LibTorch has threads and has started CUDA.
  const Found clock = timer(), card = gpu(machine);
  const Loaded loaded = make_engine_loader()();
  return {{"system", "System", {Health::ok, machine.system + ", " + machine.kernel}},
          {"cpu", "Processor", processor(machine)},
          {"ram", "Memory", memory(machine)},
          {"timer", "Timer", clock},
          {"gpu", "NVIDIA GPU", card},
          {"cupti", "CUPTI", cupti(machine, loaded)},
          {"libtorch", "LibTorch", engine(loaded)},
          {"compiling", "Compiled steps", compiling(loaded)},
          {"python", "Python of your own files", python()},
          {"display", "Display",
           tried(probe_display(), Health::limited,
                 "No window here; run, shot and doctor work without one")},
          {"pictures", "Pictures without a display",
           tried(probe_software_gl(), Health::missing, "apt-get install libosmesa6")},
          {"fonts", "Fonts", fonts()}};
}

nlohmann::json to_json(const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    list.push_back(
        {{"id", finding.id},
         {"title", finding.title},
         {"status", to_string(finding.found.health)},
         {"found", finding.found.what},
         {"advice",
          finding.found.advice.empty() ? nlohmann::json() : nlohmann::json(finding.found.advice)}});
  }
  return {{"findings", list}};
}

// Returns 0 when everything the program needs is there (a missing GPU or display is not a fault), 1
// when workloads cannot run.
int print_doctor(const DoctorCommand& command) {
  const std::vector<Finding> findings = examine_machine();
  bool can_run = true;
  for (const Finding& finding : findings) {
    if (finding.id == "libtorch" && finding.found.health == Health::missing) can_run = false;
  }
  if (command.json) {
    print_json(to_json(findings));
    return can_run ? 0 : 1;
  }
  for (const Finding& finding : findings) {
    std::printf("%-8s %-27s %s\n", to_string(finding.found.health), finding.title.c_str(),
                finding.found.what.c_str());
    if (!finding.found.advice.empty()) std::printf("%-36s %s\n", "", finding.found.advice.c_str());
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
