#pragma once

#include "core/calculate/inputs.h"

namespace ts::calculate {

// A result of a simulation or a stepper, by its name.
struct Figure {
  const char* name;
  double value = 0;
  Unit unit = Unit::number;
};

}  // namespace ts::calculate
