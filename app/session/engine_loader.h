#pragma once

#include <filesystem>
#include <string>

#include "core/predict/dry_run.h"
#include "core/run/worker.h"

namespace ts::app {

// Loads libtensorscope_kernels.so (engine_file). Never unloaded: LibTorch keeps threads. The error
// names what is missing and what to do.
run::EngineLoader make_engine_loader();
// The dry runner of the same library. Engine and dry runner may be loaded by two threads at once.
predict::DryRunnerLoader make_dry_runner_loader();

// True if the engine can use a GPU here.
bool has_cuda(const run::EngineInfo& engine);

// The folder of the engine and of what is built beside it: that of the program, or
// TENSORSCOPE_ENGINE_DIR.
std::filesystem::path engine_folder();
// libtensorscope_kernels.so in it. A wheel has one for each minor of torch, in a folder of that
// name; which one fits is said in TENSORSCOPE_TORCH. Empty if the folder is unknown.
std::filesystem::path engine_file();
// "2.11 and 2.15": the minors that a wheel has an engine for; empty where there is only one engine.
std::string engine_minors();
// The file of the running program; empty if it is unknown.
std::filesystem::path program_path();
// Its folder; empty if it is unknown, never the current one.
std::filesystem::path program_folder();

}  // namespace ts::app
