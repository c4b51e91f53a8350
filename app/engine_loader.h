#pragma once

#include <filesystem>

#include "core/run/worker.h"

namespace ts::app {

// Loads libtensorscope_kernels.so from the folder of the program, or from TENSORSCOPE_ENGINE_DIR.
// Never unloaded: LibTorch keeps threads. The error says what is missing and what to do.
run::EngineLoader make_engine_loader();

// The folder of the running program.
std::filesystem::path program_folder();

}  // namespace ts::app
