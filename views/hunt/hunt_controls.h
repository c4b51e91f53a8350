#pragma once

#include <vector>

#include "core/run/hunt.h"
#include "views/common/ui.h"

namespace ts::views {

// The axes of the map, over whatever workload the other controls set. Ends are powers of two.
struct HuntDraft {
  run::HuntAxis x{run::Field::T, 128, 8192};
  run::HuntAxis y{run::Field::B, 1, 64};
  friend bool operator==(const HuntDraft& a, const HuntDraft& b) {
    const auto same = [](const run::HuntAxis& one, const run::HuntAxis& other) {
      return one.field == other.field && one.low == other.low && one.high == other.high;
    };
    return same(a.x, b.x) && same(a.y, b.y);
  }
};

// The sizes that memory grows with and that matter for this workload.
std::vector<run::Field> hunt_fields(const run::WorkloadSpec& base);

// Makes the draft one that is possible for the workload: other axes where it lacks one.
void settle(HuntDraft& draft, const run::WorkloadSpec& base);

// Both axes and their ends, in the current window; true when something was changed.
bool draw_hunt_controls(const Ui& ui, HuntDraft& draft, const run::WorkloadSpec& base);

}  // namespace ts::views
