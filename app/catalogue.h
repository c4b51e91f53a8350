#pragma once

#include "core/run/cuda_scratch.h"
#include "core/run/gpu_catalogue.h"
#include "core/run/reference_points.h"
#include "core/run/sweep_presets.h"

namespace ts::app {

// The cards that travel inside the program.
run::GpuCatalogue built_in_gpus();
// Bytes inside CUDA kernels, likewise.
run::CudaScratch built_in_scratch();
// Published step times, likewise.
const std::vector<run::ReferenceSeries>& built_in_references();
// The sweeps of the course.
const run::SweepPresets& built_in_sweeps();

}  // namespace ts::app
