// event_dump SPECS.json FOLDER: makes each specification of the list, runs two steps on the CPU and
// the same without data, and writes every allocator event of both as FOLDER/0.json, FOLDER/1.json,
// ..., for tests/kernels/own_model_events.py. A specification that cannot run or be predicted has
// the sentence as "error".
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

constexpr int kSteps = 2;

nlohmann::json events_of(const memory::AllocationLog& log, const base::StringTable& strings) {
  nlohmann::json list = nlohmann::json::array();
  for (const SeenEvent& event : without_explained(seen_events(log, strings))) {
    if (event.size == 0) continue;
    list.push_back({{"bytes", event.alloc ? event.size : -event.size},
                    {"op", event.op},
                    {"module", event.module},
                    {"phase", base::phase_name(event.phase)},
                    {"step", event.step}});
  }
  return list;
}

nlohmann::json compared(const spec::WorkloadSpec& spec) {
  RealRun real(1U << 18);
  if (const std::string error = try_for_real(spec, kSteps, real); !error.empty()) {
    return {{"error", "run: " + error}};
  }
  base::StringTable strings;
  predict::DryRunOptions options;
  options.steps = kSteps;
  options.rules = spec::DeviceKind::cpu;
  const auto dry = dry_runner().dry_run(spec, options, strings, {});
  nlohmann::json made = {{"measured", events_of(real.recorded.memory, real.recorded.strings)},
                         {"measured_peak", real.peak}};
  if (!dry) {
    made["error"] = "dry run: " + dry.error().sentence;
    return made;
  }
  made["predicted"] = events_of(dry->log, strings);
  made["predicted_peak"] = dry->log.peak_bytes();
  made["explained"] = explained_bytes(dry->log, strings);
  made["parameters"] = dry->parameters;
  made["dry_run_ms"] = static_cast<double>(dry->duration_ns) * 1e-6;
  return made;
}

}  // namespace
}  // namespace ts::kernels

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: event_dump SPECS.json FOLDER\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::filesystem::path folder = argv[2];
  std::filesystem::create_directories(folder);
  std::size_t count = 0;
  for (const nlohmann::json& json : nlohmann::json::parse(file)) {
    const auto spec = ts::spec::spec_from_json(json);
    std::ofstream out(folder / (std::to_string(count++) + ".json"));
    out << (spec ? ts::kernels::compared(*spec) : nlohmann::json{{"error", spec.error().sentence}});
  }
}
