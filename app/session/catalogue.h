#pragma once

#include "core/predict/cuda_scratch.h"
#include "core/spec/gpu_catalogue.h"
#include "core/sweep/reference_points.h"
#include "core/sweep/sweep_presets.h"

namespace ts::app {

// The cards that travel inside the program.
spec::GpuCatalogue built_in_gpus();
// Bytes inside CUDA kernels, likewise.
predict::CudaScratch built_in_scratch();
// Published step times, likewise.
const std::vector<sweep::ReferenceSeries>& built_in_references();
// The sweeps of the course.
const sweep::SweepPresets& built_in_sweeps();

}  // namespace ts::app
