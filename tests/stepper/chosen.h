#pragma once

#include <gtest/gtest.h>

#include <initializer_list>

#include "core/stepper/stepper.h"

namespace ts::stepper::testing {

// The walk of a stepper with these settings.
template <class Kind>
Kind walk(const char* id, std::initializer_list<const char*> settings) {
  const Stepper& stepper = **stepper_from(id);
  calculate::Chosen chosen(stepper.id, stepper.inputs);
  for (const char* const setting : settings) EXPECT_TRUE(chosen.set(setting)) << setting;
  return Kind(chosen);
}

}  // namespace ts::stepper::testing
