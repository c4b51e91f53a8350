#include "core/sweep/sweep_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"
#include "core/spec/presets.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

base::Result<void> apply(const std::vector<std::string>& settings, spec::WorkloadSpec& spec) {
  for (const std::string& setting : settings) {
    TS_TRY_DONE(spec::set_setting(spec, setting));
  }
  return {};
}

base::Result<SweepPreset> read_preset(const nlohmann::json& json) {
  SweepPreset preset;
  try {
    preset.id = json.at("id").get<std::string>();
    preset.source = json.at("source").get<std::string>();
    spec::WorkloadSpec spec;
    TS_TRY_DONE(spec::set_field(spec, "workload", json.at("workload").get<std::string>()));
    preset.workload = spec.workload;
    preset.preset = json.at("preset").get<std::string>();
    preset.settings = json.at("set").get<std::vector<std::string>>();
    preset.on_cuda = json.at("on_cuda").get<std::vector<std::string>>();
    preset.axes = json.at("axes").get<std::vector<std::string>>();
    preset.series = json.at("series").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    return base::fail(error.what());
  }
  for (const spec::DeviceKind device : {spec::DeviceKind::cpu, spec::DeviceKind::cuda}) {
    spec::WorkloadSpec machine;
    machine.device = device;
    TS_TRY_DONE(sweep_of_preset(preset, machine));
  }
  return preset;
}

}  // namespace

base::Result<SweepPresets> SweepPresets::parse(std::string_view text) {
  const auto json = io::parse_json(text);
  if (!json || !json->is_array()) {
    return base::fail("The presets of sweeps are not a JSON array");
  }
  SweepPresets presets;
  for (const nlohmann::json& one : *json) {
    auto preset = read_preset(one);
    if (!preset) {
      const bool named = one.is_object() && one.contains("id") && one.at("id").is_string();
      return base::fail(fmt::format(
          "Preset {} of the sweeps: {}",
          named ? one.at("id").get<std::string>() : std::to_string(presets.all_.size() + 1),
          preset.error().sentence));
    }
    if (presets.find(preset->id) != nullptr) {
      return base::fail(fmt::format("Preset {} of the sweeps is there twice", preset->id));
    }
    presets.all_.push_back(std::move(*preset));
  }
  return presets;
}

const SweepPreset* SweepPresets::find(std::string_view id) const {
  const auto found = std::ranges::find(all_, id, &SweepPreset::id);
  return found == all_.end() ? nullptr : &*found;
}

std::string text_of(const SweepPreset& preset) {
  std::string words = to_string(preset.workload);
  for (const auto* list : {&preset.axes, &preset.series}) {
    for (const std::string& one : *list) words += ", " + one;
  }
  return words;
}

base::Result<spec::WorkloadSpec> exercise_settings(const SweepPreset& preset,
                                                   const spec::WorkloadSpec& machine) {
  spec::WorkloadSpec settings;
  settings.device = machine.device;
  settings.device_index = machine.device_index;
  settings.seed = machine.seed;
  settings.target_gpu = machine.target_gpu;
  settings.memory_limit = machine.memory_limit;
  const spec::Preset* const shape = spec::find_preset(preset.workload, preset.preset);
  if (shape == nullptr) {
    return base::fail(
        fmt::format("There is no preset \"{}\" for {}", preset.preset, to_string(preset.workload)));
  }
  spec::apply_preset(*shape, settings);
  TS_TRY_DONE(apply(preset.settings, settings));
  if (machine.device == spec::DeviceKind::cuda) {
    TS_TRY_DONE(apply(preset.on_cuda, settings));
  }
  return settings;
}

base::Result<SweepSpec> sweep_over(const SweepPreset& preset, const spec::WorkloadSpec& base) {
  if (base.workload != preset.workload) {
    return text::fail("sweep_error.other_workload",
                      {{"preset", preset.id}, {"workload", to_string(preset.workload)}});
  }
  SweepSpec sweep;
  sweep.base = base;
  for (const std::string& text : preset.axes) {
    TS_TRY(auto axis, parse_axis(text));
    sweep.axes.push_back(std::move(axis));
  }
  for (const std::string& text : preset.series) {
    TS_TRY(auto series, parse_series(text));
    sweep.series.push_back(std::move(series));
  }
  TS_TRY_DONE(check(sweep));
  return sweep;
}

base::Result<SweepSpec> sweep_of_preset(const SweepPreset& preset,
                                        const spec::WorkloadSpec& machine) {
  TS_TRY(const auto settings, exercise_settings(preset, machine));
  return sweep_over(preset, settings);
}

}  // namespace ts::sweep
