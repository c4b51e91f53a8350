#pragma once

#include <string_view>
#include <vector>

#include "core/advice/tree.h"
#include "core/cluster/links.h"
#include "core/lessons/demo.h"
#include "core/lessons/lesson.h"
#include "core/lessons/lesson_rows.h"
#include "core/lessons/material_errors.h"
#include "core/predict/cuda_scratch.h"
#include "core/spec/gpu_catalogue.h"
#include "core/sweep/reference_points.h"
#include "core/sweep/sweep_presets.h"

namespace ts::app {

// The built-in cards.
spec::GpuCatalogue built_in_gpus();
// The built-in table of bytes inside CUDA kernels.
predict::CudaScratch built_in_scratch();
// The built-in published step times.
const std::vector<sweep::ReferenceSeries>& built_in_references();
// The built-in sweeps of the course.
const sweep::SweepPresets& built_in_sweeps();
// The built-in lessons of the course, and the rows of its catalogue.
const std::vector<lessons::Lesson>& built_in_lessons();
const lessons::RowCatalogue& built_in_rows();
// A lesson of the course, or one that runs both variants of an error; null: none has that id.
const lessons::Lesson* built_in_lesson(std::string_view id);
// The errors of the course's material.
const lessons::MaterialErrors& built_in_errors();
// The built-in links between cards.
const cluster::LinkCatalogue& built_in_links();
// The built-in decision trees.
const std::vector<advice::Tree>& built_in_trees();
// The built-in demos of a lecture, in the order of their keys.
const std::vector<lessons::Demo>& built_in_demos();

}  // namespace ts::app
