#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/sweep/sweep_spec.h"

namespace ts::sweep {

// A sweep of the course, as in assets/sweeps.json: the presets of tensorscope sweep --preset and of
// the sweep page. Its title is sweep.preset.<id> of the locale files.
struct SweepPreset {
  std::string id;      // "lab6"; stable; no workload has a preset of that name
  std::string source;  // the exercises it comes from: "LAB-6, LAB-7"
  spec::WorkloadKind workload = spec::WorkloadKind::attention;
  std::string preset;                 // of the workload: the initial shape
  std::vector<std::string> settings;  // "pass=forward+backward", as for --set
  std::vector<std::string> on_cuda;   // added if the device is cuda: types that are slow on a CPU
  std::vector<std::string> axes;      // as for --axis
  std::vector<std::string> series;    // as for --series
};

class SweepPresets {
 public:
  // Errors name the preset and its problem; every preset can be run.
  static base::Result<SweepPresets> parse(std::string_view json);
  [[nodiscard]] std::span<const SweepPreset> all() const { return all_; }
  [[nodiscard]] const SweepPreset* find(std::string_view id) const;  // nullptr: no such preset

 private:
  std::vector<SweepPreset> all_;
};

// "attention, T=256:2048:x2, backend=naive,flash".
std::string text_of(const SweepPreset& preset);

// The settings of its exercise; device, seed, target card and memory limit come from `machine`.
base::Result<spec::WorkloadSpec> exercise_settings(const SweepPreset& preset,
                                                   const spec::WorkloadSpec& machine);
// Its axes and series over `base`, all of whose settings stay. Protocol and the time of a point are
// those of a SweepSpec. An error if `base` is another workload, or one that the axes do not suit.
base::Result<SweepSpec> sweep_over(const SweepPreset& preset, const spec::WorkloadSpec& base);
// Both: the sweep as the exercise has it.
base::Result<SweepSpec> sweep_of_preset(const SweepPreset& preset,
                                        const spec::WorkloadSpec& machine);

}  // namespace ts::sweep
