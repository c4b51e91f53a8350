#include "core/run/engine.h"
#include "kernels/engine/dry_runner.h"
#include "kernels/engine/engine.h"

#define TENSORSCOPE_EXPORT __attribute__((visibility("default")))

extern "C" {

TENSORSCOPE_EXPORT int tensorscope_engine_version() {
  return ts::run::kEngineInterfaceVersion;
}

// Null if LibTorch cannot be started.
TENSORSCOPE_EXPORT ts::run::Engine* tensorscope_engine_create() {
  try {
    return new ts::kernels::TorchEngine;
  } catch (...) {
    return nullptr;
  }
}

// Null if LibTorch cannot be started.
TENSORSCOPE_EXPORT ts::predict::DryRunner* tensorscope_dry_runner_create() {
  try {
    return new ts::kernels::TorchDryRunner;
  } catch (...) {
    return nullptr;
  }
}
}
