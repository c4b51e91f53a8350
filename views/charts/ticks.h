#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace ts::views {

// A mark on an axis. An empty label means a tick without words.
struct Tick {
  double position = 0;  // nanoseconds since the origin, bytes, or events
  std::string label;
};

struct Ticks {
  std::vector<Tick> ticks;
  double step = 1;
  std::string unit;  // of all labels, written once: "ms", "GiB"; empty when the labels contain it
};

// Smallest of 1, 2, 5 times a power of ten that is at least `least` (> 0).
double nice_step(double least);

// Ticks of a time axis. Positions are nanoseconds since `origin_ns`, at multiples of a nice step,
// at least `apart_px` pixels apart. Deep inside a long capture the full labels would be too long.
// Then the first tick shows the position ("142.503 ms"), the others count from it ("+20 ns"), and
// unit is empty.
Ticks time_ticks(base::TimeRange range, std::int64_t origin_ns, float pixels, float apart_px);

// Ticks of a memory axis from 0 to `top` bytes. Their distance is a power of two of the unit. There
// are 4 to 7 of them if `pixels` has room for them at `apart_px`.
Ticks byte_ticks(std::int64_t top, float pixels, float apart_px);
// The same of a part of the axis. Where labels would need too many digits the first one is absolute
// ("40.03 GiB"), the others count from there ("+64 KiB"), and unit is empty.
Ticks byte_ticks(std::int64_t bottom, std::int64_t top, float pixels, float apart_px);

// Ticks of an axis of whole numbers (event index).
Ticks count_ticks(double begin, double end, float pixels, float apart_px);

}  // namespace ts::views
