#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/predict/hunt_map.h"
#include "views/common/ui.h"

namespace ts::views {

// The axes of the map, its device, and the second frontier to compare with. The other controls set
// the workload.
struct HuntEdit {
  predict::HuntAxis x{spec::Field::T, 128, 8192};
  predict::HuntAxis y{spec::Field::B, 1, 64};
  bool here = false;  // for the device that the settings run on, instead of the target card
  std::optional<spec::AttentionBackend> compare;  // a second frontier with this backend
  friend bool operator==(const HuntEdit& a, const HuntEdit& b) {
    const auto same = [](const predict::HuntAxis& one, const predict::HuntAxis& other) {
      return one.field == other.field && one.low == other.low && one.high == other.high;
    };
    return same(a.x, b.x) && same(a.y, b.y) && a.here == b.here && a.compare == b.compare;
  }
};

// The sizes that increase memory and that matter for this workload.
std::vector<spec::Field> hunt_fields(const spec::WorkloadSpec& base);

// Makes the draft valid for the workload: replaces axes that it lacks.
void settle(HuntEdit& edit, const spec::WorkloadSpec& base);

// The settings of the second frontier; empty if there is none, or it is that of the settings.
std::optional<spec::WorkloadSpec> compared_spec(const HuntEdit& edit,
                                                const spec::WorkloadSpec& base);

// Zooms into the map (factor < 1) or out of it, around the sizes in `base`.
void zoom(HuntEdit& edit, const spec::WorkloadSpec& base, double factor, std::size_t cells);

// The range of a map that reaches beyond the chosen ends to include the settings; empty if it does
// not, or has another axis.
std::string reach_text(const predict::HuntAxis& chosen, const predict::HuntAxis& shown,
                       const text::Texts& texts);

// Draws the controls for the map's device, both axes and their ends, and the second frontier, in
// the current window; true when something was changed. `map`: the shown map; null: none.
bool draw_hunt_controls(const Ui& ui, HuntEdit& edit, const spec::WorkloadSpec& base,
                        const predict::HuntMap* map);

}  // namespace ts::views
