#pragma once

#include "core/run/gpu_catalogue.h"

namespace ts::app {

// The cards that travel inside the program.
run::GpuCatalogue built_in_gpus();

}  // namespace ts::app
