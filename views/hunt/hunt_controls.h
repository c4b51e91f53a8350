#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/predict/hunt_map.h"
#include "views/common/ui.h"

namespace ts::views {

// The axes of the map, over whatever workload the other controls set; what it is a map of, and what
// else is compared with it.
struct HuntEdit {
  predict::HuntAxis x{spec::Field::T, 128, 8192};
  predict::HuntAxis y{spec::Field::B, 1, 64};
  bool here = false;  // of the device that the settings run on, instead of the target card
  std::optional<spec::AttentionBackend> compare;  // a second frontier with this backend
  friend bool operator==(const HuntEdit& a, const HuntEdit& b) {
    const auto same = [](const predict::HuntAxis& one, const predict::HuntAxis& other) {
      return one.field == other.field && one.low == other.low && one.high == other.high;
    };
    return same(a.x, b.x) && same(a.y, b.y) && a.here == b.here && a.compare == b.compare;
  }
};

// The sizes that memory grows with and that matter for this workload.
std::vector<spec::Field> hunt_fields(const spec::WorkloadSpec& base);

// Makes the draft one that is possible for the workload: other axes where it lacks one.
void settle(HuntEdit& edit, const spec::WorkloadSpec& base);

// The second frontier's settings; nothing where there is none, or it is that of the settings.
std::optional<spec::WorkloadSpec> compared_spec(const HuntEdit& edit,
                                                const spec::WorkloadSpec& base);

// Looks closer at the map (factor < 1) or from further away, about the sizes that `base` has.
void zoom(HuntEdit& edit, const spec::WorkloadSpec& base, double factor, std::size_t cells);

// Where a map reaches beyond the ends that were chosen, as far as the settings: from where to where
// it goes; empty where it does not, or has another axis.
std::string reach_words(const predict::HuntAxis& chosen, const predict::HuntAxis& shown,
                        const text::Texts& texts);

// What it is a map of, both axes and their ends, and the second frontier, in the current window;
// true when something was changed. `map`: what is shown; null: nothing is.
bool draw_hunt_controls(const Ui& ui, HuntEdit& edit, const spec::WorkloadSpec& base,
                        const predict::HuntMap* map);

}  // namespace ts::views
