#pragma once

#include <gtest/gtest.h>

#include "core/spec/presets.h"

namespace ts::spec {

// The settings of a preset; the test fails where there is no such preset.
inline WorkloadSpec preset_spec(WorkloadKind kind, const char* id) {
  WorkloadSpec spec;
  const Preset* preset = find_preset(kind, id);
  EXPECT_NE(preset, nullptr) << id;
  if (preset != nullptr) apply_preset(*preset, spec);
  return spec;
}

}  // namespace ts::spec
