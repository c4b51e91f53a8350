#pragma once

#include "core/lessons/lesson.h"
#include "core/lessons/lesson_rows.h"
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
// Its lessons, and the rows of its catalogue.
const std::vector<lessons::Lesson>& built_in_lessons();
const lessons::RowCatalogue& built_in_rows();

}  // namespace ts::app
