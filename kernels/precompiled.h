#pragma once

// Common LibTorch headers of the engine, compiled once. No source includes this file: sources
// include what they use, so that they also compile without it (clang-tidy reads them so). Keep fmt
// out of sources that include LibTorch, which ships a newer one.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
