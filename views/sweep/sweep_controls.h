#pragma once

#include <optional>
#include <vector>

#include "core/spec/checked_spec.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_presets.h"
#include "views/common/ui.h"

namespace ts::views {

// The sweep that the controls describe. The other controls set the workload.
struct SweepEdit {
  spec::Field axis = spec::Field::T;
  std::int64_t low = 64;  // powers of two from here
  std::int64_t high = 1024;
  std::string values;  // as --axis writes them: "64,96,128", "256:2048:x2"; empty: low to high
  std::optional<spec::Field> second;  // axis
  std::string second_values;
  std::optional<spec::Field> series =
      spec::Field::backend;  // what makes the curves; unset: one curve
  std::vector<spec::AttentionBackend> backends = {spec::AttentionBackend::naive,
                                                  spec::AttentionBackend::flash};
  std::string series_values;  // of a series other than the backend: "fp32,bf16"
  std::string preset;         // of the course: its axes and series replace all the above; or empty
  friend bool operator==(const SweepEdit&, const SweepEdit&) = default;
};

// A backend series is left out if the workload has no attention. A preset gives its axes and
// series; all other settings are those of `base`. Errors are those of check().
base::Result<sweep::SweepSpec> sweep_of(const SweepEdit& edit, const spec::WorkloadSpec& base,
                                        const sweep::SweepPresets& presets);

// The draft of a sweep with one or two axes and at most one setting as series; of any other sweep
// that a preset describes, that preset.
SweepEdit edit_of(const sweep::SweepSpec& sweep, const sweep::SweepPresets& presets);

// The same, made only when one of them has changed. UI thread.
class OfferedSweep {
 public:
  const base::Result<sweep::SweepSpec>& of(const SweepEdit& edit, const spec::WorkloadSpec& base,
                                           const sweep::SweepPresets& presets);

 private:
  struct Made {
    SweepEdit edit;
    spec::WorkloadSpec base;
    base::Result<sweep::SweepSpec> sweep;
  };
  std::optional<Made> made_;
};

// The settings that the controls offer for this workload. As an axis: all numbers, the sizes first.
// As series: all others, too.
std::vector<spec::Field> axis_fields(const spec::WorkloadSpec& base);
std::vector<spec::Field> series_fields(const spec::WorkloadSpec& base);

// "d_model = 256": settings that the exercise has otherwise, with their values in `base`; at most
// three. Settings that the sweep itself varies do not count. Empty if nothing differs.
std::string changed_from_exercise(const text::Texts& texts, const sweep::SweepPreset& preset,
                                  const spec::WorkloadSpec& base);

// exercise: the settings of the chosen exercise are wanted.
enum class SweepAsk : std::uint8_t { nothing, start, add, exercise };
// Draws preset, or axis, ends and series, in the current window. `sweep`: the current one, null:
// none; while it runs, points can only be added.
SweepAsk draw_sweep_controls(const Ui& ui, SweepEdit& edit, OfferedSweep& offered,
                             const spec::CheckedSpec& base, const sweep::SweepPresets& presets,
                             const sweep::Sweep* sweep, bool running);

}  // namespace ts::views
